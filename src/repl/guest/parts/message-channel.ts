// MessageChannel within a cell. Each message is delivered in a task of its own.
import type { Kernel } from '../kernel-type.ts';

/** Returns the classes. */
export function addMessageChannel(kernel: Kernel) {
  class MessageEvent extends (kernel.Event as new (...args) => any) {
    readonly data;
    readonly origin: string;
    readonly lastEventId: string;
    readonly source;
    readonly ports;
    constructor(type: string, options: Record<string, any> = {}) {
      super(type, options);
      this.data = options.data ?? null;
      this.origin = options.origin ?? '';
      this.lastEventId = options.lastEventId ?? '';
      this.source = options.source ?? null;
      this.ports = options.ports ?? [];
    }
  }
  const replaceListener = (target: any, before: unknown, listener: unknown) => {
    if (typeof before === 'function') target.removeEventListener('message', before);
    if (typeof listener === 'function') target.addEventListener('message', listener);
    return listener;
  };
  class MessagePort extends (kernel.EventTarget as new () => any) {
    #other: MessagePort | undefined;
    #onmessage: unknown = null;
    #waiting: unknown[] = [];
    #isStarted = false;
    static join(one: MessagePort, other: MessagePort) {
      one.#other = other;
      other.#other = one;
    }
    get onmessage() {
      return this.#onmessage;
    }
    set onmessage(listener: unknown) {
      this.#onmessage = replaceListener(this, this.#onmessage, listener);
      this.start();
    }
    postMessage(message: unknown) {
      const other = this.#other;
      if (other === undefined) return;
      const data = kernel.structuredClone(message);
      if (other.#isStarted) other.#deliver(data);
      else other.#waiting.push(data);
    }
    #deliver(data: unknown) {
      setTimeout(() => {
        if (this.#other === undefined) return;
        this.dispatchEvent(new MessageEvent('message', { data }));
      }, 0);
    }
    start() {
      this.#isStarted = true;
      for (const data of this.#waiting.splice(0)) this.#deliver(data);
    }
    close() {
      const other = this.#other;
      if (other === undefined) return;
      this.#other = undefined;
      setTimeout(() => this.dispatchEvent(new (kernel.Event as any)('close')), 0);
      other.close();
    }
    // Listeners in Node's style receive the value, not an event.
    #heard = new Map<Function, (event) => void>();
    on(name: string, listener: Function, isOnce = false) {
      const hear = (event) => {
        if (isOnce) this.off(name, listener);
        listener.call(this, ...(name === 'message' ? [event.data] : []));
      };
      this.#heard.set(listener, hear);
      this['addEventListener'](name, hear);
      if (name === 'message') this.start();
      return this;
    }
    once(name: string, listener: Function) {
      return this.on(name, listener, true);
    }
    off(name: string, listener: Function) {
      this['removeEventListener'](name, this.#heard.get(listener));
      this.#heard.delete(listener);
      return this;
    }
    addListener(name: string, listener: Function) {
      return this.on(name, listener);
    }
    removeListener(name: string, listener: Function) {
      return this.off(name, listener);
    }
    // A channel doesn't keep the cell alive.
    ref() {}
    unref() {}
  }
  class MessageChannel {
    readonly port1 = new MessagePort();
    readonly port2 = new MessagePort();
    constructor() {
      MessagePort.join(this.port1, this.port2);
    }
  }
  const channels = new Set<BroadcastChannel>();
  /** Delivers to the other channels of the same name within the session. */
  class BroadcastChannel extends (kernel.EventTarget as new () => any) {
    readonly name: string;
    #onmessage: unknown = null;
    constructor(name: unknown) {
      super();
      this.name = String(name);
      channels.add(this);
    }
    get onmessage() {
      return this.#onmessage;
    }
    set onmessage(listener: unknown) {
      this.#onmessage = replaceListener(this, this.#onmessage, listener);
    }
    postMessage(message: unknown) {
      if (!channels.has(this))
        throw new DOMException('BroadcastChannel is closed.', 'InvalidStateError');
      for (const other of channels) {
        if (other === this || other.name !== this.name) continue;
        const data = kernel.structuredClone(message);
        setTimeout(() => {
          if (channels.has(other)) other.dispatchEvent(new MessageEvent('message', { data }));
        }, 0);
      }
    }
    close() {
      channels.delete(this);
    }
    // The port doesn't keep the cell alive.
    ref() {
      return this;
    }
    unref() {
      return this;
    }
  }
  return { BroadcastChannel, MessageChannel, MessageEvent, MessagePort };
}
