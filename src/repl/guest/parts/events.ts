// Node's events.
import type { Kernel, Signal } from '../kernel-type.ts';

interface Heard {
  readonly listener: Function;
  readonly isOnce: boolean;
}

/** Returns the module: the class EventEmitter, with more on it. */
export function addEvents(kernel: Kernel) {
  const { EventTarget } = kernel;
  // By emitter: programs of old make theirs by EventEmitter.call(this), so no class could hold it.
  const lists = new WeakMap<object, Map<unknown, Heard[]>>();
  function listsOf(emitter: object): Map<unknown, Heard[]> {
    if (!lists.has(emitter)) lists.set(emitter, new Map());
    return lists.get(emitter) as Map<unknown, Heard[]>;
  }
  // Who listens to it hears of errors, and they stay unhandled.
  const errorMonitor = Symbol('events.errorMonitor');
  function EventEmitter() {}
  function add(emitter, name, listener, isOnce, isFirst) {
    if (typeof listener !== 'function')
      throw kernel.invalidType('listener', 'of type function', listener);
    const known = listsOf(emitter);
    if (known.has('newListener')) emitter.emit('newListener', name, listener);
    const list = [...(known.get(name) ?? [])];
    list[isFirst ? 'unshift' : 'push']({ listener, isOnce });
    known.set(name, list);
    return emitter;
  }
  const methods = {
    on(name, listener) {
      return add(this, name, listener, false, false);
    },
    once(name, listener) {
      return add(this, name, listener, true, false);
    },
    prependListener(name, listener) {
      return add(this, name, listener, false, true);
    },
    prependOnceListener(name, listener) {
      return add(this, name, listener, true, true);
    },
    off(name, listener) {
      const known = listsOf(this);
      const list = [...(known.get(name) ?? [])];
      const at = list.findLastIndex((entry) => entry.listener === listener);
      if (at < 0) return this;
      list.splice(at, 1);
      if (list.length > 0) known.set(name, list);
      else known.delete(name);
      if (known.has('removeListener')) this.emit('removeListener', name, listener);
      return this;
    },
    removeAllListeners(name) {
      if (name === undefined) listsOf(this).clear();
      else listsOf(this).delete(name);
      return this;
    },
    emit(name, ...args) {
      if (name === 'error' && listsOf(this).has(errorMonitor)) this.emit(errorMonitor, ...args);
      const list = listsOf(this).get(name);
      if (list === undefined) {
        if (name !== 'error') return false;
        if (args[0] instanceof Error) throw args[0];
        throw Object.assign(
          kernel.coded(
            Error,
            'ERR_UNHANDLED_ERROR',
            'Unhandled error. (' + kernel.inspect(args[0]) + ')',
          ),
          { context: args[0] },
        );
      }
      for (const { listener, isOnce } of list) {
        if (isOnce) this.off(name, listener);
        listener.apply(this, args);
      }
      return true;
    },
    listeners(name) {
      return (listsOf(this).get(name) ?? []).map((entry) => entry.listener);
    },
    listenerCount(name) {
      return (listsOf(this).get(name) ?? []).length;
    },
    eventNames() {
      return [...listsOf(this).keys()];
    },
    setMaxListeners() {
      return this;
    },
    getMaxListeners() {
      return 10;
    },
  };
  Object.assign(methods, {
    addListener: methods.on,
    removeListener: methods.off,
    rawListeners: methods.listeners,
  });
  for (const name of Object.keys(methods)) {
    Object.defineProperty(EventEmitter.prototype, name, {
      value: methods[name],
      writable: true,
      configurable: true,
    });
  }

  function once(emitter, name: string, { signal }: { signal?: Signal } = {}) {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (emitter instanceof EventTarget) {
        emitter.addEventListener(name, (event) => resolve([event]), { once: true });
        return;
      }
      const stop = () => {
        emitter.off(name, done);
        emitter.off('error', failed);
        signal?.removeEventListener('abort', aborted);
      };
      const done = (...args) => {
        stop();
        resolve(args);
      };
      const failed = (error) => {
        stop();
        reject(error);
      };
      const aborted = () => {
        stop();
        reject(signal?.reason);
      };
      emitter.once(name, done);
      if (name !== 'error') emitter.once('error', failed);
      signal?.addEventListener('abort', aborted, { once: true });
    });
  }
  async function* on(emitter, name: unknown, { signal }: { signal?: Signal } = {}) {
    const waiting: { args?: unknown[]; error?: unknown }[] = [];
    let wake = () => {};
    const push = (entry: (typeof waiting)[number]) => {
      waiting.push(entry);
      wake();
    };
    const heard = (...args) => push({ args });
    const failed = (error) => push({ error });
    emitter.on(name, heard);
    emitter.on('error', failed);
    signal?.addEventListener('abort', () => failed(signal.reason), { once: true });
    try {
      for (;;) {
        signal?.throwIfAborted();
        if (waiting.length === 0)
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        const { args, error } = waiting.shift() ?? {};
        if (args === undefined) throw error;
        yield args;
      }
    } finally {
      emitter.off(name, heard);
      emitter.off('error', failed);
    }
  }
  return Object.assign(EventEmitter, {
    EventEmitter,
    default: EventEmitter,
    once,
    on,
    errorMonitor,
    captureRejectionSymbol: Symbol.for('nodejs.rejection'),
    listenerCount: (emitter, name) => emitter.listenerCount(name),
    getEventListeners: (emitter, name) => emitter.listeners(name),
    getMaxListeners: (emitter) => emitter.getMaxListeners?.() ?? 10,
    setMaxListeners() {},
    addAbortListener(signal: Signal, listener: (event?: unknown) => void) {
      if (signal.aborted) queueMicrotask(() => listener());
      else signal.addEventListener('abort', listener, { once: true });
      return { [Symbol.dispose]: () => signal.removeEventListener('abort', listener) };
    },
    defaultMaxListeners: 10,
  });
}
