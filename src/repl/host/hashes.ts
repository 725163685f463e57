// Hashes that Node computes synchronously, but the platform only asynchronously or not at all: MD5
// (RFC 1321), SHA-1 and SHA-2 (FIPS 180-4). They run on the host at native speed. Their timing
// isn't constant, so don't use them where it could reveal a secret.
import { compressSha256, fractionsOfRoots, lazily, sha256Start } from '../../core/hashes/sha256.ts';

export const hashNames = ['md5', 'sha1', 'sha256', 'sha384', 'sha512'] as const;

export type HashName = (typeof hashNames)[number];

/** The block size in bytes, for {@link hashStep}. */
export function blockSize(name: HashName): number {
  return kinds[name].isLong ? 128 : 64;
}

/** The size in bytes of the state that one step passes to the next. */
export function stateSize(name: HashName): number {
  return name === 'md5' ? 16 : name === 'sha1' ? 20 : name === 'sha256' ? 32 : 64;
}

/**
 * Computes one step of a hash, so that a long one can be interrupted. `state` is the result of the
 * previous step, or undefined for the first. `bytes` must be whole blocks, except in the last step.
 * The last step gets the length of the whole message and returns the digest.
 */
export function hashStep(
  name: HashName,
  state: Uint8Array | undefined,
  bytes: Uint8Array,
  totalLength?: number,
): Uint8Array {
  const { isLong, isLittleEndian, initial, compress, length } = kinds[name];
  const words = state ? state.slice() : toBytes(initial(), isLittleEndian);
  const isLast = totalLength !== undefined;
  const message = isLast ? pad(bytes, totalLength, blockSize(name), isLittleEndian) : bytes;
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
  if (isLong) compressLong(new DataView(words.buffer), view);
  else compressShort(words, view, isLittleEndian, compress);
  return isLast ? words.subarray(0, length) : words;
}

interface HashKind {
  /** True for the SHA-512 family, which computes in 64-bit words. */
  readonly isLong: boolean;
  readonly isLittleEndian: boolean;
  /** The length of the digest in bytes. */
  readonly length: number;
  readonly compress: Compress;
  initial(): readonly (number | bigint)[];
}

type Compress = (state: Uint32Array, word: (index: number) => number) => void;

/** Pads the message: a one bit, zeros, and the total length in bits at the end. */
function pad(
  bytes: Uint8Array,
  totalLength: number,
  blockBytes: number,
  isLittleEndian: boolean,
): Uint8Array {
  const blocks = Math.ceil((bytes.length + 1 + blockBytes / 8) / blockBytes);
  const padded = new Uint8Array(blocks * blockBytes);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(totalLength) * 8n, isLittleEndian);
  return padded;
}

/** Writes 32-bit words, or 64-bit words if they are bigints. */
function toBytes(words: readonly (number | bigint)[], isLittleEndian: boolean): Uint8Array {
  const size = typeof words[0] === 'bigint' ? 8 : 4;
  const view = new DataView(new ArrayBuffer(words.length * size));
  words.forEach((word, index) => {
    if (typeof word === 'bigint') view.setBigUint64(index * 8, word);
    else view.setUint32(index * 4, word, isLittleEndian);
  });
  return new Uint8Array(view.buffer);
}

/** Hashes with 32-bit words and blocks of 64 bytes. */
function compressShort(
  bytes: Uint8Array,
  message: DataView,
  isLittleEndian: boolean,
  compress: Compress,
): void {
  const view = new DataView(bytes.buffer);
  const state = Uint32Array.from({ length: bytes.length / 4 }, (_, index) =>
    view.getUint32(index * 4, isLittleEndian),
  );
  for (let block = 0; block < message.byteLength; block += 64) {
    compress(state, (index) => message.getUint32(block + index * 4, isLittleEndian));
  }
  state.forEach((word, index) => view.setUint32(index * 4, word, isLittleEndian));
}

const rotateLeft = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits));

// RFC 1321, section 3.4: four rounds with four rotation amounts each.
const md5Shifts = [
  [7, 12, 17, 22],
  [5, 9, 14, 20],
  [4, 11, 16, 23],
  [6, 10, 15, 21],
] as const;
const shiftOf = (round: number, at: number) => md5Shifts[round]?.[at & 3] ?? 0;
const md5Sines = Array.from({ length: 64 }, (_, at) =>
  Math.floor(2 ** 32 * Math.abs(Math.sin(at + 1))),
);

const compressMd5: Compress = (state, word) => {
  let [a = 0, b = 0, c = 0, d = 0] = state;
  for (let at = 0; at < 64; at += 1) {
    const round = at >> 4;
    const mixed =
      round === 0
        ? (b & c) | (~b & d)
        : round === 1
          ? (d & b) | (~d & c)
          : round === 2
            ? b ^ c ^ d
            : c ^ (b | ~d);
    const index =
      (round === 0 ? at : round === 1 ? 5 * at + 1 : round === 2 ? 3 * at + 5 : 7 * at) & 15;
    const sum = (a + mixed + (md5Sines[at] ?? 0) + word(index)) | 0;
    a = d;
    d = c;
    c = b;
    b = (b + rotateLeft(sum, shiftOf(round, at))) | 0;
  }
  addTo(state, [a, b, c, d]);
};

const sha1Constants = [0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6] as const;

const compressSha1: Compress = (state, word) => {
  const words = new Int32Array(80);
  for (let at = 0; at < 16; at += 1) words[at] = word(at);
  for (let at = 16; at < 80; at += 1) {
    const past = (back: number) => words[at - back] ?? 0;
    words[at] = rotateLeft(past(3) ^ past(8) ^ past(14) ^ past(16), 1);
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0] = state;
  for (let at = 0; at < 80; at += 1) {
    const round = Math.floor(at / 20);
    const mixed =
      round === 0 ? (b & c) | (~b & d) : round === 2 ? (b & c) | (b & d) | (c & d) : b ^ c ^ d;
    const sum = (rotateLeft(a, 5) + mixed + e + (sha1Constants[round] ?? 0) + (words[at] ?? 0)) | 0;
    e = d;
    d = c;
    c = rotateLeft(b, 30);
    b = a;
    a = sum;
  }
  addTo(state, [a, b, c, d, e]);
};

function addTo(state: Uint32Array, words: readonly number[]): void {
  words.forEach((word, index) => (state[index] = (state[index] ?? 0) + word));
}

const sha512Constants = lazily(() => fractionsOfRoots(80, 3n));

/** SHA-512 and SHA-384 with bigints: about 1 MB in a second, for very little code. */
function compressLong(view: DataView, message: DataView): void {
  const constants = sha512Constants();
  const cut = (value: bigint) => BigInt.asUintN(64, value);
  const right = (value: bigint, bits: bigint) => cut((value >> bits) | (value << (64n - bits)));
  const state = Array.from({ length: 8 }, (_, at) => view.getBigUint64(at * 8));
  for (let block = 0; block < message.byteLength; block += 128) {
    const words = Array.from({ length: 16 }, (_, at) => message.getBigUint64(block + at * 8));
    const word = (at: number) => words[at] ?? 0n;
    for (let at = 16; at < 80; at += 1) {
      const near = word(at - 2);
      const far = word(at - 15);
      const sum =
        word(at - 16) +
        word(at - 7) +
        (right(far, 1n) ^ right(far, 8n) ^ (far >> 7n)) +
        (right(near, 19n) ^ right(near, 61n) ^ (near >> 6n));
      words.push(cut(sum));
    }
    let [a = 0n, b = 0n, c = 0n, d = 0n, e = 0n, f = 0n, g = 0n, h = 0n] = state;
    for (let at = 0; at < 80; at += 1) {
      const high = right(e, 14n) ^ right(e, 18n) ^ right(e, 41n);
      const first = h + high + ((e & f) ^ (cut(~e) & g)) + (constants[at] ?? 0n) + word(at);
      const low = right(a, 28n) ^ right(a, 34n) ^ right(a, 39n);
      const second = low + ((a & b) ^ (a & c) ^ (b & c));
      h = g;
      g = f;
      f = e;
      e = cut(d + first);
      d = c;
      c = b;
      b = a;
      a = cut(first + second);
    }
    [a, b, c, d, e, f, g, h].forEach((sum, at) => (state[at] = cut((state[at] ?? 0n) + sum)));
  }
  state.forEach((word, index) => view.setBigUint64(index * 8, word));
}

const md5Start = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476] as const;
const short = { isLong: false, isLittleEndian: false } as const;
const long = { isLong: true, isLittleEndian: false, compress: () => undefined } as const;

const kinds: Readonly<Record<HashName, HashKind>> = {
  md5: {
    ...short,
    isLittleEndian: true,
    length: 16,
    initial: () => md5Start,
    compress: compressMd5,
  },
  sha1: {
    ...short,
    length: 20,
    initial: () => [...md5Start, 0xc3d2e1f0],
    compress: compressSha1,
  },
  sha256: {
    ...short,
    length: 32,
    initial: sha256Start,
    compress: compressSha256,
  },
  sha384: { ...long, length: 48, initial: () => fractionsOfRoots(16, 2n).slice(8) },
  sha512: { ...long, length: 64, initial: () => fractionsOfRoots(8, 2n) },
};
