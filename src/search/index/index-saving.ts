// Restores a realm's search index from a saved one, and saves what the realm adds. So contents are indexed once, also
// for later workers and after the workspace is opened again. Without it searches are slower, but correct.
import { readBlob } from '../../core/bytes/read-blob.ts';
import { throwIfAborted } from '../../core/async/abort.ts';
import type { ContentEra } from '../../workspace/state/content-era.ts';
import { maxIndexBytes } from '../../workspace/state/content-source.ts';
import { nextTask } from '../../core/async/next-task.ts';
import type { ContentIndex } from './content-index.ts';

// A megabyte of text is read and indexed in about 10 ms.
const minChars = 1_048_576;

// Loaded only when it is needed: a worker that only runs cells has no index.
const loadFormat = () => import('./saved-index.ts');

export interface IndexSavingOptions {
  /** The era to which the saved index belongs. Its end stops restoring and saving. */
  readonly era: ContentEra;
  /** Reports an index that can't be used or saved. */
  onError(error: unknown): void;
}

export class IndexSaving {
  readonly #index: ContentIndex;
  readonly #options: IndexSavingOptions;
  #restoring: Promise<void> | undefined;
  /** How many characters the index had learned when it was last saved. */
  #savedChars = 0;
  #isSaving = false;

  constructor(index: ContentIndex, options: IndexSavingOptions) {
    this.#index = index;
    this.#options = options;
  }

  /**
   * Await this before files are read. An unusable index is reported and ignored. Rejects with `aborted`; the index is
   * then still restored for the next search.
   */
  async restore(signal?: AbortSignal): Promise<void> {
    // Only the first search takes the saved index, and reads it to the end even if it is aborted.
    const saved = this.#restoring ? undefined : this.#options.era.takeIndex();
    if (saved) this.#restoring = this.#take(saved);
    if (this.#restoring) await unlessAborted(this.#restoring, signal);
  }

  /** Called when nothing is left to be read. Saves the index if it has learned much since the last time. */
  async saveIfDue(): Promise<void> {
    const { learned, bytes } = this.#index;
    const isDue = learned - this.#savedChars >= Math.max(minChars, learned / 4);
    const { era, onError } = this.#options;
    if (!era.saveIndex || this.#isSaving || !isDue || bytes.bitmaps > maxIndexBytes) return;
    this.#isSaving = true;
    this.#savedChars = learned;
    try {
      await nextTask();
      const known = await this.#index.knownOf(era.live());
      const { encodeIndex } = await loadFormat();
      const encoded = await encodeIndex(known, this.#index.bitsPerTrigram);
      era.saveIndex({ bytes: encoded, contents: known.contentIds.length });
    } catch (error) {
      onError(error);
    } finally {
      this.#isSaving = false;
    }
  }

  async #take(offered: Blob | Promise<Blob | undefined>): Promise<void> {
    const { onError } = this.#options;
    const { signal } = this.#options.era;
    try {
      const saved = await offered;
      if (!saved) return;
      const [{ decodeIndex }, bytes] = await Promise.all([loadFormat(), readBlob(saved)]);
      const known = await decodeIndex(bytes, this.#index.bitsPerTrigram, signal);
      await this.#index.adopt(known, signal);
      this.#savedChars = this.#index.learned;
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
  }
}

/** Rejects with `aborted` as soon as the signal aborts. The work, which never rejects, continues. */
async function unlessAborted(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  throwIfAborted(signal);
  await new Promise<unknown>((resolve) => {
    signal?.addEventListener('abort', resolve);
    void work.then(resolve).then(() => signal?.removeEventListener('abort', resolve));
  });
  throwIfAborted(signal);
}
