// The set of a text's trigrams as a bitmap, which answers "perhaps" or "certainly not". By it a search skips most
// files without reading them. Bytes are folded to 64 classes, so one set serves searches with and without regard to
// case.

/** How many bits a trigram gets: 8 for speed; 4 where memory is short, for 1.5 times the files read. */
export type BitsPerTrigram = 4 | 8;

// One class for each letter in either case, one for all digits, one for all bytes beyond ASCII, and
// 36 for what is left. These are printable characters, tab, line feed, and one for every other
// control code.
const digitClass = 26;
const wideClass = 27;
const firstOtherClass = 28;
const controlClass = 63;

/** The class of each byte. */
export const byteClasses: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 0x80) return wideClass;
  const char = String.fromCharCode(byte);
  if (/[a-z]/i.test(char)) return char.toLowerCase().charCodeAt(0) - 0x61;
  if (/[0-9]/.test(char)) return digitClass;
  const at = '\t\n !"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'.indexOf(char);
  return at === -1 ? controlClass : firstOtherClass + at;
});

/** The class of all bytes of characters beyond ASCII. */
export const beyondAscii: number = wideClass;

const trigramCount = 1 << 18;
const trigramMask = trigramCount - 1;

/** Three classes as one number. */
export function toTrigram(first: number, second: number, third: number): number {
  return (first << 12) | (second << 6) | third;
}

/** The number that {@link placeOf} takes for a trigram: 18 bits, as many as trigrams have. */
export function toTrigramHash(trigram: number): number {
  // Fibonacci hashing: the golden ratio spreads neighbouring numbers over the upper bits.
  return Math.imul(trigram, 0x9e3779b1) >>> 14;
}

/**
 * The place of a trigram in a bitmap of `length` bits, a multiple of 32. It is `hash / 2 ** 18` of
 * all, which fits in 31 bits as long as it isn't divided.
 */
export function placeOf(hash: number, length: number): number {
  return Math.imul(hash, length >>> 5) >>> 13;
}

/** Finds the trigrams of one text after the other. Its own memory takes 1 MB. */
export class TrigramCollector {
  // The trigrams that were seen: 32 KB, so that it stays in the processor's nearest cache.
  readonly #seen = new Uint32Array(trigramCount / 32);
  readonly #found = new Uint32Array(trigramCount);
  #count = 0;

  /** Collects the different trigrams of the bytes, and forgets those of the text before. */
  collect(bytes: Uint8Array): void {
    const seen = this.#seen;
    const found = this.#found;
    for (let at = 0; at < this.#count; at += 1) seen[(found[at] ?? 0) >>> 5] = 0;
    const length = bytes.length;
    let count = 0;
    if (length >= 3) {
      let trigram = toTrigram(0, byteClasses[bytes[0] ?? 0] ?? 0, byteClasses[bytes[1] ?? 0] ?? 0);
      for (let at = 2; at < length; at += 1) {
        trigram = ((trigram << 6) & trigramMask) | (byteClasses[bytes[at] ?? 0] ?? 0);
        const word = seen[trigram >>> 5] ?? 0;
        const bit = 1 << (trigram & 31);
        if ((word & bit) === 0) {
          seen[trigram >>> 5] = word | bit;
          found[count] = trigram;
          count += 1;
        }
      }
    }
    this.#count = count;
  }

  /** The bits that a bitmap of the collected trigrams has, a multiple of 32. */
  bitCount(bitsPerTrigram: BitsPerTrigram): number {
    // There is at most one bit for each possible trigram.
    const bits = Math.min(this.#count * bitsPerTrigram, trigramCount);
    return Math.max(Math.ceil(bits / 32), 1) * 32;
  }

  /** Visits the places of the collected trigrams in a bitmap of that length. */
  forEachPlace(length: number, visit: (at: number) => void): void {
    for (let at = 0; at < this.#count; at += 1) {
      visit(placeOf(toTrigramHash(this.#found[at] ?? 0), length));
    }
  }
}
