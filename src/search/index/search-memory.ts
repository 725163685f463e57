// The cache of a realm between searches: the index and the lists of files. There is one for each
// era of the contents; search-service.ts makes it with the first search.
import type { ContentEra } from '../../workspace/state/content-era.ts';
import { ContentIndex, type ContentIndexOptions } from './content-index.ts';
import { IndexSaving } from './index-saving.ts';
import { KeptFiles, type FileOrder } from './kept-files.ts';
import type { TextSource } from './visit-texts.ts';

/** Limits of the texts that searches cache in one realm, and whether they read ahead. */
export interface SearchOptions extends ContentIndexOptions {
  /**
   * Reads files in the background that a search has left unread, so that the next one finds them
   * indexed.
   * @defaultValue true
   */
  readonly readsAhead?: boolean;
}

// The working directory, and directories below it that a model searches. Another one must be listed
// from scratch, which takes as long as a walk.
const maxDirectories = 8;

// Overwritten contents leave stale entries. More than this number causes a scan that drops them.
const maxStale = 10_000;

/** The search cache of one era. The end of the era ends its background work. */
export class SearchMemory {
  readonly index: ContentIndex;
  readonly saving: IndexSaving;
  readonly #readsAhead: boolean;
  readonly #era: ContentEra;
  #isReading = false;
  #lastTold: string | undefined;
  #tidyAt = maxStale;
  /** The list that was used last is at the end. */
  readonly #kept = new Map<string, KeptFiles>();

  constructor(era: ContentEra, { readsAhead = true, ...options }: SearchOptions = {}) {
    this.#era = era;
    this.index = new ContentIndex(options);
    this.saving = new IndexSaving(this.index, { era, onError: tell });
    this.#readsAhead = readsAhead;
  }

  /** The list of a directory, for calls with the same rules for reading. */
  keptFiles(readKey: string, directory: string): KeptFiles {
    const key = `${directory}\n${readKey}`;
    const kept = this.#kept.get(key) ?? new KeptFiles(directory);
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > maxDirectories && oldest !== undefined) this.#kept.delete(oldest);
    return kept;
  }

  /** Drops entries of contents that no root has any more. Call it regularly. */
  tidy(): void {
    if (this.index.size + this.index.draftSize < this.#tidyAt) return;
    this.index.retain(this.#era.live());
    this.#tidyAt = this.index.size * 2 + maxStale;
  }

  /**
   * Reads files in the background, one call at a time. Then saves the index, also if nothing was read. An unreadable
   * file is reported once; a search that reaches the file reports its own error.
   */
  async readRest(source: TextSource, order: FileOrder, maxFileBytes: number): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    const { signal } = this.#era;
    try {
      if (this.#readsAhead && this.index.unread > 0) {
        const { readAhead } = await import('./read-ahead.ts');
        await readAhead(source, order.files, { maxFileBytes, signal });
      }
    } catch (error) {
      if (!signal.aborted) this.#tellOnce(error);
    }
    if (!signal.aborted) await this.saving.saveIfDue();
    this.#isReading = false;
  }

  /** Unreadable contents are retried after each search. */
  #tellOnce(error: unknown): void {
    const reason = String(error);
    if (reason !== this.#lastTold) tell(error);
    this.#lastTold = reason;
  }
}

/** It isn't thrown, because an uncaught error would make the worker count as broken. */
function tell(error: unknown): void {
  // oxlint-disable-next-line no-console -- no search fails by it, and somebody may look for it.
  console.warn('rockpool: the search index:', error);
}
