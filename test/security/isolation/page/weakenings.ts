// What a tool worker of the tests is served with, by the wall that it lacks.
import type { FetchPort } from '../../../../src/core/host-ports/fetch-port.ts';
import type { Engine, Vm, VmOptions } from '../../../../src/repl/vm/engine.ts';
import { createNativeEngine } from './native-engine.ts';
import { uncheckedFunctions } from './unchecked-functions.ts';
import type { Weakening } from './weak-repl.ts';
import type { Weakness } from './weakness.ts';

export const weakenings: Partial<Record<Weakness, Weakening>> = {
  engine: { engine: async () => createNativeEngine() },
  'page-engine': { engine: async () => createNativeEngine() },
  deadline: {
    engine: (quickjs) =>
      withOptions(quickjs, { shouldInterrupt: () => false, endsAtCall: () => false }),
  },
  limits: {
    // Above what any attack asks for, below what wasm can have.
    limits: {
      maxMemoryBytes: 3_000_000_000,
      maxFetchBytes: Infinity,
      maxOpenHandles: Infinity,
      maxOutputChars: Infinity,
    },
  },
  rollback: { engine: async (quickjs) => keepVm(await quickjs()) },
  'shared-vm': { isShared: true },
  clock: {
    session: {
      guestNow: () => performance.timeOrigin + performance.now(),
      randomBytes: (length) => new Uint8Array(length).fill(7),
    },
  },
  'fetch-port': { session: { network: trustingPort() } },
  'host-functions': {
    engine: (quickjs) => withOptions(quickjs, { hostFunctions: uncheckedFunctions }),
  },
  'host-objects': {
    engine: () =>
      withOptions(async () => createNativeEngine(), { hostFunctions: uncheckedFunctions }),
  },
};

/** The engine with some of its options replaced; host functions are added to those that there are. */
async function withOptions(
  quickjs: () => Promise<Engine>,
  changes: Partial<VmOptions>,
): Promise<Engine> {
  const engine = await quickjs();
  const change = (options: VmOptions): VmOptions => ({
    ...options,
    ...changes,
    hostFunctions: { ...options.hostFunctions, ...changes.hostFunctions },
  });
  return {
    version: () => engine.version(),
    create: (options, boot) => engine.create(change(options), boot),
    restore: (snapshot, options) => engine.restore(snapshot, change(options)),
  };
}

/** An engine that never goes back: the next cell has the VM as the last one left it. */
function keepVm(engine: Engine): Engine {
  let kept: Vm | undefined;
  const keep = (vm: Vm): Vm => {
    vm[Symbol.dispose] = () => {};
    return (kept = vm);
  };
  return {
    version: () => engine.version(),
    create: async (options, boot) => kept ?? keep(await engine.create(options, boot)),
    restore: async (snapshot, options) => kept ?? keep(await engine.restore(snapshot, options)),
  };
}

function trustingPort(): FetchPort {
  return {
    redirect: 'manual',
    ownHosts: [],
    send: (url, { method, headers, body, signal }) =>
      fetch(url, {
        method,
        headers: headers.map(([name, value]) => [name, value]),
        signal,
        ...(body && { body }),
        credentials: 'include',
      }),
  };
}
