// Visits the texts of files in order: cached ones at once, others in batches. Files that the index
// excludes are never read.
import { throwIfAborted } from '../../core/async/abort.ts';
import type { ContentSource } from '../../workspace/state/content-source.ts';
import { nextTask } from '../../core/async/next-task.ts';
import type { ContentIndex } from './content-index.ts';
import type { IndexPlans } from './index-plan.ts';
import type { FileOrder, SearchFile } from './kept-files.ts';
import type { Passage } from './passages.ts';
import { toSearchableText, type SearchableText } from './searchable-text.ts';

export interface VisitOptions {
  /**
   * The plans of the pattern: files that can't match are passed over. Left out: all are visited.
   */
  readonly plans?: IndexPlans;
  /** The files were named themselves, so they are read even if they are binary. */
  readonly isExplicit: boolean;
  readonly maxFileBytes: number;
  /** The visit continues the search of the visit before, whose texts aren't evicted. */
  readonly isContinued?: boolean;
  readonly signal: AbortSignal;
  /** Called now and then, and at the end, with how many files have been looked at so far. */
  onProgress(searched: number): void;
}

/**
 * Called with each file that may match. `unreadable`: this call may not read the file, or it is
 * larger than one search may load. If it answers `stop`, no further file is visited.
 */
export type VisitText = (
  file: SearchFile,
  content: SearchableText | 'unreadable',
) => 'stop' | undefined | void;

/** The source of texts, and the index that keeps them. */
export interface TextSource {
  readonly contents: ContentSource;
  readonly index: ContentIndex;
}

// A batch is one round trip to the contents, and holds all its bytes in memory at once.
const batchFiles = 64;
const batchBytes = 16 * 1024 * 1024;

// 16 MB of text take about 10 ms to search: how long an abort may go unnoticed.
const sliceChars = 16_777_216;

// 50 ms: with a costly pattern 16 MB take as long as the search may, and other work waits for this
// thread.
const sliceMs = 50;

// The clock is read seldom enough to take no measurable time.
const charsPerLook = 16_384;

// Decoding and indexing a character takes as long as searching five.
const loadingCost = 5;

/** Visits texts. Binary files are passed over, unless they are explicit. */
export async function visitTexts(
  source: TextSource,
  order: FileOrder,
  options: VisitOptions,
  visit: VisitText,
): Promise<void> {
  const { isExplicit, maxFileBytes, signal, onProgress } = options;
  const { index } = source;
  const { files, rows, readableSizes } = order;
  if (!options.isContinued) index.startSearch();
  const filter = isExplicit || !options.plans ? undefined : index.createFilter(options.plans);
  const mayMatch = (row: number) => !filter || filter.mayMatch(row);
  /**
   * Texts that were read for this search, and that the index doesn't keep. They are forgotten after
   * the visit.
   */
  let loaded: LoadedTexts = new Map();
  let chars = 0;
  let lookAt = charsPerLook;
  let restAt = performance.now() + sliceMs;
  // This loop reads as little memory as possible for each file, because memory accesses take most of a search's time.
  for (let at = 0; ; at += 1) {
    if (filter) at = filter.next(rows, at);
    const file = files[at];
    if (!file) break;
    const row = rows[at] ?? 0;
    const isReadable = (readableSizes[at] ?? 0) <= maxFileBytes;
    let content: SearchableText | 'unreadable' | undefined = 'unreadable';
    if (isReadable) content = isExplicit ? undefined : index.useText(row);
    if (!content) {
      if (!loaded.has(row)) {
        throwIfAborted(signal);
        if (at > 0) onProgress(at);
        const batch = nextBatch(order, at, maxFileBytes, (each) => {
          const isLoaded = !isExplicit && index.hasText(each);
          return !isLoaded && mayMatch(each);
        });
        loaded = await loadTexts(source, batch, isExplicit);
        for (const { size } of batch) chars += size * loadingCost;
      }
      const read = loaded.get(row);
      if (!read) throw new TypeError('A file is in the batch that it begins.');
      // The index knows the file only now that it was read.
      if (read === 'binary' || !mayMatch(row)) continue;
      content = read;
      if (!isExplicit) index.keepText(file.entry, read);
    }
    if (visit(file, inPassages(content, filter?.passagesOf(row))) === 'stop') return;
    chars += content === 'unreadable' ? 0 : content.text.length;
    if (chars < lookAt) continue;
    lookAt = chars + charsPerLook;
    if (chars < sliceChars && performance.now() < restAt) continue;
    await nextTask();
    throwIfAborted(signal);
    onProgress(at + 1);
    chars = 0;
    lookAt = charsPerLook;
    restAt = performance.now() + sliceMs;
  }
  onProgress(files.length);
}

// 512: the index answers this number in a twentieth of a millisecond.
const sampleSize = 512;

/** The bytes of files that may match, estimated from a sample of them. */
export function estimateBytes(
  index: ContentIndex,
  { rows, readableSizes }: FileOrder,
  { plans, maxFileBytes }: { readonly plans: IndexPlans; readonly maxFileBytes: number },
): number {
  const filter = index.createFilter(plans);
  const step = Math.ceil(rows.length / sampleSize);
  let bytes = 0;
  for (let at = 0; at < rows.length; at += step) {
    const size = readableSizes[at] ?? 0;
    if (size <= maxFileBytes && filter.mayMatch(rows[at] ?? 0)) bytes += size * step;
  }
  return bytes;
}

function inPassages(
  content: SearchableText | 'unreadable',
  passages: readonly Passage[] | undefined,
): SearchableText | 'unreadable' {
  return passages && content !== 'unreadable' ? { ...content, passages } : content;
}

/** The next files from `from` on to load: neither too many nor too many bytes at once. */
function nextBatch(
  { files, rows, readableSizes }: FileOrder,
  from: number,
  maxFileBytes: number,
  isWanted: (row: number) => boolean,
): SearchFile[] {
  const batch: SearchFile[] = [];
  let bytes = 0;
  for (let at = from; at < files.length && batch.length < batchFiles; at += 1) {
    const file = files[at];
    const isReadable = (readableSizes[at] ?? 0) <= maxFileBytes;
    if (!file || !isReadable || !isWanted(rows[at] ?? 0)) continue;
    bytes += file.size;
    // A larger file comes alone.
    if (bytes > batchBytes && batch.length > 0) break;
    batch.push(file);
  }
  return batch;
}

/** Texts by row. */
type LoadedTexts = ReadonlyMap<number, SearchableText | 'binary'>;

/**
 * Reads files and indexes them. Explicit files are decoded for this search alone, even if they are
 * binary.
 */
export async function loadTexts(
  { contents, index }: TextSource,
  batch: readonly SearchFile[],
  isExplicit: boolean,
): Promise<LoadedTexts> {
  const loaded = new Map<number, SearchableText | 'binary'>();
  const ids = batch.flatMap(({ entry: { content } }) =>
    typeof content === 'number' ? [content] : [],
  );
  const read = ids.length === 0 ? [] : await contents.readMany(ids);
  let at = 0;
  for (const { entry } of batch) {
    const bytes = typeof entry.content === 'number' ? read[at++] : entry.content;
    if (!bytes) throw new TypeError('A ContentSource answered with fewer contents than asked for.');
    loaded.set(
      entry.row,
      isExplicit ? toSearchableText(bytes, { isExplicit }) : index.take(entry, bytes),
    );
  }
  return loaded;
}
