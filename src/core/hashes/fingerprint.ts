// A fast hash of a text with 128 bits. It distinguishes texts, but isn't cryptographic. A session's journal
// identifies requests by it.

/**
 * Uses the mixing of MurmurHash3, in its variant for 32-bit machines and 128 bits (Austin Appleby, 2011, public
 * domain). It mixes the text's UTF-16 code units, two to a word. The last block is padded with zeros. The length is
 * mixed in, too.
 *
 * @returns 32 hexadecimal digits
 */
export function fingerprint(text: string): string {
  let [a, b, c, d] = [0, 0, 0, 0];
  // The text is padded, so that nothing is read past its end. Engines read texts several times slower after such a
  // read.
  const filled = text.padEnd(Math.ceil(text.length / 8) * 8, '\0');
  for (let at = 0; at < filled.length; at += 8) {
    a ^= mix(wordAt(filled, at), 0x239b961b, 15, 0xab0e9789);
    a = (Math.imul(rotate(a, 19) + b, 5) + 0x561ccd1b) | 0;
    b ^= mix(wordAt(filled, at + 2), 0xab0e9789, 16, 0x38b34ae5);
    b = (Math.imul(rotate(b, 17) + c, 5) + 0x0bcaa747) | 0;
    c ^= mix(wordAt(filled, at + 4), 0x38b34ae5, 17, 0xa1e38b93);
    c = (Math.imul(rotate(c, 15) + d, 5) + 0x96cd1c35) | 0;
    d ^= mix(wordAt(filled, at + 6), 0xa1e38b93, 18, 0x239b961b);
    d = (Math.imul(rotate(d, 13) + a, 5) + 0x32ac3b17) | 0;
  }
  const sums = spread([a, b, c, d].map((sum) => sum ^ (text.length * 2)));
  return spread(sums.map(finish)).map(toHex).join('');
}

/** Two code units, the first in the lower half. */
const wordAt = (text: string, at: number) => text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16);

const rotate = (word: number, bits: number) => (word << bits) | (word >>> (32 - bits));

function mix(word: number, first: number, bits: number, second: number): number {
  return Math.imul(rotate(Math.imul(word, first), bits), second);
}

/** Mixes the words, so that each bit affects all four. */
function spread([a = 0, b = 0, c = 0, d = 0]: readonly number[]): number[] {
  const sum = (a + b + c + d) | 0;
  return [sum, (b + sum) | 0, (c + sum) | 0, (d + sum) | 0];
}

function finish(sum: number): number {
  const once = Math.imul(sum ^ (sum >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return twice ^ (twice >>> 16);
}

function toHex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}
