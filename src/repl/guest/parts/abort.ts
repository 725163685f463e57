// Events and abort signals, as browsers and Node have them.
import type { Kernel } from '../kernel-type.ts';

interface EventOptions {
  readonly bubbles?: unknown;
  readonly cancelable?: unknown;
  readonly detail?: unknown;
}

type Listener = ((event: object) => unknown) | { handleEvent(event: object): unknown };

/** Defines EventTarget, Event, AbortController and AbortSignal. */
export function addAbort(kernel: Kernel) {
  class Event {
    #state = { prevented: false, stopped: false };
    declare readonly type: string;
    declare readonly bubbles: boolean;
    declare readonly cancelable: boolean;
    declare readonly timeStamp: number;
    declare target: object | null;
    constructor(type: unknown, options: EventOptions = {}) {
      this.type = String(type);
      this.bubbles = options.bubbles === true;
      this.cancelable = options.cancelable === true;
      this.target = null;
      this.timeStamp = performance.now();
    }
    get currentTarget() {
      return this.target;
    }
    get defaultPrevented() {
      return this.#state.prevented;
    }
    get isStopped() {
      return this.#state.stopped;
    }
    preventDefault() {
      if (this.cancelable) this.#state.prevented = true;
    }
    stopPropagation() {}
    stopImmediatePropagation() {
      this.#state.stopped = true;
    }
  }
  class CustomEvent extends Event {
    declare readonly detail: unknown;
    constructor(type: unknown, options: EventOptions = {}) {
      super(type, options);
      this.detail = options.detail ?? null;
    }
  }

  class EventTarget {
    /** By type: the listeners, and whether each listens once. A signal may have thousands. */
    #listeners = new Map<string, Map<Listener, boolean>>();
    addEventListener(type: unknown, listener: Listener | null | undefined, options?) {
      if (listener === null || listener === undefined) return;
      const { once = false, signal } =
        typeof options === 'object' && options !== null ? options : {};
      const key = String(type);
      let known = this.#listeners.get(key);
      if (signal?.aborted || known?.has(listener)) return;
      if (known === undefined) this.#listeners.set(key, (known = new Map()));
      known.set(listener, once);
      signal?.addEventListener('abort', () => this.removeEventListener(type, listener), {
        once: true,
      });
    }
    removeEventListener(type: unknown, listener: Listener | null | undefined) {
      if (listener) this.#listeners.get(String(type))?.delete(listener);
    }
    dispatchEvent(event: Event) {
      event.target = this;
      const known = this.#listeners.get(event.type);
      for (const [listener, once] of [...(known ?? [])]) {
        // Another listener may have removed this one.
        if (event.isStopped || !known?.has(listener)) continue;
        if (once) known.delete(listener);
        // A listener that throws must not keep others from being called.
        try {
          if (typeof listener === 'function') listener.call(this, event);
          else listener.handleEvent(event);
        } catch (error) {
          kernel.reportUncaught('a listener', error);
        }
      }
      return !event.defaultPrevented;
    }
  }

  const abort = Symbol('abort');
  const passkey = {};
  class AbortSignal extends EventTarget {
    #aborted = false;
    #reason: unknown;
    #onabort: Listener | null = null;
    constructor(key) {
      super();
      if (key !== passkey)
        throw kernel.coded(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
    }
    static abort(reason) {
      const signal = new AbortSignal(passkey);
      signal[abort](reason);
      return signal;
    }
    static timeout(milliseconds) {
      const signal = new AbortSignal(passkey);
      const timer: { unref?(): void } = setTimeout(
        () =>
          signal[abort](
            new DOMException('The operation was aborted due to timeout', 'TimeoutError'),
          ),
        milliseconds,
      );
      // The timer doesn't keep the cell alive.
      timer.unref?.();
      return signal;
    }
    static any(signals) {
      const signal = new AbortSignal(passkey);
      for (const source of signals) {
        if (source.aborted) {
          signal[abort](source.reason);
          break;
        }
        source.addEventListener('abort', () => signal[abort](source.reason), { once: true });
      }
      return signal;
    }
    get aborted() {
      return this.#aborted;
    }
    get reason() {
      return this.#reason;
    }
    get onabort() {
      return this.#onabort;
    }
    set onabort(listener) {
      this.removeEventListener('abort', this.#onabort);
      this.#onabort = listener;
      this.addEventListener('abort', listener);
    }
    get [Symbol.toStringTag]() {
      return 'AbortSignal';
    }
    [Symbol.for('nodejs.util.inspect.custom')]() {
      return 'AbortSignal { aborted: ' + this.#aborted + ' }';
    }
    throwIfAborted() {
      if (this.#aborted) throw this.#reason;
    }
    [abort](reason = new DOMException('This operation was aborted', 'AbortError')) {
      if (this.#aborted) return;
      this.#aborted = true;
      this.#reason = reason;
      this.dispatchEvent(new Event('abort'));
    }
  }
  class AbortController {
    #signal = new AbortSignal(passkey);
    get signal() {
      return this.#signal;
    }
    get [Symbol.toStringTag]() {
      return 'AbortController';
    }
    [Symbol.for('nodejs.util.inspect.custom')]() {
      return 'AbortController { signal: ' + kernel.inspect(this.#signal) + ' }';
    }
    abort(reason) {
      this.#signal[abort](reason);
    }
  }
  Object.assign(kernel, { Event, CustomEvent, EventTarget, AbortSignal, AbortController });
}
