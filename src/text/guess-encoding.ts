// Guesses the legacy encoding of a text that isn't UTF-8. It uses the text's declaration, or else tests in which
// encoding the text looks most like a language. It gives no doubtful guess, because an edit in a wrong encoding would
// damage the text. Called by encoding.ts. Pure.
import { toLegacyEncoding, type LegacyEncoding } from './legacy-encoding.ts';

// 1 KB: as far as browsers look for a declaration.
const declarationBytes = 1024;

// 32 KB: this has all frequent letters. Security: a web page may be one line of megabytes.
const sampleBytes = 32_768;

// 1 KB before the first byte that isn't ASCII, so that its word is included.
const leadBytes = 1024;

// Measured on texts of many languages: the right encoding has 0.7 or more, a wrong one less than 0.4.
const leastScore = 0.5;
const leastLead = 0.08;

// If the scores are close, a Western European encoding is by far the most likely.
const westernLead = 0.2;

/**
 * Declarations of an encoding: HTML and CSS (`charset`), XML (`encoding`), and editors (`coding:`).
 */
const declaration = /(?:charset|coding)\s*[:=]?\s*["']?\s*([\w.-]+)/i;

/** Undefined if the encoding can't be told. `bytes` must not be valid UTF-8. */
export function guessEncoding(bytes: Uint8Array): LegacyEncoding | undefined {
  const declared = readDeclaration(bytes);
  if (declared === 'utf-8' || isBrokenUtf8(bytes)) return undefined;
  if (declared) return declared;
  const { sample, isCut } = takeSample(bytes);
  const scores = [...scoreTexts(sample), ...scorePairs(sample, isCut)];
  scores.sort((left, right) => right.score - left.score);
  const [best] = scores;
  if (!best || best.score < leastScore) return undefined;
  const rival = scores.find(
    ({ encoding }) => decode(sample, encoding) !== decode(sample, best.encoding),
  );
  return rival && best.score - rival.score < leastLead ? undefined : best.encoding;
}

interface Score {
  readonly encoding: LegacyEncoding;
  /** About 1 for a text that looks like a language, 0 and less for others. */
  readonly score: number;
}

function decode(bytes: Uint8Array, encoding: LegacyEncoding): string {
  return new TextDecoder(encoding, { fatal: false, ignoreBOM: true }).decode(bytes);
}

function readDeclaration(bytes: Uint8Array): LegacyEncoding | 'utf-8' | undefined {
  const head = decode(bytes.subarray(0, declarationBytes), 'windows-1252');
  const label = declaration.exec(head)?.[1]?.toLowerCase();
  if (label === undefined) return undefined;
  if (label === 'utf-8' || label === 'utf8') return 'utf-8';
  // Python's name for an encoding, which browsers don't know.
  return toLegacyEncoding(label.replace(/^latin-(\d)$/, 'latin$1'));
}

/** True for UTF-8 with some wrong bytes. Other texts hardly ever have valid characters of several bytes by chance. */
function isBrokenUtf8(bytes: Uint8Array): boolean {
  const text = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(bytes);
  let right = 0;
  let wrong = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 0xfffd) wrong += 1;
    else if (unit > 0x7f) right += 1;
  }
  return right >= wrong;
}

/**
 * Takes whole lines from the first that isn't ASCII, so that no character of two bytes is split. Of a line that is
 * too long it takes the part around that place. `isCut`: the last character may be incomplete.
 */
function takeSample(bytes: Uint8Array): { readonly sample: Uint8Array; readonly isCut: boolean } {
  const first = bytes.findIndex((byte) => byte > 0x7f);
  const start = Math.max(bytes.lastIndexOf(0x0a, first) + 1, first - leadBytes);
  const limit = start + sampleBytes;
  if (bytes.length <= limit) return { sample: bytes.subarray(start), isCut: false };
  const end = bytes.lastIndexOf(0x0a, limit);
  const isCut = end < first;
  return { sample: bytes.subarray(start, isCut ? limit : end), isCut };
}

// --- Encodings of one byte a character: judged by the words that come out ---

/** For each Latin encoding, letters that its languages hardly use. */
const latinEncodings = {
  'windows-1252': 'šžþðýŠŽÞÐÝÿŸƒ',
  'windows-1250': 'çţđÇŢĐ',
  'iso-8859-2': 'çţđÇŢĐ',
  'windows-1254': 'áíóúæåøãõñèàùòìêôëïÿšžÁÍÓÚÆÅØÃÕÑ',
} as const;

/** Other alphabets, each with the letters that are frequent in it. */
const otherEncodings = {
  'windows-1251': 'оеаинтсрвлі',
  'koi8-r': 'оеаинтсрвлі',
  ibm866: 'оеаинтсрвлі',
  'iso-8859-5': 'оеаинтсрвлі',
  'windows-1253': 'αοιετσνηυρς',
  'windows-1255': 'יוהלאמרתשבנ',
  'windows-1256': 'اليمونرتبةعد',
  'windows-874': 'านรอกเงมยลวดทสต่้ะ',
} as const;

// Characters other than letters that occur in all languages. The apostrophe also occurs within words.
const typographic = '“”‘’‚„–—…•€£§©®™°«»·×±¿¡ºª²³µ½¼¾№';

// Greek, Hebrew and Arabic letters that stand at the ends of words only.
const finalLetters = 'ςךםןףץىة';

function scoreTexts(sample: Uint8Array): Score[] {
  const scores: Score[] = [];
  for (const [encoding, rare] of Object.entries(latinEncodings)) {
    const lead = encoding === 'windows-1252' ? westernLead : 0;
    const score = scoreText(sample, encoding, (letter) => (rare.includes(letter) ? 0.3 : 1), true);
    scores.push({
      encoding: encoding as LegacyEncoding,
      score: score < leastScore ? score : score + lead,
    });
  }
  for (const [encoding, frequent] of Object.entries(otherEncodings)) {
    const weigh = (letter: string) => (frequent.includes(letter.toLowerCase()) ? 1 : 0.4);
    const score = scoreText(sample, encoding, weigh, false);
    scores.push({ encoding: encoding as LegacyEncoding, score });
  }
  return scores;
}

/** The mean weight of the text's characters beyond ASCII. */
function scoreText(
  sample: Uint8Array,
  encoding: string,
  weigh: (letter: string) => number,
  isLatin: boolean,
): number {
  if (toLegacyEncoding(encoding) === undefined) return -1;
  const text = decode(sample, encoding as LegacyEncoding);
  // A text has no controls, and no codes that the encoding lacks.
  if (/[\u0080-\u009f\ue000-\uf8ff\ufffd]/.test(text)) return -1;
  let sum = 0;
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text.charCodeAt(at) < 0x80) continue;
    count += 1;
    sum += scoreCharacter(
      text[at - 1] ?? ' ',
      text[at] ?? ' ',
      text[at + 1] ?? ' ',
      weigh,
      isLatin,
    );
  }
  return count === 0 ? -1 : sum / count;
}

function scoreCharacter(
  before: string,
  character: string,
  after: string,
  weigh: (letter: string) => number,
  isLatin: boolean,
): number {
  if (!isLetter(character)) {
    if (character === '’') return 0.6;
    const isSmall = '¹²³ºª'.includes(character);
    if (isLetter(after) && (isSmall || isLetter(before))) return -1;
    return typographic.includes(character) ? 0.6 : 0;
  }
  // A word of one such letter is rare.
  if (isLatin && !isLetter(before) && !isLetter(after)) return weigh(character) / 2;
  if (finalLetters.includes(character) && isLetter(after)) return -1;
  // An accented letter is usually among plain letters. Letters of other alphabets are rarely among Latin ones.
  const isOdd = isLatin
    ? (other: string) => other > '\u007f' && isLetter(other)
    : (other: string) => /[A-Za-z]/.test(other);
  const odd = Number(isOdd(before)) + Number(isOdd(after));
  const isOddCase = isOddPair(before, character) || isOddPair(character, after);
  return weigh(character) - odd * (isLatin ? 0.5 : 1) - (isOddCase ? 1 : 0);
}

/** True for letters and marks. A mark belongs to the letter before it, as in Thai. */
function isLetter(character: string): boolean {
  return /[\p{L}\p{M}]/u.test(character);
}

/** True for a capital after a small letter. */
function isOddPair(first: string, second: string): boolean {
  return isUpper(second) && isLetter(first) && first !== first.toUpperCase();
}

function isUpper(character: string): boolean {
  return character !== character.toLowerCase();
}

// --- Encodings of two bytes a character: judged by where in their tables the characters stand ---

/**
 * The weight of two bytes, by the place in the encoding's table: frequent characters are next to each other.
 * Undefined if the bytes aren't a character.
 */
type WeighPair = (lead: number, trail: number) => number | undefined;

const within = (byte: number, from: number, to: number): boolean => byte >= from && byte <= to;

const pairEncodings: Readonly<Partial<Record<LegacyEncoding, WeighPair>>> = {
  // Level 1, in the order of its sounds, from B0 to D7; kana, which Chinese texts hardly have, A4 and A5.
  gbk(lead, trail) {
    if (lead === 0x80 || !within(trail, 0x40, 0xfe) || trail === 0x7f) return undefined;
    if (trail < 0xa1) return -0.5;
    if (within(lead, 0xa1, 0xa3)) return 0.7;
    if (within(lead, 0xb0, 0xd7)) return 1;
    return within(lead, 0xd8, 0xf7) ? 0 : -0.5;
  },
  // Level 1 from A4 to C6.
  big5(lead, trail) {
    if (!within(trail, 0x40, 0x7e) && !within(trail, 0xa1, 0xfe)) return undefined;
    if (within(lead, 0xa1, 0xa3)) return 0.7;
    if (within(lead, 0xa4, 0xc6)) return 1;
    return within(lead, 0xc9, 0xf9) ? 0.1 : -0.5;
  },
  // Hangul from B0 to C8 is worth more than Chinese, which has the same bytes.
  'euc-kr'(lead, trail) {
    if (!within(trail, 0x41, 0xfe)) return undefined;
    if (trail < 0xa1) return -0.5;
    if (within(lead, 0xa1, 0xa3)) return 0.7;
    return within(lead, 0xb0, 0xc8) ? 1.2 : -0.7;
  },
  // Kana in A4 and A5, level 1 from B0 to CF.
  'euc-jp'(lead, trail) {
    if (lead === 0x8e || lead === 0x8f) return trail > 0xa0 ? -0.3 : undefined;
    if (!within(lead, 0xa1, 0xfe) || !within(trail, 0xa1, 0xfe)) return undefined;
    if (lead === 0xa4 || lead === 0xa5) return 1.3;
    if (lead === 0xa1 || lead === 0xa3) return 0.7;
    if (within(lead, 0xb0, 0xcf)) return 0.9;
    return within(lead, 0xd0, 0xf4) ? 0.1 : -0.5;
  },
  // Kana in 82 and 83, level 1 from 88 to 97.
  shift_jis(lead, trail) {
    if (!within(trail, 0x40, 0xfc) || trail === 0x7f) return undefined;
    if (lead === 0x82 || lead === 0x83) return trail >= 0x9f || lead === 0x83 ? 1 : 0.5;
    if (lead === 0x81) return 0.7;
    if (within(lead, 0x88, 0x97)) return 0.8;
    return within(lead, 0x98, 0x9f) || within(lead, 0xe0, 0xea) ? 0.1 : -0.5;
  },
};

function scorePairs(sample: Uint8Array, isCut: boolean): Score[] {
  return Object.entries(pairEncodings).map(([name, weigh]) => {
    const encoding = name as LegacyEncoding;
    const isKnown = toLegacyEncoding(encoding) !== undefined;
    return { encoding, score: isKnown ? scorePairsOf(sample, encoding, weigh, isCut) : -1 };
  });
}

function scorePairsOf(
  sample: Uint8Array,
  encoding: LegacyEncoding,
  weigh: WeighPair,
  isCut: boolean,
): number {
  let sum = 0;
  let count = 0;
  let isAfterLetter = false;
  for (let at = 0; at < sample.length; at += 1) {
    const lead = sample[at] ?? 0;
    if (lead < 0x80) {
      isAfterLetter = isAsciiLetter(lead);
      continue;
    }
    if (isCut && at === sample.length - 1) break;
    count += 1;
    // Half-width katakana, which are rare in texts.
    if (encoding === 'shift_jis' && within(lead, 0xa1, 0xdf)) {
      sum -= 0.3;
      isAfterLetter = false;
      continue;
    }
    const trail = sample[at + 1] ?? 0;
    const worth = weigh(lead, trail);
    if (worth === undefined) return -1;
    // A single accented letter between plain ones, as in Latin-1, looks like a pair.
    sum += trail < 0x80 && isAfterLetter ? -1 : worth;
    isAfterLetter = false;
    at += 1;
    if (encoding === 'euc-jp' && lead === 0x8f) at += 1;
  }
  return count === 0 ? -1 : sum / count;
}

function isAsciiLetter(byte: number): boolean {
  return /[A-Za-z]/.test(String.fromCharCode(byte));
}
