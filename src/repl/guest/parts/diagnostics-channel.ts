// Node's diagnostics_channel. Packages publish to it, mostly without subscribers.
import type { Kernel } from '../kernel-type.ts';

type Listener = (message: unknown, name: unknown) => void;
/** The members of AsyncLocalStorage that are used here. */
interface Storage {
  run(store: unknown, run: () => unknown): unknown;
}
type Handlers = Readonly<Record<string, Listener | undefined>>;

/** Returns the module. */
export function addDiagnosticsChannel(kernel: Kernel): object {
  const channels = new Map<unknown, Channel>();

  /** As in Node, a subscriber's error isn't thrown to the publisher. */
  const throwLater = (error: unknown) =>
    queueMicrotask(() => {
      throw error;
    });

  class Channel {
    readonly name: unknown;
    #listeners: Listener[] = [];
    readonly #stores = new Map<Storage, ((message: unknown) => unknown) | undefined>();
    constructor(name: unknown) {
      this.name = name;
    }
    get hasSubscribers() {
      return this.#listeners.length > 0 || this.#stores.size > 0;
    }
    subscribe(listener: Listener) {
      if (typeof listener !== 'function')
        throw kernel.invalidType('subscription', 'of type function', listener);
      this.#listeners = [...this.#listeners, listener];
    }
    unsubscribe(listener: Listener) {
      const known = this.#listeners;
      this.#listeners = known.filter((one) => one !== listener);
      return this.#listeners.length < known.length;
    }
    publish(message: unknown) {
      for (const listener of this.#listeners) {
        try {
          listener(message, this.name);
        } catch (error) {
          throwLater(error);
        }
      }
    }
    bindStore(storage: Storage, toStore?: (message: unknown) => unknown) {
      this.#stores.set(storage, toStore);
    }
    unbindStore(storage: Storage) {
      return this.#stores.delete(storage);
    }
    runStores(message: unknown, run: Function, self?: unknown, ...args: unknown[]) {
      let enter = () => {
        this.publish(message);
        return run.apply(self, args);
      };
      for (const [storage, toStore] of this.#stores) {
        const inner = enter;
        enter = () => {
          let store = message;
          try {
            if (toStore) store = toStore(message);
          } catch (error) {
            throwLater(error);
            return inner();
          }
          return storage.run(store, inner);
        };
      }
      return enter();
    }
  }
  function channel(name: unknown): Channel {
    if (typeof name !== 'string' && typeof name !== 'symbol')
      throw kernel.invalidType('channel', 'of type string or symbol', name);
    let known = channels.get(name);
    if (known === undefined) {
      known = new Channel(name);
      channels.set(name, known);
    }
    return known;
  }

  const events = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'] as const;
  class TracingChannel {
    declare start: Channel;
    declare end: Channel;
    declare asyncStart: Channel;
    declare asyncEnd: Channel;
    declare error: Channel;
    constructor(given: string | Readonly<Record<string, Channel>>) {
      for (const event of events)
        this[event] =
          typeof given === 'string' ? channel('tracing:' + given + ':' + event) : given[event];
    }
    get hasSubscribers() {
      return events.some((event) => this[event].hasSubscribers);
    }
    subscribe(handlers: Handlers) {
      for (const event of events) {
        const handler = handlers[event];
        if (handler) this[event].subscribe(handler);
      }
    }
    unsubscribe(handlers: Handlers) {
      const left = events.filter((event) => {
        const handler = handlers[event];
        return handler && !this[event].unsubscribe(handler);
      });
      return left.length === 0;
    }
    #run(message: { error?: unknown; result?: unknown }, run: () => unknown) {
      try {
        return this.start.runStores(message, run);
      } catch (error) {
        message.error = error;
        this.error.publish(message);
        throw error;
      } finally {
        this.end.publish(message);
      }
    }
    #finish(message: object, found: { result?: unknown; error?: unknown }) {
      Object.assign(message, found);
      if ('error' in found) this.error.publish(message);
      this.asyncStart.publish(message);
    }
    traceSync(run: Function, message: { result?: unknown } = {}, self?: unknown, ...args) {
      return this.#run(message, () => (message.result = run.apply(self, args)));
    }
    tracePromise(run: Function, message: object = {}, self?: unknown, ...args) {
      const end = () => this.asyncEnd.publish(message);
      return this.#run(message, () =>
        Promise.resolve(run.apply(self, args)).then(
          (result) => {
            this.#finish(message, { result });
            end();
            return result;
          },
          (error) => {
            this.#finish(message, { error });
            end();
            throw error;
          },
        ),
      );
    }
    traceCallback(run: Function, at = -1, message: object = {}, self?: unknown, ...args) {
      const callback = args.at(at);
      if (typeof callback !== 'function')
        throw kernel.invalidType('callback', 'of type function', callback);
      const place = at < 0 ? args.length + at : at;
      const { asyncEnd } = this;
      const finish = (found: object) => this.#finish(message, found);
      args[place] = function (this: unknown, error, result) {
        finish(error ? { error } : { result });
        try {
          return Reflect.apply(callback, this, arguments);
        } finally {
          asyncEnd.publish(message);
        }
      };
      return this.#run(message, () => run.apply(self, args));
    }
  }
  return {
    Channel,
    channel,
    hasSubscribers: (name: unknown) => channels.get(name)?.hasSubscribers ?? false,
    subscribe: (name: unknown, listener: Listener) => channel(name).subscribe(listener),
    unsubscribe: (name: unknown, listener: Listener) => channel(name).unsubscribe(listener),
    tracingChannel: (given: string) => new TracingChannel(given),
  };
}
