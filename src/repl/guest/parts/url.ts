// URL and URLSearchParams. The host parses, and the result is kept here as plain text.
import type { Kernel } from '../kernel-type.ts';

type Pair = [name: string, value: string];

/** Defines the classes, and the conversions between URLs and paths. */
export function addUrl(kernel: Kernel) {
  const { host, parse, stringify } = kernel;
  const show = Symbol.for('nodejs.util.inspect.custom');
  // Keys with which a URL and its searchParams notify each other. Guest code can't name them.
  const changed = Symbol('changed');
  const refresh = Symbol('refresh');

  class URLSearchParams {
    #list!: Pair[];
    [changed]: (text: string) => void = () => {};
    constructor(init: unknown = '') {
      Object.defineProperty(this, changed, { enumerable: false });
      if (typeof init === 'object' && init !== null) {
        const pairs =
          typeof init[Symbol.iterator] === 'function'
            ? [...(init as Iterable<[unknown, unknown]>)]
            : Object.entries(init);
        if (pairs.some((pair) => pair?.length !== 2))
          throw kernel.coded(
            TypeError,
            'ERR_INVALID_TUPLE',
            'Each query pair must be an iterable [name, value] tuple',
          );
        this.#list = pairs.map(([name, value]): Pair => [String(name), String(value)]);
      } else this[refresh](String(init));
    }
    [refresh](text: string) {
      this.#list = parse(host.parseQuery(text));
    }
    #set(list: Pair[]) {
      this.#list = list;
      this[changed](this.toString());
    }
    get size() {
      return this.#list.length;
    }
    append(name: unknown, value: unknown) {
      this.#set([...this.#list, [String(name), String(value)]]);
    }
    #is(name: unknown, value?: unknown) {
      return ([key, held]: Pair) =>
        key === String(name) && (value === undefined || held === String(value));
    }
    delete(name: unknown, value?: unknown) {
      const isIt = this.#is(name, value);
      this.#set(this.#list.filter((entry) => !isIt(entry)));
    }
    get(name) {
      return this.#list.find(this.#is(name))?.[1] ?? null;
    }
    getAll(name) {
      return this.#list.filter(this.#is(name)).map(([, value]) => value);
    }
    has(name: unknown, value?: unknown) {
      return this.#list.some(this.#is(name, value));
    }
    set(name: unknown, value: unknown) {
      const isIt = this.#is(name);
      const at = this.#list.findIndex(isIt);
      if (at === -1) return this.append(name, value);
      this.#set(
        this.#list
          .filter((entry, index) => index === at || !isIt(entry))
          .map((entry, index): Pair => (index === at ? [entry[0], String(value)] : entry)),
      );
    }
    sort() {
      this.#set(this.#list.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
    }
    forEach(callback, self) {
      for (const [name, value] of this.#pairs()) callback.call(self, value, name, this);
    }
    // The methods share this private one, because a subclass may override any public method.
    *#pairs() {
      for (let at = 0; at < this.#list.length; at += 1) yield [...this.#list[at]];
    }
    entries() {
      return this.#pairs();
    }
    *keys() {
      for (const [name] of this.#pairs()) yield name;
    }
    *values() {
      for (const [, value] of this.#pairs()) yield value;
    }
    [Symbol.iterator]() {
      return this.#pairs();
    }
    toString() {
      return host.writeQuery(stringify(this.#list));
    }
    get [Symbol.toStringTag]() {
      return 'URLSearchParams';
    }
    [show]() {
      const shown = this.#list.map(
        ([name, value]) => kernel.inspect(name) + ' => ' + kernel.inspect(value),
      );
      return 'URLSearchParams {' + (shown.length > 0 ? ' ' + shown.join(', ') + ' ' : '') + '}';
    }
  }

  const names = [
    'href',
    'origin',
    'protocol',
    'username',
    'password',
    'host',
    'hostname',
    'port',
    'pathname',
    'search',
    'searchParams',
    'hash',
  ];
  function invalidUrl(input: string) {
    return Object.assign(kernel.coded(TypeError, 'ERR_INVALID_URL', 'Invalid URL'), { input });
  }
  class URL {
    declare readonly href: string;
    declare readonly protocol: string;
    declare readonly pathname: string;
    declare readonly search: string;
    declare readonly hash: string;
    #parts: Record<string, string>;
    #query: URLSearchParams | undefined;
    constructor(input: unknown, base?: unknown) {
      const sent = host.parseUrl(
        String(input),
        base === undefined ? undefined : String(base),
        undefined,
        undefined,
      );
      if (sent === undefined) throw invalidUrl(String(input));
      this.#parts = parse(sent);
    }
    static canParse(input: unknown, base?: unknown) {
      try {
        new URL(input, base);
        return true;
      } catch {
        return false;
      }
    }
    static parse(input: unknown, base?: unknown) {
      try {
        return new URL(input, base);
      } catch {
        return null;
      }
    }
    #change(name: string, value: unknown) {
      const sent = host.parseUrl(this.#parts.href, undefined, name, String(value));
      if (sent === undefined) throw invalidUrl(String(value));
      this.#parts = parse(sent);
    }
    get searchParams() {
      if (this.#query === undefined) {
        this.#query = new URLSearchParams(this.#parts.search);
        this.#query[changed] = (text) => this.#change('search', text);
      }
      return this.#query;
    }
    toString() {
      return this.#parts.href;
    }
    toJSON() {
      return this.#parts.href;
    }
    get [Symbol.toStringTag]() {
      return 'URL';
    }
    [show]() {
      return 'URL ' + kernel.inspect(Object.fromEntries(names.map((name) => [name, this[name]])));
    }
    static {
      for (const name of names.filter((known) => known !== 'searchParams')) {
        Object.defineProperty(URL.prototype, name, {
          get(this: URL) {
            return this.#parts[name];
          },
          set:
            name === 'origin'
              ? undefined
              : function (this: URL, value: unknown) {
                  this.#change(name, value);
                  if (name === 'search' || name === 'href')
                    this.#query?.[refresh](this.#parts.search);
                },
          configurable: true,
          enumerable: true,
        } as PropertyDescriptor);
      }
    }
  }
  kernel.URL = URL;
  kernel.URLSearchParams = URLSearchParams;
  kernel.fileURLToPath = (url) => {
    const { protocol, pathname } = new URL(url);
    if (protocol !== 'file:')
      throw kernel.coded(TypeError, 'ERR_INVALID_URL_SCHEME', 'The URL must be of scheme file');
    return decodeURIComponent(pathname);
  };
  kernel.pathToFileURL = (path) =>
    new URL('file://' + kernel.path.resolve(path).split('/').map(encodeURIComponent).join('/'));
}
