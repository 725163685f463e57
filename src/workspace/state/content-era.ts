// An era is the time in which a content id names one content. A log that was replaced, or opened by
// another owner, begins a new era. What was cached by content id must then be invalidated.
import type { ContentId } from '../../core/change-set.ts';
import type { SavedIndex } from './content-source.ts';

/** Made by the realm that follows the log. Everything cached by content id lives for one era. */
export interface ContentEra {
  /** Aborted when the era ends, or when the realm stops following the workspace. */
  readonly signal: AbortSignal;
  /** The contents that some root has now; empty once the era has ended. */
  live(): ReadonlyMap<ContentId, unknown>;
  /**
   * The search index that was saved with the workspace: handed out once, then undefined. A promise where it
   * has yet to be read; it never rejects.
   */
  takeIndex(): Blob | Promise<Blob | undefined> | undefined;
  /**
   * Saves a search index with the workspace and takes ownership of its bytes. Left out where an
   * index isn't saved.
   */
  readonly saveIndex?: (index: SavedIndex) => void;
}

/** An era without a saved search index. */
export function createContentEra(signal: AbortSignal, live: ContentEra['live']): ContentEra {
  return { signal, live, takeIndex: () => undefined };
}
