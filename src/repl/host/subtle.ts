// Web Crypto for cells, computed by the platform. Key material is held in the guest, so that a
// session's state contains it. Each operation imports the key again. A refusal of the platform is
// returned as a name and a message, which the guest throws.
import { SdkError } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';
import type { GuestValue } from '../vm/engine.ts';
import { bytesArgument, invalidArgument, textArgument, tooMuch } from './guest-arguments.ts';

/** A validated call of the guest. */
export interface SubtleCall {
  /** How many steps the call counts for if clocks stand still. */
  readonly steps: number;
  /**
   * Runs the call. The first value is a refusal as JSON of the error's name and message, or
   * undefined. The result follows.
   */
  run(): Promise<readonly GuestValue[]>;
}

type Algorithm = Readonly<Record<string, unknown>> & { readonly name: string };
type Bytes = Uint8Array<ArrayBuffer>;
type KeyType = 'secret' | 'private' | 'public';
type WebKey = Readonly<Record<string, unknown>>;

/** A key as the guest holds it: raw, pkcs8 or spki, depending on its type. */
interface HeldKey {
  readonly type: KeyType;
  readonly algorithm: Algorithm;
  readonly usages: string[];
  readonly data: Bytes;
}

interface SubtleRequest {
  readonly algorithm: Algorithm;
  readonly key: HeldKey | undefined;
  readonly data: Bytes;
  readonly signature: Bytes;
  readonly jwk: WebKey;
  readonly format: 'raw' | 'pkcs8' | 'spki' | 'jwk';
  readonly length: number | null;
  readonly isExtractable: boolean;
  readonly usages: string[];
  readonly randomBytes: (length: number) => Uint8Array;
}

// Security: a platform may have further algorithms, for which there would be no limits here.
const algorithmNames = new Set([
  ...['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512', 'HMAC', 'PBKDF2', 'HKDF'],
  ...['AES-GCM', 'AES-CBC', 'AES-CTR', 'AES-KW', 'ECDSA', 'ECDH', 'Ed25519', 'X25519'],
  ...['RSASSA-PKCS1-v1_5', 'RSA-PSS', 'RSA-OAEP'],
]);
const parameterNames = [
  ...['name', 'hash', 'namedCurve', 'length', 'iv', 'counter', 'additionalData', 'tagLength'],
  ...['label', 'salt', 'info', 'iterations', 'saltLength', 'modulusLength', 'publicExponent'],
];
const formats = ['raw', 'pkcs8', 'spki', 'jwk'] as const;
const formatOf = { secret: 'raw', private: 'pkcs8', public: 'spki' } as const;

// 10 million: takes some seconds on a slow machine. The platform can't be interrupted meanwhile.
const maxIterations = 10_000_000;
const maxModulusLength = 4096;
/**
 * 16 384 bytes: the limit of a public key. RSA of 16 384 bits, the largest of any platform, takes 9
 * kB.
 */
const maxKeyBytes = 16_384;

/**
 * Validates the guest's request and draws the randomness that it needs at once. So results depend
 * only on the order in which the cell makes its calls.
 * @throws SdkError for an invalid request, and for one that is too large
 */
export function prepareSubtle(
  value: unknown,
  bytes: readonly GuestValue[],
  randomBytes: (length: number) => Uint8Array,
): SubtleCall {
  if (!isRecord(value)) throw invalidArgument('request', 'an operation');
  const request = toRequest(value, bytes, randomBytes);
  const operation = textArgument(value['operation'] as GuestValue, 'operation');
  const start = Object.hasOwn(operations, operation) ? operations[operation] : undefined;
  if (!start) throw invalidArgument('operation', `one of ${Object.keys(operations).join(', ')}`);
  const steps = countSteps(request);
  const run = start(request);
  return {
    steps,
    async run() {
      try {
        return [undefined, ...(await run())];
      } catch (error) {
        if (!(error instanceof Error) || SdkError.isInstance(error)) throw error;
        return [JSON.stringify([error.name, error.message])];
      }
    },
  };
}

/** Security: the guest wrote this JSON, so each field is validated. */
function toRequest(
  value: Readonly<Record<string, unknown>>,
  list: readonly GuestValue[],
  randomBytes: (length: number) => Uint8Array,
): SubtleRequest {
  const bytesAt = (place: unknown, name: string): Bytes =>
    isRecord(place) ? (bytesArgument(list[Number(place['at'])], name) as Bytes) : new Uint8Array();
  const toAlgorithm = (given: unknown): Algorithm => {
    if (!isRecord(given)) throw invalidArgument('algorithm', 'an object');
    const name = textArgument(given['name'] as GuestValue, 'algorithm.name');
    if (!algorithmNames.has(name)) throw invalidArgument('algorithm.name', 'a known one');
    const algorithm: Record<string, unknown> = {};
    for (const key of parameterNames) {
      const parameter = given[key];
      if (parameter === undefined) continue;
      if (key === 'hash') algorithm[key] = toAlgorithm(parameter);
      else algorithm[key] = isRecord(parameter) ? bytesAt(parameter, key) : parameter;
    }
    if (isRecord(given['public'])) algorithm['public'] = toKey(given['public']);
    return algorithm as Algorithm;
  };
  const toUsages = (given: unknown): string[] => {
    if (!Array.isArray(given) || given.length > 16) throw invalidArgument('usages', 'a short list');
    return given.map((usage: unknown) => textArgument(usage as GuestValue, 'usage'));
  };
  function toKey(given: Readonly<Record<string, unknown>>): HeldKey {
    const type = textArgument(given['type'] as GuestValue, 'key.type');
    if (!isKeyType(type)) throw invalidArgument('key.type', 'a type of keys');
    const algorithm = toAlgorithm(given['algorithm']);
    const data = bytesAt(given['data'], 'key');
    return { type, algorithm, usages: toUsages(given['usages']), data };
  }
  const { length, format = 'raw', jwk = {} } = value;
  const known = formats.find((one) => one === format);
  if (!known) throw invalidArgument('format', `one of ${formats.join(', ')}`);
  if (!isRecord(jwk)) throw invalidArgument('keyData', 'a JSON web key');
  return {
    algorithm: toAlgorithm(value['algorithm']),
    key: isRecord(value['key']) ? toKey(value['key']) : undefined,
    data: bytesAt(value['data'], 'data'),
    signature: bytesAt(value['signature'], 'signature'),
    jwk,
    format: known,
    length: typeof length === 'number' ? length : null,
    isExtractable: value['extractable'] === true,
    usages: toUsages(value['usages'] ?? []),
    randomBytes,
  };
}

function isKeyType(type: string): type is KeyType {
  return Object.hasOwn(formatOf, type);
}

function countSteps({ algorithm, length, data, format, key, jwk }: SubtleRequest): number {
  const { name, iterations, modulusLength } = algorithm;
  if (name === 'PBKDF2' && length !== null) {
    // Counted as for the shortest hash, whichever is used.
    const rounds = Number(iterations ?? 0) * Math.ceil(length / 160);
    if (rounds > maxIterations)
      throw tooMuch(
        `PBKDF2 may take ${maxIterations} rounds here (iterations, for each 160 bits of what is derived)`,
      );
    return 1 + Math.floor(rounds / 333);
  }
  if (modulusLength !== undefined) {
    if (!(Number(modulusLength) <= maxModulusLength))
      throw tooMuch(`RSA keys that are generated here have up to ${maxModulusLength} bits`);
    return 3000;
  }
  const bytes = format === 'jwk' ? JSON.stringify(jwk).length : format === 'raw' ? 0 : data.length;
  const held = key === undefined || key.type === 'secret' ? 0 : key.data.length;
  if (name !== 'HMAC' && Math.max(bytes, held) > maxKeyBytes)
    throw tooMuch(`Keys may have ${maxKeyBytes} bytes here`);
  return 1;
}

type Run = () => Promise<readonly GuestValue[]>;

/** The operations. Each draws its randomness at once, and returns the function to run. */
const operations: Readonly<Record<string, (request: SubtleRequest) => Run>> = {
  digest: (request) => async () => [
    bytesOf(await subtle().digest(request.algorithm, request.data)),
  ],
  sign: (request) => async () => {
    const key = await openKey(request.key, ['sign']);
    return [bytesOf(await subtle().sign(request.algorithm, key, request.data))];
  },
  verify: (request) => async () => {
    const key = await openKey(request.key, ['verify']);
    return [await subtle().verify(request.algorithm, key, request.signature, request.data)];
  },
  encrypt: (request) => async () => {
    const key = await openKey(request.key, ['encrypt']);
    return [bytesOf(await subtle().encrypt(request.algorithm, key, request.data))];
  },
  decrypt: (request) => async () => {
    const key = await openKey(request.key, ['decrypt']);
    return [bytesOf(await subtle().decrypt(request.algorithm, key, request.data))];
  },
  // AES-KW can't encrypt plain bytes, so the bytes are wrapped as an HMAC key, which may be any
  // bytes.
  wrap: (request) => async () => {
    const inner = await subtle().importKey('raw', request.data, anyBytes, true, ['sign']);
    const key = await openKey(request.key, ['wrapKey']);
    return [bytesOf(await subtle().wrapKey('raw', inner, key, 'AES-KW'))];
  },
  unwrap: (request) => async () => {
    const key = await openKey(request.key, ['unwrapKey']);
    const inner = await subtle().unwrapKey('raw', request.data, key, 'AES-KW', anyBytes, true, [
      'sign',
    ]);
    return [await exportBytes('raw', inner)];
  },
  deriveBits: (request) => async () => {
    const other = request.algorithm['public'] as HeldKey | undefined;
    const algorithm = other
      ? { ...request.algorithm, public: await openKey(other, []) }
      : request.algorithm;
    const key = await openKey(request.key, ['deriveBits']);
    return [bytesOf(await subtle().deriveBits(algorithm, key, request.length))];
  },
  import: (request) => async () => {
    const { algorithm, isExtractable, usages, jwk, data } = request;
    const read = (keyData: Bytes | WebKey, canLeave: boolean) =>
      subtle().importKey(request.format as 'raw', keyData as Bytes, algorithm, canLeave, usages);
    const key = await read(request.format === 'jwk' ? jwk : data, isExtractable);
    // The platform has accepted the key. A key that isn't extractable can't be read back, so it is
    // imported again as extractable.
    if (key.extractable) return toGuest(key);
    if (algorithm.name === 'PBKDF2' || algorithm.name === 'HKDF') return [describe(key), data];
    const { ext: _ext, ...open } = jwk;
    return toGuest(await read(request.format === 'jwk' ? open : data, true));
  },
  export: (request) => async () => {
    const key = await openKey(request.key, request.key?.usages ?? []);
    const exported = await subtle().exportKey(request.format, key);
    return [exported instanceof ArrayBuffer ? bytesOf(exported) : JSON.stringify(exported)];
  },
  generatePair: (request) => {
    const { algorithm, usages, randomBytes } = request;
    const secret = drawSecret(algorithm, randomBytes);
    const own = usages.filter((usage) => usage !== 'verify');
    return async () => {
      const whole = secret && (await readDrawn(algorithm, secret, own));
      if (!whole) {
        // The platform draws these keys itself, because RSA primes can't come from another source.
        const made = await subtle().generateKey(algorithm, true, usages);
        if (!('privateKey' in made)) throw invalidArgument('algorithm', 'one of key pairs');
        return [...(await toGuest(made.publicKey)), ...(await toGuest(made.privateKey))];
      }
      const { kty, crv, x, y, d } = whole;
      const open = { kty, crv, x, ...(y !== undefined && { y }) };
      // Imported again with the public key: a platform may export a key without its public key if
      // it was imported without one.
      const privateKey = await subtle().importKey('jwk', { ...open, d }, algorithm, true, own);
      const others = usages.filter((usage) => usage === 'verify');
      const publicKey = await subtle().importKey('jwk', open, algorithm, true, others);
      return [...(await toGuest(publicKey)), ...(await toGuest(privateKey))];
    };
  },
};

/**
 * Completes a drawn private key by its public key. Undefined if the platform can't compute that.
 * Firefox can do so only for Ed25519 and X25519.
 */
async function readDrawn(
  algorithm: Algorithm,
  secret: Bytes,
  usages: readonly string[],
): Promise<WebKey | undefined> {
  try {
    const half = await subtle().importKey('pkcs8', secret, algorithm, true, usages);
    return (await subtle().exportKey('jwk', half)) as WebKey;
  } catch (error) {
    const isLacking = error instanceof Error && error.name === 'OperationError';
    if (isLacking && algorithm['namedCurve'] !== undefined) return undefined;
    throw error;
  }
}

const anyBytes = { name: 'HMAC', hash: 'SHA-256' };

/**
 * The type of the platform's `subtle`, with loose arguments. The platform itself validates what the
 * guest passes.
 */
interface Subtle {
  digest(algorithm: Algorithm, data: Bytes): Promise<ArrayBuffer>;
  sign(algorithm: Algorithm, key: PlatformKey, data: Bytes): Promise<ArrayBuffer>;
  verify(algorithm: Algorithm, key: PlatformKey, signature: Bytes, data: Bytes): Promise<boolean>;
  encrypt(algorithm: Algorithm, key: PlatformKey, data: Bytes): Promise<ArrayBuffer>;
  decrypt(algorithm: Algorithm, key: PlatformKey, data: Bytes): Promise<ArrayBuffer>;
  deriveBits(algorithm: Algorithm, key: PlatformKey, length: number | null): Promise<ArrayBuffer>;
  generateKey(
    algorithm: Algorithm,
    extractable: boolean,
    usages: readonly string[],
  ): Promise<PlatformKey | PlatformPair>;
  importKey(
    format: string,
    data: Bytes | WebKey,
    algorithm: object,
    extractable: boolean,
    usages: readonly string[],
  ): Promise<PlatformKey>;
  exportKey(format: string, key: PlatformKey): Promise<ArrayBuffer | WebKey>;
  wrapKey(format: string, key: PlatformKey, by: PlatformKey, how: string): Promise<ArrayBuffer>;
  unwrapKey(
    format: string,
    data: Bytes,
    by: PlatformKey,
    how: string,
    algorithm: object,
    extractable: boolean,
    usages: readonly string[],
  ): Promise<PlatformKey>;
}

interface PlatformPair {
  readonly publicKey: PlatformKey;
  readonly privateKey: PlatformKey;
}

interface PlatformKey {
  readonly type: KeyType;
  readonly extractable: boolean;
  readonly algorithm: object;
  readonly usages: readonly string[];
}

const subtle = (): Subtle => crypto.subtle as unknown as Subtle;

const bytesOf = (buffer: ArrayBuffer): Bytes => new Uint8Array(buffer);

/** Imports an extractable key for one operation. */
function openKey(key: HeldKey | undefined, usages: readonly string[]): Promise<PlatformKey> {
  if (!key) throw invalidArgument('key', 'a key');
  const { type, algorithm, data } = key;
  const canLeave = algorithm.name !== 'PBKDF2' && algorithm.name !== 'HKDF';
  return subtle().importKey(formatOf[type], data, algorithm, canLeave, usages);
}

async function exportBytes(format: string, key: PlatformKey): Promise<Bytes> {
  return bytesOf((await subtle().exportKey(format, key)) as ArrayBuffer);
}

/** Returns the description of a key for the guest as JSON: its type, algorithm and usages. */
function describe({ type, algorithm, usages }: PlatformKey): string {
  const shown: Record<string, unknown> = { ...algorithm };
  const { publicExponent } = shown;
  if (publicExponent instanceof Uint8Array) shown['publicExponent'] = [...publicExponent];
  return JSON.stringify([type, shown, usages]);
}

async function toGuest(key: PlatformKey): Promise<readonly [string, Bytes]> {
  return [describe(key), await exportBytes(formatOf[key.type], key)];
}

// PKCS #8 of a private key without its public key, up to the key's bytes. The platform computes the
// public key.
const heads: Readonly<Record<string, string>> = {
  Ed25519: '302e020100300506032b657004220420',
  X25519: '302e020100300506032b656e04220420',
  'P-256': '3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420',
  'P-384': '304e020100301006072a8648ce3d020106052b81040022043730350201010430',
  'P-521': '3060020100301006072a8648ce3d020106052b81040023044930470201010442',
};
// The orders of the curves' groups (SEC 2).
const orders: Readonly<Record<string, bigint>> = {
  'P-256': 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  'P-384':
    0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
  'P-521':
    0x1fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409n,
};

/**
 * Draws a private key from the cell's randomness, as PKCS #8. Undefined for keys that aren't a
 * plain number.
 */
function drawSecret(
  { name, namedCurve }: Algorithm,
  randomBytes: (length: number) => Uint8Array,
): Bytes | undefined {
  const kind = name === 'ECDSA' || name === 'ECDH' ? String(namedCurve) : name;
  const head = Object.hasOwn(heads, kind) ? heads[kind] : undefined;
  if (head === undefined) return undefined;
  const order = orders[kind];
  const size = kind === 'P-521' ? 66 : kind === 'P-384' ? 48 : 32;
  let secret = toHex(randomBytes(order === undefined ? size : size + 8));
  // FIPS 186-5, A.2.1: 64 extra bits make all numbers equally likely.
  if (order !== undefined)
    secret = ((BigInt(`0x${secret}`) % (order - 1n)) + 1n).toString(16).padStart(size * 2, '0');
  return Uint8Array.from((head + secret).match(/../gu) ?? [], (pair) => Number.parseInt(pair, 16));
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
