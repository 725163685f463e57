// An era is the time in which a content id means the same content. A new era begins when the log is
// replaced, or opened by another owner. Everything cached by content id must then be dropped.
import type { ContentId } from '../../core/change-set.ts';
import type { SavedIndex } from './content-source.ts';

/** Created by the realm that follows the log. Everything cached by content id lives for one era. */
export interface ContentEra {
  /** Aborted when the era ends, or when the realm stops following the workspace. */
  readonly signal: AbortSignal;
  /** Returns the contents that any root has now. Empty after the era has ended. */
  live(): ReadonlyMap<ContentId, unknown>;
  /**
   * Returns the search index that was saved with the workspace, but only once; later undefined. A
   * promise if it must be read first; it never rejects.
   */
  takeIndex(): Blob | Promise<Blob | undefined> | undefined;
  /**
   * Saves a search index with the workspace and takes ownership of its bytes. Left out if indexes
   * aren't saved.
   */
  readonly saveIndex?: (index: SavedIndex) => void;
}

/** An era without a saved search index. */
export function createContentEra(signal: AbortSignal, live: ContentEra['live']): ContentEra {
  return { signal, live, takeIndex: () => undefined };
}
