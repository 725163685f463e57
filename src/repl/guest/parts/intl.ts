// Intl. Each class computes its values by calling the host's Intl. A formatter is only its locales
// and options, so a snapshot can contain it.
import type { Kernel } from '../kernel-type.ts';

/** Describes a class of Intl: its constructor, and the arguments of its methods. */
interface Shape {
  /** True if the class may be called without `new`. */
  readonly isFunction?: boolean;
  /** The name of a required option. */
  readonly needs?: string;
  /** The name of a property that is a bound function, usable without `this`. */
  readonly bound?: string;
  readonly methods: readonly string[];
  toArgument(value: unknown): unknown;
}

/** Returns Intl, and functions that methods of the language need. */
export function addIntl(kernel: Kernel) {
  const { host, parse, stringify } = kernel;
  const { isFinite: isFiniteNumber } = Number;

  function tagsOf(locales: unknown): string[] {
    if (locales === undefined) return [];
    if (typeof locales === 'string' || locales instanceof Locale) return [String(locales)];
    if (locales === null) throw new TypeError('Incorrect locale information provided');
    return Array.from(locales as Iterable<unknown>, (tag) => {
      if (typeof tag !== 'string' && (typeof tag !== 'object' || tag === null))
        throw new TypeError('Incorrect locale information provided');
      return String(tag);
    });
  }
  function setupOf(locales: unknown, options: unknown): string {
    if (options === null) throw new TypeError('Cannot convert undefined or null to object');
    return stringify([tagsOf(locales), options === undefined ? {} : options]);
  }
  /** Encodes numbers and bigints as text, because JSON lacks some of them. */
  function toSent(value: unknown): unknown {
    if (typeof value === 'bigint') return { bigint: String(value) };
    if (typeof value !== 'number' || (isFiniteNumber(value) && !Object.is(value, -0))) return value;
    return { number: Object.is(value, -0) ? '-0' : String(value) };
  }
  function ask(service: string, setup: string, method: string, args: readonly unknown[] = []) {
    const answer = host.intl(service, setup, method, stringify(args.map(toSent)));
    return answer === undefined ? undefined : parse(answer);
  }

  const toNumeric = (value: unknown) =>
    typeof value === 'bigint' || typeof value === 'string' ? value : Number(value);
  const toTime = (value: unknown) => (value === undefined ? Date.now() : Number(value));
  const formats = ['format', 'formatToParts'];
  const ranges = ['formatToParts', 'formatRange', 'formatRangeToParts'];
  const shapes: Record<string, Shape> = {
    Collator: { isFunction: true, bound: 'compare', methods: [], toArgument: String },
    DateTimeFormat: { isFunction: true, bound: 'format', methods: ranges, toArgument: toTime },
    DisplayNames: { needs: 'type', methods: ['of'], toArgument: String },
    ListFormat: {
      methods: formats,
      toArgument: (list) => (list === undefined ? [] : Array.from(list as Iterable<unknown>)),
    },
    NumberFormat: { isFunction: true, bound: 'format', methods: ranges, toArgument: toNumeric },
    PluralRules: { methods: ['select', 'selectRange'], toArgument: Number },
    RelativeTimeFormat: {
      methods: formats,
      toArgument: (value) => (typeof value === 'string' ? value : Number(value)),
    },
  };
  // Methods whose second argument is of the same kind as the first.
  const takesTwo = ['compare', 'formatRange', 'formatRangeToParts', 'selectRange'];

  const setups = new WeakMap<object, string>();
  function setupFrom(formatter: unknown, name: string): string {
    const setup = setups.get(formatter as object);
    if (setup === undefined) throw new TypeError('Method needs an instance of Intl.' + name);
    return setup;
  }
  const hidden = (value: unknown) => ({
    __proto__: null,
    value,
    writable: true,
    configurable: true,
    enumerable: false,
  });

  function makeService(name: string, { isFunction, needs, bound, methods, toArgument }: Shape) {
    const Service = function (this: object, locales?: unknown, options?: unknown) {
      if (new.target === undefined) {
        if (isFunction === true) return new Service(locales, options);
        throw new TypeError('Constructor Intl.' + name + " requires 'new'");
      }
      if (needs !== undefined && (options as object | undefined)?.[needs] === undefined)
        throw new TypeError('Required option "' + needs + '" must not be undefined');
      const setup = setupOf(locales, options);
      // Called only to validate the arguments.
      ask(name, setup, 'resolvedOptions');
      setups.set(this, setup);
    } as unknown as new (locales?: unknown, options?: unknown) => object;
    const call = (setup: string, method: string, first: unknown, second: unknown) =>
      ask(name, setup, method, [
        toArgument(first),
        ...(takesTwo.includes(method)
          ? [toArgument(second)]
          : name === 'RelativeTimeFormat'
            ? [String(second)]
            : []),
      ]);
    const { prototype } = Service;
    for (const method of methods) {
      const run = {
        [method](this: unknown, first: unknown, second: unknown) {
          return call(setupFrom(this, name), method, first, second);
        },
      }[method];
      Object.defineProperty(prototype, method, hidden(run));
    }
    if (bound !== undefined) {
      Object.defineProperty(prototype, bound, {
        __proto__: null,
        get() {
          const setup = setupFrom(this, name);
          return (first: unknown, second: unknown) => call(setup, bound, first, second);
        },
        configurable: true,
        enumerable: false,
      });
    }
    return finish(name, Service);
  }
  /** Adds the members that all classes have. */
  function finish(name: string, Service: Function): Function {
    const { prototype } = Service;
    Object.defineProperties(prototype, {
      resolvedOptions: hidden(function resolvedOptions(this: unknown) {
        return ask(name, setupFrom(this, name), 'resolvedOptions');
      }),
      [Symbol.toStringTag]: {
        __proto__: null,
        value: 'Intl.' + name,
        configurable: true,
      },
    });
    Object.defineProperties(Service, {
      name: { __proto__: null, value: name, configurable: true },
      length: { __proto__: null, value: 0, configurable: true },
      supportedLocalesOf: hidden(function supportedLocalesOf(locales: unknown) {
        return ask(name, setupOf(locales, undefined), 'supportedLocalesOf');
      }),
    });
    return Service;
  }

  class Segmenter {
    constructor(locales?: unknown, options?: unknown) {
      const setup = setupOf(locales, options);
      ask('Segmenter', setup, 'resolvedOptions');
      setups.set(this, setup);
    }
    segment(given: unknown) {
      const input = String(given);
      const { starts, wordLike } = ask('Segmenter', setupFrom(this, 'Segmenter'), 'segment', [
        input,
      ]) as { starts: number[]; wordLike: boolean[] };
      const at = (position: number) => ({
        segment: input.slice(starts[position], starts[position + 1]),
        index: starts[position],
        input,
        ...(wordLike.length > 0 && { isWordLike: wordLike[position] }),
      });
      return {
        containing(given: unknown = 0) {
          const index = Math.trunc(Number(given)) || 0;
          if (index < 0 || index >= input.length) return undefined;
          const after = starts.findIndex((start) => start > index);
          return at((after === -1 ? starts.length : after) - 1);
        },
        *[Symbol.iterator]() {
          for (let position = 0; position < starts.length; position += 1) yield at(position);
        },
      };
    }
  }

  interface LocaleText {
    readonly text: string;
    readonly maximized: string;
    readonly minimized: string;
    readonly parts: object;
  }
  class Locale {
    #known: LocaleText;
    constructor(tag: unknown, options?: unknown) {
      if (typeof tag !== 'string' && (typeof tag !== 'object' || tag === null))
        throw new TypeError('First argument to Intl.Locale constructor must be a string or object');
      this.#known = ask('Locale', setupOf([String(tag)], options), '');
      for (const part of Object.keys(this.#known.parts))
        Object.defineProperty(this, part, {
          ...hidden(this.#known.parts[part]),
          writable: false,
        });
    }
    maximize() {
      return new Locale(this.#known.maximized);
    }
    minimize() {
      return new Locale(this.#known.minimized);
    }
    toString() {
      return this.#known.text;
    }
    get [Symbol.toStringTag]() {
      return 'Intl.Locale';
    }
  }

  const Intl = Object.defineProperty({}, Symbol.toStringTag, {
    __proto__: null,
    value: 'Intl',
    configurable: true,
  });
  for (const name of Object.keys(shapes))
    Object.defineProperty(Intl, name, hidden(makeService(name, shapes[name])));
  Object.defineProperties(Intl, {
    Locale: hidden(Locale),
    Segmenter: hidden(finish('Segmenter', Segmenter)),
    getCanonicalLocales: hidden(function getCanonicalLocales(locales: unknown) {
      return ask('Intl', setupOf(locales, undefined), 'getCanonicalLocales');
    }),
    supportedValuesOf: hidden(function supportedValuesOf(key: unknown) {
      return ask('Intl', setupOf(undefined, undefined), 'supportedValuesOf', [String(key)]);
    }),
  });

  const dateFields = ['weekday', 'year', 'month', 'day', 'dateStyle'];
  const timeFields = ['dayPeriod', 'hour', 'minute', 'second', 'fractionalSecondDigits'];
  /** The fields that Date's methods show if the options name none (ECMA-402, ToDateTimeOptions). */
  function dateOptions(options: object | undefined, shown: 'all' | 'date' | 'time'): object {
    const given = { ...options };
    if (shown === 'date' && given['timeStyle'] !== undefined)
      throw new TypeError('Invalid option : timeStyle');
    if (shown === 'time' && given['dateStyle'] !== undefined)
      throw new TypeError('Invalid option : dateStyle');
    const looked = [
      ...(shown === 'time' ? [] : dateFields),
      ...(shown === 'date' ? [] : [...timeFields, 'timeStyle']),
    ];
    if (looked.some((field) => given[field] !== undefined)) return given;
    return {
      ...given,
      ...(shown !== 'time' && { year: 'numeric', month: 'numeric', day: 'numeric' }),
      ...(shown !== 'date' && { hour: 'numeric', minute: 'numeric', second: 'numeric' }),
    };
  }
  const plain = setupOf(undefined, undefined);
  return {
    Intl,
    compare: (one: string, other: string, locales: unknown, options: unknown): number =>
      ask(
        'Collator',
        locales === undefined && options === undefined ? plain : setupOf(locales, options),
        'compare',
        [one, other],
      ),
    changeCase: (method: string, text: string, locales: unknown): string =>
      ask('String', setupOf(locales, undefined), method, [text]),
    formatNumber: (value: number | bigint, locales: unknown, options: unknown): string =>
      ask('NumberFormat', setupOf(locales, options), 'format', [value]),
    formatDate: (
      time: number,
      locales: unknown,
      options: object | undefined,
      shown: 'all' | 'date' | 'time',
    ): string =>
      Number.isNaN(time)
        ? 'Invalid Date'
        : ask('DateTimeFormat', setupOf(locales, dateOptions(options, shown)), 'format', [time]),
  };
}
