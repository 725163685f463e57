// `mock` of node:test: the mock functions of mocks.ts with Node's interface.
import type { Kernel, Mock } from '../kernel-type.ts';

/** Returns node:test's `mock`. Loaded when that module is. */
export function addNodeMock(kernel: Kernel) {
  const mocks = kernel.part('mocks');

  /** Replaces vitest's `mock` property of the function by Node's. */
  function asNode(mock: Mock, restore: () => void): Mock {
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
        resetCalls: () => {
          mock.mockClear();
        },
        mockImplementation: (run: Function) => {
          mock.mockImplementation(run);
        },
        mockImplementationOnce: (run: Function) => {
          mock.mockImplementationOnce(run);
        },
        restore,
      },
    });
    return mock;
  }

  function fn(original: Function = () => {}, implementation?: unknown) {
    const mock = mocks.fn(typeof implementation === 'function' ? implementation : original);
    return asNode(mock, () => {
      mock.mockImplementation(original);
    });
  }
  function spy(
    target: object,
    name: string,
    access: 'get' | 'set' | undefined,
    implementation: unknown,
  ) {
    const mock = mocks.spyOn(target, name, access);
    if (typeof implementation === 'function') mock.mockImplementation(implementation);
    return asNode(mock, () => {
      mock.mockRestore();
    });
  }
  const refuse = (name: string): never => {
    throw new Error(
      'mock.' +
        name +
        " isn't available in this test runner: pass the replaced part as an argument, or use mock.method.",
    );
  };

  return {
    fn,
    method: (target: object, name: string, implementation?: unknown) =>
      spy(target, name, undefined, implementation),
    getter: (target: object, name: string, implementation?: unknown) =>
      spy(target, name, 'get', implementation),
    setter: (target: object, name: string, implementation?: unknown) =>
      spy(target, name, 'set', implementation),
    reset: mocks.resetAllMocks,
    restoreAll: mocks.restoreAllMocks,
    module: () => refuse('module'),
    get timers() {
      const clock = kernel.part('fake-timers');
      return {
        enable: ({ apis, now = 0 }: { apis?: string[]; now?: unknown } = {}) => {
          const clears = (apis ?? []).map((name) => name.replace(/^set/, 'clear'));
          clock.start({ now, toFake: apis && [...apis, ...clears] });
        },
        tick: (milliseconds = 1) => clock.advance(milliseconds),
        runAll: () => clock.runAll(),
        setTime: (value: unknown) => clock.setTime(value),
        reset: () => clock.stop(),
      };
    },
  };
}
