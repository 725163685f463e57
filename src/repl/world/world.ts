// The guest's world, put together: what is evaluated when a VM boots, and what waits until it is
// asked for. Everything here is text; nothing of it runs on the host's side.
import type { GuestCode } from '../engine.ts';
import { abortSource } from './abort.ts';
import { argumentsSource } from './arguments.ts';
import { assertSource } from './assert.ts';
import { bufferSource } from './buffer.ts';
import { cellRuntimeSource } from './cell-runtime.ts';
import { consoleSource } from './console.ts';
import { diffSource } from './diff.ts';
import { encodingSource } from './encoding.ts';
import { equalitySource } from './equality.ts';
import { eventsSource } from './events.ts';
import { expectSource } from './expect.ts';
import { fetchSource } from './fetch.ts';
import { fsSource } from './fs.ts';
import { hashSource } from './hash.ts';
import { inspectSource } from './inspect.ts';
import { kernelSource } from './kernel.ts';
import { loaderSource } from './loader.ts';
import { mocksSource } from './mocks.ts';
import { nodeMockSource } from './node-mock.ts';
import { nodeModulesSource } from './node-modules.ts';
import { nodeUtilSource } from './node-util.ts';
import { openFilesSource } from './open-files.ts';
import { pathSource } from './path.ts';
import { platformSource } from './platform.ts';
import { processSource } from './process.ts';
import { testRunnerSource } from './test-runner.ts';
import { timersSource } from './timers.ts';
import { toolsSource } from './tools.ts';
import { urlSource } from './url.ts';

/** In this order: each part may use what the earlier ones hung on the kernel. */
const parts = [
  inspectSource,
  argumentsSource,
  consoleSource,
  timersSource,
  encodingSource,
  processSource,
  pathSource,
  fsSource,
  abortSource,
  platformSource,
  loaderSource,
  nodeModulesSource,
  cellRuntimeSource,
];

const lazyParts: Readonly<Record<string, string>> = {
  assert: assertSource,
  buffer: bufferSource,
  diff: diffSource,
  equality: equalitySource,
  events: eventsSource,
  expect: expectSource,
  fetch: fetchSource,
  hash: hashSource,
  mocks: mocksSource,
  'node-mock': nodeMockSource,
  'open-files': openFilesSource,
  'test-runner': testRunnerSource,
  tools: toolsSource,
  url: urlSource,
  util: nodeUtilSource,
};

/** Stack lines of files with this prefix are the world's own, and are shown to nobody. */
const worldPrefix = 'rockpool:';

/**
 * The built-ins that the world works with, as it found them. A cell that declares a variable `Map`
 * or `Object` has it for itself.
 */
const intrinsics = [
  ...[
    'globalThis',
    'Object',
    'Function',
    'Array',
    'String',
    'Number',
    'Boolean',
    'Symbol',
    'BigInt',
  ],
  ...['Math', 'JSON', 'Reflect', 'Proxy', 'Promise', 'Date', 'RegExp'],
  ...['Map', 'Set', 'WeakMap', 'WeakSet', 'WeakRef'],
  ...['ArrayBuffer', 'DataView', 'Uint8Array', 'Uint16Array'],
  ...['Error', 'TypeError', 'RangeError', 'SyntaxError', 'ReferenceError'],
  ...['parseInt', 'parseFloat', 'isNaN', 'decodeURIComponent', 'encodeURIComponent'],
  ...['DOMException', 'performance', 'queueMicrotask', 'atob', 'btoa'],
].join(',');

/** What {@link Engine.create} boots. */
export function bootCode(): GuestCode {
  const body = parts.map((part) => `(${part.trim()})(kernel);`).join('\n');
  return {
    source:
      `(host => ((${intrinsics}) => {const kernel = (${kernelSource.trim()})(host);\n` +
      `kernel.intrinsics = [${intrinsics}];\n${body}\nreturn kernel;})(${intrinsics}))`,
    filename: `${worldPrefix}world`,
  };
}

/** A part that the kernel loads on demand; undefined for a name that there isn't. */
export function lazyPart(name: string): GuestCode | undefined {
  const source = Object.hasOwn(lazyParts, name) ? lazyParts[name] : undefined;
  return source === undefined
    ? undefined
    : {
        source: `(kernel => ((${intrinsics}) => (${source.trim()})(kernel))(...kernel.intrinsics))`,
        filename: `${worldPrefix}${name}`,
      };
}

/** All of the guest's source: what a snapshot's world was made of. */
export function worldSources(): string[] {
  return [bootCode().source, ...Object.values(lazyParts)];
}
