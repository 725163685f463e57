// Globals of browsers and Node beyond the language: structuredClone, crypto, performance, and lazy
// names for the members of fetch.ts.
import type { Kernel } from '../kernel-type.ts';

/** Defines these globals. */
export function addPlatform(kernel: Kernel) {
  const { host } = kernel;

  function cloneError(value: unknown) {
    return new DOMException(
      kernel.inspect(value, { depth: 0 }) + ' could not be cloned.',
      'DataCloneError',
    );
  }
  const isMarked = (mark: 'uncloneable' | 'untransferable', value: object) =>
    kernel.hasPart('absent') && kernel.part('absent')[mark].has(value);
  const kinds = [EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError];
  function clone(value, seen: Map<unknown, unknown>) {
    if (typeof value === 'function' || typeof value === 'symbol') throw cloneError(value);
    if (typeof value !== 'object' || value === null) return value;
    if (isMarked('uncloneable', value)) throw cloneError(value);
    if (seen.has(value)) return seen.get(value);
    const keep = (copy) => {
      seen.set(value, copy);
      return copy;
    };
    if (value instanceof Date) return keep(new Date(value.getTime()));
    if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags));
    if (value instanceof ArrayBuffer) return keep(value.slice(0));
    if (value instanceof DataView)
      return keep(new DataView(clone(value.buffer, seen), value.byteOffset, value.byteLength));
    if (ArrayBuffer.isView(value)) {
      const Constructor = globalThis[Object.prototype.toString.call(value).slice(8, -1)];
      return keep(
        new Constructor(clone(value.buffer, seen), value.byteOffset, (value as Uint8Array).length),
      );
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
    // A key is immutable, so it isn't copied.
    if (kernel.hasPart('subtle') && value instanceof kernel.part('subtle').CryptoKey) return value;
    if (value instanceof DOMException) return keep(new DOMException(value.message, value.name));
    if (value instanceof Error) {
      // A clone has a built-in error class, because a program's own class isn't known to the
      // receiver.
      const Kind = kinds.find(({ name }) => name === value.name) ?? Error;
      const copy = keep(Object.hasOwn(value, 'message') ? new Kind(value.message) : new Kind());
      kernel.setPlaces(copy, kernel.placesOf(value));
      if (Object.hasOwn(value, 'cause'))
        Object.defineProperty(copy, 'cause', {
          value: clone(value.cause, seen),
          writable: true,
          configurable: true,
        });
      return copy;
    }
    const boxed =
      value instanceof String ||
      value instanceof Number ||
      value instanceof Boolean ||
      value instanceof BigInt;
    if (boxed) return keep(Object(value.valueOf()));
    if (
      value instanceof Symbol ||
      value instanceof Promise ||
      value instanceof WeakMap ||
      value instanceof WeakSet ||
      value instanceof WeakRef
    )
      throw cloneError(value);
    // oxlint-disable-next-line no-new-array -- of the same length, with the same holes
    const copy = keep(Array.isArray(value) ? new Array(value.length) : {});
    for (const key of Object.keys(value)) copy[key] = clone(value[key], seen);
    return copy;
  }
  kernel.structuredClone = function structuredClone(value, options) {
    if (arguments.length === 0)
      throw kernel.coded(TypeError, 'ERR_MISSING_ARGS', 'The "value" argument must be specified');
    const transfer = [...(options?.transfer ?? [])];
    for (const given of transfer) if (isMarked('untransferable', given)) throw cloneError(given);
    const copy = clone(value, new Map());
    for (const buffer of transfer) buffer.transfer?.();
    return copy;
  };

  // 65 536: the limit of getRandomValues in browsers and of the host.
  const maxRandomBytes = 65536;
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
        throw new DOMException(
          'The data argument must be an integer-type TypedArray',
          'TypeMismatchError',
        );
      }
      const view = kernel.plainBytes(target) as Uint8Array;
      if (view.length > maxRandomBytes)
        throw new DOMException('The requested length exceeds 65,536 bytes', 'QuotaExceededError');
      view.set(host.randomBytes(view.length));
      return target;
    },
    get subtle() {
      return kernel.part('subtle').subtle;
    },
  };
  kernel.crypto = crypto;
  /** Returns the value, or passes it to a callback in Node's style. */
  function give(value: unknown, callback: unknown) {
    if (callback === undefined) return value;
    if (typeof callback !== 'function')
      throw kernel.invalidType('callback', 'of type function', callback);
    queueMicrotask(() => callback(null, value));
  }
  function randomBytes(size: unknown, callback: unknown) {
    if (typeof size !== 'number') throw kernel.invalidType('size', 'of type number', size);
    if (!(size >= 0 && size <= 2147483647))
      throw kernel.outOfRange('size', '>= 0 && <= 2147483647', size);
    return give(kernel.toBuffer(fill(new Uint8Array(size))), callback);
  }
  function fill<Bytes extends Uint8Array>(bytes: Bytes): Bytes {
    for (let at = 0; at < bytes.length; at += maxRandomBytes)
      bytes.set(host.randomBytes(Math.min(bytes.length - at, maxRandomBytes)), at);
    return bytes;
  }
  // 2 ** 48 - 1: the largest range that 6 random bytes cover.
  const maxRange = 2 ** 48 - 1;
  function randomInt(...args) {
    const [from, to, callback] =
      args[1] === undefined || typeof args[1] === 'function' ? [0, ...args] : args;
    if (!Number.isSafeInteger(from)) throw kernel.invalidType('min', 'a safe integer', from);
    if (!Number.isSafeInteger(to)) throw kernel.invalidType('max', 'a safe integer', to);
    if (to <= from)
      throw kernel.outOfRange('max', 'greater than the value of "min" (' + from + ')', to);
    if (to - from > maxRange) throw kernel.outOfRange('max - min', '<= ' + maxRange, to - from);
    const bytes = host.randomBytes(6);
    return give(from + (bytes.reduce((sum, byte) => sum * 256 + byte, 0) % (to - from)), callback);
  }
  function randomFillSync(target, offset = 0, size?: number) {
    const view = kernel.plainBytes(target) as Uint8Array | undefined;
    if (view === undefined)
      throw kernel.invalidType(
        'buf',
        'an instance of ArrayBuffer, Buffer, TypedArray, or DataView',
        target,
      );
    // Offsets count elements of the target, not bytes.
    const unit = target.BYTES_PER_ELEMENT ?? 1;
    const start = offset * unit;
    const length = size === undefined ? view.length - start : size * unit;
    if (!(start >= 0 && start <= view.length))
      throw kernel.outOfRange('offset', '>= 0 && <= ' + view.length / unit, offset);
    if (!(length >= 0 && start + length <= view.length))
      throw kernel.outOfRange('size + offset', '<= ' + view.length / unit, (start + length) / unit);
    fill(view.subarray(start, start + length));
    return target;
  }
  function randomFill(target, ...args) {
    const callback = args.pop();
    if (typeof callback !== 'function')
      throw kernel.invalidType('callback', 'of type function', callback);
    give(randomFillSync(target, ...args), callback);
  }
  const noKeys =
    ". It isn't available in this sandbox: use await crypto.subtle, or what crypto has besides (createSign, " +
    'createVerify, publicEncrypt, privateDecrypt, generateKeyPair with a callback)';
  /** Returns functions that load their part on the first call. */
  function later(find: () => Readonly<Record<string, Function>>, names: string) {
    const functions: Record<string, Function> = {};
    for (const name of names.split(' '))
      functions[name] = (...args: unknown[]) => find()[name](...args);
    return functions;
  }
  const keyFunctions = later(
    () => kernel.part('keys').functions,
    'createPrivateKey createPublicKey sign verify generateKeyPair generateKeyPairSync generateKey generateKeySync getCurves',
  );
  Object.defineProperty(
    keyFunctions['generateKeyPair'],
    Symbol.for('nodejs.util.promisify.custom'),
    {
      value: (...args: unknown[]) =>
        new Promise((resolve, reject) => {
          keyFunctions['generateKeyPair'](...args, (error, publicKey, privateKey) => {
            if (error) reject(error);
            else resolve({ publicKey, privateKey });
          });
        }),
    },
  );
  kernel.nodeCrypto = () => ({
    ...kernel.part('absent').functionsOf('crypto', noKeys),
    ...kernel.part('hash').module,
    ...later(() => kernel.part('ciphers'), 'createCipheriv createDecipheriv getCiphers'),
    ...keyFunctions,
    ...later(
      () => kernel.part('pairs').functions,
      'createSign createVerify publicEncrypt privateDecrypt',
    ),
    ...later(() => kernel.part('derive'), 'pbkdf2 pbkdf2Sync hkdf hkdfSync scrypt scryptSync'),
    randomUUID: crypto.randomUUID,
    getRandomValues: crypto.getRandomValues,
    get subtle() {
      return crypto.subtle;
    },
    webcrypto: crypto,
    randomBytes,
    pseudoRandomBytes: randomBytes,
    getFips: () => 0,
    randomFill,
    randomFillSync,
    randomInt,
    constants: {
      RSA_PKCS1_PADDING: 1,
      RSA_NO_PADDING: 3,
      RSA_PKCS1_OAEP_PADDING: 4,
      RSA_PKCS1_PSS_PADDING: 6,
      RSA_PSS_SALTLEN_DIGEST: -1,
      RSA_PSS_SALTLEN_MAX_SIGN: -2,
      RSA_PSS_SALTLEN_AUTO: -2,
    },
  });
}
