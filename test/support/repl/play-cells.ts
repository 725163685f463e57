// Runs random cells on a real host, with a person who answers, a user who writes concurrently, and
// an agent. Compares the state after each cell with the naive model.
import fc from 'fast-check';
import { expect } from 'vitest';
import * as z from 'zod';
import type { Host } from '../../../src/agent/host.ts';
import { relativePath } from '../../../src/core/path.ts';
import type { CanUseTool } from '../../../src/core/permissions/permission.ts';
import type { Executor, RunningWork } from '../../../src/core/tool/ports.ts';
import { openConversation, type CellEnd } from './cell-conversation.ts';
import {
  firstCell,
  firstState,
  refusedFile,
  randomCell,
  runNaively,
  secretFile,
  showCode,
  toInput,
  type NaiveOutcome,
  type RandomCell,
} from './naive-cells.ts';
import { pageTool } from '../stages/test-tools.ts';

// 25: enough for a conversation to carry much from cell to cell, few enough to be shrunk soon.
const cellsEach = 25;

/** The time limit for playing the cells, or for shrinking a failure. A test's timeout is longer. */
export const playMs = (count: number): number => 120_000 + count * 2_000;

/**
 * Plays at least `count` cells, conversation by conversation. `withHost` gives each its host. A failure names its
 * seed, and the cells that remain after shrinking. Returns the outcome of each, for a test that needs some of every
 * kind.
 */
export async function checkRandomCells(
  count: number,
  withHost: (play: (host: Host) => Promise<void>) => Promise<void>,
): Promise<readonly NaiveOutcome[]> {
  const outcomes: NaiveOutcome[] = [];
  const cells = fc.array(randomCell, { minLength: cellsEach, maxLength: cellsEach });
  await fc.assert(
    fc.asyncProperty(cells, (given) =>
      withHost(async (host) => void outcomes.push(...(await playCells(host, given)))),
    ),
    // Shrinking ends in time for its result to be shown.
    { numRuns: Math.ceil(count / cellsEach), interruptAfterTimeLimit: playMs(count) },
  );
  expect(outcomes.length).toBeGreaterThanOrEqual(count);
  return outcomes;
}

/** Plays them in one conversation. Empties the host's working directory first. */
async function playCells(
  host: Host,
  cells: readonly RandomCell[],
): Promise<readonly NaiveOutcome[]> {
  let state = firstState();
  await writeFiles(host, state.files);
  let running: RunningWork | undefined;
  const start: Executor['start'] = (request, ...listeners) => {
    const work = host.executor.start(request, ...listeners);
    if (request.toolName === 'Repl') running = work;
    return work;
  };
  using conversation = openConversation({
    host: { ...host, executor: { start } },
    canUseTool: answer,
    tools: [
      ...['Repl', 'Write'],
      pageTool('UserWrite', z.strictObject({ file: z.string(), text: z.string() }), (input) =>
        host.workspace.fs.writeFile(`${host.cwd}/${input.file}`, input.text),
      ),
      pageTool('Stop', z.strictObject({}), () => conversation.stop()),
      pageTool('Kill', z.strictObject({}), () => running?.kill('It was killed.')),
    ],
    allowedTools: ['UserWrite', 'Stop', 'Kill'],
  });

  await conversation.run({ code: firstCell });
  const outcomes: NaiveOutcome[] = [];
  for (const [number, cell] of cells.entries()) {
    const naive = runNaively(cell, number, state);
    const ends = await conversation.run(toInput(cell, number));
    expect(ends).toHaveLength(1);
    const [end] = ends;
    expect([toOutcome(end), end?.content]).toEqual([naive.outcome, expect.anything()]);
    if (naive.shown) expect(readShown(end)).toEqual(naive.shown);
    expect(await readFiles(host)).toEqual(naive.state.files);
    state = naive.state;
    outcomes.push(naive.outcome);
  }
  const [end] = await conversation.run({ code: showCode });
  expect(readShown(end)).toEqual(Object.fromEntries(state.variables));
  return outcomes;
}

function readShown(end: CellEnd | undefined): unknown {
  const [line = ''] = (end?.output?.stdout ?? '').split('\n');
  return line === '' ? undefined : JSON.parse(line);
}

/** Refuses one file for cells, and another for tools. */
const answer: CanUseTool = async (toolName, input, { changes = [] }) => {
  const isSecret = toolName === 'Write' && String(input['file_path']).endsWith(secretFile);
  const isRefused = changes.some(({ path }) => path.endsWith(refusedFile));
  return isSecret || isRefused ? { behavior: 'deny', message: 'No.' } : { behavior: 'allow' };
};

function toOutcome(end: CellEnd | undefined): NaiveOutcome {
  const text = JSON.stringify(end?.content);
  if (!end?.isError) return 'kept';
  if (text.includes('changed by someone else')) return 'conflict';
  return text.includes('No. None of its changes were kept') ? 'refused' : 'failed';
}

async function writeFiles(host: Host, files: ReadonlyMap<string, string>): Promise<void> {
  const { fs } = host.workspace;
  for (const name of await fs.readdir(host.cwd))
    await fs.rm(`${host.cwd}/${name}`, { recursive: true });
  await fs.mkdir(`${host.cwd}/d`);
  for (const [name, text] of files) await fs.writeFile(`${host.cwd}/${name}`, text);
}

async function readFiles(host: Host): Promise<Map<string, string>> {
  const { fs } = host.workspace;
  const files = new Map<string, string>();
  for (const { path } of await fs.walk(host.cwd)) {
    files.set(relativePath(host.cwd, path), await fs.readFile(path, 'utf8'));
  }
  return files;
}
