// The time in which a content id names one content. A log that was replaced, or opened anew by another
// owner, begins another: what was learned of contents in one era says nothing in the next.
import type { ContentId } from '../../core/change-set.ts';
import type { SavedIndex } from './content-source.ts';

/** Made by who follows the log. What is kept by content id is kept for one era. */
export interface ContentEra {
  /** Aborted when the era ends, or when nobody follows the workspace any more. */
  readonly signal: AbortSignal;
  /** The contents that some root has now; empty once the era has ended. */
  live(): ReadonlyMap<ContentId, unknown>;
  /** The search index that was saved with the workspace: handed out once, then undefined. */
  takeIndex(): Blob | undefined;
  /** Saves a search index with the workspace. Its bytes are given away. Left out where none is kept. */
  readonly saveIndex?: (index: SavedIndex) => void;
}

/** An era that nothing is saved with. */
export function createContentEra(signal: AbortSignal, live: ContentEra['live']): ContentEra {
  return { signal, live, takeIndex: () => undefined };
}
