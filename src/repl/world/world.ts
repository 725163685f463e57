// The guest's world, put together: what is evaluated when a VM boots. What waits until it is asked for
// is in lazy-parts.ts. Everything here is text; nothing of it runs on the host's side.
import type { GuestCode } from '../vm/engine.ts';
import { argumentsSource } from './arguments.ts';
import { cellRuntimeSource } from './cell-runtime.ts';
import { consoleSource } from './console.ts';
import { inspectSource } from './inspect.ts';
import { kernelSource } from './kernel.ts';
import { modulesSource } from './modules.ts';
import { nodeModulesSource } from './node-modules.ts';
import { processSource } from './process.ts';
import { timersSource } from './timers.ts';

/** In this order: each part may use what the earlier ones hung on the kernel. */
const parts = [
  inspectSource,
  argumentsSource,
  consoleSource,
  timersSource,
  processSource,
  modulesSource,
  nodeModulesSource,
  cellRuntimeSource,
];

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
  ...['Error', 'TypeError', 'RangeError', 'SyntaxError', 'ReferenceError', 'EvalError', 'URIError'],
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

/** A part that the kernel evaluates on demand (see lazy-parts.ts). */
export function toPartCode(name: string, source: string): GuestCode {
  return {
    source: `(kernel => ((${intrinsics}) => (${source.trim()})(kernel))(...kernel.intrinsics))`,
    filename: `${worldPrefix}${name}`,
  };
}
