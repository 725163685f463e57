// Timers. They are kept in the guest, so that a snapshot contains them. While a cell awaits, the
// session waits until the next timer is due and then runs it.
import type { Context } from './async-context.ts';
import type { Kernel, Signal } from './kernel-type.ts';
import { createTimeoutClass } from './timeout.ts';

interface Timer {
  readonly callback: Function;
  readonly context: Context | undefined;
  readonly args: unknown[];
  readonly delay: number;
  at: number;
  readonly repeats: boolean;
  readonly handle: object;
}

/** Defines setTimeout and the related functions. */
export function addTimers(kernel: Kernel) {
  const { host } = kernel;
  // Security: a cell may replace methods of Map and Array, and a later cell still needs timers. So
  // this code uses only own properties, and functions saved at boot.
  const timers: Record<string, Timer> = Object.create(null);
  let count = 0;
  let lastId = 0;
  const { apply } = Reflect;
  const { min, max } = Math;

  const Timeout = createTimeoutClass((id) => {
    const timer = timers[id];
    if (timer) timer.at = host.now() + timer.delay;
  }, drop);

  function add(callback: unknown, delay: unknown, args: unknown[], repeats: boolean): object {
    if (typeof callback !== 'function')
      throw kernel.invalidType('callback', 'of type function', callback);
    host.checkHandles(count);
    const wait = min(max(Number(delay) || 0, repeats ? 1 : 0), 2147483647);
    const id = (lastId += 1);
    const handle = new Timeout(id);
    const at = host.now() + wait;
    const context = kernel.asyncContext.get();
    timers[id] = { callback, context, args, delay: wait, at, repeats, handle };
    count += 1;
    return handle;
  }
  function drop(id: string | number) {
    if (!(id in timers)) return;
    delete timers[id];
    count -= 1;
  }
  function remove(timer: unknown) {
    drop(timer instanceof Timeout ? timer.id : Number(timer));
  }

  /** Milliseconds until the next timer, or -1 if there is none. */
  kernel.nextTimer = () => {
    let next = Infinity;
    for (const id in timers) if (timers[id].at < next) next = timers[id].at;
    return next === Infinity ? -1 : max(0, next - host.now());
  };
  /**
   * Runs one timer that is due. Promise jobs run before the next one. Returns false if no timer is
   * due.
   */
  kernel.runTimer = () => {
    const now = host.now();
    let due: string | undefined;
    // Integer keys are enumerated in ascending order, so in the order of creation.
    for (const id in timers) {
      const { at } = timers[id];
      if (at <= now && (due === undefined || at < timers[due].at)) due = id;
    }
    if (due === undefined) return false;
    const timer = timers[due];
    if (timer.repeats) timer.at = now + timer.delay;
    else drop(due);
    try {
      if (timer.context !== undefined) kernel.asyncContext.set(timer.context);
      apply(timer.callback, timer.handle, timer.args);
    } catch (error) {
      kernel.reportUncaught('a timer', error);
    }
    return true;
  };
  kernel.lastTimer = () => lastId;
  /** Drops the timers that were started after this one. Used when a test file has ended. */
  kernel.dropTimersAfter = (last) => {
    for (const id in timers) if (Number(id) > last) drop(id);
  };
  /**
   * The number of pending timers that were started after this one. Timers with `unref` don't count.
   */
  kernel.timersAfter = (last) => {
    let left = 0;
    for (const id in timers) if (Number(id) > last && Timeout.hasRef(timers[id].handle)) left += 1;
    return left;
  };

  const api: Record<string, Function> = {
    setTimeout: (callback, delay, ...args) => add(callback, delay, args, false),
    setInterval: (callback, delay, ...args) => add(callback, delay, args, true),
    setImmediate: (callback, ...args) => add(callback, 0, args, false),
    clearTimeout: remove,
    clearInterval: remove,
    clearImmediate: remove,
  };
  for (const name of Object.keys(api)) kernel.defineGlobal(name, api[name]);
  function wait(delay: unknown, value?: unknown, { signal }: { signal?: Signal } = {}) {
    return new Promise((resolve, reject) => {
      const stop = () => {
        remove(timer);
        reject(
          Object.assign(new Error('The operation was aborted', { cause: signal?.reason }), {
            name: 'AbortError',
            code: 'ABORT_ERR',
          }),
        );
      };
      const timer = add(
        () => {
          signal?.removeEventListener('abort', stop);
          resolve(value);
        },
        delay,
        [],
        false,
      );
      if (signal?.aborted) stop();
      else signal?.addEventListener('abort', stop, { once: true });
    });
  }
  const promises = {
    setTimeout: wait,
    setImmediate: (value, options) => wait(0, value, options),
    async *setInterval(delay, value, options) {
      for (;;) yield await wait(delay, value, options);
    },
    scheduler: { wait: (delay, options) => wait(delay, undefined, options), yield: () => wait(0) },
  };
  api.setTimeout[Symbol.for('nodejs.util.promisify.custom')] = wait;
  kernel.defineModule(['timers'], () => ({ ...api, promises }));
  kernel.defineModule(['timers/promises'], () => promises);
}
