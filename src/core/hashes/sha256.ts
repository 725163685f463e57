// A synchronous SHA-256 (FIPS 180-4), which the platform doesn't have. The seeded ids and the guest's
// `crypto.createHash` use it. It isn't protected against attacks that measure time.

/** The hash of all of the bytes, 32 bytes long. */
export function sha256(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  // The message's end: a one bit, zeros, and the length in bits in the last eight bytes.
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const message = new DataView(padded.buffer);
  message.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n);
  const state = Uint32Array.from(sha256Start());
  for (let block = 0; block < padded.length; block += 64) {
    compressSha256(state, (index) => message.getUint32(block + index * 4));
  }
  const hash = new Uint8Array(32);
  for (let at = 0; at < 32; at += 1) hash[at] = (state[at >> 2] ?? 0) >>> (24 - 8 * (at & 3));
  return hash;
}

/** The initial state: eight words. */
export const sha256Start = lazily(() => fractionsOfRoots(8, 2n).map((root) => Number(root >> 32n)));

const constants = lazily(() =>
  Int32Array.from(fractionsOfRoots(64, 3n), (root) => Number(BigInt.asIntN(32, root >> 32n))),
);

/** All blocks share one array, because allocating it takes as long as hashing a block. */
const schedule = lazily(() => new Int32Array(64));

/**
 * Adds one block of 16 words to the state. `word` must not compute a hash itself, because the array above is shared.
 */
export function compressSha256(state: Uint32Array, word: (index: number) => number): void {
  const rounds = constants();
  const words = schedule();
  for (let at = 0; at < 16; at += 1) words[at] = word(at);
  for (let at = 16; at < 64; at += 1) {
    const near = words[at - 2] ?? 0;
    const far = words[at - 15] ?? 0;
    words[at] =
      (words[at - 16] ?? 0) +
      (words[at - 7] ?? 0) +
      (rotateRight(far, 7) ^ rotateRight(far, 18) ^ (far >>> 3)) +
      (rotateRight(near, 17) ^ rotateRight(near, 19) ^ (near >>> 10));
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let at = 0; at < 64; at += 1) {
    const high = rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25);
    const first = (h + high + ((e & f) ^ (~e & g)) + (rounds[at] ?? 0) + (words[at] ?? 0)) | 0;
    const low = rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22);
    const second = (low + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((sum, index) => (state[index] = (state[index] ?? 0) + sum));
}

const rotateRight = (word: number, bits: number) => (word >>> bits) | (word << (32 - bits));

/**
 * The first 64 bits of the fractions of the square or cube roots of the first primes. These are the constants of FIPS
 * 180-4; computing them saves a table.
 */
export function fractionsOfRoots(count: number, degree: bigint): bigint[] {
  const primes: bigint[] = [];
  for (let candidate = 2n; primes.length < count; candidate += 1n) {
    if (!primes.some((prime) => candidate % prime === 0n)) primes.push(candidate);
  }
  return primes.map((prime) => BigInt.asUintN(64, wholeRoot(prime << (64n * degree), degree)));
}

/** The largest whole number whose power isn't greater than `value`, by Newton's method from above. */
function wholeRoot(value: bigint, degree: bigint): bigint {
  // The root of the 80th prime is below 2 to the 5th.
  let root = 1n << 69n;
  for (;;) {
    const next = ((degree - 1n) * root + value / root ** (degree - 1n)) / degree;
    if (next >= root) return root;
    root = next;
  }
}

/** Creates the value on first use. */
export function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
