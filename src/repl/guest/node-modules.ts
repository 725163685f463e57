// Modules and globals that projects use without thinking; what is large of it waits
// until it is first asked for.
import type { Kernel } from './kernel-type.ts';

/** Makes these modules. */
export function addNodeModules(kernel: Kernel) {
  const instead: Record<string, string> = {
    child_process: 'there are no processes; run code in the cell itself, and tests by runTests()',
    cluster: 'there are no processes',
    worker_threads: 'there are no threads; compute in the cell',
    http: 'use fetch',
    https: 'use fetch',
    http2: 'use fetch',
    net: 'use fetch',
    tls: 'use fetch',
    dns: 'use fetch',
    'dns/promises': 'use fetch',
    dgram: 'use fetch',
    async_hooks: 'nothing follows an await here; pass the context as an argument',
    vm: 'run the code as a cell of its own',
    v8: 'use structuredClone or JSON',
    inspector: 'print what is to be looked at',
    domain: 'use try and catch',
    repl: 'cells are one',
  };
  /** What to do without a module of Node's that isn't here; undefined for any other. */
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
    // As in Node's own console, these need no import.
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
    'WritableStream',
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
  kernel.defineLazyGlobal('util', () => kernel.part('node-util'));
  kernel.defineLazyGlobal('tools', () => kernel.part('tools'));
  kernel.defineLazyGlobal('git', () => kernel.part('git'));
  kernel.defineModule(['path', 'path/posix'], () => kernel.path);
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
  kernel.defineModule(['util'], () => kernel.part('node-util'));
  kernel.defineModule(['util/types'], () => kernel.part('node-util').types);
  kernel.defineModule(['events'], () => kernel.part('events'));
  kernel.defineModule(['stream'], () => kernel.part('stream'));
  kernel.defineModule(['stream/promises'], () => kernel.part('stream').promises);
  kernel.defineModule(['stream/web'], () => kernel.part('web-streams'));
  kernel.defineModule(['stream/consumers'], () => kernel.part('stream-consumers'));
  kernel.defineModule(['readline'], () => kernel.part('readline'));
  kernel.defineModule(['readline/promises'], () => kernel.part('readline').promises);
  kernel.defineModule(['zlib'], () => kernel.part('zlib'));
  kernel.defineModule(['os'], () => kernel.part('os'));
  kernel.defineModule(['constants'], () => ({
    ...kernel.part('os').constants.signals,
    ...kernel.fs.constants,
  }));

  kernel.defineModule(['querystring'], () => kernel.part('old-url').querystring);
  kernel.defineModule(['string_decoder'], () => kernel.part('string-decoder'));
  kernel.defineModule(['diagnostics_channel'], () => kernel.part('diagnostics-channel'));
  kernel.defineModule(['tty'], () => ({ isatty: () => false }));

  const marks = new Map<unknown, number>();
  Object.assign(performance, {
    mark(name) {
      marks.set(name, performance.now());
      return { name, entryType: 'mark', startTime: marks.get(name), duration: 0 };
    },
    measure(name, from, to) {
      const startTime = marks.get(from) ?? 0;
      return {
        name,
        entryType: 'measure',
        startTime,
        duration: (marks.get(to) ?? performance.now()) - startTime,
      };
    },
  });
  kernel.defineModule(['perf_hooks'], () => ({ performance }));

  kernel.defineGlobal('runTests', (pattern) => kernel.part('test-runner').runTests(pattern));
  // A cell may declare tests itself.
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
  for (const name of ['vitest', 'node:test', 'bun:test', '@jest/globals']) {
    kernel.defineModule([name], () => kernel.part('test-runner').moduleFor(name));
  }
}
