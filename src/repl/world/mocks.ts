// Guest source. `vi.fn`, `vi.spyOn` and their kin, which jest has under its own name.

/** A function of the kernel that returns the mock functions. Loaded with the test runner. */
export const mocksSource = String.raw`
(function (kernel) {
  'use strict';
  const all = new Set();
  const marks = new WeakSet();
  let order = 0;

  function fn(implementation) {
    const state = { calls: [], results: [], contexts: [], instances: [], invocationCallOrder: [] };
    let usual = implementation;
    let once = [];
    function mock(...args) {
      state.calls.push(args);
      state.contexts.push(this);
      state.instances.push(this);
      state.invocationCallOrder.push((order += 1));
      const result = { type: 'return', value: undefined };
      state.results.push(result);
      const run = once.length > 0 ? once.shift() : usual;
      try {
        result.value = run === undefined ? undefined : new.target ? Reflect.construct(run, args) : run.apply(this, args);
        return result.value;
      } catch (error) {
        result.type = 'throw';
        result.value = error;
        throw error;
      }
    }
    marks.add(mock);
    all.add(mock);
    Object.defineProperty(mock, 'mock', {
      configurable: true,
      value: Object.defineProperty(state, 'lastCall', { get: () => state.calls.at(-1) }),
    });
    const set = (run) => { usual = run; return mock; };
    const setOnce = (run) => { once.push(run); return mock; };
    return Object.assign(mock, {
      mockImplementation: set,
      mockImplementationOnce: setOnce,
      mockReturnValue: (value) => set(() => value),
      mockReturnValueOnce: (value) => setOnce(() => value),
      mockResolvedValue: (value) => set(async () => value),
      mockResolvedValueOnce: (value) => setOnce(async () => value),
      mockRejectedValue: (error) => set(async () => { throw error; }),
      mockRejectedValueOnce: (error) => setOnce(async () => { throw error; }),
      mockReturnThis: () => set(function () { return this; }),
      mockName: () => mock,
      getMockName: () => 'vi.fn()',
      getMockImplementation: () => usual,
      mockClear() { for (const list of Object.values(state)) if (Array.isArray(list)) list.length = 0; return mock; },
      mockReset() { once = []; usual = implementation; return mock.mockClear(); },
      mockRestore() { mock.restore?.(); return mock.mockReset(); },
    });
  }

  function spyOn(target, name, access) {
    const own = Object.getOwnPropertyDescriptor(target, name);
    const original = access ? own?.[access] : target[name];
    if (typeof original !== 'function') throw new TypeError(String(name) + ' is not a function, so there is nothing to spy on');
    if (marks.has(original)) return original;
    const mock = fn(original);
    const descriptor = access ? { ...own, [access]: mock } : { value: mock, writable: true, configurable: true, enumerable: own?.enumerable ?? true };
    Object.defineProperty(target, name, descriptor);
    Object.defineProperty(mock, 'restore', {
      configurable: true,
      value: () => { if (own) Object.defineProperty(target, name, own); else delete target[name]; },
    });
    return mock;
  }

  const refuse = (name) => () => {
    throw new Error('vi.' + name + " isn't available in this test runner: pass the replaced part as an argument, or use vi.spyOn.");
  };
  const each = (method) => () => { for (const mock of all) mock[method](); };
  const stubbed = new Map();
  const api = {
    fn, spyOn,
    isMockFunction: (value) => marks.has(value),
    mocked: (value) => value,
    clearAllMocks: each('mockClear'),
    resetAllMocks: each('mockReset'),
    restoreAllMocks: each('mockRestore'),
    stubGlobal(name, value) {
      if (!stubbed.has(name)) stubbed.set(name, Object.getOwnPropertyDescriptor(globalThis, name));
      kernel.defineGlobal(name, value);
    },
    unstubAllGlobals() {
      for (const [name, own] of stubbed) {
        if (own) Object.defineProperty(globalThis, name, own); else delete globalThis[name];
      }
      stubbed.clear();
    },
    async waitFor(run, { timeout = 1000, interval = 50 } = {}) {
      const end = kernel.host.now() + timeout;
      for (;;) {
        try { return await run(); } catch (error) { if (kernel.host.now() >= end) throw error; }
        await new Promise((resolve) => { setTimeout(resolve, interval); });
      }
    },
    /** When a test file has ended: what it mocked must not live on. */
    forgetAll() { api.unstubAllGlobals(); all.clear(); },
    isMock: (value) => marks.has(value),
  };
  for (const name of ['mock', 'doMock', 'unmock', 'hoisted', 'importActual', 'importMock', 'useFakeTimers', 'setSystemTime', 'advanceTimersByTime', 'runAllTimers', 'resetModules']) {
    api[name] = refuse(name);
  }
  api.useRealTimers = () => api;
  api.requireActual = refuse('requireActual');
  return api;
})`;
