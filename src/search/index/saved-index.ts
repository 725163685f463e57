// Encodes a search index as bytes, to be kept beside the log. It holds what the index has learned by reading
// contents. Bitmaps have the same layout as in memory, so that decoding needs no copy. Numbers have the machine's
// byte order, because the bytes stay on this machine:
//
//   u32 format, u32 checksum of what follows, u32 bits a trigram
//   u32 number of contents, of their passages, of groups of passages, of the words of all groups, 0
//   of each content: f64 id; then of each: u32 number of passages
//   of each passage: u32 place; of each: u32 end; of each: u32 first line
//   of each group: u32 length of its bitmaps, in bits; of each: u32 number of its passages
//   the groups' words, u32 each; of each content: u8 kind; zeros up to 4 bytes
import { throwIfAborted } from '../../core/async/abort.ts';
import { SdkError } from '../../core/errors.ts';
import { checksum } from '../../core/hashes/checksum.ts';
import { nextTask } from '../../core/async/next-task.ts';
import type { KnownContents } from './content-index.ts';
import { spreadOf, type PassageGroup } from './passage-table.ts';
import type { BitsPerTrigram } from './trigrams.ts';

/**
 * Increase this number with every change of what the index learns of a content: this layout, a group's layout, what
 * counts as text, the byte classes, their hash, and where passages end. A test compares it with a saved index.
 */
const format = 0x52_50_00_02;

const headerBytes = 32;

// The checksum of 2 MB takes about 3 ms, and a copy less. After each slice the thread's other work can run.
const sliceBytes = 2_097_152;

type Counts = readonly [contents: number, passages: number, groups: number, words: number];

const plainTables = [
  'contentIds',
  'kinds',
  'passageCounts',
  'places',
  'ends',
  'firstLines',
] as const;

/** Inverse: {@link decodeIndex}. */
export async function encodeIndex(
  known: KnownContents,
  bitsPerTrigram: BitsPerTrigram,
): Promise<Uint8Array<ArrayBuffer>> {
  const { contentIds, ends, groups } = known;
  const wordCount = groups.reduce((sum, { words }) => sum + words.length, 0);
  const counts: Counts = [contentIds.length, ends.length, groups.length, wordCount];
  const bytes = new Uint8Array(byteLengthOf(counts));
  const tables = tablesOf(bytes, counts);
  for (const name of plainTables) tables[name].set(known[name]);
  let start = 0;
  let restAt = sliceBytes / 4;
  for (const [at, { words, length, size }] of groups.entries()) {
    tables.lengths[at] = length;
    tables.sizes[at] = size;
    tables.words.set(words, start);
    start += words.length;
    if (start < restAt) continue;
    restAt = start + sliceBytes / 4;
    await nextTask();
  }
  const header = new Uint32Array(bytes.buffer, 0, headerBytes / 4);
  header.set([format, 0, bitsPerTrigram, ...counts]);
  header[1] = await sumOf(bytes);
  return bytes;
}

/**
 * Decodes a saved index as views of its bytes, which it takes over. Throws `EIO` with the reason
 * for bytes that are damaged, of another version, or of an index with other bits a trigram;
 * `aborted`. Inverse: {@link encodeIndex}.
 */
export async function decodeIndex(
  bytes: Uint8Array<ArrayBuffer>,
  bitsPerTrigram: BitsPerTrigram,
  signal: AbortSignal,
): Promise<KnownContents> {
  if (bytes.length < headerBytes) throw unusable('is cut short');
  const header = new Uint32Array(bytes.buffer, 0, headerBytes / 4);
  const [found, sum, bits, contents = 0, passages = 0, groupCount = 0, wordCount = 0] = header;
  if (found !== format) throw unusable('is of another version');
  const counts: Counts = [contents, passages, groupCount, wordCount];
  if (bytes.length !== byteLengthOf(counts)) throw unusable('is cut short');
  if (sum !== (await sumOf(bytes, signal))) throw unusable('is damaged');
  if (bits !== bitsPerTrigram) throw unusable('has other bitmaps');
  const { lengths, sizes, words, ...tables } = tablesOf(bytes, counts);
  const groups: PassageGroup[] = [];
  let start = 0;
  for (const [at, length] of lengths.entries()) {
    const spread = spreadOf(length);
    const end = start + (length >>> spread);
    groups.push({ words: words.subarray(start, end), length, spread, size: sizes[at] ?? 0 });
    start = end;
  }
  // Security: the numbers are always checked. With wrong numbers each search would fail, or never end.
  const { passageCounts, places } = tables;
  const isWhole =
    start === wordCount &&
    passageCounts.reduce((sum, count) => sum + count, 0) === passages &&
    places.every((place) => place >>> 5 < groupCount);
  if (!isWhole) throw unusable('is damaged');
  return { ...tables, groups };
}

/** The length of the whole, with its tables padded to words. */
function byteLengthOf([contents, passages, groups, words]: Counts): number {
  const kinds = Math.ceil(contents / 4);
  return headerBytes + ((contents + passages) * 3 + groups * 2 + words + kinds) * 4;
}

/** The tables at their places. Each begins at a multiple of the size of its numbers. */
function tablesOf(
  { buffer }: Uint8Array<ArrayBuffer>,
  [contents, passages, groups, words]: Counts,
) {
  let at = headerBytes + contents * 8;
  const next = (count: number) => {
    at += count * 4;
    return new Uint32Array(buffer, at - count * 4, count);
  };
  return {
    contentIds: new Float64Array(buffer, headerBytes, contents),
    passageCounts: next(contents),
    places: next(passages),
    ends: next(passages),
    firstLines: next(passages),
    // The lengths of the groups.
    lengths: next(groups),
    sizes: next(groups),
    words: next(words),
    kinds: new Uint8Array(buffer, at, contents),
  };
}

/** The checksum of everything behind the checksum itself. */
async function sumOf(bytes: Uint8Array, signal?: AbortSignal): Promise<number> {
  let sum: number | undefined;
  for (let at = 8; at < bytes.length; at += sliceBytes) {
    await nextTask();
    throwIfAborted(signal);
    sum = checksum(bytes.subarray(at, at + sliceBytes), sum);
  }
  return sum ?? 0;
}

function unusable(what: string): SdkError {
  return new SdkError('EIO', `The saved search index ${what}: it isn't used, and is rebuilt.`);
}
