// Timers: kept in the guest, so that a snapshot holds them. The session waits for the next one
// while a cell awaits, and then lets it run.
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

/** Makes setTimeout and its kin. */
export function addTimers(kernel: Kernel) {
  const { host } = kernel;
  // Security: a cell may change the members of all maps and lists. A later cell that waits for a
  // timer uses none of them: only own properties, and functions from the start.
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

  /** Milliseconds until the next timer, or -1. */
  kernel.nextTimer = () => {
    let next = Infinity;
    for (const id in timers) if (timers[id].at < next) next = timers[id].at;
    return next === Infinity ? -1 : max(0, next - host.now());
  };
  /** Runs one timer that is due, so that promise jobs come between timers. False if there is none. */
  kernel.runTimer = () => {
    const now = host.now();
    let due: string | undefined;
    // Keyed by number, so in the order in which they were made.
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
      kernel.print('stderr', 'Uncaught in a timer: ' + kernel.inspect(error));
    }
    return true;
  };
  kernel.lastTimer = () => lastId;
  /** Drops the timers that were made after this one: of a test file that has ended. */
  kernel.dropTimersAfter = (last) => {
    for (const id in timers) if (Number(id) > last) drop(id);
  };
  /** How many of those that were made after this one are pending, but for what nobody is to wait for. */
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
