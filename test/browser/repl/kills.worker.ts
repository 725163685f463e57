// The built-in tools, but a cell stops dead in the host call that its code names, so that the page can
// end its worker there. (By `/* stop: 3 */`; the call isn't made. A page of which nobody asked for
// isolation has no other way to make a worker wait than the memory of a wasm module.)
import { serveTools, workers, type WorkerToolEntry } from 'rockpool/serve-tools';
import * as z from 'zod';
import type { HostFunction } from '../../../src/repl/vm/engine.ts';
import { createQuickjsEngine } from '../../../src/repl/vm/quickjs.ts';
import { createReplSession } from '../../../src/repl/session/session.ts';
import { replWorker } from '../../../src/tools/repl/worker.ts';

/** What a run of a cell tells the page, when it stops or has ended. */
export interface RunReport {
  /** Names of the host calls that it has made, the last of them `saveState` where it came so far. */
  readonly made: readonly string[];
  readonly isOver: boolean;
}

function stopForGood(): void {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
  Atomics.wait(new Int32Array(memory.buffer), 0, 0);
}

/** The cell that runs: one at a time. */
let made: string[] = [];
let beforeCall: () => void = () => {};

function count(name: string): void {
  beforeCall();
  made.push(name);
}

/** All but the clock's, which timers ask as often as it takes, and the world's for a part of itself. */
function counted(functions: Readonly<Record<string, HostFunction>>) {
  return Object.fromEntries(
    Object.entries(functions).map(([name, run]): [string, HostFunction] => [
      name,
      (...args) => {
        if (name !== 'now' && name !== 'part') count(name);
        return run(...args);
      },
    ]),
  );
}

async function loadCountedEngine(wasm: Promise<WebAssembly.Module>) {
  const engine = await createQuickjsEngine(await wasm);
  const withCount = <
    Options extends { readonly hostFunctions: Readonly<Record<string, HostFunction>> },
  >(
    options: Options,
  ) => ({ ...options, hostFunctions: counted(options.hostFunctions) });
  return {
    ...engine,
    create: (...[options, boot]: Parameters<typeof engine.create>) =>
      engine.create(withCount(options), boot),
    restore: (...[snapshot, options]: Parameters<typeof engine.restore>) =>
      engine.restore(snapshot, withCount(options)),
  };
}

const runCell: typeof replWorker.handler = async (input, context) => {
  const { realm } = context;
  // The session that the Repl's own handler will find.
  realm.keep('vm', () =>
    createReplSession({
      loadEngine: () => loadCountedEngine(realm.loadWasm()),
      network: realm.network,
    }),
  );
  const stopAt = Number(/stop: (\d+)/u.exec(input.code)?.[1] ?? Infinity);
  const report = (isOver: boolean) => context.progress({ made, isOver } as object);
  made = [];
  beforeCall = () => {
    if (made.length + 1 !== stopAt) return;
    report(false);
    stopForGood();
  };
  const output = await replWorker.handler(input, {
    ...context,
    get savedState() {
      return context.savedState;
    },
    saveState(state) {
      context.saveState(state);
      count('saveState');
    },
  });
  report(true);
  return output;
};

const repl: WorkerToolEntry = {
  name: 'Repl',
  load: async () => ({ inputSchema: replWorker.inputSchema, handler: runCell }),
};
const hang: WorkerToolEntry = {
  name: 'Hang',
  load: async () => ({ inputSchema: z.strictObject({}), handler: () => new Promise(() => {}) }),
};

serveTools([repl, hang, ...workers]);
