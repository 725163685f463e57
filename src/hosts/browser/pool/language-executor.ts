// Sends the calls of LSP to a worker of their own, and all others on. Between the page's host and its executor, where
// the page gave a language worker.
import { SdkError, toSerializedError } from '../../../core/errors.ts';
import type { Clock, RunningWork } from '../../../core/tool/ports.ts';
import { lspToolName } from '../../../lsp/tool-name.ts';
import type { WorkerExecutor } from './worker-executor.ts';

// Five minutes without a call: a program takes some hundred MB, and seconds to make again.
const idleMs = 5 * 60_000;

/** What runs LSP's calls: an executor over a pool of one. Disposing it ends the worker. */
export interface LanguagePool extends Disposable {
  readonly executor: WorkerExecutor;
}

export interface LanguageExecutorOptions {
  /** Runs all other calls. */
  readonly executor: WorkerExecutor;
  /** Starts a pool: with the first call, and with the first after it was let go. */
  readonly openPool: () => LanguagePool;
  readonly clock: Clock;
}

/** Disposing it disposes the executor that it was given, too. */
export function createLanguageExecutor({
  executor,
  openPool,
  clock,
}: LanguageExecutorOptions): WorkerExecutor {
  let pool: LanguagePool | undefined;
  let running = 0;
  let idle: Disposable | undefined;
  let isDisposed = false;

  function end(): void {
    idle?.[Symbol.dispose]();
    idle = undefined;
    pool?.[Symbol.dispose]();
    pool = undefined;
  }

  function start(...[request, ...rest]: Parameters<WorkerExecutor['start']>): RunningWork {
    if (request.toolName !== lspToolName || isDisposed) return executor.start(request, ...rest);
    // The worker has the workspace alone, and not what the cell has written so far: it would answer of another state.
    if (request.outerCallId !== undefined) return refuse();
    idle?.[Symbol.dispose]();
    idle = undefined;
    running += 1;
    pool ??= openPool();
    const work = pool.executor.start(request, ...rest);
    void work.reply.then(() => {
      running -= 1;
      if (running === 0 && !isDisposed) idle = clock.after(idleMs, end);
    });
    return work;
  }

  return {
    ...executor,
    start,
    [Symbol.dispose]() {
      isDisposed = true;
      end();
      executor[Symbol.dispose]();
    },
  };
}

function refuse(): RunningWork {
  const error = new SdkError(
    'invalid-input',
    "LSP can't be called by a cell's code: its worker doesn't see what the cell has written. Call it by itself, before the cell or after it.",
  );
  const nothing = () => undefined;
  return {
    reply: Promise.resolve({ type: 'failed', error: toSerializedError(error) }),
    interrupt: nothing,
    isBehind: () => false,
    kill: nothing,
    discard: nothing,
  };
}
