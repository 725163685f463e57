// Reads files in batches and hands out those that a pattern may be looked for in, one at a time.
import { throwIfAborted } from '../../core/abort.ts';
import type { FileSystem } from '../files/file-system.ts';
import { toSearchableText, type SearchableText } from './searchable-text.ts';
import type { SearchFile } from './select-files.ts';

export interface FileText {
  readonly file: SearchFile;
  /** `unreadable`: this call may not read it, or it is larger than one search may load. */
  readonly content: SearchableText | 'unreadable';
}

export interface ReadTextsOptions {
  /** The file was named itself: it is read even if it is binary. */
  readonly isExplicit: boolean;
  readonly maxFileBytes: number;
  readonly signal: AbortSignal;
  /** Called after each batch with how many files have been looked at so far. */
  onProgress(searched: number): void;
}

// A batch is one round trip to the contents, and holds all its bytes in memory at once.
const batchFiles = 64;
const batchBytes = 16 * 1024 * 1024;

/** In the order given. Binary files are passed over, unless they are explicit. */
export async function* readTexts(
  fs: Pick<FileSystem, 'readMany'>,
  files: readonly SearchFile[],
  options: ReadTextsOptions,
): AsyncGenerator<FileText> {
  let searched = 0;
  for (const batch of toBatches(files)) {
    throwIfAborted(options.signal);
    const isSmall = (file: SearchFile) => file.size <= options.maxFileBytes;
    const contents = await fs.readMany(batch.filter(isSmall).map(({ path }) => path));
    let at = 0;
    for (const file of batch) {
      const bytes = isSmall(file) ? contents[at++] : undefined;
      if (!(bytes instanceof Uint8Array)) {
        yield { file, content: 'unreadable' };
        continue;
      }
      const content = toSearchableText(bytes, options);
      if (content !== 'binary') yield { file, content };
    }
    searched += batch.length;
    options.onProgress(searched);
  }
}

/** Neither too many files nor too many bytes at once; a file that is larger comes alone. */
function* toBatches(files: readonly SearchFile[]): Generator<SearchFile[]> {
  let batch: SearchFile[] = [];
  let bytes = 0;
  for (const file of files) {
    const isFull = batch.length === batchFiles || bytes + file.size > batchBytes;
    if (isFull && batch.length > 0) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(file);
    bytes += file.size;
  }
  if (batch.length > 0) yield batch;
}
