// The async context in which AsyncLocalStorage keeps its values. It follows code across waits:
// timers, jobs and `then` bind it themselves, and code with `await` is rewritten to restore it
// (syntax/async-context.ts). The host clears the mark before each job, so a job never sees the
// context of another one.
import type { AsyncContext, Kernel } from './kernel-type.ts';

/** The value of each storage. Immutable, so code that waits doesn't need a copy. */
export type Context = ReadonlyMap<object, unknown>;

/** Adds the context to the kernel. */
export function addAsyncContext(kernel: Kernel) {
  const { apply } = Reflect;
  const mark = new Uint8Array(1);
  let held: Context | undefined;

  const get = () => (mark[0] === 0 ? undefined : held);
  function set(context: Context | undefined) {
    held = context;
    mark[0] = 1;
  }
  function run<Result>(context: Context | undefined, code: () => Result): Result {
    const before = get();
    set(context);
    try {
      return code();
    } finally {
      set(before);
    }
  }
  /** Binds a function to the current context. */
  function bind<Bound>(given: Bound): Bound {
    const context = get();
    if (context === undefined || typeof given !== 'function') return given;
    const bound = function (this: unknown, ...args: unknown[]) {
      return run(context, () => apply(given as Function, this, args));
    };
    return bound as Bound;
  }

  /**
   * Wraps functions that another side calls, such as a client and its server. Each runs in the
   * current context, and its callbacks run in the caller's.
   */
  function offer<Offered extends object>(functions: Offered): Offered {
    const context = get();
    const offered = { ...functions } as Record<string, unknown>;
    for (const name of Object.keys(offered)) {
      const given = offered[name];
      if (typeof given !== 'function') continue;
      offered[name] = (...args: unknown[]) => {
        const theirs = get();
        const own = args.map((value) =>
          typeof value === 'function'
            ? (...more: unknown[]) => run(theirs, () => value(...more))
            : value,
        );
        return run(context, () => given(...own));
      };
    }
    return offered as Offered;
  }

  /** The functions that rewritten code calls. */
  const forCode = {
    context: get,
    /**
     * Binds a thenable's `then` to the context, because the engine calls it in a job without one.
     */
    wait(value: any, context: Context | undefined) {
      if (context === undefined || value === null) return value;
      if (typeof value !== 'object' && typeof value !== 'function') return value;
      if (value instanceof Promise || typeof value.then !== 'function') return value;
      return {
        // oxlint-disable-next-line unicorn/no-thenable -- it stands for one
        then: (...settle: unknown[]) => run(context, () => apply(value.then, value, settle)),
      };
    },
    back(value: unknown, context: Context | undefined) {
      if (context !== undefined || mark[0] !== 0) set(context);
      return value;
    },
    /** Same as `back`, for code that may not have waited at all. */
    again(context: Context | undefined) {
      if (context !== undefined && mark[0] === 0) set(context);
    },
  };

  function settler(given: unknown) {
    const context = get();
    if (context === undefined || typeof given !== 'function') return given;
    return (value: unknown) =>
      forCode.wait(
        run(context, () => given(value)),
        context,
      );
  }

  let isFollowed = false;
  /**
   * Binds `then` from the first storage on. Before that there is no context, and promises stay the
   * engine's own.
   */
  function follow() {
    if (isFollowed) return;
    isFollowed = true;
    const { then } = Promise.prototype;
    const value = function (this: unknown, onFulfilled: unknown, onRejected: unknown) {
      return apply(then, this, [settler(onFulfilled), settler(onRejected)]);
    };
    Object.defineProperty(value, 'name', { value: 'then' });
    // oxlint-disable-next-line unicorn/no-thenable -- it is a promise's
    Object.defineProperty(Promise.prototype, 'then', { __proto__: null, value });
  }

  const queue = queueMicrotask;
  /** Runs a job of a test, which fails if the job throws. */
  function guard(run: () => void) {
    try {
      run();
    } catch (error) {
      if (!kernel.takeUncaught?.(error)) throw error;
    }
  }
  const own = {
    queueMicrotask(job: () => void) {
      const run = bind(job);
      queue(
        kernel.takeUncaught === undefined || typeof run !== 'function' ? run : () => guard(run),
      );
    },
  };
  kernel.defineGlobal('queueMicrotask', own.queueMicrotask);
  kernel.intrinsics = kernel.intrinsics.map((value) =>
    value === queue ? own.queueMicrotask : value,
  );
  kernel.contextMark = mark;
  kernel.asyncContext = { get, set, run, bind, offer, follow, forCode } satisfies AsyncContext;
}
