// The sources of a cell's time and randomness: the platform, or the seed and time in its request.
// With a seed and a time, the cell can be replayed with the same values. session.ts keeps the
// sources of its running cell.
import { SdkError } from '../../core/errors.ts';

/** Everything that may differ between two runs of a cell, apart from the network. */
export interface CellSources {
  /** Milliseconds since the epoch, with fractions. */
  now(): number;
  randomBytes(length: number): Uint8Array;
  /** A random number from 0 (included) to 1 (excluded), with the 53 bits of a double. */
  fraction(): number;
}

/** The sources that a request sets. The platform provides the others. */
export interface NamedSources {
  /** 32 hexadecimal digits, not all of them 0. */
  readonly seed?: string | undefined;
  /**
   * The time that the first reading of the clock returns. Later readings add the real time that has
   * passed.
   */
  readonly time?: number | undefined;
}

/** Creates the sources. `platform` provides what `named` leaves out, and the time that passes. */
export function createCellSources(
  { seed, time }: NamedSources,
  platform: Pick<CellSources, 'now' | 'randomBytes'>,
): CellSources {
  const randomBytes = seed === undefined ? platform.randomBytes : seededBytes(seed);
  return {
    now: time === undefined ? platform.now : startedClock(time, platform.now),
    randomBytes,
    fraction: fractionsOf(randomBytes),
  };
}

/**
 * A clock whose first reading is `time`, so that a cell that reads it once gets the same value in
 * each run. It then advances with real time and never goes back. A cell that polls the clock must
 * see time pass.
 */
function startedClock(time: number, now: () => number): () => number {
  let startedAt: number | undefined;
  let latest = time;
  return () => {
    const read = now();
    startedAt ??= read;
    latest = Math.max(latest, time + read - startedAt);
    return latest;
  };
}

/**
 * xoshiro128** 1.1 by Blackman and Vigna (https://prng.di.unimi.it/xoshiro128starstar.c). Words are
 * written with the low byte first. Security: whoever sees some of the numbers can compute the
 * others.
 */
export function seededBytes(seed: string): (length: number) => Uint8Array {
  if (!/^[\da-f]{32}$/u.test(seed) || /^0*$/u.test(seed)) {
    throw new SdkError(
      'invalid-input',
      `The seed of a cell is 32 hexadecimal digits, not all of them 0: make it with deriveSeed. It was ${JSON.stringify(seed).slice(0, 50)}.`,
    );
  }
  const digits = seed.match(/.{8}/gu) ?? [];
  let [a = 0, b = 0, c = 0, d = 0] = digits.map((word) => parseInt(word, 16));
  const rotateLeft = (word: number, bits: number) => (word << bits) | (word >>> (32 - bits));
  const next = () => {
    const word = Math.imul(rotateLeft(Math.imul(b, 5), 7), 9);
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotateLeft(d, 11);
    return word;
  };
  return (length) => {
    const view = new DataView(new ArrayBuffer(Math.ceil(length / 4) * 4));
    for (let at = 0; at < length; at += 4) view.setInt32(at, next(), true);
    return new Uint8Array(view.buffer, 0, length);
  };
}

// 128 numbers: a request to the platform for each would take three times as long as the call
// itself.
const poolBytes = 1024;

function fractionsOf(randomBytes: CellSources['randomBytes']): () => number {
  let pool: DataView = new DataView(new ArrayBuffer(0));
  let at = 0;
  return () => {
    if (at >= pool.byteLength) {
      const bytes = randomBytes(poolBytes);
      pool = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      at = 0;
    }
    const fraction = (pool.getUint32(at) * 2 ** 21 + (pool.getUint32(at + 4) >>> 11)) / 2 ** 53;
    at += 8;
    return fraction;
  };
}
