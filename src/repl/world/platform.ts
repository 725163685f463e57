// Guest source. What browsers and Node share beyond the language: structuredClone, crypto's random
// part, URL (parsed by the host's own), performance.

/** A function of the kernel that makes these globals. */
export const platformSource = String.raw`
(function (kernel) {
  'use strict';
  const { host, parse } = kernel;

  function cloneError(value) {
    return new DOMException(kernel.inspect(value, { depth: 0 }) + ' could not be cloned.', 'DataCloneError');
  }
  function clone(value, seen) {
    if (typeof value === 'function' || typeof value === 'symbol') throw cloneError(value);
    if (typeof value !== 'object' || value === null) return value;
    if (seen.has(value)) return seen.get(value);
    const keep = (copy) => { seen.set(value, copy); return copy; };
    if (value instanceof Date) return keep(new Date(value.getTime()));
    if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags));
    if (value instanceof ArrayBuffer) return keep(value.slice(0));
    if (value instanceof DataView) return keep(new DataView(clone(value.buffer, seen), value.byteOffset, value.byteLength));
    if (ArrayBuffer.isView(value)) {
      const Constructor = globalThis[Object.prototype.toString.call(value).slice(8, -1)];
      return keep(new Constructor(clone(value.buffer, seen), value.byteOffset, value.length));
    }
    if (value instanceof Map) {
      const copy = keep(new Map());
      for (const [key, item] of value) copy.set(clone(key, seen), clone(item, seen));
      return copy;
    }
    if (value instanceof Set) {
      const copy = keep(new Set());
      for (const item of value) copy.add(clone(item, seen));
      return copy;
    }
    if (value instanceof Error) {
      const copy = keep(Object.create(Object.getPrototypeOf(value)));
      for (const key of ['message', 'stack', 'cause', 'name']) {
        if (Object.hasOwn(value, key)) Object.defineProperty(copy, key, { value: clone(value[key], seen), writable: true, configurable: true });
      }
      return copy;
    }
    if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet || value instanceof WeakRef) throw cloneError(value);
    const copy = keep(Array.isArray(value) ? new Array(value.length) : {});
    for (const key of Object.keys(value)) copy[key] = clone(value[key], seen);
    return copy;
  }
  kernel.defineGlobal('structuredClone', function structuredClone(value) { return clone(value, new Map()); });

  const crypto = {
    randomUUID: () => host.randomUuid(),
    getRandomValues(target) {
      const view = new Uint8Array(target.buffer, target.byteOffset, target.byteLength);
      view.set(host.randomBytes(view.length));
      return target;
    },
  };
  kernel.defineGlobal('crypto', crypto);
  kernel.defineModule(['crypto'], () => ({
    ...crypto,
    webcrypto: crypto,
    randomBytes: (size) => kernel.toBuffer(host.randomBytes(size)),
    randomInt: (low, high) => {
      const [from, to] = high === undefined ? [0, low] : [low, high];
      const bytes = host.randomBytes(6);
      return from + (bytes.reduce((sum, byte) => sum * 256 + byte, 0) % (to - from));
    },
  }));
  kernel.defineModule(['perf_hooks'], () => ({ performance }));

  class URLSearchParams {
    #list = []; #changed;
    constructor(init = '', changed = () => {}) {
      this.#changed = changed;
      if (typeof init === 'string') this.#list = parse(host.parseQuery(init));
      else if (typeof init?.[Symbol.iterator] === 'function') this.#list = [...init].map(([key, value]) => [String(key), String(value)]);
      else this.#list = Object.entries(init ?? {}).map(([key, value]) => [key, String(value)]);
    }
    #set(list) { this.#list = list; this.#changed(this.toString()); }
    get size() { return this.#list.length; }
    append(name, value) { this.#set([...this.#list, [String(name), String(value)]]); }
    delete(name) { this.#set(this.#list.filter(([key]) => key !== name)); }
    get(name) { return this.#list.find(([key]) => key === name)?.[1] ?? null; }
    getAll(name) { return this.#list.filter(([key]) => key === name).map(([, value]) => value); }
    has(name) { return this.#list.some(([key]) => key === name); }
    set(name, value) {
      const at = this.#list.findIndex(([key]) => key === name);
      if (at === -1) return this.append(name, value);
      this.#set(this.#list.filter(([key], index) => key !== name || index === at)
        .map((entry) => (entry[0] === name ? [name, String(value)] : entry)));
    }
    sort() { this.#set(this.#list.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))); }
    forEach(callback) { for (const [key, value] of this.#list) callback(value, key, this); }
    *entries() { yield* this.#list.map((entry) => [...entry]); }
    *keys() { for (const [key] of this.#list) yield key; }
    *values() { for (const [, value] of this.#list) yield value; }
    [Symbol.iterator]() { return this.entries(); }
    toString() { return host.writeQuery(kernel.stringify(this.#list)); }
  }

  class URL {
    #parts; #query;
    constructor(input, base) {
      const sent = host.parseUrl(String(input), base === undefined ? undefined : String(base), undefined, undefined);
      if (sent === undefined) {
        const failure = new TypeError('Invalid URL: ' + String(input));
        failure.code = 'ERR_INVALID_URL';
        throw failure;
      }
      this.#parts = parse(sent);
    }
    static canParse(input, base) { try { new URL(input, base); return true; } catch { return false; } }
    static parse(input, base) { try { return new URL(input, base); } catch { return null; } }
    #change(name, value) {
      const sent = host.parseUrl(this.#parts.href, undefined, name, String(value));
      if (sent !== undefined) this.#parts = parse(sent);
    }
    get searchParams() {
      return (this.#query ??= new URLSearchParams(this.#parts.search, (text) => this.#change('search', text)));
    }
    get origin() { return this.#parts.origin; }
    toString() { return this.#parts.href; }
    toJSON() { return this.#parts.href; }
    [Symbol.for('nodejs.util.inspect.custom')]() { return 'URL { ' + kernel.inspect(this.#parts.href) + ' }'; }
    static {
      for (const name of ['href', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash']) {
        Object.defineProperty(URL.prototype, name, {
          get() { return this.#parts[name]; },
          set(value) { this.#change(name, value); if (name === 'search' || name === 'href') this.#query = undefined; },
          configurable: true, enumerable: true,
        });
      }
    }
  }
  kernel.defineGlobal('URL', URL);
  kernel.defineGlobal('URLSearchParams', URLSearchParams);
  kernel.defineModule(['url'], () => ({
    URL, URLSearchParams,
    fileURLToPath: (url) => {
      const { protocol, pathname } = new URL(url);
      if (protocol !== 'file:') throw new TypeError('The URL must be of scheme file');
      return decodeURIComponent(pathname);
    },
    pathToFileURL: (path) => new URL('file://' + kernel.path.resolve(path).split('/').map(encodeURIComponent).join('/')),
  }));
})`;
