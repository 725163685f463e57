/**
 * `node --conditions=rockpool-source scripts/engine/find-first-functions.ts`: runs cells on an engine
 * that notes which of its functions are called, and writes into first-functions.ts those that a core
 * should have. To be run when quickjs-wasi changes.
 */
import { writeFileSync } from 'node:fs';
import { createQuickjsEngine } from '../../src/repl/engines/quickjs.ts';
import { createReplSession } from '../../src/repl/session.ts';
import type { GuestCode } from '../../src/repl/engine.ts';
import { bootCode } from '../../src/repl/world/world.ts';
import { createMemoryWorkspace } from '../../src/workspace/memory-workspace.ts';
import { kernelNames, toRunSource } from '../../test/bench/pages/repl/kernels.ts';
import { cellSessions } from '../../test/contract/repl-cells.contract.ts';
import { addCompiledBoot, readMinifiedBoot } from './compile-boot.ts';
import { ordinaryCells } from './ordinary-cells.ts';
import { encodeFunctions, hashEngine, readWholeEngine } from './engine-files.ts';
import { counterName, countFunctions } from './split-engine.ts';
import { readEngine } from './wasm-module.ts';

// What fewer than 8 sessions in 57 come to, few cells need.
const leastSessions = 8;

const target = new URL('first-functions.ts', import.meta.url);

/** All VMs that were made since the last look, by their exports. */
const counted: WebAssembly.Exports[] = [];

async function main(): Promise<void> {
  const wasm = readWholeEngine();
  const { imports, bodies } = readEngine(wasm);
  const numbers = bodies.map((_body, at) => at + imports.length);
  keepExports();
  // As users have it.
  const boot = await readMinifiedBoot();
  const counting = await WebAssembly.compile(
    await addCompiledBoot(countFunctions(wasm), wasm, boot),
  );
  const run = async (
    cells: readonly string[],
    files: Readonly<Record<string, string>> = {},
    booted = boot,
  ) => {
    counted.length = 0;
    await runCells({ wasm: counting, boot: booted, cells, files });
    return numbers.filter((index) => counted.some((exports) => isCalled(exports, index)));
  };

  // What ordinary cells need, a restored session, and hot loops: a call across is slower.
  const first = new Set(await run([...ordinaryCells, ...kernelNames.map(toRunSource)]));
  // And to boot from source: where the page is built from the library's own, nothing is compiled ahead.
  for (const index of await run(['6 * 7'], {}, bootCode())) first.add(index);
  const sessionCounts = new Map<number, number>();
  for (const { cells, files } of cellSessions) {
    const codes = cells.map(([code]) => code);
    for (const index of await run(codes, files)) {
      sessionCounts.set(index, (sessionCounts.get(index) ?? 0) + 1);
    }
  }
  for (const [index, count] of sessionCounts) if (count >= leastSessions) first.add(index);

  writeFileSync(target, render(hashEngine(wasm), encodeFunctions(first)));
  console.log(`${first.size} of ${bodies.length} functions are the core's`);
}

/** The binding makes its instances itself, and shows them to nobody. */
function keepExports(): void {
  const instantiate = WebAssembly.instantiate as (
    module: WebAssembly.Module,
    imports: WebAssembly.Imports,
  ) => Promise<WebAssembly.Instance>;
  const keeping: typeof instantiate = async (module, imports) => {
    const instance = await instantiate(module, imports);
    counted.push(instance.exports);
    return instance;
  };
  Object.assign(WebAssembly, { instantiate: keeping });
}

function isCalled(exports: WebAssembly.Exports, index: number): boolean {
  const counter = exports[counterName(index)];
  return counter instanceof WebAssembly.Global && counter.value !== 0;
}

interface CountedRun {
  readonly wasm: WebAssembly.Module;
  readonly boot: GuestCode;
  readonly cells: readonly string[];
  readonly files: Readonly<Record<string, string>>;
}

/** In a session, and then its last state in another. */
async function runCells({ wasm, boot, cells, files }: CountedRun): Promise<void> {
  const workspace = await createMemoryWorkspace();
  await workspace.fs.mkdir('/work');
  for (const [path, content] of Object.entries(files)) {
    const place = `/work/${path}`;
    await workspace.fs.mkdir(place.slice(0, place.lastIndexOf('/')), { recursive: true });
    await workspace.fs.writeFile(place, content);
  }
  // As the tests of the cells have it.
  let time = 1_700_000_000_000;
  let savedState: Uint8Array | undefined;
  const createSession = () =>
    createReplSession({
      loadEngine: async () => {
        const engine = await createQuickjsEngine(wasm);
        return { ...engine, create: (options) => engine.create(options, boot) };
      },
      now: () => time,
      sleep: async (milliseconds) => void (time += milliseconds),
    });
  const runCell = async (session: ReturnType<typeof createSession>, code: string) => {
    const view = await workspace.openView({ root: 'main', minSeq: workspace.seq() }, access);
    await session.run({
      code,
      cwd: '/work',
      fs: view.fs.sync,
      contents: view.contents,
      fileChanges: () => view.fileChanges(),
      heldBytes: () => view.heldBytes(),
      rollback: () => view.rollback(),
      savedState,
      saveState: (state) => void (savedState = state),
    });
    const changeSet = view.changeSet();
    if (changeSet) await workspace.commit(changeSet, { author: { kind: 'agent' } });
  };
  const session = createSession();
  for (const code of cells) await runCell(session, code);
  await runCell(createSession(), '1');
}

const access = {
  cwd: '/work',
  roots: ['/work'],
  readOnlyRoots: [],
  rules: [],
  write: 'allow',
} as const;

function render(hash: string, encoded: string): string {
  const lines = encoded.match(/.{1,90}/g) ?? [];
  return `// Written by find-first-functions.ts.

/** The quickjs.wasm whose functions are numbered here: SHA-256. */
export const engineHash = '${hash}';

/** Which of them the core has: a bit for each, in base64. */
export const firstFunctions = [
${lines.map((line) => `  '${line}',`).join('\n')}
].join('');
`;
}

await main();
