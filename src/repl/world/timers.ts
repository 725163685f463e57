// Guest source. Timers: kept in the guest, so that a snapshot holds them; the session waits for the
// next one while a cell awaits, and then lets it run.

/** A function of the kernel that makes setTimeout and its kin. */
export const timersSource = String.raw`
(function (kernel) {
  'use strict';
  const { host } = kernel;
  const timers = new Map();
  let lastId = 0;

  class Timeout {
    constructor(id) { this.id = id; }
    ref() { return this; }
    unref() { return this; }
    hasRef() { return true; }
    refresh() {
      const timer = timers.get(this.id);
      if (timer) timer.at = host.now() + timer.delay;
      return this;
    }
    close() { timers.delete(this.id); return this; }
    [Symbol.toPrimitive]() { return this.id; }
    [Symbol.dispose]() { timers.delete(this.id); }
  }

  function add(callback, delay, args, repeats) {
    if (typeof callback !== 'function') throw kernel.invalidType('callback', 'of type function', callback);
    host.checkHandles(timers.size);
    const wait = Math.min(Math.max(Number(delay) || 0, repeats ? 1 : 0), 2147483647);
    const id = (lastId += 1);
    timers.set(id, { callback, args, delay: wait, at: host.now() + wait, repeats });
    return new Timeout(id);
  }
  function remove(timer) {
    timers.delete(timer instanceof Timeout ? timer.id : Number(timer));
  }

  /** Milliseconds until the next timer, or -1. */
  kernel.nextTimer = () => {
    let next = Infinity;
    for (const timer of timers.values()) if (timer.at < next) next = timer.at;
    return next === Infinity ? -1 : Math.max(0, next - host.now());
  };
  /** Runs one timer that is due, so that promise jobs come between timers. False if there is none. */
  kernel.runTimer = () => {
    const now = host.now();
    let due;
    for (const [id, timer] of timers) {
      if (timer.at <= now && (!due || timer.at < due.timer.at)) due = { id, timer };
    }
    if (!due) return false;
    const { id, timer } = due;
    if (timer.repeats) timer.at = now + timer.delay;
    else timers.delete(id);
    try {
      timer.callback(...timer.args);
    } catch (error) {
      kernel.print('stderr', 'Uncaught in a timer: ' + kernel.inspect(error));
    }
    return true;
  };
  kernel.lastTimer = () => lastId;
  /** Drops the timers that were made after this one: of a test file that has ended. */
  kernel.dropTimersAfter = (id) => { for (const known of [...timers.keys()]) if (known > id) timers.delete(known); };
  // Asked after every cell, so not by what a cell may have changed.
  const { apply } = Reflect;
  const { get: sizeOf } = Object.getOwnPropertyDescriptor(Map.prototype, 'size');
  kernel.pendingTimers = () => apply(sizeOf, timers, []);

  const api = {
    setTimeout: (callback, delay, ...args) => add(callback, delay, args, false),
    setInterval: (callback, delay, ...args) => add(callback, delay, args, true),
    setImmediate: (callback, ...args) => add(callback, 0, args, false),
    clearTimeout: remove, clearInterval: remove, clearImmediate: remove,
  };
  for (const name of Object.keys(api)) kernel.defineGlobal(name, api[name]);
  function wait(delay, value, { signal } = {}) {
    return new Promise((resolve, reject) => {
      const stop = () => {
        remove(timer);
        reject(Object.assign(new Error('The operation was aborted', { cause: signal.reason }), { name: 'AbortError', code: 'ABORT_ERR' }));
      };
      const timer = add(() => { signal?.removeEventListener('abort', stop); resolve(value); }, delay, [], false);
      if (signal?.aborted) stop();
      else signal?.addEventListener('abort', stop, { once: true });
    });
  }
  const promises = {
    setTimeout: wait,
    setImmediate: (value, options) => wait(0, value, options),
    async *setInterval(delay, value, options) { for (;;) yield await wait(delay, value, options); },
    scheduler: { wait: (delay, options) => wait(delay, undefined, options), yield: () => wait(0) },
  };
  api.setTimeout[Symbol.for('nodejs.util.promisify.custom')] = wait;
  kernel.defineModule(['timers'], () => ({ ...api, promises }));
  kernel.defineModule(['timers/promises'], () => promises);
})`;
