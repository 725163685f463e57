// Implements Intl for the guest, whose engine has none. The host's Intl computes each value, and
// both sides exchange plain text. The host's locale and time zone aren't revealed: the defaults are
// en-US and UTC on every host.
import { SdkError } from '../../core/errors.ts';
import { invalidArgument } from './guest-arguments.ts';

/** The methods of each service that the guest may call. */
const methods: Readonly<Record<string, readonly string[]>> = {
  Collator: ['compare'],
  DateTimeFormat: ['format', 'formatToParts', 'formatRange', 'formatRangeToParts'],
  DisplayNames: ['of'],
  ListFormat: ['format', 'formatToParts'],
  NumberFormat: ['format', 'formatToParts', 'formatRange', 'formatRangeToParts'],
  PluralRules: ['select', 'selectRange'],
  RelativeTimeFormat: ['format', 'formatToParts'],
  Segmenter: ['segment'],
};

const localeParts = [
  ...['baseName', 'language', 'script', 'region', 'calendar', 'caseFirst', 'collation'],
  ...['hourCycle', 'numberingSystem', 'numeric'],
] as const;

type Service = Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;
type ServiceConstructor = new (locales: readonly string[], options: object) => Service;

// 64: creating a service takes up to a millisecond and about 50 kB. A program uses a handful.
const maxServices = 64;
// 1 000 000 characters: each segment takes about 100 bytes of the host while segments are listed.
const maxSegmentedLength = 1_000_000;

/** The services that a session has used. The most recently used is the last. */
export class LocaleServices {
  readonly #made = new Map<string, Service>();

  /**
   * Calls a method of a service. `setup` is JSON of locales and options. `args` is JSON of a list,
   * in which `{ number }` and `{ bigint }` are text for values that JSON lacks. Returns JSON or
   * undefined.
   *
   * @throws SdkError with the name of the RangeError or TypeError that the platform throws
   */
  ask(
    name: string,
    setup: string,
    method: string,
    args: readonly unknown[],
    charge: () => void,
  ): string | undefined {
    return platformErrors(() => {
      const [locales, options] = readSetup(setup);
      if (name === 'Locale') return JSON.stringify(localeOf(locales[0], options));
      if (name === 'String') return JSON.stringify(changeCase(method, locales, args[0]));
      if (method === 'supportedLocalesOf') return JSON.stringify(supported(name, locales));
      if (name === 'Intl') return JSON.stringify(listOf(method, locales, args[0]));
      const service = this.#get(name, setup, locales, options, charge);
      if (method === 'resolvedOptions') return JSON.stringify(service['resolvedOptions']?.());
      if (methods[name]?.includes(method) !== true) throw invalidArgument('method', 'known');
      const values = args.map(toValue);
      if (method === 'segment') return JSON.stringify(segments(service, values[0]));
      return JSON.stringify(service[method]?.(...values));
    });
  }

  #get(
    name: string,
    setup: string,
    locales: readonly string[],
    options: object,
    charge: () => void,
  ): Service {
    const key = `${name} ${setup}`;
    let service = this.#made.get(key);
    this.#made.delete(key);
    if (!service) {
      charge();
      const zone = name === 'DateTimeFormat' && !('timeZone' in options) ? { timeZone: 'UTC' } : {};
      // The last locale is used if the platform knows none of the others.
      service = new (constructorOf(name))([...locales, 'en-US'], { ...options, ...zone });
    }
    this.#made.set(key, service);
    const [oldest] = this.#made.keys();
    if (this.#made.size > maxServices && oldest !== undefined) this.#made.delete(oldest);
    return service;
  }
}

function constructorOf(name: string): ServiceConstructor {
  if (!Object.hasOwn(methods, name)) throw invalidArgument('service', 'one of Intl');
  return (Intl as unknown as Readonly<Record<string, ServiceConstructor>>)[
    name
  ] as ServiceConstructor;
}

function readSetup(setup: string): [locales: readonly string[], options: object] {
  const [locales, options] = JSON.parse(setup) as [unknown, unknown];
  if (!Array.isArray(locales) || !locales.every((tag) => typeof tag === 'string'))
    throw invalidArgument('locales', 'a list of language tags');
  if (typeof options !== 'object' || options === null)
    throw invalidArgument('options', 'an object');
  return [locales, options];
}

function toValue(sent: unknown): unknown {
  if (typeof sent !== 'object' || sent === null) return sent;
  if ('number' in sent) return Number(sent.number);
  if ('bigint' in sent) return BigInt(String(sent.bigint));
  return sent;
}

function localeOf(tag: string | undefined, options: object) {
  const locale = new Intl.Locale(tag ?? '', options);
  return {
    text: locale.toString(),
    maximized: locale.maximize().toString(),
    minimized: locale.minimize().toString(),
    parts: Object.fromEntries(localeParts.map((part) => [part, locale[part]])),
  };
}

function changeCase(method: string, locales: readonly string[], text: unknown): string {
  if (typeof text !== 'string') throw invalidArgument('text', 'a string');
  return method === 'toLocaleUpperCase'
    ? text.toLocaleUpperCase([...locales])
    : text.toLocaleLowerCase([...locales]);
}

function supported(name: string, locales: readonly string[]): unknown {
  const { supportedLocalesOf } = constructorOf(name) as unknown as {
    supportedLocalesOf(locales: readonly string[]): string[];
  };
  return supportedLocalesOf(locales);
}

function listOf(method: string, locales: readonly string[], key: unknown): readonly string[] {
  return method === 'getCanonicalLocales'
    ? Intl.getCanonicalLocales([...locales])
    : Intl.supportedValuesOf(String(key) as Parameters<typeof Intl.supportedValuesOf>[0]);
}

/** Returns the start of each segment. For words, also returns whether the segment is a word. */
function segments(segmenter: Service, text: unknown) {
  if (typeof text !== 'string' || text.length > maxSegmentedLength) {
    throw new SdkError(
      'invalid-input',
      `Intl.Segmenter takes a text of at most ${maxSegmentedLength} characters here: segment it in pieces.`,
    );
  }
  const starts: number[] = [];
  const wordLike: boolean[] = [];
  const all = segmenter['segment']?.(text) as Iterable<Intl.SegmentData>;
  for (const segment of all) {
    starts.push(segment.index);
    if (segment.isWordLike !== undefined) wordLike.push(segment.isWordLike);
  }
  return { starts, wordLike };
}

function platformErrors<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof TypeError)) throw error;
    const failure = new SdkError('invalid-input', error.message);
    failure.name = error.name;
    throw failure;
  }
}
