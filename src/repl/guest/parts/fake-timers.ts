// Fake timers, as in vitest, jest and node:test. Time stands still until a test advances it.
import type { FakeTimers, Kernel } from '../kernel-type.ts';
import { createTimeoutClass } from '../timeout.ts';

interface Timer {
  readonly callback: Function;
  readonly args: unknown[];
  readonly delay: number;
  readonly repeats: boolean;
  at: number;
}

const timerNames = [
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'clearImmediate',
];

/** Returns the fake clock. `stop` restores the real timers. */
export function addFakeTimers(kernel: Kernel): FakeTimers {
  const real = (kernel.builtin('timers') as () => Record<string, Function>)();
  /** The fake time. Undefined while the real clock is used. */
  let time: number | undefined;
  let startedAt = 0;
  let timers = new Map<number, Timer>();
  let lastId = 0;
  const faked = new Set<string>();

  const Timeout = createTimeoutClass(
    (id) => {
      const timer = timers.get(id);
      if (timer) timer.at = now() + timer.delay;
    },
    (id) => void timers.delete(id),
  );
  const now = () => time ?? Date.now();
  function add(callback: unknown, delay: unknown, args: unknown[], repeats: boolean): object {
    if (typeof callback !== 'function')
      throw kernel.invalidType('callback', 'of type function', callback);
    const wait = Math.max(Number(delay) || 0, repeats ? 1 : 0);
    lastId += 1;
    timers.set(lastId, { callback, args, delay: wait, repeats, at: now() + wait });
    return new Timeout(lastId);
  }
  const remove = (timer: unknown) => {
    if (timer === undefined || timer === null) return;
    // A timer that was started before the clock was faked belongs to the real one.
    if (!(timer instanceof Timeout) && typeof timer === 'object') real.clearTimeout(timer);
    else timers.delete(timer instanceof Timeout ? timer.id : Number(timer));
  };
  const fakes: Record<string, Function> = {
    setTimeout: (callback, delay, ...args) => add(callback, delay, args, false),
    setInterval: (callback, delay, ...args) => add(callback, delay, args, true),
    setImmediate: (callback, ...args) => add(callback, 0, args, false),
    clearTimeout: remove,
    clearInterval: remove,
    clearImmediate: remove,
  };

  const FakeDate = function (this: unknown, ...args: unknown[]) {
    const date: Date = Reflect.construct(Date, args.length === 0 ? [now()] : args);
    if (new.target === undefined) return new Date(now()).toString();
    return new.target === FakeDate ? date : Object.setPrototypeOf(date, new.target.prototype);
  } as unknown as DateConstructor;
  Object.defineProperties(FakeDate, {
    name: { __proto__: null, value: 'Date', configurable: true },
    length: { __proto__: null, value: 7, configurable: true },
    prototype: { __proto__: null, value: Date.prototype },
    now: { __proto__: null, value: now, writable: true, configurable: true },
    UTC: { __proto__: null, value: Date.UTC, writable: true, configurable: true },
    parse: { __proto__: null, value: Date.parse, writable: true, configurable: true },
  });

  function fakeDate() {
    faked.add('Date');
    kernel.defineGlobal('Date', FakeDate);
  }

  /**
   * Returns the timer that is due first, up to `end`. Timers that are due together run in the order
   * of their creation.
   */
  function nextTimer(end: number): [id: number, timer: Timer] | undefined {
    let next: [number, Timer] | undefined;
    for (const [id, timer] of timers)
      if (timer.at <= end && (next === undefined || timer.at < next[1].at)) next = [id, timer];
    return next;
  }
  function fire([id, timer]: [id: number, timer: Timer]) {
    time = Math.max(now(), timer.at);
    if (timer.repeats) timer.at = time + timer.delay;
    else timers.delete(id);
    Reflect.apply(timer.callback, undefined, timer.args);
  }
  function requireFake() {
    if (time === undefined)
      throw new Error('The timers are real: call vi.useFakeTimers() before time is moved on.');
  }
  // Runs promise jobs before the next timer.
  const settle = () =>
    new Promise((resolve) => {
      real.setTimeout(resolve, 0);
    });

  /** Returns the next timer to run, or undefined if all requested timers have run. */
  type Choose = () => [id: number, timer: Timer] | undefined;
  function run(choose: Choose) {
    requireFake();
    for (let next = choose(); next !== undefined; next = choose()) fire(next);
  }
  async function runAsync(choose: Choose) {
    requireFake();
    await settle();
    for (let next = choose(); next !== undefined; next = choose()) {
      fire(next);
      await settle();
    }
  }
  function by(milliseconds: unknown): { readonly choose: Choose; readonly end: number } {
    const end = now() + Math.max(0, Number(milliseconds) || 0);
    return { end, choose: () => nextTimer(end) };
  }
  // 10 000: vitest's limit, because timers that start timers would never end.
  const maxRuns = 10_000;
  function all(): Choose {
    let left = maxRuns;
    return () => {
      left -= 1;
      if (left < 0)
        throw new Error(
          'Aborting after running ' + maxRuns + ' timers, assuming an infinite loop!',
        );
      return nextTimer(Infinity);
    };
  }
  /** Selects the timers that are pending now, but not those that they start. */
  function pending(): Choose {
    const last = lastId;
    const once = new Set<number>();
    return () => {
      let next: [number, Timer] | undefined;
      for (const [id, timer] of timers) {
        if (id > last || once.has(id)) continue;
        if (next === undefined || timer.at < next[1].at) next = [id, timer];
      }
      if (next) once.add(next[0]);
      return next;
    };
  }
  function steps(count: unknown): Choose {
    let left = Number(count ?? 1);
    return () => {
      left -= 1;
      return left < 0 ? undefined : nextTimer(Infinity);
    };
  }
  const reach = (end: number) => {
    time = Math.max(now(), end);
  };

  const api: FakeTimers = {
    start({ now: begin, toFake, toNotFake } = {}) {
      const all = [...timerNames, 'Date', 'performance'];
      for (const name of toFake ?? []) {
        if (!all.includes(name))
          throw new Error(
            name + " can't be faked in this test runner; there is: " + all.join(', '),
          );
      }
      api.stop();
      time = begin === undefined ? Date.now() : Number(begin);
      startedAt = time;
      for (const name of toFake ?? all) {
        if (toNotFake?.includes(name)) continue;
        if (name === 'Date') fakeDate();
        else if (name === 'performance') {
          faked.add(name);
          const fake = Object.create(kernel.performance, {
            now: { __proto__: null, value: () => now() - startedAt, writable: true },
          });
          kernel.defineGlobal(name, fake);
        } else {
          faked.add(name);
          kernel.defineGlobal(name, fakes[name]);
        }
      }
    },
    stop() {
      for (const name of faked) {
        const own = { Date, performance: kernel.performance }[name];
        kernel.defineGlobal(name, own ?? real[name]);
      }
      faked.clear();
      timers = new Map();
      time = undefined;
    },
    isOn: () => timerNames.some((name) => faked.has(name)),
    /** Without fake timers, only the date is fixed. */
    setTime(value) {
      const set = value instanceof Date ? value.getTime() : new Date(value as number).getTime();
      const before = now();
      time = set;
      if (faked.size === 0) fakeDate();
      // The remaining time of each timer doesn't change.
      for (const timer of timers.values()) timer.at += set - before;
      startedAt += set - before;
    },
    time: () => time,
    count: () => timers.size,
    clear() {
      timers.clear();
    },
    advance(milliseconds) {
      const { choose, end } = by(milliseconds);
      run(choose);
      reach(end);
    },
    async advanceAsync(milliseconds) {
      const { choose, end } = by(milliseconds);
      await runAsync(choose);
      reach(end);
    },
    next: (count) => run(steps(count)),
    nextAsync: (count) => runAsync(steps(count)),
    runAll: () => run(all()),
    runAllAsync: () => runAsync(all()),
    runPending: () => run(pending()),
    runPendingAsync: () => runAsync(pending()),
  };
  return api;
}
