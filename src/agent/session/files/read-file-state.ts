// The files that the model has read in this session: path and version. The stations' own copy of
// the journal's record. A call that has read something updates it.
import type { Version } from '../../../core/change-set.ts';
import type { ReadFileState } from '../../../core/tool/context.ts';

/** A path, and its known version. 0: the version isn't known any more. */
export type ReadChange = readonly [path: string, version: Version];

/** The reads of one session's model. */
export interface SessionReads extends ReadFileState {
  /** The changes since the last call of this, for the journal. */
  takeChanges(): ReadChange[];
  /** Takes over reads that the journal knows already. */
  learn(changes: readonly ReadChange[]): void;
  /**
   * The conversation goes on from elsewhere. From now on only these reads count, which are the
   * journal's.
   */
  reset(known: Iterable<ReadChange>): void;
}

/**
 * Begins with the journal's reads. A model that has just begun knows no file. Paths are real ones.
 */
export function createReadFileState(known: Iterable<ReadChange> = []): SessionReads {
  const versions = new Map<string, Version>(known);
  const changes = new Map<string, Version>();
  return {
    get: (path) => versions.get(path),
    set(path, version) {
      if (versions.get(path) === version) return;
      versions.set(path, version);
      changes.set(path, version);
    },
    delete(path) {
      if (versions.delete(path)) changes.set(path, 0);
    },
    entries: () => versions.entries(),
    takeChanges() {
      const taken = [...changes];
      changes.clear();
      return taken;
    },
    learn(news) {
      for (const [path, version] of news) {
        if (version > 0) versions.set(path, version);
        else versions.delete(path);
      }
    },
    reset(news) {
      versions.clear();
      changes.clear();
      for (const [path, version] of news) versions.set(path, version);
    },
  };
}
