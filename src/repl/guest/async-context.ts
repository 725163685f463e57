// The context that AsyncLocalStorage keeps its stores in, and how it follows code over what waits. Timers, jobs and
// `then` take it along themselves; code that awaits was rewritten to do so (syntax/async-context.ts). Where nothing
// took it along there is none: the host clears the mark before each job, so nobody finds another's.
import type { AsyncContext, Kernel } from './kernel-type.ts';

/** The value of each storage. Never changed, so code that waits needs no copy. */
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
  /** Binds a function, so that later calls have the present context. */
  function bind<Bound>(given: Bound): Bound {
    const context = get();
    if (context === undefined || typeof given !== 'function') return given;
    const bound = function (this: unknown, ...args: unknown[]) {
      return run(context, () => apply(given as Function, this, args));
    };
    return bound as Bound;
  }

  /** Functions for another side to call: each runs in the context of now, and the callbacks it is given in that side's. */
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
    /** A thenable's `then` is called by a job, which has no context. */
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
    /** As `back`, for code that may not have waited at all. */
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
  /** Before the first storage there is no context to pass on, and promises are the engine's own. */
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
  const own = {
    queueMicrotask(job: () => void) {
      queue(bind(job));
    },
  };
  kernel.defineGlobal('queueMicrotask', own.queueMicrotask);
  kernel.intrinsics = kernel.intrinsics.map((value) =>
    value === queue ? own.queueMicrotask : value,
  );
  kernel.contextMark = mark;
  kernel.asyncContext = { get, set, run, bind, offer, follow, forCode } satisfies AsyncContext;
}
