// `mock` of node:test: the mock functions of mocks.ts with Node's interface.
import type { Kernel, Mock } from '../kernel-type.ts';

/** Returns node:test's `mock`. Loaded when that module is. */
export function addNodeMock(kernel: Kernel) {
  const mocks = kernel.part('mocks');
  /** The state of each mock function, under vitest's names. */
  const states = new WeakMap<Mock, Mock['mock']>();

  /** Replaces vitest's `mock` property of the function by Node's. */
  function asNode(mock: Mock, restore: () => void): Mock {
    const state = states.get(mock) ?? mock.mock;
    states.set(mock, state);
    Object.defineProperty(mock, 'mock', {
      configurable: true,
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
    // A function that is spied on already begins anew.
    const mock = mocks.spyOn(target, name, access).mockClear();
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

  /** Returns what restores its own mocks. Each test has one, and the module another. */
  function createTracker() {
    let restores: (() => void)[] = [];
    let isTimed = false;
    const tracked = (mock: Mock): Mock => {
      restores.push((mock.mock as unknown as { restore(): void }).restore);
      return mock;
    };
    const accessor =
      (access?: 'get' | 'set') =>
      (target: object, name: string, given?: unknown, more?: unknown) => {
        const options: any = (typeof given === 'object' ? given : more) ?? {};
        const chosen = access ?? (options.getter ? 'get' : options.setter ? 'set' : undefined);
        return tracked(spy(target, name, chosen, given));
      };
    function restoreAll() {
      // The newest first, so that what was replaced twice is as it was before both.
      for (const restore of restores.toReversed()) restore();
    }
    return {
      fn: (original?: Function, implementation?: unknown) => tracked(fn(original, implementation)),
      method: accessor(),
      getter: accessor('get'),
      setter: accessor('set'),
      restoreAll,
      reset() {
        restoreAll();
        restores = [];
        if (isTimed) kernel.part('fake-timers').stop();
        isTimed = false;
      },
      module: () => refuse('module'),
      get timers() {
        const clock = kernel.part('fake-timers');
        return {
          enable: ({ apis, now = 0 }: { apis?: string[]; now?: unknown } = {}) => {
            const clears = (apis ?? []).map((name) => name.replace(/^set/, 'clear'));
            clock.start({ now, toFake: apis && [...apis, ...clears] });
            isTimed = true;
          },
          tick: (milliseconds = 1) => clock.advance(milliseconds),
          runAll: () => clock.runAll(),
          setTime: (value: unknown) => clock.setTime(value),
          reset: () => clock.stop(),
        };
      },
    };
  }

  return { createTracker, mock: createTracker() };
}
