// Modules and globals of Node that projects use as a matter of course. Large ones are loaded on
// first use.
import { findPackage } from './found-package.ts';
import type { Kernel } from '../kernel-type.ts';

/** Defines these modules. */
export function addNodeModules(kernel: Kernel) {
  const instead: Record<string, string> = {
    child_process: 'there are no processes; run code in the cell itself, and tests by runTests()',
    cluster: 'there are no processes',
    worker_threads: 'there are no threads; compute in the cell',
    http2: 'use fetch',
    net: 'use fetch',
    tls: 'use fetch',
    dns: 'use fetch',
    'dns/promises': 'use fetch',
    dgram: 'use fetch',
    punycode: 'use the host of a URL',
    v8: 'use structuredClone or JSON',
    inspector: 'print what is to be looked at',
    'inspector/promises': 'print what is to be looked at',
    sqlite: 'keep data in variables or in JSON files',
    wasi: 'there is no WebAssembly; use code in JavaScript',
    sea: 'there is no executable file',
    trace_events: 'measure by performance.now()',
    'test/reporters': 'runTests() prints a report',
    domain: 'use try and catch',
    repl: 'cells are one',
  };
  // These have no name without `node:`.
  kernel.absentNames = Object.keys(instead).map((name) =>
    /^(?:se|sql|test)/.test(name) ? 'node:' + name : name,
  );
  kernel.findPackage = (specifier, importer) => findPackage(kernel.host, specifier, importer);
  /** Returns advice for a module of Node's that isn't in the sandbox. Undefined for any other. */
  kernel.insteadOf = (specifier) => {
    const name = specifier.replace(/^node:/, '');
    return Object.hasOwn(instead, name)
      ? ". It isn't available in this sandbox: " + instead[name]
      : undefined;
  };

  kernel.standInFor = (specifier) =>
    kernel.insteadOf(specifier) === undefined
      ? undefined
      : () => kernel.part('absent').get(specifier.replace(/^node:/, ''));

  kernel.fromPart('encoding', [
    'encode',
    'decode',
    'codec',
    'plainBytes',
    'TextEncoder',
    'TextDecoder',
  ]);
  kernel.fromPart('path', ['path']);
  kernel.fromPart('fs', ['fs', 'toPath', 'toData', 'statOf']);
  kernel.fromPart('abort', [
    'Event',
    'CustomEvent',
    'EventTarget',
    'AbortSignal',
    'AbortController',
  ]);
  kernel.fromPart('platform', ['structuredClone', 'crypto', 'nodeCrypto']);
  kernel.fromPart('buffer', ['Buffer', 'toBuffer']);
  kernel.fromPart('url', ['URL', 'URLSearchParams', 'fileURLToPath', 'pathToFileURL']);
  kernel.fromPart('assert', ['assert', 'strictAssert', 'AssertionError']);
  kernel.fromPart('equality', ['equals']);
  kernel.fromPart('diff', ['diffText']);
  const globals: (keyof Kernel)[] = [
    'TextEncoder',
    'TextDecoder',
    'Event',
    'CustomEvent',
    'EventTarget',
    'AbortSignal',
    'AbortController',
    'structuredClone',
    'crypto',
    'Buffer',
    'URL',
    'URLSearchParams',
    // As in Node's REPL, these modules are available without an import.
    'fs',
    'path',
    'assert',
  ];
  for (const name of globals) kernel.defineLazyGlobal(name, () => kernel[name]);
  for (const name of ['fetch', 'Headers', 'Request', 'Response']) {
    kernel.defineLazyGlobal(name, () => kernel.part('fetch')[name]);
  }
  for (const name of [
    'ReadableStream',
    'ReadableStreamDefaultReader',
    'WritableStream',
    'WritableStreamDefaultWriter',
    'TransformStream',
    'ByteLengthQueuingStrategy',
    'CountQueuingStrategy',
    'TextEncoderStream',
    'TextDecoderStream',
    'CompressionStream',
    'DecompressionStream',
  ]) {
    kernel.defineLazyGlobal(name, () => kernel.part('web-streams')[name]);
  }
  for (const name of [
    'BroadcastChannel',
    'MessageChannel',
    'MessageEvent',
    'MessagePort',
  ] as const) {
    kernel.defineLazyGlobal(name, () => kernel.part('message-channel')[name]);
  }
  for (const name of ['WebSocket', 'CloseEvent'] as const) {
    kernel.defineLazyGlobal(name, () => kernel.part('web-socket')[name]);
  }
  for (const name of ['CryptoKey', 'SubtleCrypto'] as const) {
    kernel.defineLazyGlobal(name, () => kernel.part('subtle')[name]);
  }
  for (const name of ['Blob', 'File', 'FormData'] as const) {
    kernel.defineLazyGlobal(name, () => kernel.part('blob')[name]);
  }
  kernel.defineLazyGlobal('util', () => kernel.part('node-util'));
  kernel.defineLazyGlobal('tools', () => kernel.part('tools'));
  kernel.defineLazyGlobal('git', () => kernel.part('git'));
  kernel.defineModule(['path', 'path/posix'], () => kernel.path);
  kernel.defineModule(['path/win32'], () => kernel.path['win32']);
  kernel.defineModule(['fs'], () => kernel.fs);
  kernel.defineModule(['fs/promises'], () => kernel.fs.promises);
  kernel.defineModule(['crypto'], () => kernel.nodeCrypto());
  const constants = { MAX_LENGTH: 2 ** 31 - 1, MAX_STRING_LENGTH: 2 ** 29 - 24 };
  kernel.defineModule(['buffer'], () => ({
    Buffer: kernel.Buffer,
    atob,
    btoa,
    constants,
    kMaxLength: constants.MAX_LENGTH,
    Blob: kernel.part('blob').Blob,
    File: kernel.part('blob').File,
    kStringMaxLength: constants.MAX_STRING_LENGTH,
    INSPECT_MAX_BYTES: 50,
    isAscii: (bytes) => kernel.plainBytes(bytes)?.every((byte) => byte < 128) ?? false,
    isUtf8(bytes) {
      try {
        Reflect.construct(kernel.TextDecoder, ['utf-8', { fatal: true }]).decode(bytes);
        return true;
      } catch {
        return false;
      }
    },
  }));
  kernel.defineModule(['url'], () => {
    const { URL, URLSearchParams, fileURLToPath, pathToFileURL } = kernel;
    return { ...kernel.part('old-url').url, URL, URLSearchParams, fileURLToPath, pathToFileURL };
  });
  kernel.defineModule(['assert'], () => kernel.assert);
  kernel.defineModule(['assert/strict'], () => kernel.strictAssert);
  kernel.defineModule(['util', 'sys'], () => kernel.part('node-util'));
  kernel.defineModule(['vm'], () => kernel.part('vm'));
  kernel.defineModule(['module'], () => kernel.part('node-module'));
  kernel.defineModule(['util/types'], () => kernel.part('node-util').types);
  kernel.defineModule(['events'], () => kernel.part('events'));
  kernel.defineModule(['stream'], () => kernel.part('stream'));
  kernel.defineModule(['stream/promises'], () => kernel.part('stream').promises);
  kernel.defineModule(['stream/web'], () => kernel.part('web-streams'));
  kernel.defineModule(['stream/consumers'], () => kernel.part('consume-streams'));
  kernel.defineModule(['readline'], () => kernel.part('readline'));
  kernel.defineModule(['readline/promises'], () => kernel.part('readline').promises);
  kernel.defineModule(['zlib'], () => kernel.part('zlib'));
  kernel.defineModule(['http'], () => kernel.part('http').http);
  addOldNames(kernel);
  kernel.defineModule(['https'], () => kernel.part('http').https);
  // The module has isIP. Functions that need a socket throw and say what to do instead.
  kernel.defineModule(['net'], () => kernel.part('absent').get('net'));
  kernel.defineModule(['os'], () => kernel.part('os'));
  kernel.defineModule(['constants'], () => ({
    ...kernel.part('os').constants.signals,
    ...kernel.fs.constants,
  }));

  kernel.defineModule(['querystring'], () => kernel.part('old-url').querystring);
  kernel.defineModule(['string_decoder'], () => kernel.part('string-decoder'));
  kernel.defineModule(['diagnostics_channel'], () => kernel.part('diagnostics-channel'));
  kernel.defineModule(['async_hooks'], () => kernel.part('async-hooks'));
  kernel.defineModule(['tty'], () => ({
    ...kernel
      .part('absent')
      .functionsOf('tty', ". It isn't available in this sandbox: there is no terminal"),
    isatty: () => false,
  }));

  addMeasuring(kernel);
  kernel.defineModule(['perf_hooks'], () => ({
    ...kernel
      .part('absent')
      .functionsOf('perf_hooks', ". It isn't available in this sandbox: use performance.now()"),
    performance: kernel.performance,
    eventLoopUtilization: () => (kernel.performance as any).eventLoopUtilization(),
    constants: {},
  }));

  kernel.defineGlobal('runTests', (pattern) => kernel.part('test-runner').runTests(pattern));
  // Globals with which a cell may declare tests itself.
  const declarers = [
    'describe',
    'it',
    'test',
    'expect',
    'beforeAll',
    'afterAll',
    'beforeEach',
    'afterEach',
  ];
  for (const name of declarers) {
    kernel.defineLazyGlobal(name, () => kernel.part('test-runner').api[name]);
  }
  for (const name of ['vitest', 'node:test', 'bun:test', '@jest/globals', 'mocha']) {
    kernel.defineModule([name], () => kernel.part('test-runner').moduleFor(name));
  }
}

/** Names of Node's internal files, by which some packages import parts of these modules. */
function addOldNames(kernel: Kernel) {
  const ofHttp = ['agent', 'client', 'incoming', 'outgoing', 'server'];
  kernel.defineModule(
    ofHttp.map((name) => '_http_' + name),
    () => kernel.part('http').http,
  );
  kernel.defineModule(['_http_common'], () => ({
    ...kernel
      .part('absent')
      .functionsOf('_http_common', ". It isn't available in this sandbox: use http"),
    methods: (kernel.part('http').http as { METHODS: string[] }).METHODS,
    CRLF: '\r\n',
    _checkIsHttpToken: (text: unknown) => /^[\^_\x60a-zA-Z\-0-9!#$%&'*+.|~]+$/.test(String(text)),
    _checkInvalidHeaderChar: (text: unknown) => /[^\t\x20-\x7e\x80-\xff]/.test(String(text)),
  }));
  for (const name of ['Duplex', 'PassThrough', 'Readable', 'Transform', 'Writable'])
    kernel.defineModule(
      ['_stream_' + name.toLowerCase()],
      () => (kernel.part('stream') as object)[name],
    );
}

interface Measured {
  readonly name: string;
  readonly entryType: 'mark' | 'measure';
  readonly startTime: number;
  readonly duration: number;
  readonly detail: unknown;
}

/**
 * Puts an object in the place of the engine's `performance`, whose members can't be replaced: tests spy on its clock. It
 * has the additions of the User Timing standard. The newest 10 000 entries stay: React's own make many.
 */
function addMeasuring(kernel: Kernel) {
  const clock = performance;
  let entries: Measured[] = [];
  function add(entry: Measured): Measured {
    if (entries.length >= 10_000) entries.shift();
    entries.push(entry);
    return entry;
  }
  function timeOf(point: unknown, otherwise: number): number {
    if (point === undefined) return otherwise;
    if (typeof point === 'number') return point;
    const mark = entries.findLast(({ name, entryType }) => name === point && entryType === 'mark');
    if (mark) return mark.startTime;
    throw new DOMException(
      "The '" + String(point) + "' performance mark has not been set",
      'SyntaxError',
    );
  }
  const clear = (type: Measured['entryType']) => (name?: unknown) => {
    entries = entries.filter(
      (entry) => entry.entryType !== type || (name !== undefined && entry.name !== name),
    );
  };
  function Performance() {
    throw kernel.coded(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
  }
  Object.defineProperty(Performance.prototype, Symbol.toStringTag, {
    value: 'Performance',
    configurable: true,
  });
  Object.defineProperty(Performance.prototype, 'timeOrigin', {
    get: () => clock.timeOrigin,
    enumerable: true,
    configurable: true,
  });
  Object.assign(Performance.prototype, {
    now: () => clock.now(),
    toJSON: () => ({ timeOrigin: clock.timeOrigin }),
    mark: (name: unknown, options: { startTime?: number; detail?: unknown } = {}) =>
      add({
        name: String(name),
        entryType: 'mark',
        startTime: options.startTime ?? performance.now(),
        duration: 0,
        detail: options.detail ?? null,
      }),
    measure(name: unknown, from?: unknown, to?: unknown) {
      const options = (
        typeof from === 'object' && from !== null ? from : { start: from, end: to }
      ) as {
        start?: unknown;
        end?: unknown;
        duration?: number;
        detail?: unknown;
      };
      const startTime = timeOf(options.start, 0);
      const end = timeOf(
        options.end,
        options.duration === undefined ? performance.now() : startTime + options.duration,
      );
      return add({
        name: String(name),
        entryType: 'measure',
        startTime,
        duration: end - startTime,
        detail: options.detail ?? null,
      });
    },
    // The event loop's utilization isn't measured.
    eventLoopUtilization: () => ({ idle: 0, active: 0, utilization: 0 }),
    clearMarks: clear('mark'),
    clearMeasures: clear('measure'),
    getEntries: () => [...entries],
    getEntriesByType: (type: unknown) => entries.filter((entry) => entry.entryType === type),
    getEntriesByName: (name: unknown, type?: unknown) =>
      entries.filter(
        (entry) => entry.name === name && (type === undefined || entry.entryType === type),
      ),
  });
  kernel.performance = Object.create(Performance.prototype);
  kernel.defineGlobal('performance', kernel.performance);
}
