// A search index as bytes, to be kept beside the log: of the contents that it knows, what would else
// be learned by reading them. Numbers are in the machine's own order, as they stay on it:
//
//   u32 format, u32 checksum of what follows, u32 bits a trigram
//   u32 number of contents, of their passages, of the words of all bitmaps
//   of each content: f64 id; then of each: u32 number of passages
//   of each passage: u32 end; of each: u32 first line; of each: u32 number of words
//   the words, u32 each; of each content: u8 kind; zeros up to 4 bytes
import type { ContentId } from '../../core/change-set.ts';
import { SdkError } from '../../core/errors.ts';
import { checksum } from '../log/checksum.ts';
import { nextTask } from '../next-task.ts';
import type { KnownContent, KnownKind } from './content-index.ts';
import type { IndexedPassage } from './passage-table.ts';
import type { BitsPerTrigram } from './trigrams.ts';

/**
 * To be raised with whatever changes what is learned of a content: this layout, what is text, the
 * classes of bytes, their hash, where passages end. A test holds it to an index that was saved once.
 */
const format = 0x52_50_00_01;

const headerBytes = 24;

// 4 MB take about 6 ms to be summed: after that whatever else this thread has to do goes on.
const sliceBytes = 4_194_304;

// 256 KB of bitmaps: to take them from where they lie crosswise takes about 5 ms, too.
const wordsAtOnce = 65_536;

type Counts = readonly [contents: number, passages: number, words: number];

/** Inverse: {@link decodeIndex}. */
export async function encodeIndex(
  known: readonly KnownContent[],
  bitsPerTrigram: BitsPerTrigram,
): Promise<Uint8Array<ArrayBuffer>> {
  const passages = known.flatMap((content) => content.passages);
  const words = passages.reduce((sum, { wordCount }) => sum + wordCount, 0);
  const counts: Counts = [known.length, passages.length, words];
  const bytes = new Uint8Array(byteLengthOf(counts));
  const tables = tablesOf(bytes, counts);
  known.forEach((content, at) => {
    tables.ids[at] = content.contentId;
    tables.passageCounts[at] = content.passages.length;
    tables.kinds[at] = content.kind;
  });
  let start = 0;
  let restAt = wordsAtOnce;
  for (const [at, passage] of passages.entries()) {
    tables.ends[at] = passage.end;
    tables.firstLines[at] = passage.firstLine;
    tables.wordCounts[at] = passage.wordCount;
    tables.words.set(passage.readWords(), start);
    start += passage.wordCount;
    if (start < restAt) continue;
    restAt = start + wordsAtOnce;
    await nextTask();
  }
  const header = new Uint32Array(bytes.buffer, 0, headerBytes / 4);
  header.set([format, 0, bitsPerTrigram, ...counts]);
  header[1] = await sumOf(bytes);
  return bytes;
}

/**
 * What was saved of the contents that are still there. Throws `EIO`, saying what is wrong, for bytes
 * that are damaged, of another version, or of an index with other bits a trigram. Inverse:
 * {@link encodeIndex}.
 */
export async function decodeIndex(
  bytes: Uint8Array<ArrayBuffer>,
  bitsPerTrigram: BitsPerTrigram,
  live: ReadonlyMap<ContentId, unknown>,
): Promise<KnownContent[]> {
  if (bytes.length < headerBytes) throw unusable('is cut short');
  const header = new Uint32Array(bytes.buffer, 0, headerBytes / 4);
  const [found, sum, bits, contents = 0, passageCount = 0, wordCount = 0] = header;
  if (found !== format) throw unusable('is of another version');
  const counts: Counts = [contents, passageCount, wordCount];
  if (bytes.length !== byteLengthOf(counts)) throw unusable('is cut short');
  if (sum !== (await sumOf(bytes))) throw unusable('is damaged');
  if (bits !== bitsPerTrigram) throw unusable('has other bitmaps');
  const tables = tablesOf(bytes, counts);
  const known: KnownContent[] = [];
  let number = 0;
  let start = 0;
  for (let at = 0; at < contents; at += 1) {
    const contentId = tables.ids[at] ?? 0;
    const passages: IndexedPassage[] = [];
    for (const end = number + (tables.passageCounts[at] ?? 0); number < end; number += 1) {
      const wordCount = tables.wordCounts[number] ?? 0;
      const words = tables.words.subarray(start, start + wordCount);
      passages.push({
        end: tables.ends[number] ?? 0,
        firstLine: tables.firstLines[number] ?? 0,
        wordCount,
        readWords: () => words,
      });
      start += wordCount;
    }
    if (live.has(contentId))
      known.push({ contentId, kind: tables.kinds[at] as KnownKind, passages });
  }
  return known;
}

/** Of the whole, its tables padded to words. */
function byteLengthOf([contents, passages, words]: Counts): number {
  return headerBytes + (contents * 3 + passages * 3 + words + Math.ceil(contents / 4)) * 4;
}

/** The tables in their places, which begin at multiples of what their numbers take. */
function tablesOf({ buffer }: Uint8Array<ArrayBuffer>, [contents, passages, words]: Counts) {
  let at = headerBytes + contents * 8;
  const next = (count: number) => {
    at += count * 4;
    return new Uint32Array(buffer, at - count * 4, count);
  };
  return {
    ids: new Float64Array(buffer, headerBytes, contents),
    passageCounts: next(contents),
    ends: next(passages),
    firstLines: next(passages),
    wordCounts: next(passages),
    words: next(words),
    kinds: new Uint8Array(buffer, at, contents),
  };
}

/** Of all behind the checksum. */
async function sumOf(bytes: Uint8Array): Promise<number> {
  let sum: number | undefined;
  for (let at = 8; at < bytes.length; at += sliceBytes) {
    if (at > 8) await nextTask();
    sum = checksum(bytes.subarray(at, at + sliceBytes), sum);
  }
  return sum ?? 0;
}

function unusable(what: string): SdkError {
  return new SdkError('EIO', `The saved search index ${what}: it isn't used, and is made anew.`);
}
