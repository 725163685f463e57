// Node's module events.
import type { Kernel, Signal } from '../kernel-type.ts';

/** A listener, or the wrapper of a `once` listener. `listener` is the wrapped one. */
type Heard = Function & { readonly listener?: Function };

/** Returns the module: the class EventEmitter with further members. */
export function addEvents(kernel: Kernel) {
  const { EventTarget } = kernel;
  // Listeners by emitter. Old programs create emitters by EventEmitter.call(this), so private
  // fields can't be used.
  const lists = new WeakMap<object, Map<unknown, Heard[]>>();
  function listsOf(emitter: object): Map<unknown, Heard[]> {
    if (!lists.has(emitter)) lists.set(emitter, new Map());
    return lists.get(emitter) as Map<unknown, Heard[]>;
  }
  // A listener of this event sees errors without handling them.
  const errorMonitor = Symbol('events.errorMonitor');
  /** Those that hear of what their asynchronous listeners threw. */
  const capturing = new WeakSet<object>();
  const captureRejectionSymbol = Symbol.for('nodejs.rejection');
  function EventEmitter(this: object | undefined, options?) {
    if (this && (options?.captureRejections ?? (EventEmitter as any).captureRejections))
      capturing.add(this);
  }
  function capture(emitter, error: unknown, name: unknown, args: unknown[]) {
    if (typeof emitter[captureRejectionSymbol] === 'function') {
      emitter[captureRejectionSymbol](error, name, ...args);
      return;
    }
    // What a listener of the error throws itself isn't told to it again.
    capturing.delete(emitter);
    try {
      emitter.emit('error', error);
    } finally {
      capturing.add(emitter);
    }
  }
  function check(listener) {
    if (typeof listener !== 'function')
      throw kernel.invalidType('listener', 'of type function', listener);
  }
  // By emitter: the limit of listeners for one event, and the events with a warning.
  const limits = new WeakMap<object, number>();
  const warned = new WeakMap<object, Set<unknown>>();
  let defaultLimit = 10;
  function checkLimit(limit: unknown, name: string): number {
    if (typeof limit !== 'number') throw kernel.invalidType(name, 'of type number', limit);
    if (!(limit >= 0)) throw kernel.outOfRange(name, '>= 0', limit);
    return limit;
  }
  function warnOfMany(emitter, name: unknown, count: number) {
    const limit = emitter.getMaxListeners();
    if (limit === 0 || count <= limit) return;
    const names = warned.get(emitter) ?? new Set();
    warned.set(emitter, names);
    if (names.has(name)) return;
    names.add(name);
    const shown = kernel.inspect(emitter, { depth: -1 });
    const warning = new Error(
      `Possible EventEmitter memory leak detected. ${count} ${String(name)} listeners added to ${shown}. ` +
        `MaxListeners is ${limit}. Use emitter.setMaxListeners() to increase limit`,
    );
    Object.assign(warning, { emitter, type: name, count });
    (kernel.process as any).emitWarning(
      Object.assign(warning, { name: 'MaxListenersExceededWarning' }),
    );
  }
  function add(emitter, name, listener, isFirst) {
    check(listener);
    const known = listsOf(emitter);
    if (known.has('newListener')) emitter.emit('newListener', name, listener.listener ?? listener);
    const list = [...(known.get(name) ?? [])];
    list[isFirst ? 'unshift' : 'push'](listener);
    known.set(name, list);
    warnOfMany(emitter, name, list.length);
    return emitter;
  }
  /** Wraps a listener that is removed before it is called. */
  function onceOnly(emitter, name, listener): Heard {
    check(listener);
    let isOver = false;
    const heard = (...args) => {
      if (isOver) return undefined;
      isOver = true;
      emitter.off(name, heard);
      return listener.apply(emitter, args);
    };
    return Object.assign(heard, { listener });
  }
  const methods = {
    on(name, listener) {
      return add(this, name, listener, false);
    },
    // Uses the emitter's own `on`, because a stream starts to flow there.
    once(name, listener) {
      return this.on(name, onceOnly(this, name, listener));
    },
    prependListener(name, listener) {
      return add(this, name, listener, true);
    },
    prependOnceListener(name, listener) {
      return this.prependListener(name, onceOnly(this, name, listener));
    },
    off(name, listener) {
      const known = listsOf(this);
      const list = [...(known.get(name) ?? [])];
      const at = list.findLastIndex((heard) => heard === listener || heard.listener === listener);
      if (at < 0) return this;
      const [gone] = list.splice(at, 1);
      if (list.length > 0) known.set(name, list);
      else {
        known.delete(name);
        warned.get(this)?.delete(name);
      }
      if (known.has('removeListener')) this.emit('removeListener', name, gone.listener ?? gone);
      return this;
    },
    removeAllListeners(name) {
      if (name === undefined) {
        listsOf(this).clear();
        warned.delete(this);
      } else {
        listsOf(this).delete(name);
        warned.get(this)?.delete(name);
      }
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
      for (const heard of list) {
        const result = heard.apply(this, args);
        if (result && capturing.has(this) && typeof result.then === 'function')
          result.then(undefined, (error) =>
            (kernel.process as any).nextTick(capture, this, error, name, args),
          );
      }
      return true;
    },
    listeners(name) {
      return (listsOf(this).get(name) ?? []).map((heard) => heard.listener ?? heard);
    },
    rawListeners(name) {
      return [...(listsOf(this).get(name) ?? [])];
    },
    listenerCount(name) {
      return (listsOf(this).get(name) ?? []).length;
    },
    eventNames() {
      return [...listsOf(this).keys()];
    },
    setMaxListeners(limit) {
      limits.set(this, checkLimit(limit, 'setMaxListeners'));
      return this;
    },
    getMaxListeners() {
      return limits.get(this) ?? defaultLimit;
    },
  };
  Object.assign(methods, {
    addListener: methods.on,
    removeListener: methods.off,
  });
  // The methods are enumerable, as in Node, because packages forward them by name.
  Object.assign(EventEmitter.prototype, methods);

  const abortedBy = (signal: Signal | undefined) =>
    Object.assign(new Error('The operation was aborted', { cause: signal?.reason }), {
      name: 'AbortError',
      code: 'ABORT_ERR',
    });
  const isTarget = (emitter): boolean => emitter instanceof EventTarget;
  /** Adds a listener to an emitter or an EventTarget. The result removes it. */
  function listen(emitter, name, heard: (...args: any[]) => void): () => void {
    if (isTarget(emitter)) {
      emitter.addEventListener(name, heard);
      return () => emitter.removeEventListener(name, heard);
    }
    emitter.on(name, heard);
    return () => emitter.off(name, heard);
  }
  function once(emitter, name: string, { signal }: { signal?: Signal } = {}) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) throw abortedBy(signal);
      const stops: (() => void)[] = [];
      const settle =
        (end: (value) => void, first = true) =>
        (...args) => {
          for (const stop of stops) stop();
          end(first ? args[0] : args);
        };
      stops.push(listen(emitter, name, settle(resolve, false)));
      if (name !== 'error' && !isTarget(emitter))
        stops.push(listen(emitter, 'error', settle(reject)));
      if (signal)
        stops.push(
          listen(
            signal,
            'abort',
            settle(() => reject(abortedBy(signal))),
          ),
        );
    });
  }
  interface OnOptions {
    readonly signal?: Signal;
    readonly close?: readonly unknown[];
  }
  type Step = IteratorResult<unknown[], undefined>;
  function on(emitter, name: unknown, { signal, close = [] }: OnOptions = {}) {
    if (signal?.aborted) throw abortedBy(signal);
    const waiting: unknown[][] = [];
    const readers: { resolve(step: Step): void; reject(error: unknown): void }[] = [];
    let failure: { readonly error: unknown } | undefined;
    let isOver = false;
    const over: Step = { value: undefined, done: true };
    const heard = (...args: unknown[]) => {
      const reader = readers.shift();
      if (reader) reader.resolve({ value: args, done: false });
      else waiting.push(args);
    };
    function end() {
      isOver = true;
      for (const stop of stops) stop();
      for (const reader of readers.splice(0)) reader.resolve(over);
    }
    function failed(error: unknown) {
      const reader = readers.shift();
      if (reader) reader.reject(error);
      else failure ??= { error };
      end();
    }
    const aborted = () => failed(abortedBy(signal));
    const stops = [
      listen(emitter, name, heard),
      ...close.map((event) => listen(emitter, event, end)),
    ];
    if (name !== 'error' && !isTarget(emitter)) stops.push(listen(emitter, 'error', failed));
    if (signal) stops.push(listen(signal, 'abort', aborted));
    return {
      async next() {
        const args = waiting.shift();
        if (args) return { value: args, done: false };
        if (failure) {
          const { error } = failure;
          failure = undefined;
          throw error;
        }
        if (isOver) return over;
        return new Promise<Step>((resolve, reject) => readers.push({ resolve, reject }));
      },
      async return() {
        end();
        return over;
      },
      async throw(error: unknown) {
        failed(error);
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }
  Object.defineProperty(EventEmitter, 'defaultMaxListeners', {
    get: () => defaultLimit,
    set(limit) {
      defaultLimit = checkLimit(limit, 'defaultMaxListeners');
    },
    enumerable: true,
  });
  return Object.assign(EventEmitter, {
    ...kernel
      .part('absent')
      .functionsOf('events', ". It isn't available in this sandbox: use an EventEmitter"),
    usingDomains: false,
    captureRejections: false,
    EventEmitter,
    default: EventEmitter,
    once,
    on,
    errorMonitor,
    captureRejectionSymbol,
    listenerCount: (emitter, name) => emitter.listenerCount(name),
    getEventListeners: (emitter, name) => emitter.listeners(name),
    getMaxListeners: (emitter) => emitter.getMaxListeners?.() ?? defaultLimit,
    setMaxListeners(limit = defaultLimit, ...emitters: any[]) {
      checkLimit(limit, 'setMaxListeners');
      if (emitters.length === 0) defaultLimit = limit;
      // An EventTarget has no limit to set.
      for (const emitter of emitters) emitter.setMaxListeners?.(limit);
    },
    addAbortListener(signal: Signal, listener: (event?: unknown) => void) {
      if (signal.aborted) queueMicrotask(() => listener());
      else signal.addEventListener('abort', listener, { once: true });
      return { [Symbol.dispose]: () => signal.removeEventListener('abort', listener) };
    },
  });
}
