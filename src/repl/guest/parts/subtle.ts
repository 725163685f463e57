// Web Crypto's `subtle`. The host's platform computes. Key material is held in the guest, so it is
// part of the session's state. `extractable` and `usages` follow the standard, but can't hide a key
// from the cell.
import type { KeyParts, SubtlePart } from '../keys/key-types.ts';
import type { Kernel } from '../kernel-type.ts';

// Bytes are passed beside the JSON request, which refers to them by index.
interface Packed {
  readonly at: number;
}

/** Returns subtle and its classes, and functions that create and read keys. */
export function addSubtle(kernel: Kernel): SubtlePart {
  const { host, parse, stringify } = kernel;
  const show = Symbol.for('nodejs.util.inspect.custom');

  const hashes = { 'SHA-1': 160, 'SHA-256': 256, 'SHA-384': 384, 'SHA-512': 512 };
  const pairs = ['RSASSA-PKCS1-v1_5', 'RSA-PSS', 'RSA-OAEP', 'ECDSA', 'ECDH', 'Ed25519', 'X25519'];
  const ciphers = ['AES-CTR', 'AES-CBC', 'AES-GCM'];
  const signers = ['RSASSA-PKCS1-v1_5', 'RSA-PSS', 'ECDSA', 'Ed25519', 'HMAC'];
  const derivers = ['ECDH', 'X25519', 'HKDF', 'PBKDF2'];
  const secrets = [...ciphers, 'AES-KW', 'HMAC'];
  const supported: Record<string, readonly string[]> = {
    digest: Object.keys(hashes),
    sign: signers,
    verify: signers,
    encrypt: ['RSA-OAEP', ...ciphers],
    decrypt: ['RSA-OAEP', ...ciphers],
    wrapKey: ['RSA-OAEP', ...ciphers, 'AES-KW'],
    unwrapKey: ['RSA-OAEP', ...ciphers, 'AES-KW'],
    deriveBits: derivers,
    generateKey: [...pairs, ...secrets],
    importKey: [...pairs, ...secrets, 'HKDF', 'PBKDF2'],
    lengthOf: [...secrets, 'HKDF', 'PBKDF2'],
  };
  // The usages of a pair's private and public key.
  const signing = [['sign'], ['verify']];
  const deriving = [['deriveKey', 'deriveBits'], []];
  const pairUsages: Record<string, string[][]> = {
    'RSASSA-PKCS1-v1_5': signing,
    'RSA-PSS': signing,
    ECDSA: signing,
    Ed25519: signing,
    'RSA-OAEP': [
      ['decrypt', 'unwrapKey'],
      ['encrypt', 'wrapKey'],
    ],
    ECDH: deriving,
    X25519: deriving,
  };
  const members =
    'namedCurve length iv counter additionalData tagLength label salt info iterations saltLength modulusLength publicExponent';

  const fault = (name: string, message: string) => new DOMException(message, name);

  const partsOf = new WeakMap<object, KeyParts>();
  let isMaking = false;
  class CryptoKey {
    #shown: Pick<KeyParts, 'algorithm' | 'usages'>;
    constructor(parts: KeyParts) {
      if (!isMaking) throw new TypeError('Illegal constructor');
      partsOf.set(this, parts);
      this.#shown = { algorithm: { ...parts.algorithm }, usages: [...parts.usages] };
    }
    get type() {
      return inside(this).type;
    }
    get extractable() {
      return inside(this).extractable;
    }
    get algorithm() {
      return this.#shown.algorithm;
    }
    get usages() {
      return this.#shown.usages;
    }
    get [Symbol.toStringTag]() {
      return 'CryptoKey';
    }
    [show]() {
      const { type, extractable, algorithm, usages } = this;
      return 'CryptoKey ' + kernel.inspect({ type, extractable, algorithm, usages });
    }
  }
  function inside(key: unknown): KeyParts {
    const parts = partsOf.get(key as object);
    if (parts === undefined) throw kernel.invalidType('key', 'an instance of CryptoKey', key);
    return parts;
  }
  function makeKey(parts: KeyParts): object {
    isMaking = true;
    try {
      return new CryptoKey(parts);
    } finally {
      isMaking = false;
    }
  }

  /** Collects the bytes of a request and returns the reference for each. */
  class Bytes {
    readonly list: Uint8Array[] = [];
    pack(value: unknown, name: string): Packed {
      const bytes = kernel.plainBytes(value);
      if (bytes === undefined)
        throw kernel.invalidType(
          name,
          'an instance of ArrayBuffer, Buffer, TypedArray, or DataView',
          value,
        );
      return { at: this.list.push(bytes.slice()) - 1 };
    }
    packKey({ type, algorithm, usages, data }: KeyParts) {
      return {
        type,
        algorithm: this.packAlgorithm(algorithm),
        usages,
        data: this.pack(data, 'key'),
      };
    }
    packAlgorithm(algorithm: Record<string, unknown>): Record<string, unknown> {
      const packed: Record<string, unknown> = {};
      for (const [name, value] of Object.entries(algorithm)) {
        const isBytes = ArrayBuffer.isView(value) || value instanceof ArrayBuffer;
        packed[name] = isBytes ? this.pack(value, name) : value;
      }
      return packed;
    }
  }

  /** Normalizes an algorithm: the canonical name, and only known fields. */
  const neededBy: Record<string, string> = {
    'AES-GCM': 'iv',
    'AES-CBC': 'iv',
    'AES-CTR': 'counter',
  };
  function normalize(
    operation: string,
    given: unknown,
  ): Record<string, unknown> & { name: string } {
    const name = typeof given === 'object' && given !== null ? given['name'] : given;
    if (name === undefined || name === null || typeof given === 'function')
      throw kernel.invalidType('algorithm', 'of type string or an object with a name', given);
    const wanted = String(name).toUpperCase();
    const known = supported[operation].find((one) => one.toUpperCase() === wanted);
    if (known === undefined) {
      const names = supported[operation].join(', ');
      throw fault('NotSupportedError', 'Unrecognized algorithm name: there are ' + names + '.');
    }
    const algorithm: Record<string, unknown> & { name: string } = { name: known };
    if (typeof given !== 'object' || given === null) return algorithm;
    const { hash } = given as { hash?: unknown };
    if (hash !== undefined) algorithm['hash'] = { name: normalize('digest', hash).name };
    const other = given['public'];
    if (other !== undefined) algorithm['public'] = other;
    for (const member of members.split(' ')) {
      const value = given[member];
      if (value !== undefined) algorithm[member] = value;
    }
    const needed = operation === 'encrypt' || operation === 'decrypt' ? neededBy[known] : undefined;
    // Firefox throws OperationError in this case.
    if (needed !== undefined && algorithm[needed] === undefined)
      throw new TypeError("'" + needed + "' is required in the parameters of " + known);
    return algorithm;
  }

  /** Awaits the host's answer. A refusal is thrown as the platform's own error would be. */
  async function ask<Answer extends readonly unknown[]>(
    request: Record<string, unknown>,
    bytes: Bytes,
  ): Promise<Answer> {
    const asked = new Error();
    const [refusal, ...answer] = await kernel.callHost<[string | undefined, ...Answer]>(() =>
      host.startSubtle(stringify(request), ...bytes.list),
    );
    if (refusal === undefined) return answer as unknown as Answer;
    const [name, message] = parse(refusal);
    const places = kernel.placesOf(asked);
    if (name === 'TypeError') throw kernel.setPlaces(new TypeError(message), places);
    throw kernel.setPlaces(
      fault(name, message || 'The operation failed for an operation-specific reason'),
      places,
    );
  }

  /** Creates a key from the host's description: see `describe` in host/subtle.ts. */
  function receive(told: string, data: Uint8Array<ArrayBuffer>, extractable: boolean): object {
    const [type, algorithm, usages] = parse(told);
    if (algorithm.publicExponent !== undefined)
      algorithm.publicExponent = Uint8Array.from(algorithm.publicExponent);
    return makeKey({ type, algorithm, usages, extractable, data });
  }

  /** Returns the key's parts if the key allows this usage. */
  function allow(key: unknown, usage: string, name: string): KeyParts {
    const parts = inside(key);
    if (parts.algorithm.name !== name)
      throw fault(
        'InvalidAccessError',
        'Key algorithm mismatch: it is one of ' + parts.algorithm.name,
      );
    if (!parts.usages.includes(usage))
      throw fault('InvalidAccessError', "The key's usages have no " + usage);
    return parts;
  }

  async function operate(
    operation: string,
    usage: string,
    given: unknown,
    key: unknown,
    data: unknown,
    signature?: unknown,
  ): Promise<unknown> {
    const algorithm = normalize(usage, given);
    const bytes = new Bytes();
    const packed = bytes.pack(data, 'data');
    const sent = signature === undefined ? undefined : bytes.pack(signature, 'signature');
    const parts = allow(key, usage, algorithm.name);
    const [answer] = await ask<[unknown]>(
      {
        operation,
        algorithm: bytes.packAlgorithm(algorithm),
        key: bytes.packKey(parts),
        data: packed,
        signature: sent,
      },
      bytes,
    );
    return answer;
  }
  const buffer = (bytes: unknown) => (bytes as Uint8Array<ArrayBuffer>).buffer;

  async function deriveBits(
    given: unknown,
    key: unknown,
    length: number | null | undefined,
    usage: 'deriveBits' | 'deriveKey',
  ): Promise<ArrayBuffer> {
    const { public: other, ...algorithm } = normalize('deriveBits', given);
    const parts = allow(key, usage, algorithm.name);
    const bytes = new Bytes();
    const packed = bytes.packAlgorithm(algorithm);
    if (algorithm.name === 'ECDH' || algorithm.name === 'X25519') {
      const theirs = inside(other);
      if (theirs.type !== 'public' || theirs.algorithm.name !== algorithm.name)
        throw fault(
          'InvalidAccessError',
          'algorithm.public must be a public key of ' + algorithm.name,
        );
      packed['public'] = bytes.packKey(theirs);
    }
    const [bits] = await ask<[Uint8Array<ArrayBuffer>]>(
      {
        operation: 'deriveBits',
        algorithm: packed,
        key: bytes.packKey(parts),
        length: length === undefined || length === null ? null : Number(length) >>> 0,
      },
      bytes,
    );
    return bits.buffer;
  }

  /** Returns the length in bits. Null for an algorithm that allows any length. */
  function lengthOf(algorithm: Record<string, unknown>): number | null {
    const { name, length, hash } = algorithm;
    if (name === 'HKDF' || name === 'PBKDF2') return null;
    if (name === 'HMAC') {
      const { name: hashName } = (hash ?? {}) as { name?: string };
      if (hashName === undefined) throw kernel.invalidType('algorithm.hash', 'an algorithm', hash);
      if (length === undefined) return hashes[hashName] > 256 ? 1024 : 512;
      if (Number(length) > 0) return Number(length);
      throw fault('OperationError', "An HMAC's key has a length of 1 or more bits");
    }
    if (length === 128 || length === 192 || length === 256) return length;
    throw fault('OperationError', 'AES key length must be 128, 192 or 256 bits');
  }

  function list(usages: unknown): string[] {
    if (typeof usages === 'object' && usages !== null && Symbol.iterator in usages)
      return [...(usages as Iterable<unknown>)].map(String);
    throw kernel.invalidType('keyUsages', 'an instance of Array', usages);
  }

  class SubtleCrypto {
    async digest(algorithm: unknown, data: unknown) {
      const bytes = new Bytes();
      const packed = bytes.pack(data, 'data');
      const named = { name: normalize('digest', algorithm).name };
      const [digest] = await ask<[unknown]>(
        { operation: 'digest', algorithm: named, data: packed },
        bytes,
      );
      return buffer(digest);
    }
    async sign(algorithm: unknown, key: unknown, data: unknown) {
      return buffer(await operate('sign', 'sign', algorithm, key, data));
    }
    async verify(algorithm: unknown, key: unknown, signature: unknown, data: unknown) {
      return operate('verify', 'verify', algorithm, key, data, signature ?? null);
    }
    async encrypt(algorithm: unknown, key: unknown, data: unknown) {
      return buffer(await operate('encrypt', 'encrypt', algorithm, key, data));
    }
    async decrypt(algorithm: unknown, key: unknown, data: unknown) {
      return buffer(await operate('decrypt', 'decrypt', algorithm, key, data));
    }
    async deriveBits(algorithm: unknown, key: unknown, length?: number | null) {
      return deriveBits(algorithm, key, length, 'deriveBits');
    }
    async deriveKey(
      algorithm: unknown,
      key: unknown,
      derived: unknown,
      extractable: unknown,
      usages: unknown,
    ) {
      const named = normalize('importKey', derived);
      const length = lengthOf(normalize('lengthOf', derived));
      const bits = await deriveBits(algorithm, key, length, 'deriveKey');
      return subtle.importKey('raw', bits, named, extractable, usages);
    }
    async importKey(
      format: unknown,
      data: unknown,
      given: unknown,
      extractable: unknown,
      usages: unknown,
    ) {
      const algorithm = normalize('importKey', given);
      const bytes = new Bytes();
      const isJwk = format === 'jwk';
      if (isJwk && (typeof data !== 'object' || kernel.plainBytes(data) !== undefined))
        throw kernel.invalidType('keyData', 'a JSON web key', data);
      const canLeave = Boolean(extractable);
      const [told, material] = await ask<[string, Uint8Array<ArrayBuffer>]>(
        {
          operation: 'import',
          format: String(format),
          algorithm: bytes.packAlgorithm(algorithm),
          extractable: canLeave,
          usages: list(usages),
          ...(isJwk ? { jwk: data ?? {} } : { data: bytes.pack(data, 'keyData') }),
        },
        bytes,
      );
      return receive(told, material, canLeave);
    }
    async exportKey(format: unknown, key: unknown) {
      const { type, algorithm, usages, extractable, data } = inside(key);
      const own = { secret: 'raw', private: 'pkcs8', public: 'spki' }[type];
      if (algorithm.name === 'HKDF' || algorithm.name === 'PBKDF2')
        throw fault('NotSupportedError', 'Keys of ' + algorithm.name + ' are never exported');
      if (!extractable) throw fault('InvalidAccessError', 'key is not extractable');
      if (format === own) return data.slice().buffer;
      const bytes = new Bytes();
      const packed = bytes.packKey({ type, algorithm, usages, extractable, data });
      const [exported] = await ask<[string | Uint8Array<ArrayBuffer>]>(
        { operation: 'export', format: String(format), algorithm: packed.algorithm, key: packed },
        bytes,
      );
      return typeof exported === 'string' ? parse(exported) : exported.buffer;
    }
    async generateKey(given: unknown, extractable: unknown, keyUsages: unknown) {
      const algorithm = normalize('generateKey', given);
      const usages = list(keyUsages);
      const canLeave = Boolean(extractable);
      if (pairUsages[algorithm.name] === undefined) {
        // Drawn from the host, like all randomness of a cell.
        const material = host.randomBytes(Math.ceil(Number(lengthOf(algorithm)) / 8));
        return subtle.importKey('raw', material, algorithm, canLeave, usages);
      }
      const [forPrivate, forPublic] = pairUsages[algorithm.name];
      const strange = usages.find((one) => !forPrivate.includes(one) && !forPublic.includes(one));
      if (strange !== undefined)
        throw fault('SyntaxError', 'Unsupported key usage for ' + algorithm.name + ': ' + strange);
      if (!usages.some((one) => forPrivate.includes(one)))
        throw fault('SyntaxError', 'Usages cannot be empty when creating a key.');
      if (algorithm.name.startsWith('RSA')) {
        const { publicExponent } = algorithm as { publicExponent?: Uint8Array };
        // Other exponents aren't in use, and some would never finish.
        if (
          !['3', '65537'].includes(publicExponent?.reduce((sum, byte) => sum * 256 + byte, 0) + '')
        )
          throw fault('OperationError', 'publicExponent must be 3 or 65537');
      }
      const bytes = new Bytes();
      const answer = await ask<[string, Uint8Array<ArrayBuffer>, string, Uint8Array<ArrayBuffer>]>(
        { operation: 'generatePair', algorithm: bytes.packAlgorithm(algorithm), usages },
        bytes,
      );
      return {
        publicKey: receive(answer[0], answer[1], true),
        privateKey: receive(answer[2], answer[3], canLeave),
      };
    }
    async wrapKey(format: unknown, key: unknown, by: unknown, algorithm: unknown) {
      const { name } = normalize('wrapKey', algorithm);
      allow(by, 'wrapKey', name);
      const exported = await subtle.exportKey(format, key);
      const data = format === 'jwk' ? host.encodeText(stringify(exported)) : exported;
      const operation = name === 'AES-KW' ? 'wrap' : 'encrypt';
      return buffer(await operate(operation, 'wrapKey', algorithm, by, data));
    }
    async unwrapKey(
      format: unknown,
      wrapped: unknown,
      by: unknown,
      algorithm: unknown,
      keyAlgorithm: unknown,
      extractable: unknown,
      usages: unknown,
    ) {
      const { name } = normalize('unwrapKey', algorithm);
      const operation = name === 'AES-KW' ? 'unwrap' : 'decrypt';
      const data = (await operate(operation, 'unwrapKey', algorithm, by, wrapped)) as Uint8Array;
      let keyData: unknown = data;
      if (format === 'jwk') {
        try {
          keyData = parse(host.decodeText(data, true, false));
        } catch {
          throw fault('DataError', 'Invalid wrapped JWK key');
        }
      }
      return subtle.importKey(format, keyData, keyAlgorithm, extractable, usages);
    }
    get [Symbol.toStringTag]() {
      return 'SubtleCrypto';
    }
  }
  const subtle = new SubtleCrypto();
  return { subtle, SubtleCrypto, CryptoKey, partsOf: inside, makeKey };
}
