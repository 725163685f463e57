// Asymmetric keys of Node's crypto. KeyObject works synchronously in all formats. Operations that
// use a key take a callback, because the host's platform computes asynchronously.
import * as formats from '../keys/key-formats.ts';
import type { PairKey } from '../keys/key-types.ts';
import type { Kernel } from '../kernel-type.ts';

type Bytes = Uint8Array<ArrayBuffer>;
type Options = Record<string, any>;

/** Returns the functions for crypto, and the members of KeyObject. */
export function addKeys(kernel: Kernel) {
  const { bytesOf, hashName, KeyObject } = kernel.part('hash');
  const { subtle, CryptoKey, partsOf, makeKey } = kernel.part('subtle');
  const webHashes = { sha1: 'SHA-1', sha256: 'SHA-256', sha384: 'SHA-384', sha512: 'SHA-512' };
  const labels = {
    'PUBLIC KEY': ['public', 'spki'],
    'RSA PUBLIC KEY': ['public', 'pkcs1'],
    CERTIFICATE: ['public', 'certificate'],
    'PRIVATE KEY': ['private', 'pkcs8'],
    'RSA PRIVATE KEY': ['private', 'pkcs1'],
    'EC PRIVATE KEY': ['private', 'sec1'],
  } as const;

  const absent = (what: string, instead: string) =>
    kernel.coded(
      Error,
      'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM',
      what + " isn't available in this sandbox: " + instead,
    );
  const unreadable = () =>
    kernel.coded(Error, 'ERR_OSSL_UNSUPPORTED', 'error:1E08010C:DECODER routines::unsupported');

  class AsymmetricKeyObject extends KeyObject {
    readonly #form: formats.KeyForm;
    readonly #other: formats.KeyForm | undefined;
    constructor(form: formats.KeyForm, other?: formats.KeyForm) {
      super(form.type, new Uint8Array());
      this.#form = form;
      this.#other = other ?? (form.type === 'private' ? formats.publicOf(form) : undefined);
    }
    static formOf(key: AsymmetricKeyObject) {
      return key.#form;
    }
    get asymmetricKeyType() {
      return this.#form.kind;
    }
    get asymmetricKeyDetails() {
      return formats.detailsOf(this.#form);
    }
    override get symmetricKeySize() {
      return undefined;
    }
    forms(): [formats.KeyForm, formats.KeyForm | undefined] {
      if (this.#other === undefined && this.#form.type === 'private') this.toPublic();
      return [this.#form, this.#other];
    }
    /** Returns the public key of a private one. */
    toPublic(): AsymmetricKeyObject {
      if (this.#other !== undefined) return new AsymmetricKeyObject(this.#other);
      throw absent(
        'The public key of such a private key',
        'it is computed, so pass the public key itself, or a JWK, which has both',
      );
    }
    override export(options: Options = {}) {
      const form = this.#form;
      const { format, passphrase, cipher } = options;
      if (format === 'jwk') {
        if (this.#other === undefined && form.type === 'private') this.toPublic();
        return formats.toJwk(form, this.#other);
      }
      if (cipher !== undefined || passphrase !== undefined)
        throw absent('An encrypted key', 'export it without a passphrase');
      const type = String(options.type);
      const standard = form.type === 'public' ? 'spki' : 'pkcs8';
      const der = type === standard ? formats.writeForm(form) : formats.toTraditional(form, type);
      if (der === undefined || (form.type === 'public' && type === 'sec1'))
        throw kernel.coded(
          TypeError,
          'ERR_INVALID_ARG_VALUE',
          "The property 'options.type' is invalid. Received " + kernel.inspect(options.type),
        );
      if (format === 'der') return kernel.toBuffer(der);
      const [label] = Object.entries(labels).find(
        ([, [kind, name]]) => kind === form.type && name === type,
      ) as [string, unknown];
      const lines = der.toBase64().replace(/.{64}(?=.)/g, '$&\n');
      return '-----BEGIN ' + label + '-----\n' + lines + '\n-----END ' + label + '-----\n';
    }
    override equals(other: unknown) {
      return (
        other instanceof AsymmetricKeyObject &&
        kernel.Buffer.compare(formats.writeForm(this.#form), formats.writeForm(other.#form)) === 0
      );
    }
  }

  function fromDer(type: 'public' | 'private', form: string, der: Bytes): AsymmetricKeyObject {
    try {
      const read =
        form === 'spki' || form === 'pkcs8'
          ? formats.readForm(type, der)
          : form === 'certificate'
            ? formats.readForm('public', formats.keyOfCertificate(der))
            : formats.fromTraditional(type, form, der);
      if (read.kind === 'ec' && read.curve === undefined) throw new TypeError('no curve');
      return new AsymmetricKeyObject(read);
    } catch {
      throw unreadable();
    }
  }
  /** Reads a key in any format that Node accepts. */
  function read(wanted: 'public' | 'private', given: unknown): AsymmetricKeyObject {
    if (given instanceof AsymmetricKeyObject) return given;
    if (given instanceof CryptoKey) return from(given) as AsymmetricKeyObject;
    const isText = typeof given === 'string' || kernel.plainBytes(given) !== undefined;
    const options: Options = isText ? { key: given } : ((given ?? {}) as Options);
    const { key, format = 'pem', type } = options;
    if (key instanceof AsymmetricKeyObject) return key;
    if (format === 'jwk') {
      if (typeof key !== 'object' || key === null)
        throw kernel.invalidType('key.key', 'of type object', key);
      try {
        const { form, other } = formats.fromJwk(key);
        return new AsymmetricKeyObject(form, other);
      } catch {
        throw kernel.coded(TypeError, 'ERR_CRYPTO_INVALID_JWK', 'Invalid JWK data');
      }
    }
    const bytes = bytesOf(key, options['encoding'], 'key');
    if (format === 'der') return fromDer(wanted, String(type), bytes);
    const text = typeof key === 'string' ? key : kernel.decode(bytes, 'latin1');
    const [, label, body] = /-----BEGIN ([A-Z ]+)-----([^-]*)-----END/.exec(text) ?? [];
    if (/ENCRYPTED/.test(label + body))
      throw absent(
        'An encrypted key',
        'decrypt it before, and keep it in a file without a passphrase',
      );
    const known = labels[label as keyof typeof labels];
    if (known === undefined) throw unreadable();
    return fromDer(known[0], known[1], kernel.encode(body, 'base64'));
  }
  function createPrivateKey(given: unknown) {
    const key = read('private', given);
    if (key.type === 'private') return key;
    throw unreadable();
  }
  function createPublicKey(given: unknown) {
    const key = read('public', given);
    return key.type === 'private' ? key.toPublic() : key;
  }

  /** Implements KeyObject.from. */
  function from(key: unknown): object {
    const { type, data } = partsOf(key);
    return type === 'secret'
      ? new KeyObject('secret', data)
      : fromDer(type, type === 'public' ? 'spki' : 'pkcs8', data);
  }
  /** Returns the key with Web Crypto's algorithm for it. */
  function toCryptoKey(key, given: unknown, extractable: unknown, usages: readonly string[]) {
    const named = typeof given === 'string' ? { name: given } : (given as Options);
    const hash = named['hash'] && { hash: { name: named['hash'].name ?? named['hash'] } };
    const details =
      key.type === 'secret'
        ? { length: key.symmetricKeySize * 8 }
        : webDetails(AsymmetricKeyObject.formOf(key));
    const data =
      key.type === 'secret' ? key.export() : formats.writeForm(AsymmetricKeyObject.formOf(key));
    const algorithm = { name: named['name'], ...details, ...hash };
    return makeKey({ type: key.type, extractable: Boolean(extractable), algorithm, usages, data });
  }
  function webDetails(form: formats.KeyForm) {
    if (form.kind === 'ec') return { namedCurve: form.curve };
    if (form.kind !== 'rsa') return {};
    const { modulusLength, publicExponent } = formats.detailsOf(form) as Options;
    const hex = publicExponent.toString(16);
    const digits = hex.length % 2 === 1 ? '0' + hex : hex;
    return { modulusLength, publicExponent: Uint8Array.fromHex(digits) };
  }

  interface Plan {
    readonly algorithm: object;
    readonly key: object;
    /** The curve, if its signatures are in DER. */
    readonly curve: string | undefined;
  }
  /** Chooses the Web Crypto operation for a request of Node's API. */
  function plan(usage: 'sign' | 'verify', digest: unknown, given: unknown): Plan {
    const key = usage === 'sign' ? createPrivateKey(given) : createPublicKey(given);
    const { kind, curve } = AsymmetricKeyObject.formOf(key);
    const options = given as Options;
    if (kind === 'ed25519')
      return {
        algorithm: { name: 'Ed25519' },
        key: toCryptoKey(key, 'Ed25519', false, [usage]),
        curve: undefined,
      };
    const hash = webHashes[hashName(String(digest ?? 'sha256')) ?? ''];
    if (hash === undefined)
      throw kernel.coded(TypeError, 'ERR_CRYPTO_INVALID_DIGEST', 'Invalid digest: ' + digest);
    if (kind === 'ec') {
      const algorithm = { name: 'ECDSA', hash };
      const isDer = options['dsaEncoding'] !== 'ieee-p1363';
      return {
        algorithm,
        key: toCryptoKey(key, 'ECDSA', false, [usage]),
        curve: isDer ? curve : undefined,
      };
    }
    if (kind !== 'rsa') throw absent('A signature by ' + kind, 'use RSA, ECDSA or Ed25519');
    const name = options['padding'] === 6 ? 'RSA-PSS' : 'RSASSA-PKCS1-v1_5';
    const { modulusLength } = formats.detailsOf(AsymmetricKeyObject.formOf(key)) as Options;
    const hashBytes = { 'SHA-1': 20, 'SHA-256': 32, 'SHA-384': 48, 'SHA-512': 64 }[
      hash as string
    ] as number;
    const wantedSalt = options['saltLength'] ?? -2;
    const most = Math.ceil((modulusLength - 1) / 8) - hashBytes - 2;
    const saltLength = wantedSalt === -1 ? hashBytes : wantedSalt === -2 ? most : wantedSalt;
    return {
      algorithm: { name, saltLength },
      key: toCryptoKey(key, { name, hash }, false, [usage]),
      curve: undefined,
    };
  }
  function pairKey(type: 'public' | 'private', given: unknown): PairKey {
    const key = type === 'private' ? createPrivateKey(given) : createPublicKey(given);
    const { kind, curve } = AsymmetricKeyObject.formOf(key);
    const hasNumbers = kind === 'rsa' || kind === 'ec';
    return { kind, curve, jwk: hasNumbers ? formats.toJwk(...key.forms()) : {} };
  }
  function later(what: string, callback: unknown, run: () => Promise<unknown[]>) {
    if (callback === undefined)
      throw absent(
        'crypto.' + what + ' without a callback',
        'pass one, or use util.promisify or crypto.subtle',
      );
    if (typeof callback !== 'function')
      throw kernel.invalidType('callback', 'of type function', callback);
    run().then(
      (values) => callback(null, ...values),
      (error) => callback(error),
    );
  }
  function sign(digest: unknown, data: unknown, given: unknown, callback?: unknown) {
    const bytes = bytesOf(data).slice();
    if (callback === undefined)
      return kernel.toBuffer(kernel.part('pairs').sign(digest, bytes, given));
    later('sign', callback, async () => {
      const { algorithm, key, curve } = plan('sign', digest, given);
      const signature = new Uint8Array(await subtle.sign(algorithm, key, bytes));
      return [kernel.toBuffer(curve === undefined ? signature : formats.toDerSignature(signature))];
    });
    return undefined;
  }
  function verify(
    digest: unknown,
    data: unknown,
    given: unknown,
    signature: unknown,
    callback?: unknown,
  ) {
    const bytes = bytesOf(data).slice();
    const sent = bytesOf(signature, undefined, 'signature').slice();
    if (callback === undefined) return kernel.part('pairs').verify(digest, bytes, given, sent);
    later('verify', callback, async () => {
      const { algorithm, key, curve } = plan('verify', digest, given);
      const plain = curve === undefined ? sent : formats.fromDerSignature(sent, curve);
      return [plain !== undefined && (await subtle.verify(algorithm, key, plain, bytes))];
    });
    return undefined;
  }

  const nodeCurves = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' };
  function generateKeyPair(type: unknown, given: unknown, last?: unknown) {
    const options = (typeof given === 'function' ? {} : (given ?? {})) as Options;
    const callback = typeof given === 'function' ? given : last;
    const curve = String(options['namedCurve']);
    const exponent = Number(options['publicExponent'] ?? 65537);
    const makes = {
      rsa: [
        {
          name: 'RSASSA-PKCS1-v1_5',
          hash: 'SHA-256',
          modulusLength: options['modulusLength'],
          publicExponent: exponent === 65537 ? Uint8Array.of(1, 0, 1) : Uint8Array.of(exponent),
        },
        'sign',
      ],
      ec: [{ name: 'ECDSA', namedCurve: nodeCurves[curve] ?? curve }, 'sign'],
      ed25519: [{ name: 'Ed25519' }, 'sign'],
      x25519: [{ name: 'X25519' }, 'deriveBits'],
    };
    const make = makes[String(type)];
    if (make === undefined)
      throw absent('A key pair of ' + String(type), 'there are ' + Object.keys(makes).join(', '));
    later('generateKeyPair', callback, async () => {
      const pair = await subtle.generateKey(make[0], true, [make[1]]);
      const [publicKey, secret] = [
        from(pair.publicKey),
        from(pair.privateKey),
      ] as AsymmetricKeyObject[];
      const privateKey = new AsymmetricKeyObject(
        AsymmetricKeyObject.formOf(secret),
        AsymmetricKeyObject.formOf(publicKey),
      );
      return encodePair(publicKey, privateKey, options);
    });
  }
  function encodePair(
    publicKey: AsymmetricKeyObject,
    privateKey: AsymmetricKeyObject,
    options: Options,
  ) {
    const encode = (key: AsymmetricKeyObject, encoding?: Options) =>
      encoding === undefined ? key : key.export(encoding);
    return [
      encode(publicKey, options['publicKeyEncoding']),
      encode(privateKey, options['privateKeyEncoding']),
    ];
  }
  function generateKeyPairSync(type: unknown, options: Options = {}) {
    const curve = String(options['namedCurve']);
    const made =
      type === 'ec' ? kernel.part('pairs').makeCurvePair(nodeCurves[curve] ?? curve) : undefined;
    if (made === undefined)
      throw absent(
        'crypto.generateKeyPairSync for ' + String(type === 'ec' ? curve : type),
        'use await util.promisify(crypto.generateKeyPair)(…), or a curve: prime256v1, secp384r1, secp521r1',
      );
    const secret = createPrivateKey({ key: made, format: 'jwk' });
    const [publicKey, privateKey] = encodePair(secret.toPublic(), secret, options);
    return { publicKey, privateKey };
  }

  function generateKeySync(type: unknown, options: Options = {}) {
    const { length } = options;
    const isFitting = type === 'aes' ? [128, 192, 256].includes(length) : length >= 8;
    if ((type !== 'aes' && type !== 'hmac') || !isFitting)
      throw kernel.coded(
        TypeError,
        'ERR_INVALID_ARG_VALUE',
        'A key is made for hmac, of 8 or more bits, or for aes, of 128, 192 or 256',
      );
    return new KeyObject('secret', kernel.host.randomBytes(Math.floor(length / 8)));
  }
  function generateKey(type: unknown, options: Options, callback: unknown) {
    const key = generateKeySync(type, options);
    later('generateKey', callback, async () => [key]);
  }
  return {
    from,
    toCryptoKey,
    pairKey,
    functions: {
      createPrivateKey,
      createPublicKey,
      sign,
      verify,
      generateKeyPair,
      generateKeyPairSync,
      generateKey,
      generateKeySync,
      getCurves: () => Object.keys(nodeCurves),
    },
  };
}
