// Search as a service over the views of one realm. Views don't depend on it. Its cache is created with the first
// search of an era and dropped with the era.
import type { ContentEra } from '../workspace/state/content-era.ts';
import type { LocalFileSystem } from '../workspace/files/file-system.ts';
import type { WorkspaceView } from '../workspace/draft/view.ts';
import type { KeptElsewhere } from './index/content-index.ts';
import { createFileSearch, type FileSearch } from './file-search.ts';
import { SearchMemory, type SearchOptions } from './index/search-memory.ts';

/** The files of one view, with what Grep and Glob look through. */
export interface SearchableFileSystem extends LocalFileSystem {
  /** The search, with the lists and texts that are cached from one search to the next. */
  readonly search: FileSearch;
}

/** The search service of a realm. All views of the realm share its index. */
export class SearchService {
  readonly #options: SearchOptions | undefined;
  readonly #memories = new WeakMap<ContentEra, SearchMemory>();
  /** The cache of the era that was searched last. */
  #memory: SearchMemory | undefined;
  #keptElsewhere: KeptElsewhere | undefined;

  /** `options`: limits on memory in this realm. */
  constructor(options?: SearchOptions) {
    this.#options = options;
  }

  /** The files of the view, with search. */
  over(view: WorkspaceView): SearchableFileSystem {
    let search: FileSearch | undefined;
    const open = (): FileSearch => {
      const { files } = view;
      const memory = this.#memoryOf(files.era);
      memory.tidy();
      return createFileSearch(files, memory);
    };
    const fs: LocalFileSystem = view.fs;
    return Object.defineProperty(fs, 'search', {
      configurable: true,
      enumerable: true,
      get: () => (search ??= open()),
    }) as SearchableFileSystem;
  }

  /** Another realm caches these texts now: see {@link SearchMemory}. */
  yieldTexts(texts: KeptElsewhere): void {
    this.#keptElsewhere = texts;
    this.#memory?.index.yieldTexts(texts);
  }

  #memoryOf(era: ContentEra): SearchMemory {
    const known = this.#memories.get(era);
    if (known) return known;
    const memory = new SearchMemory(era, this.#options);
    // The bytes that other realms cache count from the beginning. Their list of texts doesn't matter, because this
    // memory has none yet.
    if (this.#keptElsewhere) memory.index.yieldTexts({ ...this.#keptElsewhere, contents: [] });
    this.#memories.set(era, memory);
    this.#memory = memory;
    return memory;
  }
}
