// Formats of asymmetric keys: DER as SPKI, PKCS #8, PKCS #1 and SEC 1, and JWK. Only converts,
// without any arithmetic on keys.

type Bytes = Uint8Array<ArrayBuffer>;
type Jwk = Record<string, string | undefined>;

interface Der {
  readonly tag: number;
  readonly content: Bytes;
}

/** A key in SPKI or PKCS #8. */
export interface KeyForm {
  readonly type: 'public' | 'private';
  /** Node's name for the kind of key. */
  readonly kind: string;
  /** Web Crypto's name of the curve, for a key on a curve. */
  readonly curve: string | undefined;
  /** The inner encoding: PKCS #1, a curve point, SEC 1, or raw bytes. */
  readonly body: Bytes;
}

const kinds: Record<string, string> = {
  '2a864886f70d010101': 'rsa',
  '2a864886f70d01010a': 'rsa-pss',
  '2a8648ce3d0201': 'ec',
  '2b656e': 'x25519',
  '2b6570': 'ed25519',
};
const curves: Record<string, string> = {
  '2a8648ce3d030107': 'P-256',
  '2b81040022': 'P-384',
  '2b81040023': 'P-521',
  '2b8104000a': 'secp256k1',
};
const fieldBytes: Record<string, number> = { 'P-256': 32, 'P-384': 48, 'P-521': 66, secp256k1: 32 };
const rsaFields = ['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'];

function read(bytes: Bytes): Der[] {
  const list: Der[] = [];
  for (let at = 0; at < bytes.length;) {
    const tag = bytes[at];
    let length = bytes[at + 1];
    at += 2;
    if (length > 127) {
      const count = length & 127;
      length = bytes.subarray(at, at + count).reduce((sum, byte) => sum * 256 + byte, 0);
      at += count;
    }
    if (!(at + length <= bytes.length)) throw new RangeError('DER that is cut');
    list.push({ tag, content: bytes.subarray(at, at + length) });
    at += length;
  }
  return list;
}
/** Returns the parts of a single DER sequence. */
const open = (bytes: Bytes): Der[] => {
  const [{ tag, content }] = read(bytes);
  if (tag !== 0x30) throw new TypeError('DER that is no sequence');
  return read(content);
};

function join(parts: readonly Uint8Array[]): Bytes {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
function write(tag: number, ...parts: readonly Uint8Array[]): Bytes {
  const content = join(parts);
  const { length } = content;
  const head =
    length < 128
      ? [tag, length]
      : length < 256
        ? [tag, 0x81, length]
        : [tag, 0x82, length >> 8, length & 255];
  return join([Uint8Array.from(head), content]);
}
const sequence = (...parts: readonly Uint8Array[]) => write(0x30, ...parts);
const zero = Uint8Array.of(0);
const integer = (bytes: Uint8Array) => {
  const first = bytes.findIndex((byte) => byte !== 0);
  const plain = first < 0 ? zero : bytes.subarray(first);
  return write(2, ...(plain[0] > 127 ? [zero] : []), plain);
};
const fromHex = (text: string) => Uint8Array.fromHex(text) as Bytes;
const idOf = (table: Record<string, string>, name: string | undefined) =>
  write(6, fromHex(Object.keys(table).find((id) => table[id] === name) as string));
const plainOf = (bytes: Bytes) => (bytes[0] === 0 && bytes.length > 1 ? bytes.subarray(1) : bytes);

const toText = (bytes: Uint8Array) => bytes.toBase64({ alphabet: 'base64url', omitPadding: true });
const toBytes = (text: unknown): Bytes =>
  Uint8Array.fromBase64(String(text), { alphabet: 'base64url' }) as Bytes;

/** Throws if the bytes aren't a key. */
export function readForm(type: 'public' | 'private', der: Bytes): KeyForm {
  const [first, second, third] = open(der);
  const [id, parameters] = read((type === 'public' ? first : second).content);
  const kind = kinds[id.content.toHex()];
  if (kind === undefined) throw new TypeError('a key of another kind');
  const curve = kind === 'ec' ? curves[parameters.content.toHex()] : undefined;
  const inner = type === 'public' ? second.content.subarray(1) : third.content;
  const isPlain = kind === 'rsa' || kind === 'rsa-pss' || kind === 'ec' || type === 'public';
  return { type, kind, curve, body: isPlain ? inner : read(inner)[0].content };
}

/** Inverse of {@link readForm}. */
export function writeForm({ type, kind, curve, body }: KeyForm): Bytes {
  const parameters =
    kind === 'rsa' ? [fromHex('0500')] : kind === 'ec' ? [idOf(curves, curve)] : [];
  const algorithm = sequence(idOf(kinds, kind), ...parameters);
  if (type === 'public') return sequence(algorithm, write(3, zero, body));
  const inner = kind === 'rsa' || kind === 'ec' ? body : write(4, body);
  return sequence(integer(zero), algorithm, write(4, inner));
}

/** Reads SEC 1. A private key on a curve may contain the public point. */
function readSec1(body: Bytes): { secret: Bytes; curve: string | undefined; point?: Bytes } {
  const [, secret, ...more] = open(body);
  const id = more.find(({ tag }) => tag === 0xa0);
  const point = more.find(({ tag }) => tag === 0xa1);
  return {
    secret: secret.content,
    curve: id && curves[read(id.content)[0].content.toHex()],
    ...(point && { point: read(point.content)[0].content.subarray(1) }),
  };
}
function writeSec1(secret: Bytes, point: Bytes | undefined, curve?: string): Bytes {
  return sequence(
    integer(Uint8Array.of(1)),
    write(4, secret),
    ...(curve === undefined ? [] : [write(0xa0, idOf(curves, curve))]),
    ...(point === undefined ? [] : [write(0xa1, write(3, zero, point))]),
  );
}

/** Returns PKCS #1 or SEC 1. Undefined if this kind of key has no such form. */
export function toTraditional({ kind, curve, body }: KeyForm, form: string): Bytes | undefined {
  if (form === 'pkcs1') return kind === 'rsa' ? body : undefined;
  if (kind !== 'ec') return undefined;
  const { secret, point } = readSec1(body);
  return writeSec1(secret, point, curve);
}
export function fromTraditional(type: 'public' | 'private', form: string, der: Bytes): KeyForm {
  if (form === 'pkcs1') return { type, kind: 'rsa', curve: undefined, body: der };
  const { secret, point, curve } = readSec1(der);
  return { type, kind: 'ec', curve, body: writeSec1(secret, point) };
}

/** Returns the public key if the private one contains it. */
export function publicOf({ kind, curve, body }: KeyForm): KeyForm | undefined {
  if (kind === 'rsa') {
    const [, n, e] = open(body);
    return {
      type: 'public',
      kind,
      curve,
      body: sequence(write(2, n.content), write(2, e.content)),
    };
  }
  const point = kind === 'ec' ? readSec1(body).point : undefined;
  return point && { type: 'public', kind, curve, body: point };
}

/** Returns the SPKI of a certificate. */
export function keyOfCertificate(der: Bytes): Bytes {
  const [signed] = open(der);
  const fields = read(signed.content);
  const [, , , , , key] = fields[0].tag === 0xa0 ? fields.slice(1) : fields;
  return write(0x30, key === undefined ? zero : key.content);
}

/** `other` is the public form, for a private key that doesn't contain it. */
export function toJwk({ type, kind, curve, body }: KeyForm, other?: KeyForm): Jwk {
  if (kind === 'rsa') {
    const parts = type === 'private' ? open(body).slice(1) : open(body);
    const values = parts.map(({ content }) => toText(plainOf(content)));
    return Object.fromEntries([
      ['kty', 'RSA'],
      ...values.map((value, at) => [rsaFields[at], value]),
    ]);
  }
  const secret = kind === 'ec' && type === 'private' ? readSec1(body) : undefined;
  const point = type === 'public' ? body : (secret?.point ?? other?.body);
  if (point === undefined) throw new TypeError('a private key without its public one');
  const d = type === 'private' && { d: toText(secret?.secret ?? body) };
  if (kind !== 'ec')
    return { crv: kind === 'ed25519' ? 'Ed25519' : 'X25519', x: toText(point), kty: 'OKP', ...d };
  const size = fieldBytes[curve as string];
  const [x, y] = [point.subarray(1, 1 + size), point.subarray(1 + size)].map(toText);
  return { kty: 'EC', x, y, crv: curve, ...d };
}

/** Throws if the value isn't a key. A private key is returned with its public one. */
export function fromJwk(jwk: Jwk): { form: KeyForm; other: KeyForm | undefined } {
  const { kty, crv, x, y, d } = jwk;
  const type = d === undefined ? 'public' : 'private';
  if (kty === 'RSA') {
    const fields = rsaFields.slice(0, type === 'public' ? 2 : undefined);
    const values = fields.map((name) => integer(toBytes(jwk[name])));
    const body = type === 'public' ? sequence(...values) : sequence(integer(zero), ...values);
    return { form: { type, kind: 'rsa', curve: undefined, body }, other: undefined };
  }
  const isEc = kty === 'EC' && fieldBytes[String(crv)] !== undefined;
  if (!isEc && !(kty === 'OKP' && /^(?:Ed|X)25519$/.test(String(crv))))
    throw new TypeError('a key of another kind');
  const kind = isEc ? 'ec' : String(crv).toLowerCase();
  const curve = isEc ? crv : undefined;
  const point = isEc ? join([Uint8Array.of(4), toBytes(x), toBytes(y)]) : toBytes(x);
  const other: KeyForm = { type: 'public', kind, curve, body: point };
  if (d === undefined) return { form: other, other: undefined };
  const body = isEc ? writeSec1(toBytes(d), point) : toBytes(d);
  return { form: { type, kind, curve, body }, other };
}

/** The details that Node reports for a key. */
export function detailsOf({ type, kind, curve, body }: KeyForm): object {
  if (kind === 'rsa') {
    const [n, e] = open(body).slice(type === 'private' ? 1 : 0);
    const modulus = plainOf(n.content);
    return {
      modulusLength: modulus.length * 8 - Math.clz32(modulus[0]) + 24,
      publicExponent: BigInt('0x' + e.content.toHex()),
    };
  }
  const names = { 'P-256': 'prime256v1', 'P-384': 'secp384r1', 'P-521': 'secp521r1' };
  return kind === 'ec' ? { namedCurve: names[curve as string] ?? curve } : {};
}

/** Converts a signature on a curve from Web Crypto's two numbers to Node's DER. */
export function toDerSignature(plain: Bytes): Bytes {
  const half = plain.length / 2;
  return sequence(integer(plain.subarray(0, half)), integer(plain.subarray(half)));
}
/** Inverse of {@link toDerSignature}. Undefined if the bytes aren't a signature. */
export function fromDerSignature(der: Bytes, curve: string): Bytes | undefined {
  const size = fieldBytes[curve];
  try {
    const plain = new Uint8Array(2 * size);
    const numbers = open(der).map(({ content }) => plainOf(content));
    if (numbers.length !== 2 || numbers.some(({ length }) => length > size)) return undefined;
    numbers.forEach((number, at) => plain.set(number, (at + 1) * size - number.length));
    return plain;
  } catch {
    return undefined;
  }
}
