// Guest source. The small modules of Node's that projects import without thinking: util, events, os.

/** A function of the kernel that makes these modules. */
export const nodeModulesSource = String.raw`
(function (kernel) {
  'use strict';
  kernel.defineModule(['util'], () => {
    const util = {
      inspect: kernel.inspect,
      format: kernel.format,
      isDeepStrictEqual: (a, b) => kernel.equals(a, b, { strict: true }),
      promisify: (run) => (...args) => new Promise((resolve, reject) => {
        run(...args, (error, value) => (error ? reject(error) : resolve(value)));
      }),
      callbackify: (run) => (...args) => {
        const callback = args.pop();
        run(...args).then((value) => callback(null, value), (error) => callback(error));
      },
      inherits: (constructor, base) => { Object.setPrototypeOf(constructor.prototype, base.prototype); },
      deprecate: (run) => run,
      stripVTControlCharacters: (text) => text.replace(/\u001b\[[0-9;]*m/g, ''),
      TextEncoder, TextDecoder,
      types: {
        isPromise: (value) => value instanceof Promise,
        isRegExp: (value) => value instanceof RegExp,
        isDate: (value) => value instanceof Date,
        isMap: (value) => value instanceof Map,
        isSet: (value) => value instanceof Set,
        isNativeError: (value) => value instanceof Error,
        isTypedArray: (value) => ArrayBuffer.isView(value) && !(value instanceof DataView),
        isUint8Array: (value) => value instanceof Uint8Array,
      },
    };
    util.default = util;
    return util;
  });

  kernel.defineModule(['os'], () => ({
    EOL: '\n',
    platform: () => 'rockpool', type: () => 'rockpool', arch: () => 'wasm', release: () => '0',
    tmpdir: () => kernel.cwd(), homedir: () => kernel.cwd(), hostname: () => 'rockpool',
    cpus: () => [], totalmem: () => 0, freemem: () => 0,
  }));

  kernel.defineModule(['events'], () => {
    class EventEmitter {
      #listeners = new Map();
      on(name, listener) { return this.#add(name, listener, false, false); }
      addListener(name, listener) { return this.on(name, listener); }
      prependListener(name, listener) { return this.#add(name, listener, false, true); }
      once(name, listener) { return this.#add(name, listener, true, false); }
      #add(name, listener, isOnce, isFirst) {
        const list = [...(this.#listeners.get(name) ?? [])];
        list[isFirst ? 'unshift' : 'push']({ listener, isOnce });
        this.#listeners.set(name, list);
        return this;
      }
      off(name, listener) {
        const list = [...(this.#listeners.get(name) ?? [])];
        const at = list.findLastIndex((entry) => entry.listener === listener);
        if (at >= 0) list.splice(at, 1);
        this.#listeners.set(name, list);
        return this;
      }
      removeListener(name, listener) { return this.off(name, listener); }
      removeAllListeners(name) {
        if (name === undefined) this.#listeners.clear();
        else this.#listeners.delete(name);
        return this;
      }
      emit(name, ...args) {
        const list = this.#listeners.get(name) ?? [];
        if (list.length === 0 && name === 'error') throw args[0] instanceof Error ? args[0] : new Error('Unhandled error: ' + kernel.inspect(args[0]));
        for (const { listener, isOnce } of list) {
          if (isOnce) this.off(name, listener);
          listener.apply(this, args);
        }
        return list.length > 0;
      }
      listeners(name) { return (this.#listeners.get(name) ?? []).map((entry) => entry.listener); }
      listenerCount(name) { return this.listeners(name).length; }
      eventNames() { return [...this.#listeners.keys()].filter((name) => this.listenerCount(name) > 0); }
      setMaxListeners() { return this; }
      getMaxListeners() { return 10; }
    }
    EventEmitter.EventEmitter = EventEmitter;
    EventEmitter.default = EventEmitter;
    EventEmitter.once = (emitter, name) => new Promise((resolve, reject) => {
      emitter.once(name, (...args) => resolve(args));
      if (name !== 'error') emitter.once('error', reject);
    });
    return EventEmitter;
  });

  // As in Node's own console, these need no import.
  kernel.defineLazyGlobal('fs', () => kernel.fs);
  kernel.defineLazyGlobal('path', () => kernel.path);
  kernel.defineLazyGlobal('assert', () => kernel.builtin('assert')());
  kernel.defineLazyGlobal('util', () => kernel.builtin('util')());
  kernel.defineGlobal('runTests', (pattern) => kernel.part('test-runner').runTests(pattern));
  // A cell may declare tests itself.
  const declarers = ['describe', 'it', 'test', 'expect', 'beforeAll', 'afterAll', 'beforeEach', 'afterEach'];
  for (const name of declarers) {
    kernel.defineLazyGlobal(name, () => kernel.part('test-runner').api[name]);
  }
  for (const name of ['vitest', 'node:test', 'bun:test', '@jest/globals']) {
    kernel.defineModule([name], () => kernel.part('test-runner').moduleFor(name));
  }
})`;
