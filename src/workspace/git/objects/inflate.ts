// Inflates one zlib stream in the middle of other bytes and returns where it ended, as reading a
// pack requires. The length of the result is known in advance, so no buffer grows and no state is
// kept.
import { SdkError } from '../../../core/errors.ts';

// Base values and extra bits of RFC 1951, 3.2.5.
const lengthBase = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131,
  163, 195, 227, 258,
];
const lengthBits = [
  0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
];
const distanceBase = [
  1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049,
  3073, 4097, 6145, 8193, 12289, 16385, 24577,
];
const distanceBits = [
  0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
];
// The order in which a block stores the lengths of its code-length codes (3.2.7).
const lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/**
 * A prefix code as one table, indexed by the next `bits` bits. Each entry is the symbol times 16
 * plus the code's length.
 */
interface Code {
  readonly table: Uint16Array;
  readonly bits: number;
}

/**
 * Fills `output` from the zlib stream at `at` of `input`. Returns the offset behind the stream. The
 * stream's Adler-32 isn't verified, because packs and objects have stronger checksums.
 *
 * @throws SdkError `EIO` if the stream is damaged or truncated, or isn't as long as `output`
 */
export function inflate(input: Uint8Array, at: number, output: Uint8Array): number {
  const inflater = new Inflater(input.subarray(at), output);
  inflater.run(false);
  if (inflater.length !== output.length) {
    throw damaged(`it holds ${inflater.length} bytes and says ${output.length}`);
  }
  return at + inflater.end();
}

/**
 * Fills `output` with the beginning of the stream, for the header of an object. Returns the number
 * of bytes.
 */
export function inflateBeginning(input: Uint8Array, output: Uint8Array): number {
  const inflater = new Inflater(input, output);
  inflater.run(true);
  return inflater.length;
}

class Inflater {
  readonly #input: Uint8Array;
  readonly #output: Uint8Array;
  /** The position in bits. */
  #at = 16;
  length = 0;

  constructor(input: Uint8Array, output: Uint8Array) {
    this.#input = input;
    this.#output = output;
  }

  /** With `isPart`, stops when `output` is full. Otherwise more data is an error. */
  run(isPart: boolean): void {
    const [method = 0, flags = 0] = this.#input;
    // Checks for deflate, no preset dictionary, and a header that is a multiple of 31.
    if ((method & 15) !== 8 || (flags & 32) !== 0 || ((method << 8) | flags) % 31 !== 0) {
      throw damaged('it is no zlib stream');
    }
    for (let isLast = false; !isLast;) {
      isLast = this.#take(1) === 1;
      const kind = this.#take(2);
      if (kind === 0) this.#stored(isPart);
      else if (kind === 1) this.#compressed(fixedCodes(), isPart);
      else if (kind === 2) this.#compressed(this.#readCodes(), isPart);
      else throw damaged('a block has an unknown kind');
      if (isPart && this.length === this.#output.length) return;
      if (this.#at > this.#input.length * 8) throw damaged('it is cut off');
    }
  }

  /** Returns the position behind the stream and its four-byte checksum. */
  end(): number {
    const end = ((this.#at + 7) >>> 3) + 4;
    if (end > this.#input.length) throw damaged('it is cut off');
    return end;
  }

  /** Returns the next `count` bits, at most 16. Behind the end they are zeros. */
  #take(count: number): number {
    const value = bitsAt(this.#input, this.#at) & ((1 << count) - 1);
    this.#at += count;
    return value;
  }

  #stored(isPart: boolean): void {
    const at = (this.#at + 7) >>> 3;
    const input = this.#input;
    if (at + 4 > input.length) throw damaged('it is cut off');
    const length = (input[at] ?? 0) | ((input[at + 1] ?? 0) << 8);
    if (length !== (~((input[at + 2] ?? 0) | ((input[at + 3] ?? 0) << 8)) & 0xffff)) {
      throw damaged('a stored block has no length');
    }
    const from = at + 4;
    if (from + length > input.length) throw damaged('it is cut off');
    const room = this.#output.length - this.length;
    if (length > room && !isPart) throw tooLong(this.#output.length);
    const taken = Math.min(length, room);
    this.#output.set(input.subarray(from, from + taken), this.length);
    this.length += taken;
    this.#at = (from + length) * 8;
  }

  #readCodes(): readonly [Code, Code] {
    const literals = this.#take(5) + 257;
    const distances = this.#take(5) + 1;
    const given = this.#take(4) + 4;
    const { ofLengths } = scratch();
    ofLengths.fill(0);
    for (let i = 0; i < given; i += 1) ofLengths[lengthOrder[i] ?? 0] = this.#take(3);
    const code = makeCode(ofLengths, scratch().forLengths);
    const lengths = scratch().lengths.subarray(0, literals + distances);
    for (let i = 0; i < lengths.length;) {
      const symbol = this.#symbol(code);
      if (symbol < 16) {
        lengths[i] = symbol;
        i += 1;
        continue;
      }
      if (symbol === 16 && i === 0) throw damaged('a block repeats a length before the first');
      const value = symbol === 16 ? (lengths[i - 1] ?? 0) : 0;
      const count =
        symbol === 16 ? 3 + this.#take(2) : symbol === 17 ? 3 + this.#take(3) : 11 + this.#take(7);
      if (i + count > lengths.length) throw damaged('a block has too many lengths');
      lengths.fill(value, i, i + count);
      i += count;
    }
    return [
      makeCode(lengths.subarray(0, literals), scratch().literals),
      makeCode(lengths.subarray(literals), scratch().distances),
    ];
  }

  #symbol({ table, bits }: Code): number {
    const entry = table[bitsAt(this.#input, this.#at) & ((1 << bits) - 1)] ?? 0;
    if (entry === 0) throw damaged('a code is unknown');
    this.#at += entry & 15;
    return entry >> 4;
  }

  #compressed([literals, distances]: readonly [Code, Code], isPart: boolean): void {
    const input = this.#input;
    const output = this.#output;
    const { table, bits } = literals;
    const mask = (1 << bits) - 1;
    const size = output.length;
    const last = input.length * 8;
    let at = this.#at;
    let length = this.length;
    for (;;) {
      const entry = table[bitsAt(input, at) & mask] ?? 0;
      if (entry === 0) throw damaged('a code is unknown');
      at += entry & 15;
      const symbol = entry >> 4;
      if (symbol < 256) {
        if (length === size) {
          if (isPart) break;
          throw tooLong(size);
        }
        output[length] = symbol;
        length += 1;
        continue;
      }
      if (symbol === 256) break;
      // Behind the end there are only zeros, which may form a valid code. So the position is
      // checked before repeating.
      if (symbol > 285 || at > last) throw damaged('it is cut off or holds an unknown length');
      const extra = lengthBits[symbol - 257] ?? 0;
      let count = (lengthBase[symbol - 257] ?? 0) + (bitsAt(input, at) & ((1 << extra) - 1));
      at += extra;
      const place = distances.table[bitsAt(input, at) & ((1 << distances.bits) - 1)] ?? 0;
      if (place === 0) throw damaged('a distance is unknown');
      at += place & 15;
      const far = place >> 4;
      if (far > 29) throw damaged('a distance is unknown');
      const distance =
        (distanceBase[far] ?? 0) + (bitsAt(input, at) & ((1 << (distanceBits[far] ?? 0)) - 1));
      at += distanceBits[far] ?? 0;
      if (distance > length) throw damaged('it points before its beginning');
      if (count > size - length) {
        if (!isPart) throw tooLong(size);
        count = size - length;
      }
      for (const end = length + count; length < end; length += 1) {
        output[length] = output[length - distance] ?? 0;
      }
      if (isPart && length === size) break;
    }
    this.#at = at;
    this.length = length;
  }
}

/** Returns at least 17 bits from bit position `at`. Behind the end they are zeros. */
function bitsAt(input: Uint8Array, at: number): number {
  const byte = at >>> 3;
  return (
    ((input[byte] ?? 0) | ((input[byte + 1] ?? 0) << 8) | ((input[byte + 2] ?? 0) << 16)) >>>
    (at & 7)
  );
}

/** Builds the table of a canonical prefix code (3.2.2) in `room`. */
function makeCode(lengths: Uint8Array, room: Uint16Array): Code {
  const { counts, next } = scratch();
  counts.fill(0);
  let bits = 1;
  for (const length of lengths) {
    counts[length] = (counts[length] ?? 0) + 1;
    if (length > bits) bits = length;
  }
  let code = 0;
  for (let length = 1; length <= bits; length += 1) {
    next[length] = code;
    code += counts[length] ?? 0;
    if (code > 1 << length) throw damaged('a block has an impossible code');
    code <<= 1;
  }
  const size = 1 << bits;
  const table = room.subarray(0, size);
  table.fill(0);
  for (let symbol = 0; symbol < lengths.length; symbol += 1) {
    const length = lengths[symbol] ?? 0;
    if (length === 0) continue;
    const entry = (symbol << 4) | length;
    const first = reversed(next[length] ?? 0, length);
    next[length] = (next[length] ?? 0) + 1;
    for (let at = first; at < size; at += 1 << length) table[at] = entry;
  }
  return { table, bits };
}

function reversed(code: number, length: number): number {
  let rest = code;
  let result = 0;
  for (let i = 0; i < length; i += 1) {
    result = (result << 1) | (rest & 1);
    rest >>= 1;
  }
  return result;
}

/** Buffers for reading one block: the lengths and tables of its codes. */
class Rooms {
  readonly literals = new Uint16Array(1 << 15);
  readonly distances = new Uint16Array(1 << 15);
  readonly forLengths = new Uint16Array(128);
  readonly lengths = new Uint8Array(320);
  readonly ofLengths = new Uint8Array(19);
  readonly counts = new Uint16Array(16);
  readonly next = new Uint16Array(16);
}

// One set of buffers is enough for all blocks, because nothing here is asynchronous.
let rooms: Rooms | undefined;

function scratch(): Rooms {
  return (rooms ??= new Rooms());
}

let fixed: readonly [Code, Code] | undefined;

/** The codes of 3.2.6. */
function fixedCodes(): readonly [Code, Code] {
  if (!fixed) {
    const lengths = new Uint8Array(288).fill(8, 0, 144).fill(9, 144, 256);
    lengths.fill(7, 256, 280).fill(8, 280);
    fixed = [
      makeCode(lengths, new Uint16Array(512)),
      makeCode(new Uint8Array(32).fill(5), new Uint16Array(32)),
    ];
  }
  return fixed;
}

function tooLong(size: number): SdkError {
  return damaged(`it holds more than the ${size} bytes that it says`);
}

function damaged(why: string): SdkError {
  return new SdkError('EIO', `EIO: compressed data of a git object is damaged: ${why}.`);
}
