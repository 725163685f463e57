// The globals of the language, which every context of Node's vm has. Its console is the cell's.

export const languageNames: ReadonlySet<PropertyKey> = new Set(
  (
    'Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol Date Promise RegExp ' +
    'Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError SuppressedError JSON Math Intl ' +
    'ArrayBuffer DataView Uint8Array Int8Array Uint16Array Int16Array Uint32Array Int32Array Float16Array Float32Array ' +
    'Float64Array Uint8ClampedArray BigUint64Array BigInt64Array BigInt Map Set WeakMap WeakSet WeakRef Proxy Reflect ' +
    'FinalizationRegistry Iterator AsyncDisposableStack DisposableStack decodeURI decodeURIComponent encodeURI ' +
    'encodeURIComponent escape unescape eval isFinite isNaN SharedArrayBuffer Atomics WebAssembly console'
  ).split(' '),
);
