// Node's async_hooks: storages that follow code across waits. Hooks for async resources are never
// called.
import type { Context } from '../async-context.ts';
import type { Kernel } from '../kernel-type.ts';

interface StorageOptions {
  readonly name?: string;
  readonly defaultValue?: unknown;
}

/** Returns the module. */
export function addAsyncHooks(kernel: Kernel): object {
  const context = kernel.asyncContext;
  context.follow();
  let lastId = 1;

  function checkFunction(value: unknown): asserts value is Function {
    if (typeof value !== 'function') throw kernel.invalidType('fn', 'of type function', value);
  }

  class AsyncLocalStorage {
    readonly name: string;
    readonly #defaultValue: unknown;
    constructor({ name = '', defaultValue }: StorageOptions = {}) {
      this.name = name;
      this.#defaultValue = defaultValue;
    }
    static bind(run: Function) {
      checkFunction(run);
      return AsyncLocalStorage.snapshot().bind(undefined, run);
    }
    static snapshot() {
      const taken = context.get();
      return (run: Function, ...args: unknown[]) => context.run(taken, () => run(...args));
    }
    getStore() {
      const held = context.get();
      return held?.has(this) ? held.get(this) : this.#defaultValue;
    }
    #with(store: unknown): Context {
      return new Map([...(context.get() ?? []), [this, store]]);
    }
    run(store: unknown, run: Function, ...args: unknown[]) {
      return context.run(this.#with(store), () => run(...args));
    }
    enterWith(store: unknown) {
      context.set(this.#with(store));
    }
    exit(run: Function, ...args: unknown[]) {
      return this.run(undefined, run, ...args);
    }
    disable() {
      const held = context.get();
      if (held?.has(this)) context.set(new Map([...held].filter(([storage]) => storage !== this)));
    }
  }

  class AsyncResource {
    readonly #context = context.get();
    readonly #id = (lastId += 1);
    readonly type: string;
    constructor(type: string) {
      if (typeof type !== 'string') throw kernel.invalidType('type', 'of type string', type);
      this.type = type;
    }
    static bind(run: Function, type?: string, self?: unknown) {
      return new AsyncResource(type ?? (run?.name || 'bound-anonymous-fn')).bind(run, self);
    }
    runInAsyncScope(run: Function, self?: unknown, ...args: unknown[]) {
      return context.run(this.#context, () => Reflect.apply(run, self, args));
    }
    bind(run: Function, self?: unknown) {
      checkFunction(run);
      const call = (given: unknown, args: unknown[]) =>
        this.runInAsyncScope(run, self === undefined ? given : self, ...args);
      const bound = function (this: unknown, ...args: unknown[]) {
        return call(this, args);
      };
      return Object.defineProperty(bound, 'length', { value: run.length, configurable: true });
    }
    emitDestroy() {
      return this;
    }
    asyncId() {
      return this.#id;
    }
    triggerAsyncId() {
      return 1;
    }
  }

  return {
    ...kernel
      .part('absent')
      .functionsOf(
        'async_hooks',
        ". It isn't available in this sandbox: follow code by an AsyncLocalStorage",
      ),
    AsyncLocalStorage,
    AsyncResource,
    executionAsyncId: () => 1,
    triggerAsyncId: () => 0,
    executionAsyncResource: () => ({}),
    asyncWrapProviders: {},
  };
}
