// Guest source. What browsers and Node share beyond the language: structuredClone, crypto,
// performance, and the names of what fetch.ts makes.

/** A function of the kernel that makes these globals. */
export const platformSource = String.raw`
(function (kernel) {
  'use strict';
  const { host } = kernel;

  function cloneError(value) {
    return new DOMException(kernel.inspect(value, { depth: 0 }) + ' could not be cloned.', 'DataCloneError');
  }
  function clone(value, seen) {
    if (typeof value === 'function' || typeof value === 'symbol') throw cloneError(value);
    if (typeof value !== 'object' || value === null) return value;
    if (seen.has(value)) return seen.get(value);
    const keep = (copy) => { seen.set(value, copy); return copy; };
    if (value instanceof Date) return keep(new Date(value.getTime()));
    if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags));
    if (value instanceof ArrayBuffer) return keep(value.slice(0));
    if (value instanceof DataView) return keep(new DataView(clone(value.buffer, seen), value.byteOffset, value.byteLength));
    if (ArrayBuffer.isView(value)) {
      const Constructor = globalThis[Object.prototype.toString.call(value).slice(8, -1)];
      return keep(new Constructor(clone(value.buffer, seen), value.byteOffset, value.length));
    }
    if (value instanceof Map) {
      const copy = keep(new Map());
      for (const [key, item] of value) copy.set(clone(key, seen), clone(item, seen));
      return copy;
    }
    if (value instanceof Set) {
      const copy = keep(new Set());
      for (const item of value) copy.add(clone(item, seen));
      return copy;
    }
    if (value instanceof Error) {
      const copy = keep(Object.create(Object.getPrototypeOf(value)));
      for (const key of ['message', 'stack', 'cause', 'name']) {
        if (Object.hasOwn(value, key)) Object.defineProperty(copy, key, { value: clone(value[key], seen), writable: true, configurable: true });
      }
      return copy;
    }
    const boxed = value instanceof String || value instanceof Number || value instanceof Boolean || value instanceof BigInt;
    if (boxed) return keep(Object(value.valueOf()));
    if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet || value instanceof WeakRef) throw cloneError(value);
    const copy = keep(Array.isArray(value) ? new Array(value.length) : {});
    for (const key of Object.keys(value)) copy[key] = clone(value[key], seen);
    return copy;
  }
  kernel.structuredClone = function structuredClone(value, options) {
    const copy = clone(value, new Map());
    for (const buffer of options?.transfer ?? []) buffer.transfer?.();
    return copy;
  };

  const crypto = {
    /** RFC 9562, version 4. */
    randomUUID() {
      const bytes = host.randomBytes(16);
      bytes[6] = (bytes[6] & 15) | 64;
      bytes[8] = (bytes[8] & 63) | 128;
      return bytes.toHex().replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    },
    getRandomValues(target) {
      if (!ArrayBuffer.isView(target) || /^(?:Float|DataView)/.test(target.constructor.name)) {
        throw new DOMException('The data argument must be an integer-type TypedArray', 'TypeMismatchError');
      }
      const view = kernel.plainBytes(target);
      view.set(host.randomBytes(view.length));
      return target;
    },
    subtle: {
      async digest(algorithm, data) {
        const name = String(algorithm?.name ?? algorithm).toUpperCase();
        const bytes = kernel.plainBytes(data);
        if (bytes === undefined) throw new TypeError('The "data" argument must be an ArrayBuffer or a view of one.');
        if (!/^SHA-(1|256|384|512)$/.test(name)) {
          throw new DOMException('Only SHA-1, SHA-256, SHA-384 and SHA-512 are available here.', 'NotSupportedError');
        }
        const [digest] = await kernel.callHost(() => host.startDigest(name, bytes));
        return digest.buffer;
      },
    },
  };
  kernel.crypto = crypto;
  kernel.nodeCrypto = () => ({
    ...kernel.part('hash'),
    ...crypto,
    webcrypto: crypto,
    randomBytes: (size) => kernel.toBuffer(host.randomBytes(size)),
    randomInt: (low, high) => {
      const [from, to] = high === undefined ? [0, low] : [low, high];
      const bytes = host.randomBytes(6);
      return from + (bytes.reduce((sum, byte) => sum * 256 + byte, 0) % (to - from));
    },
  });
})`;
