// Fills the index in the background: it reads unindexed files in slices, and yields between them. Without it searches
// are slower, but correct.
import { throwIfAborted } from '../../core/async/abort.ts';
import { nextTask } from '../../core/async/next-task.ts';
import type { SearchFile } from './kept-files.ts';
import { loadTexts, type TextSource } from './visit-texts.ts';

export interface ReadAheadOptions {
  /** Larger files stay unread. */
  readonly maxFileBytes: number;
  readonly signal: AbortSignal;
  /** Called after each slice. */
  onProgress?(done: number): void;
}

// 1 MB takes about 8 ms: half of what a frame of the screen has.
const sliceBytes = 1_048_576;

/**
 * Rejects with `aborted`. Files that were read until then stay indexed. If files can't be read, it
 * reads all others, and rejects with the reason of the first.
 */
export async function readAhead(
  source: TextSource,
  files: readonly SearchFile[],
  { maxFileBytes, signal, onProgress }: ReadAheadOptions,
): Promise<void> {
  source.index.startSearch();
  let batch: SearchFile[] = [];
  let bytes = 0;
  const failures: unknown[] = [];
  for (const [at, file] of files.entries()) {
    const isUnread = file.isReadable && source.index.kindOf(file.entry) === 'new';
    if (isUnread && file.size <= maxFileBytes) {
      batch.push(file);
      bytes += file.size;
    }
    const isLast = at === files.length - 1;
    if (bytes < sliceBytes && !(isLast && batch.length > 0)) continue;
    await nextTask();
    throwIfAborted(signal);
    failures.push(...(await loadAll(source, batch)));
    onProgress?.(at + 1);
    batch = [];
    bytes = 0;
  }
  if (failures.length > 0) throw failures[0];
}

/**
 * Reads files one by one that can't be read together. Gives the reasons for those that can't be
 * read at all.
 */
async function loadAll(source: TextSource, batch: readonly SearchFile[]): Promise<unknown[]> {
  try {
    await loadTexts(source, batch, false);
    return [];
  } catch (error) {
    if (batch.length === 1) return [error];
    const failures: unknown[] = [];
    for (const file of batch) failures.push(...(await loadAll(source, [file])));
    return failures;
  }
}
