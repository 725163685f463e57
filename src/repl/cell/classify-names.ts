// Known names for classify.ts: read-only functions of `fs`, and globals and methods that run no
// other code. Code with any other name counts as a write.

/** What the functions of `fs` do. Each name also stands for its `Sync` form. */
export const fsEffects: Readonly<Record<string, 'read' | 'list' | 'destructive'>> = {
  readFile: 'read',
  readlink: 'read',
  realpath: 'list',
  readdir: 'list',
  stat: 'list',
  lstat: 'list',
  exists: 'list',
  access: 'list',
  rm: 'destructive',
  rmdir: 'destructive',
  unlink: 'destructive',
  rename: 'destructive',
  truncate: 'destructive',
};

export const fsModules: ReadonlySet<string> = new Set(['fs', 'fs/promises']);

/** Built-in modules without side effects. Names have no `node:`. */
export const harmlessModules: ReadonlySet<string> = new Set([
  'assert',
  'assert/strict',
  'buffer',
  'crypto',
  'events',
  'os',
  'path',
  'path/posix',
  'perf_hooks',
  'timers',
  'timers/promises',
  'url',
  'util',
]);

/** Globals whose functions change only their arguments, if anything. */
export const harmlessGlobals: ReadonlySet<string> = new Set(
  (
    'AggregateError Array ArrayBuffer BigInt BigInt64Array BigUint64Array Boolean Buffer DataView ' +
    'Date Error EvalError Float16Array Float32Array Float64Array Infinity Int16Array Int32Array ' +
    'Int8Array Iterator JSON Map Math NaN Number Object Promise RangeError ReferenceError RegExp ' +
    'Set String Symbol SyntaxError TextDecoder TextEncoder TypeError URIError URL ' +
    'URLSearchParams Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet ' +
    'assert atob btoa clearInterval clearTimeout console crypto decodeURI decodeURIComponent ' +
    'encodeURI encodeURIComponent escape isFinite isNaN parseFloat parseInt path performance ' +
    'process queueMicrotask setImmediate setInterval setTimeout structuredClone undefined ' +
    'unescape util'
  ).split(' '),
);

/**
 * Globals with which code can reach functions that its syntax doesn't show, such as by computed
 * names.
 */
export const opaqueGlobals: ReadonlySet<string> = new Set([
  'Function',
  'Proxy',
  'Reflect',
  'eval',
  'global',
  'globalThis',
  'runTests',
]);

export const networkGlobals: ReadonlySet<string> = new Set([
  'EventSource',
  'WebSocket',
  'XMLHttpRequest',
  'fetch',
]);

/** Methods of built-in values that don't change them. */
export const pureMethods: ReadonlySet<string> = new Set(
  (
    'at charAt charCodeAt codePointAt concat endsWith entries every exec filter find findIndex ' +
    'findLast findLastIndex flat flatMap forEach get has includes indexOf join keys lastIndexOf ' +
    'localeCompare map match matchAll normalize padEnd padStart reduce reduceRight repeat replace ' +
    'replaceAll search size slice some split startsWith substring test toFixed toISOString ' +
    'toJSON toLowerCase toPrecision toReversed toSorted toSpliced toString toUpperCase trim ' +
    'trimEnd trimStart valueOf values with getTime getFullYear getMonth getDate getHours ' +
    'getMinutes getSeconds subarray equals hasOwnProperty then catch finally'
  ).split(' '),
);

/** Methods of built-in values that change only the value itself. */
export const mutatingMethods: ReadonlySet<string> = new Set(
  'add clear copyWithin delete fill pop push reverse set shift sort splice unshift write'.split(
    ' ',
  ),
);
