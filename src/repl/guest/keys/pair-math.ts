// Arithmetic of RSA and elliptic curves, for synchronous functions. Its duration depends on the
// key, so use it only for keys that the cell itself may know.

/** Returns `base` to the power of `exponent`. Processes four bits of the exponent at a time. */
function modPow(base: bigint, exponent: bigint, modulus: bigint): bigint {
  const powers = [1n, base % modulus];
  for (let at = 2; at < 16; at += 1) powers.push((powers[at - 1] * powers[1]) % modulus);
  let result = 1n;
  for (const digit of exponent.toString(16)) {
    for (let bit = 0; bit < 4; bit += 1) result = (result * result) % modulus;
    const power = parseInt(digit, 16);
    if (power > 0) result = (result * powers[power]) % modulus;
  }
  return result;
}

export interface RsaNumbers {
  readonly n: bigint;
  readonly e: bigint;
  /** Further numbers of a private key (CRT). */
  readonly secret?: Readonly<Record<'p' | 'q' | 'dp' | 'dq' | 'qi', bigint>>;
}

const mod = (value: bigint, modulus: bigint) => ((value % modulus) + modulus) % modulus;

export const rsaPublic = ({ n, e }: RsaNumbers, value: bigint): bigint => modPow(value, e, n);

export function rsaPrivate({ secret }: RsaNumbers, value: bigint): bigint {
  const { p, q, dp, dq, qi } = secret as NonNullable<RsaNumbers['secret']>;
  const [ofP, ofQ] = [modPow(value, dp, p), modPow(value, dq, q)];
  return ofQ + q * mod(qi * (ofP - ofQ), p);
}

/** The curve y² = x³ + ax + b over p, with a base point of order n. */
export interface Curve {
  readonly bytes: number;
  readonly p: bigint;
  readonly a: bigint;
  readonly b: bigint;
  readonly n: bigint;
  readonly x: bigint;
  readonly y: bigint;
}

const p256 = 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n;
const p384 = 2n ** 384n - 2n ** 128n - 2n ** 96n + 2n ** 32n - 1n;
const p521 = 2n ** 521n - 1n;
const k256 = 2n ** 256n - 2n ** 32n - 977n;

// Parameters from SEC 2 and FIPS 186-4.
const curves: Readonly<Record<string, Curve>> = {
  'P-256': {
    bytes: 32,
    p: p256,
    a: p256 - 3n,
    b: 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn,
    n: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
    x: 0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296n,
    y: 0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5n,
  },
  'P-384': {
    bytes: 48,
    p: p384,
    a: p384 - 3n,
    b: 0xb3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aefn,
    n: 0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
    x: 0xaa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7n,
    y: 0x3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5fn,
  },
  'P-521': {
    bytes: 66,
    p: p521,
    a: p521 - 3n,
    b: 0x51953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00n,
    n: 0x1fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409n,
    x: 0xc6858e06b70404e9cd9e3ecb662395b4429c648139053fb521f828af606b4d3dbaa14b5e77efe75928fe1dc127a2ffa8de3348b3c1856a429bf97e7e31c2e5bd66n,
    y: 0x11839296a789a3bc0045c8a5fb42c7d1bd998f54449579b446817afbd17273e662c97ee72995ef42640c550b9013fad0761353c7086a272c24088be94769fd16650n,
  },
  secp256k1: {
    bytes: 32,
    p: k256,
    a: 0n,
    b: 7n,
    n: 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n,
    x: 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n,
    y: 0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8n,
  },
};

export const curveOf = (name: string | undefined): Curve | undefined => curves[name ?? ''];

/** A point in Jacobian coordinates. z is 0 for the point at infinity. */
type Point = readonly [x: bigint, y: bigint, z: bigint];
const nowhere: Point = [1n, 1n, 0n];

function double({ p, a }: Curve, [x, y, z]: Point): Point {
  if (y === 0n || z === 0n) return nowhere;
  const yy = (y * y) % p;
  const s = (4n * x * yy) % p;
  const m = (3n * x * x + a * ((z * z) % p) ** 2n) % p;
  const x3 = mod(m * m - 2n * s, p);
  return [x3, mod(m * (s - x3) - 8n * yy * yy, p), (2n * y * z) % p];
}
function add(curve: Curve, one: Point, other: Point): Point {
  const { p } = curve;
  if (one[2] === 0n) return other;
  if (other[2] === 0n) return one;
  const [z1, z2] = [(one[2] * one[2]) % p, (other[2] * other[2]) % p];
  const [u1, u2] = [(one[0] * z2) % p, (other[0] * z1) % p];
  const [s1, s2] = [(one[1] * other[2] * z2) % p, (other[1] * one[2] * z1) % p];
  if (u1 === u2) return s1 === s2 ? double(curve, one) : nowhere;
  const [h, r] = [mod(u2 - u1, p), mod(s2 - s1, p)];
  const hh = (h * h) % p;
  const [hhh, v] = [(h * hh) % p, (u1 * hh) % p];
  const x = mod(r * r - hhh - 2n * v, p);
  return [x, mod(r * (v - x) - s1 * hhh, p), (h * one[2] * other[2]) % p];
}
function multiply(curve: Curve, factor: bigint, point: Point): Point {
  let result = nowhere;
  for (const bit of factor.toString(2)) {
    result = double(curve, result);
    if (bit === '1') result = add(curve, result, point);
  }
  return result;
}
function toPlain({ p }: Curve, [x, y, z]: Point): readonly [x: bigint, y: bigint] {
  const inverse = modPow(z, p - 2n, p);
  const square = (inverse * inverse) % p;
  return [(x * square) % p, (y * square * inverse) % p];
}

/** Returns the public point of a secret number. */
export const pointOf = (curve: Curve, secret: bigint): readonly [x: bigint, y: bigint] =>
  toPlain(curve, multiply(curve, secret, [curve.x, curve.y, 1n]));

/** ECDSA. Returns undefined if the nonce `once` gives no valid signature. */
export function signOnCurve(curve: Curve, secret: bigint, digest: bigint, once: bigint) {
  const { n } = curve;
  const r = pointOf(curve, once)[0] % n;
  const s = (modPow(once, n - 2n, n) * (digest + r * secret)) % n;
  return r === 0n || s === 0n ? undefined : ([r, s] as const);
}
export function verifyOnCurve(
  curve: Curve,
  [x, y]: readonly [bigint, bigint],
  digest: bigint,
  [r, s]: readonly [bigint, bigint],
): boolean {
  const { p, a, b, n } = curve;
  const isOnCurve = x < p && y < p && mod(y * y - x * x * x - a * x - b, p) === 0n;
  if (!isOnCurve || r <= 0n || r >= n || s <= 0n || s >= n) return false;
  const inverse = modPow(s, n - 2n, n);
  const own = multiply(curve, (digest * inverse) % n, [curve.x, curve.y, 1n]);
  const found = add(curve, own, multiply(curve, (r * inverse) % n, [x, y, 1n]));
  return found[2] !== 0n && toPlain(curve, found)[0] % n === r;
}
