// `vi.mock` and the like: replacements that tests set for modules.
import type { Kernel, Mocks, ModuleMocks, Namespace } from '../kernel-type.ts';

type Factory = (importOriginal: () => Promise<Namespace>) => unknown;

const hoistedHint =
  " (vi.mock is called before the file's own code: make what its factory uses by vi.hoisted)";

/** Returns the functions that replace modules. Loaded with the test runner. */
export function addModuleMocks(kernel: Kernel): ModuleMocks {
  const loader = kernel.part('loader');
  // Loaded on demand, because the part `mocks` depends on this one.
  const mocks = (): Mocks => kernel.part('mocks');

  /** Returns the file whose code calls. Paths are relative to it. */
  function importer(): string {
    const [, file] = /\((.+):\d+\)$/m.exec(kernel.placesOf(new Error())) ?? [];
    return file ?? kernel.cwd() + '/cell';
  }

  /**
   * Copies a module with mock functions. They do nothing, or call the original if `spies` is true.
   */
  function automock(value: unknown, spies: boolean, seen = new Map<unknown, unknown>()): unknown {
    const isFunction = typeof value === 'function';
    if (!isFunction && (typeof value !== 'object' || value === null)) return value;
    if (seen.has(value)) return seen.get(value);
    if (Array.isArray(value) && !spies) return [];
    if (mocks().isMock(value)) return value;
    const prototype = Object.getPrototypeOf(value);
    const isPlain =
      isFunction || prototype === null || prototype === Object.prototype || isNamespace(value);
    const made: object = isFunction
      ? mocks().fn(spies ? value : undefined)
      : isPlain
        ? {}
        : Object.create(prototype);
    seen.set(value, made);
    copyMocked(value as object, made, spies, seen);
    if (isFunction && value.prototype !== undefined && value.prototype !== null)
      copyMocked(value.prototype, (made as Function).prototype, spies, seen);
    // Methods of an instance come from its class.
    if (!isPlain)
      for (let at = prototype; at !== null && at !== Object.prototype;)
        at = copyMocked(at, made, spies, seen);
    return made;
  }
  const isNamespace = (value: unknown) =>
    Object.prototype.toString.call(value) === '[object Module]';
  const ofFunctions = ['length', 'name', 'prototype', 'arguments', 'caller'];
  /** Returns the prototype for the copy. */
  function copyMocked(from: object, to: object, spies: boolean, seen: Map<unknown, unknown>) {
    for (const name of Object.getOwnPropertyNames(from)) {
      if (Object.hasOwn(to, name) || (typeof from === 'function' && ofFunctions.includes(name)))
        continue;
      const own = Object.getOwnPropertyDescriptor(from, name) as PropertyDescriptor;
      // Getters of a module's exports are read. A getter of any other object may have effects, so
      // it is skipped.
      if (own.get !== undefined && !isNamespace(from)) continue;
      // Skips the link from a prototype to its class.
      if (name === 'constructor' && own.value?.prototype === from) continue;
      Object.defineProperty(to, name, {
        value: automock(from[name], spies, seen),
        writable: true,
        configurable: true,
        enumerable: own.enumerable ?? true,
      });
    }
    return Object.getPrototypeOf(from);
  }

  function mock(specifier: unknown, factory: unknown, from: string) {
    if (typeof specifier !== 'string')
      throw new TypeError('vi.mock takes a path: a string, or import(…) with a string.');
    const original = () => loader.importActual(specifier, from);
    if (typeof factory === 'function') {
      loader.replace(specifier, from, () => {
        try {
          return (factory as Factory)(original);
        } catch (error) {
          if (error instanceof ReferenceError) error.message += hoistedHint;
          throw error;
        }
      });
      return;
    }
    const spies = (factory as { spy?: boolean } | undefined)?.spy === true;
    const manual = spies ? undefined : loader.manualMock(specifier, from);
    loader.replace(
      specifier,
      from,
      manual === undefined
        ? () => loader.takeActual(specifier, from, (module) => automock(module, spies))
        : () => loader.takeActual(manual, from, (module) => module),
    );
  }

  const api: ModuleMocks = {
    mock(specifier, factory) {
      mock(specifier, factory, importer());
      return this;
    },
    unmock(specifier) {
      loader.restore(String(specifier), importer());
      return this;
    },
    hoisted: (run) => (run as () => unknown)(),
    importActual: (specifier) => loader.importActual(String(specifier), importer()),
    importMock: async (specifier) =>
      automock(await loader.importActual(String(specifier), importer()), false) as Namespace,
    requireActual: (specifier) => loader.requireActual(String(specifier), importer()),
    requireMock: (specifier) =>
      automock(loader.requireActual(String(specifier), importer()), false),
    resetModules() {
      loader.forgetModules();
      return this;
    },
    isolateModules(run) {
      loader.forgetModules();
      (run as () => unknown)();
    },
    mockObject: (value, options) => automock(value, options?.spy === true),
  };
  return api;
}
