// createCipheriv and createDecipheriv of Node's crypto. The host runs AES over whole blocks. Each
// `update` returns the same bytes as in Node.
import type { GuestBuffer, Kernel } from '../kernel-type.ts';

type Bytes = Uint8Array<ArrayBuffer>;

interface Decoder {
  write(bytes: Uint8Array): string;
  end(): string;
}

/** Returns the functions and classes. */
export function addCiphers(kernel: Kernel) {
  const { host, Buffer } = kernel;
  const { Transform } = kernel.part('stream');
  const { bytesOf } = kernel.part('hash');
  const none = new Uint8Array();
  const names = [128, 192, 256].flatMap((bits) =>
    ['cbc', 'ctr', 'ecb', 'gcm'].map((mode) => 'aes-' + bits + '-' + mode),
  );

  function find(name: unknown) {
    if (typeof name !== 'string') throw kernel.invalidType('cipher', 'of type string', name);
    const known = name
      .toLowerCase()
      .replace(/^id-aes(\d+)-/, 'aes-$1-')
      .replace(/^aes(\d+)$/, 'aes-$1-cbc');
    if (names.includes(known)) {
      const [, bits, mode] = known.split('-');
      return { keyBytes: Number(bits) / 8, mode };
    }
    throw kernel.coded(
      Error,
      'ERR_CRYPTO_UNKNOWN_CIPHER',
      'Unknown cipher: ' + name + '. There are ' + names.join(', ') + '.',
    );
  }
  function ossl(code: string, reason: string): Error {
    const error = kernel.coded(
      Error,
      'ERR_OSSL_' + code,
      'error:1C80006B:Provider routines::' + reason,
    );
    return Object.assign(error, { library: 'Provider routines', reason });
  }
  const badState = (what: string) =>
    kernel.coded(Error, 'ERR_CRYPTO_INVALID_STATE', 'Invalid state for operation ' + what);

  /** Returns the counter after `blocks` more blocks. For GCM only the last four bytes count. */
  function counterAt(start: Uint8Array, blocks: number, bytes: number): Bytes {
    const counter = start.slice() as Bytes;
    let carry = blocks;
    for (let at = 15; at >= 16 - bytes && carry > 0; at -= 1) {
      carry += counter[at];
      counter[at] = carry % 256;
      carry = Math.floor(carry / 256);
    }
    return counter;
  }

  abstract class Aes extends Transform {
    #mode: string;
    #isDecrypting: boolean;
    #key: Bytes;
    /** The previous block, for CBC. */
    #iv: Bytes;
    #more: Uint8Array[] = [];
    #tag: Bytes | undefined;
    #tagBytes: number;
    #isPadding = true;
    #isDone = false;
    /** Bytes that don't fill a block yet. */
    #rest: Bytes = none;
    #count = 0;
    /** All text so far, for GCM's tag. */
    #text: Uint8Array[] = [];
    #decoder: Decoder | undefined;

    constructor(isDecrypting: boolean, name: unknown, key: unknown, iv: unknown, options) {
      super(options);
      const { keyBytes, mode } = find(name);
      this.#mode = mode;
      this.#isDecrypting = isDecrypting;
      this.#key = bytesOf(key).slice();
      if (this.#key.length !== keyBytes)
        throw kernel.coded(RangeError, 'ERR_CRYPTO_INVALID_KEYLEN', 'Invalid key length');
      this.#iv = iv === null || iv === undefined ? none : bytesOf(iv).slice();
      const isFitting =
        mode === 'ecb'
          ? this.#iv.length === 0
          : mode === 'gcm'
            ? // At least 8: the sizes that the host's library accepts. Usual sizes are 12 and 16.
              this.#iv.length >= 8
            : this.#iv.length === 16;
      if (!isFitting)
        throw kernel.coded(TypeError, 'ERR_CRYPTO_INVALID_IV', 'Invalid initialization vector');
      this.#tagBytes = options?.authTagLength ?? 16;
    }

    #crypt(bytes: Uint8Array, isDecrypting = this.#isDecrypting): Bytes {
      return host.cipher(this.#mode, isDecrypting, this.#key, this.#iv, none, bytes);
    }
    /** The first counter. For GCM it is found by decrypting the tag of an empty text. */
    #start(): Bytes {
      if (this.#mode === 'ctr') return this.#iv;
      if (this.#iv.length === 12) return Uint8Array.from([...this.#iv, 0, 0, 0, 2]);
      const tag = this.#crypt(none, false);
      return counterAt(host.cipher('ecb', true, this.#key, none, none, tag), 1, 4);
    }
    #count16(data: Uint8Array): Bytes {
      const width = this.#mode === 'gcm' ? 4 : 16;
      const skipped = this.#count % 16;
      const counter = counterAt(this.#start(), (this.#count - skipped) / 16, width);
      // Stops where GCM's four counter bytes wrap around.
      const [, , , word] = new Uint32Array(counter.slice().reverse().buffer).reverse();
      const room = width === 4 ? (2 ** 32 - word) * 16 - skipped : Infinity;
      const now = data.subarray(0, Math.min(room, data.length));
      const padded = new Uint8Array(skipped + now.length);
      padded.set(now, skipped);
      const done = host.cipher('ctr', false, this.#key, counter, none, padded).subarray(skipped);
      this.#count += now.length;
      if (now.length === data.length) return done;
      return Buffer.concat([done, this.#count16(data.subarray(now.length))]);
    }
    #blocks(data: Uint8Array, isLast: boolean): Bytes {
      const all = Buffer.concat([this.#rest, data]);
      let size = all.length - (all.length % 16);
      // When decrypting, the last block is held back, because it may be padding.
      if (this.#isDecrypting && this.#isPadding && !isLast && size === all.length) size -= 16;
      if (size <= 0) {
        this.#rest = all;
        return none;
      }
      const input = all.subarray(0, size);
      const output = this.#crypt(input);
      this.#rest = all.subarray(size);
      if (this.#mode === 'cbc') this.#iv = (this.#isDecrypting ? input : output).slice(-16);
      return output;
    }
    #give(
      bytes: Uint8Array<ArrayBuffer>,
      encoding: unknown,
      isLast: boolean,
    ): GuestBuffer | string {
      if (encoding === undefined || encoding === 'buffer') return kernel.toBuffer(bytes);
      const { StringDecoder } = kernel.part('string-decoder');
      const decoder = (this.#decoder ??= new StringDecoder(encoding) as Decoder);
      return decoder.write(bytes) + (isLast ? decoder.end() : '');
    }

    update(data: unknown, inputEncoding?: string, outputEncoding?: string) {
      if (this.#isDone) throw badState('update');
      const bytes = bytesOf(data, inputEncoding);
      const isCounted = this.#mode === 'gcm' || this.#mode === 'ctr';
      const output = isCounted ? this.#count16(bytes) : this.#blocks(bytes, false);
      if (this.#mode === 'gcm') this.#text.push(this.#isDecrypting ? output : bytes.slice());
      return this.#give(output, outputEncoding, false);
    }
    final(encoding?: string) {
      if (this.#isDone) throw badState('final');
      this.#isDone = true;
      const last =
        this.#mode === 'gcm' ? this.#endGcm() : this.#mode === 'ctr' ? none : this.#end();
      return this.#give(last, encoding, true);
    }
    #endGcm(): Bytes {
      const [more, text] = [this.#more, this.#text].map((list) => Buffer.concat(list));
      const tag = host.cipher('gcm', false, this.#key, this.#iv, more, text).slice(text.length);
      this.#text = [];
      if (!this.#isDecrypting) this.#tag = tag.slice(0, this.#tagBytes);
      else if (
        this.#tag === undefined ||
        Buffer.compare(tag.subarray(0, this.#tag.length), this.#tag) !== 0
      )
        throw new Error('Unsupported state or unable to authenticate data');
      return none;
    }
    #end(): Bytes {
      const { length } = this.#rest;
      if (this.#isDecrypting) {
        const isWhole = length === (this.#isPadding ? 16 : 0);
        if (!isWhole) throw ossl('WRONG_FINAL_BLOCK_LENGTH', 'wrong final block length');
        const plain = this.#blocks(none, true);
        if (!this.#isPadding) return plain;
        const [count] = plain.slice(-1);
        const isPadded =
          count > 0 && count <= 16 && plain.slice(-count).every((byte) => byte === count);
        if (!isPadded) throw ossl('BAD_DECRYPT', 'bad decrypt');
        return plain.subarray(0, 16 - count);
      }
      if (this.#isPadding) return this.#blocks(new Uint8Array(16 - length).fill(16 - length), true);
      if (length > 0) throw ossl('WRONG_FINAL_BLOCK_LENGTH', 'wrong final block length');
      return none;
    }

    setAutoPadding(isPadding = true) {
      if (this.#isDone) throw badState('setAutoPadding');
      this.#isPadding = isPadding;
      return this;
    }
    setAAD(data: unknown, options?: { encoding?: string }) {
      if (this.#isDone || this.#mode !== 'gcm') throw badState('setAAD');
      this.#more.push(bytesOf(data, options?.encoding).slice());
      return this;
    }
    getAuthTag() {
      if (this.#isDecrypting || !this.#isDone || this.#tag === undefined)
        throw badState('getAuthTag');
      return kernel.toBuffer(this.#tag.slice());
    }
    setAuthTag(tag: unknown, encoding?: string) {
      if (!this.#isDecrypting || this.#mode !== 'gcm' || this.#isDone || this.#tag !== undefined)
        throw badState('setAuthTag');
      const bytes = bytesOf(tag, encoding).slice();
      if (![4, 8, 12, 13, 14, 15, 16].includes(bytes.length))
        throw kernel.coded(
          TypeError,
          'ERR_CRYPTO_INVALID_AUTH_TAG',
          'Invalid authentication tag length: ' + bytes.length,
        );
      this.#tag = bytes;
      return this;
    }

    _transform(chunk: unknown, encoding: string, done: (error?: unknown, data?: unknown) => void) {
      try {
        done(null, this.update(chunk, encoding));
      } catch (error) {
        done(error);
      }
    }
    _flush(done: (error?: unknown, data?: unknown) => void) {
      try {
        done(null, this.final());
      } catch (error) {
        done(error);
      }
    }
  }
  class Cipheriv extends Aes {
    constructor(cipher: unknown, key: unknown, iv: unknown, options?) {
      super(false, cipher, key, iv, options);
    }
  }
  class Decipheriv extends Aes {
    constructor(cipher: unknown, key: unknown, iv: unknown, options?) {
      super(true, cipher, key, iv, options);
    }
  }
  return {
    createCipheriv: (cipher, key, iv, options) => new Cipheriv(cipher, key, iv, options),
    createDecipheriv: (cipher, key, iv, options) => new Decipheriv(cipher, key, iv, options),
    getCiphers: () => [...names],
  };
}
