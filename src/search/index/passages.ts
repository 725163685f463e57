// Splits large texts into passages of whole lines with trigrams of their own. A large file holds
// nearly every trigram somewhere, but seldom all of a pattern's in one passage.

/** Whole lines of a text, in UTF-16 units. */
export interface Passage {
  readonly start: number;
  readonly end: number;
  /** The number of its first line, from 1. */
  readonly firstLine: number;
}

// 16 Ki. With half of it bitmaps take an eighth more, and searches are no faster.
const passageLength = 16_384;

/** Splits all of the text into passages, one after the other. A long line is in one passage. */
export function toPassages(text: string): Passage[] {
  const passages: Passage[] = [];
  let start = 0;
  let firstLine = 1;
  // The last passage may be longer, because a short rest isn't worth its own bitmap.
  while (text.length - start > passageLength * 1.5) {
    const lineFeed = text.indexOf('\n', start + passageLength);
    if (lineFeed === -1 || lineFeed === text.length - 1) break;
    const end = lineFeed + 1;
    passages.push({ start, end, firstLine });
    firstLine += countLineFeeds(text, start, end);
    start = end;
  }
  passages.push({ start, end: text.length, firstLine });
  return passages;
}

function countLineFeeds(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', start); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) {
    count += 1;
  }
  return count;
}
