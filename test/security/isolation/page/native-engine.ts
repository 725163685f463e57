// An engine without a wall: guest code is compiled by the realm's own `Function`, as sandboxes that
// are made of `eval` do it. The session, the guest's world and the host functions are the real ones.
import type {
  Engine,
  GuestCode,
  GuestValue,
  Vm,
  VmOptions,
} from '../../../../src/repl/vm/engine.ts';
import { toHostErrorMessage } from '../../../../src/repl/vm/host-error.ts';
import { bootCode } from '../../../../src/repl/host/guest-world.ts';

/** One VM for as long as the engine lives: what guest code has done to its realm can't be undone. */
export function createNativeEngine(): Engine {
  let vm: Vm | undefined;
  return {
    version: async () => 'native',
    create: async (options, boot) => (vm ??= startVm(options, boot)),
    restore: async (_snapshot, options) => (vm ??= startVm(options, bootCode())),
  };
}

type Kernel = Record<string, (...args: unknown[]) => unknown>;

function startVm(options: VmOptions, boot: GuestCode): Vm {
  // QuickJS has it there, and the guest's world builds on it; V8's errors have one each.
  Object.defineProperty(Error.prototype, 'stack', { get: () => undefined, configurable: true });
  const scope = createScope();
  const evaluate = ({ source, filename }: GuestCode): unknown => {
    // A few scripts declare a variable before their value. All others are an expression.
    const declared = source.startsWith('let ') ? source.indexOf(';') + 1 : 0;
    const code = `${source.slice(0, declared)} return ${source.slice(declared)}`;
    // oxlint-disable-next-line no-new-func -- the wall that is missing here
    return new Function('scope', `with (scope) { ${code}\n}\n//# sourceURL=${filename}`)(scope);
  };
  const toGuest = (value: unknown) => (isCode(value) ? evaluate(value) : value);
  const host = Object.fromEntries(
    Object.entries(options.hostFunctions).map(([name, run]) => [
      name,
      (...args: GuestValue[]) => {
        try {
          return toGuest(run(...args));
        } catch (error) {
          throw new Error(toHostErrorMessage(error));
        }
      },
    ]),
  );
  // No realm tells.
  Object.assign(host, { promiseState: () => 0 });
  const kernel = (evaluate(boot) as (host: unknown) => Kernel)(host);
  return {
    call(method, ...args) {
      const value = kernel[method]?.(...args.map(toGuest));
      return method === 'state' ? awaitJobs(String(value)) : (value as GuestValue);
    },
    // The realm runs them by itself.
    runJobs() {},
    takeRejections: () => [],
    memoryUse: () => 0,
    // Nothing is: the realm's own eval stays.
    forbidEval() {},
    isEvalForbidden: true,
    freeBytes: () => Infinity,
    lendMemory: () => {},
    heldBytes: 0,
    snapshot: (room = 0) => new Uint8Array(room + 16),
    [Symbol.dispose]() {},
  };
}

/** Has the session look again in a millisecond, while the realm's own jobs may still settle the cell. */
function awaitJobs(state: string): string {
  const { outcome, nextTimer, ...rest } = JSON.parse(state) as Record<string, unknown>;
  const isIdle = outcome === undefined && nextTimer === -1;
  return JSON.stringify({ outcome, nextTimer: isIdle ? 1 : nextTimer, ...rest });
}

function isCode(value: unknown): value is GuestCode {
  return typeof value === 'object' && value !== null && 'source' in value && 'filename' in value;
}

/** The guest's global object: its own variables before the realm's, so that both can go on. */
function createScope(): object {
  const own: Record<PropertyKey, unknown> = Object.create(null) as Record<PropertyKey, unknown>;
  const scope = new Proxy(own, {
    has: (_target, key) => key in own || key in globalThis,
    get(_target, key) {
      if (key in own) return own[key];
      const value: unknown = Reflect.get(globalThis, key, globalThis);
      // The realm's functions need the realm as `this`; classes don't.
      const isMethod = typeof value === 'function' && !Object.hasOwn(value, 'prototype');
      return isMethod ? (value.bind(globalThis) as unknown) : value;
    },
  });
  // What the guest's world changes, in copies.
  own['globalThis'] = scope;
  own['Math'] = Object.create(Math);
  own['performance'] = { now: () => performance.now(), timeOrigin: performance.timeOrigin };
  return scope;
}
