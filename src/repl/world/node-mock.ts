// Guest source. `mock` of node:test: the mock functions of mocks.ts, seen as Node has them.

/** A function of the kernel that returns node:test's `mock`. Loaded when that module is. */
export const nodeMockSource = String.raw`
(function (kernel) {
  'use strict';
  const mocks = kernel.part('mocks');

  /** Gives the function Node's 'mock' in place of vitest's. */
  function asNode(mock, restore) {
    const state = mock.mock;
    Object.defineProperty(mock, 'mock', {
      value: {
        get calls() {
          return state.calls.map((args, index) => {
            const { type, value } = state.results[index];
            const [result, error] = type === 'throw' ? [undefined, value] : [value, undefined];
            return { arguments: args, this: state.contexts[index], result, error };
          });
        },
        callCount: () => state.calls.length,
        resetCalls: () => { mock.mockClear(); },
        mockImplementation: (run) => { mock.mockImplementation(run); },
        mockImplementationOnce: (run) => { mock.mockImplementationOnce(run); },
        restore,
      },
    });
    return mock;
  }

  function fn(original = () => {}, implementation) {
    const mock = mocks.fn(typeof implementation === 'function' ? implementation : original);
    return asNode(mock, () => { mock.mockImplementation(original); });
  }
  function spy(target, name, access, implementation) {
    const mock = mocks.spyOn(target, name, access);
    if (typeof implementation === 'function') mock.mockImplementation(implementation);
    return asNode(mock, () => { mock.mockRestore(); });
  }
  const refuse = (name) => {
    throw new Error('mock.' + name + " isn't available in this test runner: pass the replaced part as an argument, or use mock.method.");
  };

  return {
    fn,
    method: (target, name, implementation) => spy(target, name, undefined, implementation),
    getter: (target, name, implementation) => spy(target, name, 'get', implementation),
    setter: (target, name, implementation) => spy(target, name, 'set', implementation),
    reset: mocks.resetAllMocks,
    restoreAll: mocks.restoreAllMocks,
    module: () => refuse('module'),
    get timers() { return refuse('timers'); },
  };
})`;
