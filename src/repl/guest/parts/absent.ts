// Stand-ins for modules of Node's that the sandbox doesn't have. A package often imports one for a
// feature that isn't used here, so the import succeeds. Calling one of the functions throws an
// error that says what to do instead.
import { absentFunctions } from '../modules/absent-names.ts';
import type { AbsentModules, Kernel } from '../kernel-type.ts';

/** Returns the stand-ins. Loaded when a file first imports such a module. */
export function addAbsent(kernel: Kernel): AbsentModules {
  const made = new Map<string, object>();
  const define = Object.defineProperty;

  /** `name` is that of a module or an object. `why` ends the error message. */
  function functionsOf(
    name: string,
    why: string,
    keys = absentFunctions[name],
  ): Record<string, Function> {
    const functions: Record<string, Function> = {};
    for (const key of keys?.split(' ') ?? []) {
      // A class may extend this one. It only throws when an instance is created.
      const refuse = function () {
        throw kernel.coded(
          Error,
          'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM',
          name + '.' + key + ' was called' + why,
        );
      };
      functions[key] = define(refuse, 'name', { value: key, configurable: true });
    }
    return functions;
  }
  const standIn = (name: string) => functionsOf(name, kernel.insteadOf(name) ?? '');

  const part4 = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)';
  const ip4 = new RegExp('^' + part4 + '(?:\\.' + part4 + '){3}$');
  function isIP(text: unknown) {
    const address = String(text);
    if (ip4.test(address)) return 4;
    if (!address.includes(':')) return 0;
    try {
      return new kernel.URL('http://[' + address.replace(/%.*$/, '') + ']').href === '' ? 0 : 6;
    } catch {
      return 0;
    }
  }

  /** Resolves the names and addresses of the local machine, where servers may listen. */
  function dns() {
    const { lookup: refused, ...rest } = standIn('dns');
    function find(name: string, options: any) {
      const isLocal = /^(?:|localhost|.+\.localhost)$/i.test(name);
      if (!isLocal && isIP(name) === 0) refused();
      const address = isLocal ? '127.0.0.1' : name;
      const found = { address, family: isIP(address) };
      return options?.all ? [found] : found;
    }
    const lookup = (name, ...last) => {
      const callback = last.pop();
      const found = find(name, last[0]);
      const given = Array.isArray(found) ? [found] : [found.address, found.family];
      queueMicrotask(() => callback(null, ...given));
    };
    return {
      ...rest,
      ...{ lookup, ADDRCONFIG: 32, V4MAPPED: 8, ALL: 16 },
      promises: { ...rest, lookup: async (name, options) => find(name, options) },
    };
  }

  const uncloneable = new WeakSet<object>();
  const untransferable = new WeakSet<object>();
  const mark = (marked: WeakSet<object>) => (value: unknown) => {
    const isObject = typeof value === 'object' && value !== null;
    if (isObject || typeof value === 'function') marked.add(value);
  };

  const makers: Record<string, () => object> = {
    http2: () => ({ ...standIn('http2'), constants: {} }),
    net: () => ({
      ...standIn('net'),
      isIP,
      isIPv4: (text: unknown) => isIP(text) === 4,
      isIPv6: (text: unknown) => isIP(text) === 6,
    }),
    dns,
    'dns/promises': () => (get('dns') as ReturnType<typeof dns>).promises,

    punycode: () => ({
      ...standIn('punycode'),
      ucs2: {
        decode: (text: string) => Array.from(text, (letter) => letter.codePointAt(0)),
        encode: (points: number[]) => String.fromCodePoint(...points),
      },
    }),
    v8: () => ({ ...standIn('v8'), startupSnapshot: { isBuildingSnapshot: () => false } }),
    // Reports that there are no workers.
    cluster: () =>
      Object.assign(Reflect.construct(kernel.part('events') as Function, []), {
        ...standIn('cluster'),
        ...{ isPrimary: true, isMaster: true, isWorker: false, workers: {}, settings: {} },
        ...{ SCHED_NONE: 1, SCHED_RR: 2, schedulingPolicy: 2 },
      }),
    worker_threads: () => ({
      ...standIn('worker_threads'),
      ...{ isMainThread: true, parentPort: null, workerData: null, threadId: 0 },
      SHARE_ENV: Symbol.for('nodejs.worker_threads.SHARE_ENV'),
      ...kernel.part('message-channel'),
      markAsUncloneable: mark(uncloneable),
      markAsUntransferable: mark(untransferable),
      isMarkedAsUntransferable: (value: any) => untransferable.has(value),
    }),
  };

  function get(name: string): object {
    let module = made.get(name);
    if (module === undefined) {
      module = (makers[name] ?? (() => standIn(name)))();
      made.set(name, module);
    }
    return module;
  }
  return { get, functionsOf, uncloneable, untransferable };
}
