// Formats values as text, like Node's util.inspect. Used for console, for a cell's result, and for
// values in failed tests. Calls no getters by default.
import type { InspectOptions } from './inspect-options.ts';
import type { Kernel } from './kernel-type.ts';

type Brackets = [open: string, close: string];

/** Adds `inspect` and `format` to the kernel. */
export function addInspect(kernel: Kernel) {
  const maxString = 10000;
  const maxEntries = 100;
  const maxKeyedLength = 10000;
  const lineLength = 76;
  const identifier = /^[A-Za-z_]\w*$/;
  // Saved at boot, so that a session can still print values after guest code has changed Object.
  const {
    getOwnPropertyDescriptor,
    getOwnPropertyNames,
    getOwnPropertySymbols,
    getPrototypeOf,
    is,
    keys: keysOf,
  } = Object;
  const toText = Function.prototype.call.bind(Object.prototype.toString);
  const TypedArray = getPrototypeOf(Uint8Array);

  function quote(text: string, atMost = maxString): string {
    const cut = text.length > atMost ? text.slice(0, atMost) : text;
    const mark = !cut.includes("'")
      ? "'"
      : !cut.includes('"')
        ? '"'
        : !cut.includes('\x60')
          ? '\x60'
          : "'";
    // oxlint-disable-next-line no-control-regex -- they are what it shows by their numbers
    const body = cut.replace(/[\\\n\r\t\u0000-\u001f\u007f-\u009f\ud800-\udfff]/gu, (char) => {
      const known = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }[char];
      if (known !== undefined) return known;
      const digits = char.charCodeAt(0).toString(16);
      return digits.length > 2 ? '\\u' + digits : '\\x' + digits.toUpperCase().padStart(2, '0');
    });
    const escaped = mark === "'" ? body.replaceAll("'", "\\'") : body;
    return mark + escaped + mark + more(text.length - cut.length, 'character');
  }

  function more(count: number, noun: string): string {
    return count > 0 ? '... ' + count + ' more ' + noun + (count === 1 ? '' : 's') : '';
  }

  function constructorName(value: object): string | null {
    for (let at = value; at !== null; at = getPrototypeOf(at)) {
      const own = getOwnPropertyDescriptor(at, 'constructor');
      if (own && typeof own.value === 'function' && own.value.name !== '') return own.value.name;
    }
    return null;
  }

  function primitive(value: unknown, atMost?: number): string {
    if (typeof value === 'string') return quote(value, atMost);
    if (typeof value === 'bigint') return value + 'n';
    if (typeof value === 'symbol') return value.toString();
    if (is(value, -0)) return '-0';
    return String(value);
  }

  function functionText(value: Function): string {
    const source = Function.prototype.toString.call(value);
    const name = getOwnPropertyDescriptor(value, 'name')?.value;
    const label = typeof name === 'string' && name !== '' ? name : '(anonymous)';
    if (/^class\b/.test(source)) {
      const base = getPrototypeOf(value)?.name;
      return '[class ' + label + (base ? ' extends ' + base : '') + ']';
    }
    const kind = getPrototypeOf(value)?.[Symbol.toStringTag] ?? 'Function';
    return '[' + kind + (label === '(anonymous)' ? ' (anonymous)' : ': ' + label) + ']';
  }

  function errorText(error: Error): string {
    const title = kernel.titleOf(error, kernel.nameOf(error));
    const places = kernel.placesOf(error);
    return places === '' ? '[' + title + ']' : title + '\n' + places;
  }

  class Inspector {
    declare readonly depth: number;
    declare readonly lineLength: number;
    declare readonly maxEntries: number;
    declare readonly maxString: number;
    declare readonly sorted: InspectOptions['sorted'];
    declare readonly options: InspectOptions;
    /** The values that are being formatted, from outermost to innermost. */
    declare readonly seen: unknown[];
    /** The reference numbers of circular values. */
    declare readonly circular: Map<unknown, number>;
    constructor(options: InspectOptions) {
      this.depth = options.depth === null ? Infinity : (options.depth ?? 4);
      this.lineLength = options.breakLength ?? lineLength;
      this.maxEntries = limitOf(options.maxArrayLength, maxEntries);
      this.maxString = limitOf(options.maxStringLength, maxString);
      this.sorted = options.sorted;
      this.options = options;
      this.seen = [];
      this.circular = new Map();
    }

    show(value: unknown, level: number): string {
      if (value === null || (typeof value !== 'object' && typeof value !== 'function')) {
        return primitive(value, this.maxString);
      }
      if (this.seen.includes(value)) {
        if (!this.circular.has(value)) this.circular.set(value, this.circular.size + 1);
        return '[Circular *' + this.circular.get(value) + ']';
      }
      this.seen.push(value);
      try {
        const text = this.object(value, level);
        return this.circular.has(value) ? '<ref *' + this.circular.get(value) + '> ' + text : text;
      } finally {
        this.seen.pop();
      }
    }

    object(value, level: number): string {
      const custom = value[Symbol.for('nodejs.util.inspect.custom')];
      if (typeof custom === 'function') {
        const shown = custom.call(
          value,
          this.depth - level,
          { ...this.options, depth: this.depth - level, stylize: String },
          kernel.inspect,
        );
        return typeof shown === 'string' ? shown : this.show(shown, level);
      }
      const { markup } = this.options;
      if (markup && kernel.part('markup').is(value)) {
        const { print, inOneLine } = kernel.part('markup');
        const show = (inner: unknown, at: string) =>
          this.show(inner, level + 1).replaceAll('\n', '\n' + at);
        return this.lineLength > 0 ? inOneLine(value) : print(value, show);
      }
      const name = constructorName(value);
      const tag = toText(value).slice(8, -1);
      // Only the elements of a huge list are shown, because collecting its keys would take too much
      // memory.
      const isHuge =
        value.length > maxKeyedLength && (Array.isArray(value) || value instanceof TypedArray);
      const { showHidden } = this.options;
      const keys = isHuge ? [] : showHidden ? getOwnPropertyNames(value) : keysOf(value);
      const symbols = getOwnPropertySymbols(value).filter(
        (key) => showHidden || getOwnPropertyDescriptor(value, key)?.enumerable,
      );
      let names: (string | symbol)[] = [...keys, ...symbols];
      let prefix =
        name === null ? '[Object: null prototype] ' : name === 'Object' ? '' : name + ' ';
      let brackets: Brackets = ['{', '}'];
      let entries: (() => string[]) | undefined;
      let base = '';
      const of = (usual: string) => (name === usual ? '' : prefix);
      if (Array.isArray(value)) {
        names = names.filter((key) => typeof key === 'symbol' || !/^\d+$/.test(key));
        prefix = name === 'Array' ? '' : (name ?? 'Array') + '(' + value.length + ') ';
        brackets = ['[', ']'];
        entries = () => this.elements(value, level);
      } else if (value instanceof TypedArray) {
        names = names.filter((key) => typeof key === 'symbol' || !/^\d+$/.test(key));
        prefix = (name ?? 'TypedArray') + '(' + value.length + ') ';
        brackets = ['[', ']'];
        entries = () => this.elements(value, level);
      } else if (value instanceof Map) {
        prefix = (name ?? 'Map') + '(' + value.size + ') ' + (name === 'Map' ? '' : '[Map] ');
        entries = () =>
          this.limited(
            [...value],
            ([key, item]) => this.show(key, level + 1) + ' => ' + this.show(item, level + 1),
          );
      } else if (value instanceof Set) {
        prefix = (name ?? 'Set') + '(' + value.size + ') ' + (name === 'Set' ? '' : '[Set] ');
        entries = () => this.limited([...value], (item) => this.show(item, level + 1));
      } else if (value instanceof ArrayBuffer) {
        entries = () => [
          '[Uint8Contents]: <' +
            new Uint8Array(value, 0, Math.min(50, value.byteLength))
              .toHex()
              .replace(/..(?!$)/g, '$& ') +
            more(Math.max(0, value.byteLength - 50), 'byte') +
            '>',
          '[byteLength]: ' + value.byteLength,
        ];
      } else if (typeof value === 'function') base = functionText(value);
      else if (tag === 'Error' || value instanceof Error) {
        base = errorText(value);
        // The stack text already has these three. Other non-enumerable names are worth showing.
        names = names.filter((key) => !['name', 'message', 'stack'].some((said) => said === key));
        names.push(
          ...['cause', 'errors', 'error', 'suppressed'].filter(
            (key) => !names.includes(key) && getOwnPropertyDescriptor(value, key),
          ),
        );
      } else if (value instanceof RegExp)
        base = of('RegExp') + RegExp.prototype.toString.call(value);
      else if (value instanceof Date)
        base = of('Date') + (isNaN(+value) ? 'Invalid Date' : value.toISOString());
      else if (value instanceof Promise) {
        prefix = (name ?? 'Promise') + (name === 'Promise' ? ' ' : ' [Promise] ');
        entries = () => this.settled(value, level);
      } else if (value instanceof WeakMap || value instanceof WeakSet)
        base = name + ' { <items unknown> }';
      else if (value instanceof DataView)
        entries = () =>
          ['byteLength', 'byteOffset', 'buffer'].map(
            (key) => '[' + key + ']: ' + this.show(value[key], level + 1),
          );
      else if (
        value instanceof String ||
        value instanceof Number ||
        value instanceof Boolean ||
        value instanceof BigInt ||
        value instanceof Symbol
      ) {
        base = '[' + name + ': ' + primitive(value.valueOf()) + ']';
        names = names.filter((key) => typeof key === 'symbol' || !/^\d+$/.test(key));
      } else if (tag !== 'Object' && tag !== name) prefix = (name ?? 'Object') + ' [' + tag + '] ';
      if (base !== '' && names.length === 0) return base;
      if (level > this.depth) {
        return Array.isArray(value) ? '[Array]' : '[' + (name ?? 'Object: null prototype') + ']';
      }
      if (this.sorted) names.sort(typeof this.sorted === 'function' ? this.sorted : byText);
      // In Node, this option is only for lists. Here it also raises the number of an object's
      // names.
      const maxNames = this.maxEntries > maxEntries ? this.maxEntries : maxEntries;
      const parts = [
        ...(entries ? entries() : []),
        ...this.limited(names, (key) => this.property(value, key, level), maxNames),
      ];
      return this.join(base === '' ? prefix : base + ' ', brackets, parts, level);
    }

    settled(promise: object, level: number): string[] {
      const state = kernel.host.promiseState(promise);
      if (state === 0) return ['<pending>'];
      if (state < 0) return [];
      const result = this.show(kernel.host.promiseResult(promise), level + 1);
      return [state === 2 ? '<rejected> ' + result : result];
    }

    elements(value: ArrayLike<unknown>, level: number): string[] {
      const shown: string[] = [];
      let holes = 0;
      const flush = () => {
        if (holes > 0) shown.push('<' + holes + ' empty item' + (holes === 1 ? '' : 's') + '>');
        holes = 0;
      };
      for (let at = 0; at < value.length; at += 1) {
        if (shown.length >= this.maxEntries) {
          shown.push(more(value.length - at, 'item'));
          return shown;
        }
        if (!(at in value)) {
          holes += 1;
          if (holes > 1e6) {
            holes = value.length - at;
            break;
          }
          continue;
        }
        flush();
        shown.push(this.show(value[at], level + 1));
      }
      flush();
      return shown;
    }

    limited<Item>(
      items: readonly Item[],
      show: (item: Item) => string,
      atMost = this.maxEntries,
    ): string[] {
      const shown = items.slice(0, atMost).map(show);
      const rest = more(items.length - shown.length, 'item');
      return rest === '' ? shown : [...shown, rest];
    }

    property(value: object, key: string | symbol, level: number): string {
      const own = getOwnPropertyDescriptor(value, key);
      const name =
        typeof key === 'symbol'
          ? key.toString()
          : own?.enumerable === false
            ? '[' + key + ']'
            : identifier.test(key)
              ? key
              : quote(key);
      if (!own) return name + ': undefined';
      if (own.get) return name + ': ' + this.getter(value, own, level);
      if (own.set) return name + ': [Setter]';
      return name + ': ' + this.show(own.value, level + 1);
    }

    getter(value: object, { get, set }: PropertyDescriptor, level: number): string {
      const label = set ? 'Getter/Setter' : 'Getter';
      const { getters } = this.options;
      if (!getters || !(getters === true || (getters === 'set') === Boolean(set)))
        return '[' + label + ']';
      try {
        const given = Reflect.apply(get as () => unknown, value, []);
        const shown = this.show(given, level + 1);
        return typeof given === 'object' && given !== null
          ? '[' + label + '] ' + shown
          : '[' + label + ': ' + shown + ']';
      } catch (error) {
        return '[' + label + ': <Inspection threw (' + (error as Error)?.message + ')>]';
      }
    }

    join(prefix: string, [open, close]: Brackets, parts: string[], level: number): string {
      if (parts.length === 0) return prefix + open + close;
      const total = parts.reduce((sum, part) => sum + part.length + 2, prefix.length + level * 2);
      const isOpen = this.options.compact === false;
      if (!isOpen && total <= this.lineLength && !parts.some((part) => part.includes('\n'))) {
        return prefix + open + ' ' + parts.join(', ') + ' ' + close;
      }
      const lines = !isOpen && this.lineLength === lineLength ? this.columns(parts) : parts;
      return (
        prefix +
        open +
        '\n' +
        lines.map((part) => '  ' + part.replaceAll('\n', '\n  ')).join(',\n') +
        '\n' +
        close
      );
    }

    // Puts many short items side by side, so that a list of numbers doesn't fill a screen.
    columns(parts: string[]): string[] {
      const isShort = (part: string) =>
        part.startsWith('... ') || (part.length <= 16 && !part.includes('\n'));
      if (parts.length <= 6 || !parts.every(isShort)) return parts;
      const lines: string[] = [];
      let line = '';
      for (const part of parts) {
        if (line !== '' && line.length + part.length + 2 > lineLength) {
          lines.push(line);
          line = '';
        }
        line = line === '' ? part : line + ', ' + part;
      }
      lines.push(line);
      return lines;
    }
  }

  /** As in Node, null means no limit. */
  function limitOf(given: number | null | undefined, usual: number): number {
    return given === null ? Infinity : (given ?? usual);
  }
  function byText(one: string | symbol, other: string | symbol): number {
    const [first, second] = [one.toString(), other.toString()];
    return first < second ? -1 : first > second ? 1 : 0;
  }

  /** Also accepts Node's older form: (value, showHidden, depth, colors). */
  function inspect(value: unknown, options?: InspectOptions | boolean, depth?: number | null) {
    // With `list.map(inspect)`, the further arguments are an index and the list, not the older
    // form.
    const isOlder = typeof options === 'boolean' && depth !== undefined;
    const given = typeof options === 'object' && options !== null ? options : {};
    const own = isOlder ? { depth, showHidden: options } : given;
    return new Inspector({ ...inspect.defaultOptions, ...own }).show(value, 0);
  }
  // A program may set the defaults for its session.
  inspect.defaultOptions = {} as InspectOptions;
  inspect.custom = Symbol.for('nodejs.util.inspect.custom');
  kernel.inspect = inspect;

  /** True if the value's text is defined by a program and not by the language. */
  function hasOwnText(value) {
    if (value instanceof Error) return true;
    const { toString } = value;
    return (
      typeof toString === 'function' &&
      toString !== Date.prototype.toString &&
      !/\[native code\]/.test(Function.prototype.toString.call(toString))
    );
  }
  function formatOne(mark: string, value, options?: InspectOptions) {
    if (mark === 's') {
      if (typeof value === 'string') return value;
      if (typeof value !== 'object' || value === null)
        return typeof value === 'function' ? kernel.inspect(value, options) : primitive(value);
      return hasOwnText(value) ? String(value) : kernel.inspect(value, { ...options, depth: 0 });
    }
    if (mark === 'd') return String(typeof value === 'bigint' ? value + 'n' : Number(value));
    if (mark === 'i') return String(parseInt(value, 10));
    if (mark === 'f') return String(parseFloat(value));
    if (mark === 'j') return kernel.stringify(value);
    if (mark === 'o') return kernel.inspect(value, { ...options, depth: 4 });
    return mark === 'c' ? '' : kernel.inspect(value, options);
  }

  /** Formats like console.log: fills %s, %d, … of the first string and appends the rest. */
  kernel.format = function format(...values) {
    return kernel.formatWithOptions(undefined, ...values);
  };
  kernel.formatWithOptions = (options, ...values) => {
    let first = values[0];
    let used = 0;
    if (typeof first === 'string') {
      used = 1;
      // A single string is returned as it is, so a long text isn't searched.
      if (values.length > 1)
        first = first.replace(/%([sdifjoOc%])/g, (whole, mark) => {
          if (mark === '%') return '%';
          return used < values.length ? formatOne(mark, values[used++], options) : whole;
        });
    }
    const rest = values
      .slice(used)
      .map((value) => (typeof value === 'string' ? value : kernel.inspect(value, options)));
    return (typeof first === 'string' ? [first, ...rest] : rest).join(' ');
  };
}
