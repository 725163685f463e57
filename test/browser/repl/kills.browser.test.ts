// A cell's worker ends at each of the cell's host calls, by a real `terminate`. Nothing of the cell
// is there, and all that was before it is. It isn't run again where it had asked for more than to
// read. The ordinary run stops it at a sample of them; KILLS=100 (or any number) at all.
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import * as z from 'zod';
import type { Host } from '../../../src/agent/host.ts';
import type { Executor, WorkRequest } from '../../../src/core/tool/ports.ts';
import {
  createBrowserHost,
  type BrowserHost,
} from '../../../src/hosts/browser/page/create-browser-host.ts';
import toolWorker from './kills.worker.ts?worker&url';
import { createVirtualClock } from '../../../src/hosts/inline/virtual-clock.ts';
import { createRandom } from '../../support/random.ts';
import { runCells, type Cell } from '../../support/turns/run-cells.ts';
import { pageTool } from '../../support/stages/test-tools.ts';
import type { RunReport } from './kills.worker.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** At how many of a cell's host calls its worker ends: vitest.config.ts. */
    cellKills: number;
  }
}

let host: BrowserHost;

const files = { 'a.txt': 'one\ntwo\n', 'b.txt': 'b', 'c.txt': 'c' };
const setUp = 'var n = 1; const list = [1]; function get() { return [n, list] }';
const look = `console.log(JSON.stringify([get(), typeof fresh, fs.readFileSync('a.txt', 'utf8'), fs.readdirSync('.').sort()]))`;
const asBefore = `${JSON.stringify([[1, [1]], 'undefined', 'one\ntwo\n', ['a.txt', 'b.txt', 'c.txt']])}\n`;

/** Reads first, then does a little of everything that a cell can ask of its host. */
const manyCalls = `
  const text = fs.readFileSync('a.txt', 'utf8'); fs.readdirSync('.'); fs.existsSync('none');
  n += 1; list.push(n); let fresh = 'never kept'; get = () => 'replaced';
  fs.writeFileSync('a.txt', 'zero\\n' + text); fs.mkdirSync('made'); fs.writeFileSync('made/d.txt', 'd');
  fs.appendFileSync('made/d.txt', 'e'); fs.copyFileSync('b.txt', 'made/b.txt'); fs.unlinkSync('b.txt');
  fs.renameSync('c.txt', 'made/c.txt'); fs.symlinkSync('c.txt', 'made/link');
  const file = fs.openSync('made/c.txt', 'r+'); fs.writeSync(file, 'C'); fs.ftruncateSync(file, 1); fs.closeSync(file);
  await tools.Read({ file_path: 'a.txt' });
  await tools.Edit({ file_path: 'a.txt', old_string: 'two', new_string: 'TWO' });
  await tools.Ring({});
  const looking = tools.Grep({ pattern: 'TWO' });
  fs.statSync('a.txt'); Math.random(); crypto.randomUUID(); console.log('so far');
  await looking;
  await new Promise((done) => setTimeout(done, 1));
  await Promise.all([crypto.subtle.digest('SHA-256', new Uint8Array(3)), new Promise((done) => setTimeout(done))]);
  require('crypto').createHash('sha1').update(text).digest('hex'); new URL('http://a.net/?q=1').search;
  fs.rmSync('made', { recursive: true }); fs.writeFileSync('last.txt', 'last'); console.log('over');`;

const doomed = (stopAt: number) => `/* stop: ${stopAt} */ ${manyCalls}`;

/** The calls of a cell that nobody stops, in their order; the files are then as before. */
let calls: readonly string[];
let rings = 0;

/** What a run of a cell says, call by call of the executor. */
function watch(onReport: (report: RunReport) => void): Host {
  const { executor } = host;
  const start: Executor['start'] = (request, onProgress, listeners) =>
    executor.start(
      request,
      (progress) => {
        if (isReport(progress)) onReport(progress);
        else onProgress(progress);
      },
      listeners,
    );
  return { ...host, executor: { start } };
}

function isReport(progress: unknown): progress is RunReport {
  return typeof progress === 'object' && progress !== null && 'made' in progress;
}

async function run(cells: readonly Cell[], watched: Host) {
  return runCells(watched, cells, {
    // The checkpoint of a kept session would be a commit of its own.
    persistSession: false,
    permissionMode: 'bypassPermissions',
    tools: [
      ...['Repl', 'Read', 'Edit', 'Grep'],
      pageTool('Ring', z.strictObject({}), () => void (rings += 1)),
    ],
  });
}

async function writeFiles(): Promise<void> {
  const { fs } = host.workspace;
  await fs.rm('/workspace', { recursive: true });
  await fs.mkdir('/workspace');
  for (const [name, text] of Object.entries(files)) await fs.writeFile(`/workspace/${name}`, text);
}

beforeAll(async () => {
  host = await createBrowserHost({
    workspace: `kills-${crypto.randomUUID()}`,
    driver: 'memory',
    assets: { wasm: wasmUrl, toolWorker },
  });
  await writeFiles();
  const reports: RunReport[] = [];
  const { outputs } = await run(
    [setUp, manyCalls],
    watch((report) => reports.push(report)),
  );
  expect(outputs[1]).toMatchObject({ rolledBack: false });
  calls = reports[1]?.made ?? [];
  await writeFiles();
  rings = 0;
});

afterAll(() => host.destroy());

/** Of their numbers: the first and the last, and others at random between them, in their order. */
function sampleOfCalls(): readonly number[] {
  const last = calls.length - 1;
  const random = createRandom(35);
  const chosen = new Set([0, last]);
  const wanted = Math.min(inject('cellKills'), calls.length);
  while (chosen.size < wanted) chosen.add(random.below(last));
  return [...chosen].toSorted((one, other) => one - other);
}

describe('a cell whose worker ends', () => {
  it('at any of its host calls leaves nothing, was run once, and its session goes on', async () => {
    expect(calls.length).toBeGreaterThan(30);
    const [hash, seq] = [await host.workspace.treeHash(), host.workspace.seq()];
    const clock = createVirtualClock();
    const stopped: string[][] = [];
    const watched = watch(({ made, isOver }) => {
      if (isOver) return;
      stopped.push([...made]);
      // Past every deadline, the cell's and its nested call's: then the worker is ended.
      clock.advance(600_000);
    });
    const rounds = sampleOfCalls();
    const { results, outputs } = await run(
      [setUp, ...rounds.flatMap((at) => [doomed(at + 1), look])],
      { ...watched, clock },
    );

    expect(stopped).toEqual(rounds.map((at) => calls.slice(0, at)));
    expect(results).toHaveLength(1 + 2 * rounds.length);
    for (const [round, at] of rounds.entries()) {
      expect(results[1 + 2 * round], calls[at]).toMatch(
        /^Repl (?:was stopped after \d+ ms|ended before it answered \(.+\)); nothing that it did was kept\./u,
      );
      const found = 2 + 2 * round;
      expect(outputs[found], `${calls[at]}: ${results[found]}`).toMatchObject({
        rolledBack: false,
        stdout: asBefore,
      });
    }
    expect([await host.workspace.treeHash(), host.workspace.seq()]).toEqual([hash, seq]);
    // The tool on the page is what a second run would have called a second time.
    const ringing = calls.flatMap((name, at) => (name === 'startTool' ? [at] : []))[2];
    if (ringing === undefined) throw new Error('The cell has made no third call of a tool, Ring.');
    expect(rings).toBe(rounds.filter((at) => at > ringing).length);
  });

  it('for the sake of another call is run anew only if it had done nothing but read', async () => {
    const reads = ['readText', 'readdir', 'exists'];
    const firstEffect = calls.findIndex((name) => !reads.includes(name));
    expect(firstEffect).toBe(reads.length);
    await startCell(setUp).reply;
    for (const stopAt of [1, firstEffect + 1, firstEffect + 2, calls.length]) {
      const reports: RunReport[] = [];
      let wake = () => {};
      const culprit = host.executor.start(requestOf('Hang', {}), () => {});
      const cell = startCell(doomed(stopAt), (report) => {
        reports.push(report);
        wake();
      });
      const stops = () => new Promise<'stopped'>((resolve) => (wake = () => resolve('stopped')));
      await stops();
      const again = stops();
      culprit.kill('It hangs.');
      const outcome = await Promise.race([cell.reply, again]);
      const hasOnlyRead = stopAt <= firstEffect + 1;
      expect(outcome, calls[stopAt - 1]).toEqual(
        hasOnlyRead ? 'stopped' : { type: 'lost', message: 'Its worker was ended: It hangs.' },
      );
      cell.kill('Enough.');
      expect(await cell.reply).toMatchObject({ type: 'lost' });
      expect(reports).toHaveLength(hasOnlyRead ? 2 : 1);
      expect(await startCell(look).reply).toMatchObject({ output: { stdout: asBefore } });
    }
  });
});

function requestOf(toolName: string, input: unknown): WorkRequest {
  return {
    callId: crypto.randomUUID(),
    toolName,
    input,
    sessionId: 'beside',
    address: { root: 'main', minSeq: host.workspace.seq() },
    access: {
      cwd: '/workspace',
      roots: ['/workspace'],
      readOnlyRoots: [],
      rules: [],
      write: 'allow',
    },
    cwd: '/workspace',
    limits: { timeoutMs: 60_000, maxFileBytes: 1e6, maxOutputChars: 1e6, maxMemoryBytes: 1e8 },
    knownVersions: [],
    tools: ['Read', 'Edit', 'Ring', 'Grep'],
  };
}

/** Without an agent, which would let no other call run beside it. Its tools do nothing. */
function startCell(code: string, onReport: (report: RunReport) => void = () => {}) {
  const onNestedCall = () =>
    Promise.resolve({ type: 'done', callId: 'nested', output: null } as const);
  const { executor } = watch(onReport);
  return executor.start(requestOf('Repl', { code }), () => {}, { onNestedCall });
}
