// Mock functions: `vi.fn`, `vi.spyOn` and the like. jest has them under its own name.
import type { Kernel, Mock, MockResult } from '../kernel-type.ts';

/** Returns the mock functions. Loaded with the test runner. */
export function addMocks(kernel: Kernel) {
  const all = new Set<Mock>();
  const marks = new WeakSet();
  let order = 0;

  function fn(implementation?: Function): Mock {
    const state = {
      calls: [] as unknown[][],
      results: [] as MockResult[],
      contexts: [] as unknown[],
      instances: [] as unknown[],
      invocationCallOrder: [] as number[],
      settledResults: [] as { type: 'fulfilled' | 'rejected' | 'incomplete'; value: unknown }[],
    };
    let usual = implementation;
    let name = 'vi.fn()';
    let once: Function[] = [];
    function mock(this: unknown, ...args: unknown[]): unknown {
      state.calls.push(args);
      state.contexts.push(this);
      state.instances.push(this);
      state.invocationCallOrder.push((order += 1));
      const result: MockResult = { type: 'return', value: undefined };
      state.results.push(result);
      const run = once.length > 0 ? once.shift() : usual;
      const settled = { type: 'incomplete' as const, value: undefined };
      state.settledResults.push(settled);
      try {
        // An arrow function can't construct an object, so its result is used.
        const isMaking = new.target !== undefined && run?.prototype !== undefined;
        result.value = isMaking
          ? Reflect.construct(run as Function, args, new.target)
          : run?.apply(this, args);
        if (isMaking) state.instances[state.instances.length - 1] = result.value;
        noteSettled(settled, result.value);
        return result.value;
      } catch (error) {
        result.type = 'throw';
        result.value = error;
        throw error;
      }
    }
    const made = mock as unknown as Mock;
    marks.add(made);
    all.add(made);
    Object.defineProperty(mock, 'mock', {
      configurable: true,
      value: Object.defineProperty(state, 'lastCall', { get: () => state.calls.at(-1) }),
    });
    const set = (run: Function | undefined) => {
      usual = run;
      // An object made by `new` is an instance of both functions.
      if (run?.prototype !== undefined) mock.prototype = run.prototype;
      return made;
    };
    set(implementation);
    const setOnce = (run: Function) => {
      once.push(run);
      return made;
    };
    return Object.assign(made, {
      mockImplementation: set,
      mockImplementationOnce: setOnce,
      mockReturnValue: (value) => set(() => value),
      mockReturnValueOnce: (value) => setOnce(() => value),
      mockResolvedValue: (value) => set(async () => value),
      mockResolvedValueOnce: (value) => setOnce(async () => value),
      mockRejectedValue: (error) =>
        set(async () => {
          throw error;
        }),
      mockRejectedValueOnce: (error) =>
        setOnce(async () => {
          throw error;
        }),
      mockReturnThis: () =>
        set(function (this: unknown) {
          return this;
        }),
      mockName(given: string) {
        name = given;
        return made;
      },
      getMockName: () => name,
      withImplementation(run: Function, callback: () => unknown) {
        const before = usual;
        usual = run;
        const back = () => {
          usual = before;
          return made;
        };
        const given = callback();
        return given instanceof Promise ? given.then(back) : back();
      },
      getMockImplementation: () => usual,
      mockClear() {
        for (const list of Object.values(state)) if (Array.isArray(list)) list.length = 0;
        return made;
      },
      mockReset() {
        once = [];
        usual = implementation;
        return made.mockClear();
      },
      mockRestore() {
        made.restore?.();
        return made.mockReset();
      },
    });
  }

  /** A value that isn't a promise counts as settled at once. */
  function noteSettled(settled: { type: string; value: unknown }, value: unknown) {
    const note = (type: string) => (given: unknown) =>
      Object.assign(settled, { type, value: given });
    if (value instanceof Promise) value.then(note('fulfilled'), note('rejected'));
    else note('fulfilled')(value);
  }

  /** A member may be inherited, as those of a DOM are, or be a value. */
  function accessorsOf(target, name: string): PropertyDescriptor | undefined {
    let found: PropertyDescriptor | undefined;
    for (let at = target; at && !found; at = Object.getPrototypeOf(at))
      found = Object.getOwnPropertyDescriptor(at, name);
    if (!found || !('value' in found)) return found;
    let { value } = found;
    return {
      get: () => value,
      set: (given: unknown) => void (value = given),
      enumerable: found.enumerable ?? false,
    };
  }

  function spyOn(target, name: string, access?: 'get' | 'set'): Mock {
    const own = Object.getOwnPropertyDescriptor(target, name);
    const accessors = access && accessorsOf(target, name);
    const original = access ? accessors?.[access] : target[name];
    if (typeof original !== 'function')
      throw new TypeError(String(name) + ' is not a function, so there is nothing to spy on');
    if (marks.has(original)) return original;
    const mock = fn(original);
    const descriptor = access
      ? { ...accessors, [access]: mock, configurable: true }
      : { value: mock, writable: true, configurable: true, enumerable: own?.enumerable ?? true };
    Object.defineProperty(target, name, descriptor);
    Object.defineProperty(mock, 'restore', {
      configurable: true,
      value: () => {
        if (own) Object.defineProperty(target, name, own);
        else delete target[name];
      },
    });
    return mock;
  }

  /** The timer functions under vitest's and jest's names. `self` is returned for chained calls. */
  function timerFunctions(self: () => object) {
    const clock = () => kernel.part('fake-timers');
    const chained =
      (run: (value?: unknown) => void) =>
      (value?: unknown): object => {
        run(value);
        return self();
      };
    const chainedAsync =
      (run: (value?: unknown) => Promise<void>) =>
      async (value?: unknown): Promise<object> => {
        await run(value);
        return self();
      };
    return {
      useFakeTimers: (
        options: {
          now?: unknown;
          toFake?: string[];
          doNotFake?: string[];
          shouldAdvanceTime?: boolean;
          advanceTimers?: unknown;
        } = {},
      ) => {
        if (options.shouldAdvanceTime || options.advanceTimers)
          throw new Error(
            "Fake time doesn't go on by itself in this test runner: call vi.advanceTimersByTime.",
          );
        clock().start({ toNotFake: options.doNotFake, ...options });
        return self();
      },
      useRealTimers: chained(() => {
        if (kernel.hasPart('fake-timers')) clock().stop();
      }),
      isFakeTimers: () => kernel.hasPart('fake-timers') && clock().isOn(),
      setSystemTime: chained((value) => clock().setTime(value ?? kernel.host.now())),
      getMockedSystemTime: () => {
        const time = clock().time();
        return time === undefined ? null : new Date(time);
      },
      getRealSystemTime: () => kernel.host.now(),
      now: () => clock().time() ?? kernel.host.now(),
      getTimerCount: () => clock().count(),
      clearAllTimers: chained(() => clock().clear()),
      advanceTimersByTime: chained((value) => clock().advance(value)),
      advanceTimersByTimeAsync: chainedAsync((value) => clock().advanceAsync(value)),
      advanceTimersToNextTimer: chained((value) => clock().next(value)),
      advanceTimersToNextTimerAsync: chainedAsync((value) => clock().nextAsync(value)),
      runAllTimers: chained(() => clock().runAll()),
      runAllTimersAsync: chainedAsync(() => clock().runAllAsync()),
      runOnlyPendingTimers: chained(() => clock().runPending()),
      runOnlyPendingTimersAsync: chainedAsync(() => clock().runPendingAsync()),
      // Promise jobs are never faked, so none is pending.
      runAllTicks: chained(() => {}),
    };
  }
  const each = (method: 'mockClear' | 'mockReset' | 'mockRestore') => () => {
    for (const mock of all) mock[method]();
  };
  const stubbed = new Map<string, PropertyDescriptor | undefined>();
  /** The original values of stubbed names in process.env. */
  const stubbedEnv = new Map<string, unknown>();
  async function waitFor(
    run: () => unknown,
    { timeout = 1000, interval = 50 }: { timeout?: number; interval?: number } = {},
  ) {
    const end = kernel.host.now() + timeout;
    for (;;) {
      try {
        return await run();
      } catch (error) {
        if (kernel.host.now() >= end) throw error;
      }
      const clock = kernel.hasPart('fake-timers') ? kernel.part('fake-timers') : undefined;
      if (clock?.isOn()) await clock.advanceAsync(interval);
      else
        await new Promise((resolve) => {
          setTimeout(resolve, interval);
        });
    }
  }
  const api = {
    fn,
    spyOn,
    isMockFunction: (value) => marks.has(value),
    mocked: (value) => value,
    clearAllMocks: each('mockClear'),
    resetAllMocks: each('mockReset'),
    restoreAllMocks: each('mockRestore'),
    stubGlobal(name: string, value: unknown) {
      if (!stubbed.has(name)) stubbed.set(name, Object.getOwnPropertyDescriptor(globalThis, name));
      kernel.defineGlobal(name, value);
      return api;
    },
    unstubAllGlobals() {
      for (const [name, own] of stubbed) {
        if (own) Object.defineProperty(globalThis, name, own);
        else delete globalThis[name];
      }
      stubbed.clear();
      return api;
    },
    stubEnv(name: string, value: unknown) {
      const { env } = kernel.process;
      if (!stubbedEnv.has(name)) stubbedEnv.set(name, env[name]);
      if (value === undefined) delete env[name];
      else env[name] = String(value);
      return api;
    },
    unstubAllEnvs() {
      const { env } = kernel.process;
      for (const [name, value] of stubbedEnv) {
        if (value === undefined) delete env[name];
        else env[name] = value;
      }
      stubbedEnv.clear();
      return api;
    },
    waitFor,
    waitUntil: (run: () => unknown, options) =>
      waitFor(async () => {
        const value = await run();
        if (!value) throw new Error('vi.waitUntil: it was not so in time.');
        return value;
      }, options),
    /** Drops the mocks of a test file that has ended. */
    forgetAll() {
      api.unstubAllGlobals();
      api.unstubAllEnvs();
      if (kernel.hasPart('fake-timers')) kernel.part('fake-timers').stop();
      // A spy may watch what other files and cells use, too, such as console.log.
      api.restoreAllMocks();
      all.clear();
    },
    isMock: (value) => marks.has(value),
  };
  const modules = kernel.part('module-mocks');
  return Object.assign(api, {
    mock: modules.mock,
    doMock: modules.mock,
    unmock: modules.unmock,
    doUnmock: modules.unmock,
    dontMock: modules.unmock,
    hoisted: modules.hoisted,
    importActual: modules.importActual,
    importMock: modules.importMock,
    requireActual: modules.requireActual,
    requireMock: modules.requireMock,
    createMockFromModule: modules.requireMock,
    resetModules: modules.resetModules,
    isolateModules: modules.isolateModules,
    mockObject: modules.mockObject,
    ...timerFunctions(() => api),
  });
}
