// Synchronous functions of Node's crypto for asymmetric keys: RSA and ECDSA signatures, RSA
// encryption, and new key pairs on curves. Sources: RFC 8017, FIPS 186-4 and RFC 6979.
import * as formats from '../keys/key-formats.ts';
import type { PairKey } from '../keys/key-types.ts';
import type { Kernel } from '../kernel-type.ts';
import * as math from '../keys/pair-math.ts';

type Bytes = Uint8Array<ArrayBuffer>;
type Options = Record<string, any>;

/** The prefixes of digests in PKCS #1 signatures. */
const digestInfos: Record<string, string> = {
  md5: '3020300c06082a864886f70d020505000410',
  sha1: '3021300906052b0e03021a05000414',
  sha256: '3031300d060960864801650304020105000420',
  sha384: '3041300d060960864801650304020205000430',
  sha512: '3051300d060960864801650304020305000440',
};

const toNumber = (bytes: Uint8Array) => BigInt('0x0' + bytes.toHex());
const toBytes = (value: bigint, length: number) =>
  Uint8Array.fromHex(value.toString(16).padStart(2 * length, '0')) as Bytes;
const sameBytes = (a: Uint8Array, b: Uint8Array) => a.toHex() === b.toHex();

/** Returns the functions. */
export function addPairs(kernel: Kernel) {
  const { module: hashes, hashName } = kernel.part('hash') as any;
  const { Writable } = kernel.part('stream') as any;
  const keys = kernel.part('keys');
  const hash = (name: string, ...parts: Uint8Array[]): Bytes =>
    parts.reduce((made, part) => made.update(part), hashes.createHash(name)).digest();
  const concat = (...parts: Uint8Array[]): Bytes =>
    kernel.plainBytes(kernel.Buffer.concat(parts)) as Bytes;
  const random = (length: number): Bytes => kernel.host.randomBytes(length) as Bytes;
  const failed = (code: string, message: string) => kernel.coded(Error, code, message);

  const field = (jwk: Record<string, unknown>, name: string) =>
    toNumber(Uint8Array.fromBase64(String(jwk[name]), { alphabet: 'base64url' }));
  function rsaOf({ jwk }: PairKey): math.RsaNumbers & { readonly size: number } {
    const [n, e] = [field(jwk, 'n'), field(jwk, 'e')];
    const size = Math.ceil(n.toString(2).length / 8);
    if (jwk['d'] === undefined) return { n, e, size };
    const [p, q, dp, dq, qi] = ['p', 'q', 'dp', 'dq', 'qi'].map((name) => field(jwk, name));
    return { n, e, size, secret: { p, q, dp, dq, qi } };
  }

  function mask(name: string, seed: Uint8Array, data: Uint8Array): Bytes {
    const made: Uint8Array[] = [];
    for (let at = 0, length = 0; length < data.length; at += 1) {
      const piece = hash(name, seed, toBytes(BigInt(at), 4));
      made.push(piece);
      length += piece.length;
    }
    const all = concat(...made);
    return data.map((byte, at) => byte ^ all[at]) as Bytes;
  }
  function encodeDigest(name: string, digest: Uint8Array, size: number): Bytes {
    const info = concat(Uint8Array.fromHex(digestInfos[name]), digest);
    if (size < info.length + 11)
      throw failed('ERR_OSSL_RSA_DIGEST_TOO_BIG_FOR_RSA_KEY', 'digest too big for rsa key');
    const filler = new Uint8Array(size - info.length - 3).fill(255);
    return concat(Uint8Array.of(0, 1), filler, Uint8Array.of(0), info);
  }
  const pssBits = (n: bigint) => n.toString(2).length - 1;
  function encodePss(name: string, digest: Uint8Array, n: bigint, wanted: number): Bytes {
    const size = Math.ceil(pssBits(n) / 8);
    const most = size - digest.length - 2;
    const saltBytes = wanted === -1 ? digest.length : wanted === -2 ? most : wanted;
    if (saltBytes > most)
      throw failed('ERR_OSSL_RSA_DATA_TOO_LARGE_FOR_KEY_SIZE', 'data too large for key size');
    const salt = random(saltBytes);
    const inner = hash(name, new Uint8Array(8), digest, salt);
    const block = concat(new Uint8Array(most - saltBytes), Uint8Array.of(1), salt);
    const masked = mask(name, inner, block);
    masked[0] &= 255 >> (8 * size - pssBits(n));
    return concat(masked, inner, Uint8Array.of(0xbc));
  }
  function isPss(name: string, digest: Uint8Array, n: bigint, sent: Uint8Array, wanted: number) {
    const size = Math.ceil(pssBits(n) / 8);
    const [masked, inner] = [
      sent.subarray(0, size - digest.length - 1),
      sent.subarray(size - digest.length - 1, size - 1),
    ];
    if (size < digest.length + 2 || sent[size - 1] !== 0xbc) return false;
    const block = mask(name, inner, masked);
    block[0] &= 255 >> (8 * size - pssBits(n));
    const start = block.findIndex((byte) => byte !== 0);
    if (start < 0 || block[start] !== 1) return false;
    const salt = block.subarray(start + 1);
    const length = wanted === -1 ? digest.length : wanted;
    if (length >= 0 && salt.length !== length) return false;
    return sameBytes(hash(name, new Uint8Array(8), digest, salt), inner);
  }

  /**
   * Nonces by RFC 6979. They are derived from key and digest, so that no nonce is used for two
   * digests.
   */
  function* onces(name: string, { n, bytes }: math.Curve, secret: bigint, digest: bigint) {
    const hmac = (key: Uint8Array, ...parts: Uint8Array[]): Bytes =>
      parts.reduce((made, part) => made.update(part), hashes.createHmac(name, key)).digest();
    const size = hash(name).length;
    const seed = concat(toBytes(secret, bytes), toBytes(digest % n, bytes));
    let [key, value]: Bytes[] = [new Uint8Array(size), new Uint8Array(size).fill(1)];
    for (const round of [0, 1]) {
      key = hmac(key, value, Uint8Array.of(round), seed);
      value = hmac(key, value);
    }
    for (;;) {
      let made: Bytes = new Uint8Array();
      while (made.length < bytes) {
        value = hmac(key, value);
        made = concat(made, value);
      }
      const once = toDigestNumber(made.subarray(0, bytes), n);
      if (once > 0n && once < n) yield once;
      key = hmac(key, value, Uint8Array.of(0));
      value = hmac(key, value);
    }
  }
  /** Returns the leftmost bits of the digest, as many as n has. */
  function toDigestNumber(bytes: Uint8Array, n: bigint): bigint {
    const over = bytes.length * 8 - n.toString(2).length;
    return over > 0 ? toNumber(bytes) >> BigInt(over) : toNumber(bytes);
  }

  const saltOf = (options: Options) => options['saltLength'] ?? -2;
  function known(digest: unknown): string {
    const name = hashName(String(digest ?? 'sha256'));
    if (name !== undefined) return name;
    throw kernel.coded(TypeError, 'ERR_CRYPTO_INVALID_DIGEST', 'Invalid digest: ' + digest);
  }
  function sign(digestName: unknown, data: Uint8Array, given: unknown): Bytes {
    const key = keys.pairKey('private', given);
    const name = known(digestName);
    const digest = hash(name, data);
    const options = (given ?? {}) as Options;
    if (key.kind === 'rsa') {
      const rsa = rsaOf(key);
      const encoded =
        options['padding'] === 6
          ? encodePss(name, digest, rsa.n, saltOf(options))
          : encodeDigest(name, digest, rsa.size);
      return toBytes(math.rsaPrivate(rsa, toNumber(encoded)), rsa.size);
    }
    const curve = curveFor(key);
    const [secret, number] = [field(key.jwk, 'd'), toDigestNumber(digest, curve.n)];
    for (const once of onces(name, curve, secret, number)) {
      const made = math.signOnCurve(curve, secret, number, once);
      if (made === undefined) continue;
      const plain = concat(...made.map((value) => toBytes(value, curve.bytes)));
      return options['dsaEncoding'] === 'ieee-p1363' ? plain : formats.toDerSignature(plain);
    }
    throw new Error('no signature');
  }
  function verify(digestName: unknown, data: Uint8Array, given: unknown, sent: Bytes): boolean {
    const key = keys.pairKey('public', given);
    const name = known(digestName);
    const digest = hash(name, data);
    const options = (given ?? {}) as Options;
    if (key.kind === 'rsa') {
      const rsa = rsaOf(key);
      const value = toNumber(sent);
      if (sent.length !== rsa.size || value >= rsa.n) return false;
      const opened = math.rsaPublic(rsa, value);
      if (options['padding'] !== 6)
        return sameBytes(toBytes(opened, rsa.size), encodeDigest(name, digest, rsa.size));
      const size = Math.ceil(pssBits(rsa.n) / 8);
      if (opened >= 1n << BigInt(8 * size)) return false;
      return isPss(name, digest, rsa.n, toBytes(opened, size), saltOf(options));
    }
    const curve = curveFor(key);
    const plain =
      options['dsaEncoding'] === 'ieee-p1363'
        ? sent
        : formats.fromDerSignature(sent, String(key.curve));
    if (plain?.length !== 2 * curve.bytes) return false;
    const [r, s] = [plain.subarray(0, curve.bytes), plain.subarray(curve.bytes)].map(toNumber);
    const point = [field(key.jwk, 'x'), field(key.jwk, 'y')] as const;
    return math.verifyOnCurve(curve, point, toDigestNumber(digest, curve.n), [r, s]);
  }
  function curveFor({ kind, curve }: PairKey): math.Curve {
    const found = kind === 'ec' ? math.curveOf(curve) : undefined;
    if (found !== undefined) return found;
    throw kernel.coded(
      Error,
      'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM',
      'A signature by ' +
        (curve ?? kind) +
        " isn't made at once in this sandbox: pass a callback to crypto.sign or crypto.verify",
    );
  }

  function publicEncrypt(given: unknown, data: unknown) {
    const [options, rsa] = rsaFor('public', given);
    const bytes = kernel.part('hash').bytesOf(data);
    const name = known(options['oaepHash'] ?? 'sha1');
    const room = rsa.size - (options['padding'] === 1 ? 11 : 2 * hash(name).length + 2);
    if (bytes.length > room)
      throw failed('ERR_OSSL_RSA_DATA_TOO_LARGE_FOR_KEY_SIZE', 'data too large for key size');
    let block: Bytes;
    if (options['padding'] === 1) {
      const filler = random(rsa.size - bytes.length - 3).map((byte) => byte || 1);
      block = concat(Uint8Array.of(0, 2), filler, Uint8Array.of(0), bytes);
    } else {
      const label = hash(name, labelOf(options));
      const filler = new Uint8Array(room - bytes.length);
      const seed = random(label.length);
      const masked = mask(name, seed, concat(label, filler, Uint8Array.of(1), bytes));
      block = concat(Uint8Array.of(0), mask(name, masked, seed), masked);
    }
    return kernel.toBuffer(toBytes(math.rsaPublic(rsa, toNumber(block)), rsa.size));
  }
  function privateDecrypt(given: unknown, data: unknown) {
    const [options, rsa] = rsaFor('private', given);
    const sent = kernel.part('hash').bytesOf(data);
    const isOld = options['padding'] === 1;
    const wrong = () =>
      isOld
        ? failed('ERR_OSSL_RSA_PADDING_CHECK_FAILED', 'padding check failed')
        : failed('ERR_OSSL_RSA_OAEP_DECODING_ERROR', 'oaep decoding error');
    if (sent.length !== rsa.size || toNumber(sent) >= rsa.n) throw wrong();
    const block = toBytes(math.rsaPrivate(rsa, toNumber(sent)), rsa.size);
    if (isOld) {
      const end = block.indexOf(0, 2);
      if (block[0] !== 0 || block[1] !== 2 || end < 10) throw wrong();
      return kernel.toBuffer(block.slice(end + 1));
    }
    const name = known(options['oaepHash'] ?? 'sha1');
    const label = hash(name, labelOf(options));
    const masked = block.subarray(1 + label.length);
    const seed = mask(name, masked, block.subarray(1, 1 + label.length));
    const opened = mask(name, seed, masked);
    const start = opened.findIndex((byte, at) => at >= label.length && byte !== 0);
    const isFine = block[0] === 0 && sameBytes(opened.subarray(0, label.length), label);
    if (!isFine || opened[start] !== 1) throw wrong();
    return kernel.toBuffer(opened.slice(start + 1));
  }
  const labelOf = (options: Options) =>
    options['oaepLabel'] === undefined
      ? new Uint8Array()
      : kernel.part('hash').bytesOf(options['oaepLabel']);
  function rsaFor(type: 'public' | 'private', given: unknown) {
    const key = keys.pairKey(type, given);
    if (key.kind !== 'rsa')
      throw kernel.coded(Error, 'ERR_OSSL_EVP_OPERATION_NOT_SUPPORTED', 'it takes a key of RSA');
    return [(given ?? {}) as Options, rsaOf(key)] as const;
  }

  /** Creates a key pair on a curve, as a JWK. */
  function makeCurvePair(name: string): Record<string, string> | undefined {
    const curve = math.curveOf(name);
    if (curve === undefined) return undefined;
    const secret = 1n + (toNumber(random(curve.bytes + 16)) % (curve.n - 1n));
    const [x, y, d] = [...math.pointOf(curve, secret), secret].map((value) =>
      toBytes(value, curve.bytes).toBase64({ alphabet: 'base64url', omitPadding: true }),
    );
    return { kty: 'EC', crv: name, x, y, d };
  }

  /** createSign and createVerify: streams that end in a signature. */
  class Signed extends Writable {
    readonly #digest: string;
    readonly #pieces: Uint8Array[] = [];
    constructor(digest: unknown, options?: object) {
      super(options);
      if (typeof digest !== 'string')
        throw kernel.invalidType('algorithm', 'of type string', digest);
      this.#digest = known(digest);
    }
    _write(chunk: unknown, encoding: string, callback: () => void) {
      this.update(chunk, encoding);
      callback();
    }
    update(data: unknown, encoding?: string) {
      this.#pieces.push(kernel.part('hash').bytesOf(data, encoding).slice());
      return this;
    }
    protected take(): [digest: string, data: Bytes] {
      return [this.#digest, concat(...this.#pieces)];
    }
  }
  class Sign extends Signed {
    sign(key: unknown, encoding?: string) {
      const made = kernel.toBuffer(sign(...this.take(), key));
      return encoding === undefined || encoding === 'buffer' ? made : made.toString(encoding);
    }
  }
  class Verify extends Signed {
    verify(key: unknown, signature: unknown, encoding?: string) {
      const sent = kernel.part('hash').bytesOf(signature, encoding, 'signature');
      return verify(...this.take(), key, sent.slice());
    }
  }
  return {
    sign,
    verify,
    makeCurvePair,
    functions: {
      createSign: (digest: unknown, options?: object) => new Sign(digest, options),
      createVerify: (digest: unknown, options?: object) => new Verify(digest, options),
      publicEncrypt,
      privateDecrypt,
    },
  };
}
