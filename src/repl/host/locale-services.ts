// Intl for a guest whose engine has none: the host's own, asked value by value, as plain text both ways.
// The host's locale and time zone stay unknown: what names none gets en-US and UTC, on every host.
import { SdkError } from '../../core/errors.ts';
import { invalidArgument } from './guest-arguments.ts';

/** The methods of each service that may be called. */
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

// A service is made in up to a millisecond, and takes some 50 kB. A program uses a handful.
const maxServices = 64;
// A segment takes about 100 bytes of the host while they are listed.
const maxSegmentedLength = 1_000_000;

/** The services that a session has asked for, the most recently used last. */
export class LocaleServices {
  readonly #made = new Map<string, Service>();

  /**
   * `setup` is JSON of locales and options; `args` of a list, in which `{ number }` and `{ bigint }` hold as text what
   * JSON has no value for. Gives JSON, or undefined.
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
      // The last is for locales that the platform doesn't know.
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

/** The beginning of each segment. For words also whether a segment is one. */
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
