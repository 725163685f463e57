// Sends LSP calls to a worker of their own, and forwards all others. Used between the host and its
// executor if the page provides a language worker.
import { SdkError, toSerializedError } from '../../../core/errors.ts';
import type { Clock, RunningWork } from '../../../core/tool/ports.ts';
import { lspToolName } from '../../../lsp/tool-name.ts';
import type { WorkerExecutor } from './worker-executor.ts';

// 5 minutes without a call: a program takes some hundred MB, and seconds to build again.
const idleMs = 5 * 60_000;

/** An executor for LSP calls with a single worker. Disposing of it ends the worker. */
export interface LanguagePool extends Disposable {
  readonly executor: WorkerExecutor;
}

export interface LanguageExecutorOptions {
  /** Runs all other calls. */
  readonly executor: WorkerExecutor;
  /** Starts the pool at the first call, and again after it was released. */
  readonly openPool: () => LanguagePool;
  readonly clock: Clock;
}

/** Disposing of it also disposes of the given executor. */
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
    // The language worker sees the committed workspace, but not what the cell has written so far,
    // so its answer would be wrong.
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
