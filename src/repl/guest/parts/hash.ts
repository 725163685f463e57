// createHash and related functions of Node's crypto. The host computes one step at a time, so that
// a long hash can be cut. The state is in the guest, so a snapshot may contain an unfinished hash.
import type { GuestBuffer, Kernel } from '../kernel-type.ts';

/** Returns the members for the module crypto, and functions for its other parts. */
export function addHash(kernel: Kernel) {
  const { host, Buffer } = kernel;
  const names = ['md5', 'sha1', 'sha256', 'sha384', 'sha512'];
  // A multiple of the block size that takes one or two milliseconds.
  const stepBytes = (name: string) => (/^sha(?:384|512)$/.test(name) ? 2048 : 16384);

  /** Returns the normalized name of a supported hash, or undefined. */
  function hashName(algorithm: string): string | undefined {
    const name = algorithm.toLowerCase().replace(/^(?:rsa-)?sha-?/, 'sha');
    return names.includes(name) ? name : undefined;
  }
  function known(algorithm: unknown): string {
    if (typeof algorithm !== 'string')
      throw kernel.invalidType('algorithm', 'of type string', algorithm);
    const name = hashName(algorithm);
    if (name !== undefined) return name;
    throw kernel.coded(
      Error,
      'ERR_OSSL_EVP_UNSUPPORTED',
      'Digest method not supported: ' + algorithm + '. There are ' + names.join(', ') + '.',
    );
  }
  function bytesOf(data: unknown, encoding?: string, name = 'data'): Uint8Array<ArrayBuffer> {
    if (data instanceof KeyObject && data.type === 'secret')
      return data.export() as Uint8Array<ArrayBuffer>;
    const bytes =
      typeof data === 'string' ? kernel.encode(data, encoding) : kernel.plainBytes(data);
    if (bytes !== undefined) return bytes;
    throw kernel.invalidType(
      name,
      'of type string or an instance of Buffer, TypedArray, or DataView',
      data,
    );
  }

  const end = Symbol('end');
  class Hash {
    #name: string;
    #state: Uint8Array | undefined;
    #length = 0;
    #rest = new Uint8Array();
    #isDone = false;
    #digest: GuestBuffer | undefined;
    constructor(algorithm: unknown) {
      this.#name = known(algorithm);
    }
    update(data: unknown, encoding?: string) {
      if (this.#isDone)
        throw kernel.coded(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
      const bytes = bytesOf(data, encoding);
      this.#length += bytes.length;
      const all = new Uint8Array(this.#rest.length + bytes.length);
      all.set(this.#rest);
      all.set(bytes, this.#rest.length);
      let at = 0;
      const step = stepBytes(this.#name);
      for (; all.length - at > step; at += step) {
        this.#state = host.hash(this.#name, this.#state, all.subarray(at, at + step), undefined);
      }
      this.#rest = all.slice(at);
      return this;
    }
    /** Called by the stream's end, before the program can read the digest. */
    [end]() {
      return (this.#digest ??= kernel.toBuffer(
        host.hash(this.#name, this.#state, this.#rest, this.#length),
      ));
    }
    digest(encoding?: string) {
      if (this.#isDone)
        throw kernel.coded(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
      this.#isDone = true;
      const digest = this[end]();
      return encoding === undefined || encoding === 'buffer' ? digest : digest.toString(encoding);
    }
    copy() {
      const copy = new Hash(this.#name);
      copy.#state = this.#state;
      copy.#length = this.#length;
      copy.#rest = this.#rest;
      return copy;
    }
  }

  const createHash = (algorithm: unknown) => new Hash(algorithm);
  /** A secret key. Asymmetric keys are created by the part `keys`. */
  class KeyObject {
    readonly type: 'secret' | 'public' | 'private';
    readonly #bytes: Uint8Array<ArrayBuffer>;
    constructor(type: 'secret' | 'public' | 'private', bytes: Uint8Array) {
      this.type = type;
      this.#bytes = new Uint8Array(bytes);
    }
    static from(key: unknown): object {
      return kernel.part('keys').from(key);
    }
    toCryptoKey(algorithm: unknown, extractable: unknown, usages: readonly string[]): object {
      return kernel.part('keys').toCryptoKey(this, algorithm, extractable, usages);
    }
    get symmetricKeySize(): number | undefined {
      return this.#bytes.length;
    }
    export(options?: { format?: string }): unknown {
      const copy = Buffer.from(this.#bytes);
      return options?.format === 'jwk' ? { kty: 'oct', k: copy.toString('base64url') } : copy;
    }
    equals(other: KeyObject) {
      return other.type === 'secret' && Buffer.compare(this.#bytes, other.#bytes) === 0;
    }
    get [Symbol.toStringTag]() {
      return 'KeyObject';
    }
  }
  /** RFC 2104. */
  class Hmac {
    #inner: Hash;
    #outer: Hash;
    #digest: GuestBuffer | undefined;
    constructor(algorithm: string, key: unknown) {
      const blockBytes = /^sha-?(?:384|512)$/i.test(algorithm) ? 128 : 64;
      const given = bytesOf(key);
      const block = new Uint8Array(blockBytes);
      block.set(
        given.length > blockBytes
          ? (createHash(algorithm).update(given).digest() as Uint8Array)
          : given,
      );
      this.#inner = createHash(algorithm).update(block.map((byte) => byte ^ 0x36));
      this.#outer = createHash(algorithm).update(block.map((byte) => byte ^ 0x5c));
    }
    update(data: unknown, encoding?: string) {
      this.#inner.update(data, encoding);
      return this;
    }
    [end]() {
      return (this.#digest ??= this.#outer.update(this.#inner.digest())[end]());
    }
    digest(encoding?: string) {
      const digest = this[end]();
      return encoding === undefined || encoding === 'buffer' ? digest : digest.toString(encoding);
    }
  }

  // Both are also streams. The stream is created on first use, because most hashes don't use it.
  const streams = new WeakMap<object, any>();
  function streamOf(hash: Hash | Hmac) {
    let stream = streams.get(hash);
    if (stream === undefined) {
      const { Transform } = kernel.part('stream');
      stream = new Transform({
        transform(chunk, encoding, done) {
          hash.update(chunk, encoding);
          done();
        },
        flush: (done) => done(null, hash[end]()),
      });
      streams.set(hash, stream);
    }
    return stream;
  }
  const methods =
    'on once off emit addListener prependListener removeListener removeAllListeners listeners ' +
    'listenerCount eventNames setMaxListeners write end cork uncork pipe unpipe read push resume ' +
    'pause isPaused setEncoding setDefaultEncoding destroy';
  const properties =
    'readable readableEnded readableFlowing readableLength readableHighWaterMark ' +
    'readableObjectMode readableEncoding readableAborted readableDidRead writable writableEnded ' +
    'writableFinished writableLength writableHighWaterMark writableObjectMode writableNeedDrain ' +
    'writableAborted destroyed closed errored _readableState _writableState';
  for (const Kind of [Hash, Hmac]) {
    for (const name of [...methods.split(' '), Symbol.asyncIterator])
      Object.defineProperty(Kind.prototype, name, {
        value(this: Hash, ...args: unknown[]) {
          const stream = streamOf(this);
          const result = stream[name](...args);
          return result === stream ? this : result;
        },
        writable: true,
        configurable: true,
      });
    for (const name of properties.split(' '))
      Object.defineProperty(Kind.prototype, name, {
        get(this: Hash) {
          return streamOf(this)[name];
        },
        configurable: true,
      });
  }
  const module = {
    createHash,
    createHmac: (algorithm, key) => new Hmac(algorithm, key),
    createSecretKey: (key: unknown, encoding?: string) =>
      new KeyObject('secret', bytesOf(key, encoding, 'key')),
    KeyObject,
    Hash,
    Hmac,
    hash: (algorithm, data, encoding = 'hex') =>
      createHash(algorithm).update(data).digest(encoding),
    getHashes: () => [...names],
    timingSafeEqual(a: Uint8Array, b: Uint8Array) {
      if (a.byteLength !== b.byteLength)
        throw kernel.coded(
          RangeError,
          'ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH',
          'Input buffers must have the same byte length',
        );
      return Buffer.compare(a, b) === 0;
    },
  };
  return { module, bytesOf, hashName, KeyObject };
}
