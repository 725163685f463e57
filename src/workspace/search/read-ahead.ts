// Gets the index ready before it is asked: reads what nobody has read yet, in slices between which
// whatever else this thread has to do goes on. A search is right without it, only slower.
import { throwIfAborted } from '../../core/abort.ts';
import { nextTask } from '../next-task.ts';
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

/** Rejects with `aborted`, and where a content can't be read; what was read until then stays. */
export async function readAhead(
  source: TextSource,
  files: readonly SearchFile[],
  { maxFileBytes, signal, onProgress }: ReadAheadOptions,
): Promise<void> {
  source.index.startSearch();
  let batch: SearchFile[] = [];
  let bytes = 0;
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
    await loadTexts(source, batch, false);
    onProgress?.(at + 1);
    batch = [];
    bytes = 0;
  }
}
