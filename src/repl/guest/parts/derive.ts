// Key derivation as in Node's crypto: PBKDF2, HKDF and scrypt.
import type { Kernel } from '../kernel-type.ts';

/** Returns the members to add to the module crypto. */
export function addDerive(kernel: Kernel) {
  const { host, stringify } = kernel;
  const { bytesOf, hashName } = kernel.part('hash');
  const none = new Uint8Array();
  const webNames = { sha1: 'SHA-1', sha256: 'SHA-256', sha384: 'SHA-384', sha512: 'SHA-512' };

  function integer(value: unknown, name: string, min: number): number {
    if (typeof value !== 'number') throw kernel.invalidType(name, 'of type number', value);
    if (!Number.isInteger(value)) throw kernel.outOfRange(name, 'an integer', value);
    if (value >= min && value <= 2147483647) return value;
    throw kernel.outOfRange(name, '>= ' + min + ' && <= 2147483647', value);
  }
  function digestOf(value: unknown): string {
    if (typeof value !== 'string') throw kernel.invalidType('digest', 'of type string', value);
    const name = hashName(value);
    if (name !== undefined) return name;
    throw kernel.coded(TypeError, 'ERR_CRYPTO_INVALID_DIGEST', 'Invalid digest: ' + value);
  }
  /** As in Node, a length of 0 returns no bytes. */
  function derive(
    request: { length: number } & Record<string, unknown>,
    ...bytes
  ): Uint8Array<ArrayBuffer> {
    const [secret, salt, info = none] = bytes as Uint8Array[];
    return request.length === 0
      ? new Uint8Array()
      : host.derive(stringify(request), secret, salt, info);
  }
  function answerWith(callback: unknown, work: Promise<unknown>) {
    if (typeof callback !== 'function')
      throw kernel.invalidType('callback', 'of type function', callback);
    work.then(
      (value) => callback(null, value),
      (error) => callback(error),
    );
  }

  function pbkdf2Of(password, salt, iterations, keylen, digest) {
    const hash = digestOf(digest);
    const secret = bytesOf(password, undefined, 'password');
    const salted = bytesOf(salt, undefined, 'salt');
    const count = integer(iterations, 'iterations', 1);
    const length = integer(keylen, 'keylen', 0);
    return { hash, secret: secret.slice(), salt: salted.slice(), iterations: count, length };
  }
  function pbkdf2Sync(...args: unknown[]) {
    const [password, salt, iterations, keylen, digest] = args;
    const {
      secret,
      salt: salted,
      ...request
    } = pbkdf2Of(password, salt, iterations, keylen, digest);
    return kernel.toBuffer(derive({ kind: 'pbkdf2', ...request }, secret, salted));
  }
  function pbkdf2(password, salt, iterations, keylen, digest, callback) {
    const given = typeof digest === 'function' ? undefined : digest;
    const request = pbkdf2Of(password, salt, iterations, keylen, given);
    const { secret, hash, length } = request;
    const run = async () => {
      // Cases that the platform's Web Crypto lacks.
      if (hash === 'md5' || length === 0 || secret.length === 0)
        return pbkdf2Sync(secret, request.salt, iterations, keylen, digest);
      const { subtle } = kernel.part('subtle');
      const key = await subtle.importKey('raw', secret, 'PBKDF2', false, ['deriveBits']);
      const by = { name: 'PBKDF2', hash: webNames[hash], salt: request.salt, iterations };
      return kernel.toBuffer(new Uint8Array(await subtle.deriveBits(by, key, length * 8)));
    };
    answerWith(callback ?? (given === undefined ? digest : undefined), run());
  }

  function hkdfSync(digest, key, salt, info, keylen) {
    const hash = digestOf(digest);
    const secret = bytesOf(key, undefined, 'ikm');
    const salted = bytesOf(salt, undefined, 'salt');
    const context = bytesOf(info, undefined, 'info');
    const length = integer(keylen, 'length', 0);
    if (context.length > 1024)
      throw kernel.outOfRange('info', 'must not contain more than 1024 bytes', context.length);
    const sizes = { md5: 16, sha1: 20, sha256: 32, sha384: 48, sha512: 64 };
    if (length > 255 * sizes[hash])
      throw kernel.coded(RangeError, 'ERR_CRYPTO_INVALID_KEYLEN', 'Invalid key length');
    return derive({ kind: 'hkdf', hash, length }, secret, salted, context).buffer;
  }
  function hkdf(digest, key, salt, info, keylen, callback) {
    const derived = hkdfSync(digest, key, salt, info, keylen);
    answerWith(callback, Promise.resolve(derived));
  }

  function scryptSync(password, salt, keylen, options: Record<string, unknown> = {}) {
    const secret = bytesOf(password, undefined, 'password');
    const salted = bytesOf(salt, undefined, 'salt');
    const length = integer(keylen, 'keylen', 0);
    const N = integer(options['N'] ?? options['cost'] ?? 16384, 'N', 0);
    const r = integer(options['r'] ?? options['blockSize'] ?? 8, 'r', 0);
    const p = integer(options['p'] ?? options['parallelization'] ?? 1, 'p', 0);
    const maxmem = Number(options['maxmem'] ?? 32 * 1024 * 1024);
    const isInvalid = N < 2 || Math.log2(N) % 1 !== 0 || r < 1 || p < 1 || p * r > 2 ** 30 - 1;
    if (isInvalid || 128 * N * r > maxmem)
      throw kernel.coded(
        RangeError,
        'ERR_CRYPTO_INVALID_SCRYPT_PARAMS',
        'Invalid scrypt params' + (isInvalid ? '' : ': memory limit exceeded'),
      );
    return kernel.toBuffer(derive({ kind: 'scrypt', N, r, p, length }, secret, salted));
  }
  function scrypt(password, salt, keylen, options, callback) {
    const [given, last] =
      typeof options === 'function' ? [undefined, options] : [options, callback];
    if (typeof last !== 'function') throw kernel.invalidType('callback', 'of type function', last);
    answerWith(last, Promise.resolve(scryptSync(password, salt, keylen, given)));
  }
  return { pbkdf2, pbkdf2Sync, hkdf, hkdfSync, scrypt, scryptSync };
}
