// Node's util, without the functions that need processes.
import type { Kernel, Signal } from '../kernel-type.ts';

interface ArgumentsConfig {
  readonly args?: string[];
  readonly options?: Record<string, ArgumentOption>;
  readonly strict?: boolean;
  readonly allowPositionals?: boolean;
  readonly allowNegative?: boolean;
  readonly tokens?: boolean;
}

interface ArgumentOption {
  readonly type?: 'string' | 'boolean';
  readonly short?: string;
  readonly multiple?: boolean;
  readonly default?: unknown;
}

/** Returns the module. */
export function addNodeUtil(kernel: Kernel) {
  const custom = Symbol.for('nodejs.util.promisify.custom');
  const tagOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1);

  function promisify(run) {
    if (typeof run !== 'function') throw kernel.invalidType('original', 'of type function', run);
    if (typeof run[custom] === 'function') return run[custom];
    return Object.setPrototypeOf(function (this: unknown, ...args) {
      return new Promise((resolve, reject) => {
        run.call(this, ...args, (error, value) => (error ? reject(error) : resolve(value)));
      });
    }, run);
  }
  promisify.custom = custom;

  const byInstance: Record<string, Function> = {
    Promise,
    RegExp,
    Date,
    Map,
    Set,
    WeakMap,
    WeakSet,
    ArrayBuffer,
    SharedArrayBuffer,
    DataView,
    Uint8Array,
    Uint8ClampedArray,
    Uint16Array,
    Uint32Array,
    Int8Array,
    Int16Array,
    Int32Array,
    Float32Array,
    Float64Array,
    BigInt64Array,
    BigUint64Array,
  };
  const boxed: Record<string, Function> = { Boolean, Number, String, Symbol, BigInt };
  const types: Record<string, Function> = {
    isNativeError: (value) => value instanceof Error,
    isTypedArray: (value) => ArrayBuffer.isView(value) && !(value instanceof DataView),
    isArrayBufferView: ArrayBuffer.isView,
    isAnyArrayBuffer: (value) => value instanceof ArrayBuffer || value instanceof SharedArrayBuffer,
    isAsyncFunction: (value) => typeof value === 'function' && tagOf(value).startsWith('Async'),
    isGeneratorFunction: (value) =>
      typeof value === 'function' && tagOf(value).endsWith('GeneratorFunction'),
    isGeneratorObject: (value) => tagOf(value) === 'Generator',
    isBoxedPrimitive: (value) =>
      typeof value === 'object' &&
      value !== null &&
      ['number', 'string', 'boolean', 'bigint', 'symbol'].includes(typeof value.valueOf()),
    isArgumentsObject: (value) => tagOf(value) === 'Arguments',
    isMapIterator: (value) => tagOf(value) === 'Map Iterator',
    isSetIterator: (value) => tagOf(value) === 'Set Iterator',
    isModuleNamespaceObject: (value) => tagOf(value) === 'Module',
    // A program can have a key only if the part is loaded.
    isCryptoKey: (value) =>
      kernel.hasPart('subtle') && value instanceof kernel.part('subtle').CryptoKey,
    isKeyObject: (value) =>
      kernel.hasPart('hash') && value instanceof kernel.part('hash').KeyObject,
    isExternal: () => false,
    // As in Node, proxies aren't visible to programs, and the engine can't be asked.
    isProxy: () => false,
  };
  for (const name of Object.keys(byInstance))
    types['is' + name] = (value) => value instanceof byInstance[name];
  for (const name of Object.keys(boxed))
    types['is' + name + 'Object'] = (value) => value instanceof boxed[name];

  /** util.parseArgs: options as --name and -x, with values after `=` or as the next argument. */
  function parseArgs(config: ArgumentsConfig = {}) {
    const {
      args = kernel.process.argv.slice(2),
      options = {},
      strict = true,
      allowPositionals = !strict,
      allowNegative = false,
      tokens: isDetailed = false,
    } = config;
    const values = Object.create(null);
    const positionals: string[] = [];
    const tokens: object[] = [];
    const fail = (code: string, message: string) => {
      throw kernel.coded(TypeError, 'ERR_PARSE_ARGS_' + code, message);
    };
    function set(name: string, shown: string, value: string | undefined, isNegated?: boolean) {
      const option = Object.hasOwn(options, name) ? options[name] : undefined;
      if (option === undefined && strict) fail('UNKNOWN_OPTION', "Unknown option '" + shown + "'");
      const isText = option?.type === 'string';
      if (isText && value === undefined && strict)
        fail('INVALID_OPTION_VALUE', "Option '" + shown + " <value>' argument missing");
      if (!isText && value !== undefined && strict)
        fail('INVALID_OPTION_VALUE', "Option '" + shown + "' does not take an argument");
      const given = value ?? !isNegated;
      if (option?.multiple) (values[name] ??= []).push(given);
      else values[name] = given;
    }
    const takesValue = (name: string) =>
      Object.hasOwn(options, name) && options[name].type === 'string';
    const rest = [...args];
    while (rest.length > 0) {
      const index = args.length - rest.length;
      const arg = rest.shift() as string;
      const next = () => (rest.length > 0 && !/^-./.test(rest[0]) ? rest.shift() : undefined);
      const long = /^--([^=]+)(?:=([^]*))?$/.exec(arg);
      const note = (name: string, rawName: string, inline?: string, later?: string) => {
        const value = inline ?? later;
        const inlineValue = value === undefined ? undefined : inline !== undefined;
        tokens.push({ kind: 'option', name, rawName, index, value, inlineValue });
        return value;
      };
      if (arg === '--') {
        tokens.push({ kind: 'option-terminator', index });
        for (const [at, value] of rest.splice(0).entries()) {
          positionals.push(value);
          tokens.push({ kind: 'positional', index: index + 1 + at, value });
        }
      } else if (long) {
        const [, name, value] = long;
        const plain = name.replace(/^no-/, '');
        const shown = '--' + name;
        const given = note(name, shown, value, value ?? (takesValue(name) ? next() : undefined));
        if (allowNegative && plain !== name && !Object.hasOwn(options, name))
          set(plain, arg, undefined, true);
        else set(name, shown, given);
      } else if (/^-./.test(arg)) {
        for (let at = 1; at < arg.length; at += 1) {
          const name =
            Object.keys(options).find((key) => options[key].short === arg[at]) ?? arg[at];
          const isText = takesValue(name);
          const shown = '-' + arg[at];
          const inline = (isText && arg.slice(at + 1)) || undefined;
          set(name, shown, note(name, shown, inline, isText ? (inline ?? next()) : undefined));
          if (isText) break;
        }
      } else {
        if (!allowPositionals)
          fail(
            'UNEXPECTED_POSITIONAL',
            "Unexpected argument '" + arg + "'. This command does not take positional arguments",
          );
        positionals.push(arg);
        tokens.push({ kind: 'positional', index, value: arg });
      }
    }
    for (const name of Object.keys(options)) {
      if (options[name].default !== undefined && !(name in values))
        values[name] = options[name].default;
    }
    return { values, positionals, ...(isDetailed && { tokens }) };
  }

  /** Parses the text of a .env file. Quoted text isn't unescaped. */
  function parseEnv(text: unknown) {
    if (typeof text !== 'string') throw kernel.invalidType('content', 'of type string', text);
    const found: Record<string, string> = {};
    const line =
      /^[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*=[ \t]*(?:"([^"]*)"|'([^']*)'|\x60([^\x60]*)\x60|([^\n\r#]*))/gm;
    for (const [, name, double, single, back, bare] of text.matchAll(line))
      found[name] = double?.replaceAll('\\n', '\n') ?? single ?? back ?? bare.trim();
    return found;
  }
  async function aborted(signal: Signal, resource: unknown) {
    if (typeof signal?.aborted !== 'boolean')
      throw kernel.invalidType('signal', 'an instance of AbortSignal', signal);
    if (typeof resource !== 'object' || resource === null)
      throw kernel.invalidType('resource', 'of type object', resource);
    if (signal.aborted) return;
    await new Promise<void>((resolve) =>
      signal.addEventListener('abort', () => resolve(), { once: true }),
    );
  }
  const errorEntries = () =>
    Object.entries(kernel.errnos).map(([name, errno]) => [errno, name] as const);
  const errorName = (errno: number) =>
    errorEntries().find(([known]) => known === errno)?.[1] ?? 'Unknown system error ' + errno;

  // Node's depth. What a cell prints and gives back goes deeper, as nobody can ask it for more.
  const usual = () => ({ depth: 2, ...kernel.inspect.defaultOptions });
  const inspect = Object.defineProperties(
    (value: unknown, options?: any, depth?: number | null) => {
      // The older form is (value, showHidden, depth).
      const isOlder = typeof options === 'boolean' && depth !== undefined;
      const given = isOlder ? { showHidden: options, depth } : options;
      return kernel.inspect(value, { ...usual(), ...(typeof given === 'object' && given) });
    },
    {
      ...Object.getOwnPropertyDescriptors({
        custom: kernel.inspect.custom,
        colors: terminalColors(),
      }),
      defaultOptions: {
        get: () => kernel.inspect.defaultOptions,
        set(options) {
          Object.assign(kernel.inspect.defaultOptions, options);
        },
        enumerable: true,
        configurable: true,
      },
    },
  );

  const util = {
    ...kernel.part('absent').functionsOf('util', ". It isn't available in this sandbox"),
    aborted,
    parseEnv,
    getSystemErrorName: errorName,
    getSystemErrorMap: () => new Map(errorEntries().map(([errno, name]) => [errno, [name, name]])),
    getSystemErrorMessage: errorName,
    transferableAbortController: () => new kernel.AbortController(),
    transferableAbortSignal: (signal: unknown) => signal,
    inspect,
    format: (...values) => kernel.formatWithOptions(usual(), ...values),
    formatWithOptions(options: unknown, ...values) {
      if (typeof options !== 'object' || options === null)
        throw kernel.invalidType('inspectOptions', 'of type object', options);
      return kernel.formatWithOptions({ ...usual(), ...options }, ...values);
    },
    promisify,
    parseArgs,
    types,
    TextEncoder: kernel.TextEncoder,
    TextDecoder: kernel.TextDecoder,
    isDeepStrictEqual: (a, b) => kernel.equals(a, b, { strict: true }),
    callbackify:
      (run) =>
      (...args) => {
        const callback = args.pop();
        run(...args).then(
          (value) => callback(null, value),
          (error) => callback(error),
        );
      },
    _extend: (target, source) => Object.assign(target, source),
    inherits: (constructor, base) => {
      Object.defineProperty(constructor, 'super_', {
        value: base,
        writable: true,
        configurable: true,
      });
      Object.setPrototypeOf(constructor.prototype, base.prototype);
    },
    deprecate: (run) => run,
    debuglog: () => Object.assign(() => {}, { enabled: false }),
    debug: () => Object.assign(() => {}, { enabled: false }),
    // oxlint-disable-next-line no-control-regex -- they are what it takes away
    stripVTControlCharacters: (text: string) => text.replace(/\u001b\[[0-9;]*m/g, ''),
    // As in Node when the output isn't a terminal.
    styleText: (_format, text) => text,
    toUSVString: (text) => String(text).toWellFormed(),
    isArray: Array.isArray,
  };
  return Object.assign(util, { default: util });
}

/**
 * The terminal codes that begin and end each style. The output isn't coloured, but packages list
 * the names.
 */
function terminalColors(): Record<string, [number, number]> {
  const colors: Record<string, [number, number]> = { reset: [0, 0], bold: [1, 22] };
  const styles = 'dim italic underline blink _ inverse hidden strikethrough';
  styles.split(' ').forEach((name, at) => {
    if (name !== '_') colors[name] = [2 + at, Math.max(22, 22 + at)];
  });
  const names = 'black red green yellow blue magenta cyan white';
  names.split(' ').forEach((name, at) => {
    const isBlack = name === 'black';
    const background = 'bg' + name[0].toUpperCase() + name.slice(1);
    Object.assign(colors, { [name]: [30 + at, 39], [background]: [40 + at, 49] });
    colors[isBlack ? 'gray' : name + 'Bright'] = [90 + at, 39];
    colors[isBlack ? 'bgGray' : background + 'Bright'] = [100 + at, 49];
  });
  return { ...colors, grey: [90, 39], bgGrey: [100, 49] };
}
