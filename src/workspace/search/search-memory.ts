// What a realm remembers from one search to the next: the index, and the lists of files. Owned by
// whoever opens views there (a replica, or the writer itself), and shared by all of them.
import { ContentIndex, type ContentIndexOptions } from './content-index.ts';
import { KeptFiles } from './kept-files.ts';

// The working directory, and what lies below it that a model is looking into. Another one is listed
// anew, which takes what a walk does.
const maxDirectories = 8;

export class SearchMemory {
  readonly index: ContentIndex;
  /** The one used last at the end. */
  readonly #kept = new Map<string, KeptFiles>();

  constructor(options: ContentIndexOptions = {}) {
    this.index = new ContentIndex(options);
  }

  /** The list of a directory, as calls see it that have the same rules for reading. */
  keptFiles(readKey: string, directory: string): KeptFiles {
    const key = `${directory}\n${readKey}`;
    const kept = this.#kept.get(key) ?? new KeptFiles(directory);
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > maxDirectories && oldest !== undefined) this.#kept.delete(oldest);
    return kept;
  }

  /** The same content ids may mean other contents from now on. */
  clear(): void {
    this.index.clear();
    this.#kept.clear();
  }
}
