// The files that the model has read in this session, each with its version. It is an in-memory copy
// of the journal's record. A call that has read a file updates it.
import type { Version } from '../../../core/change-set.ts';
import type { ReadFileState } from '../../../core/tool/context.ts';

/** A path and its known version. 0: the version isn't known any more. */
export type ReadChange = readonly [path: string, version: Version];

/** The reads of one session's model. */
export interface SessionReads extends ReadFileState {
  /** The changes since the last call of this method, for the journal. */
  takeChanges(): ReadChange[];
  /** Adds reads that are already in the journal. */
  learn(changes: readonly ReadChange[]): void;
  /**
   * Replaces all reads by these, which are the journal's, because the conversation continues from
   * another entry.
   */
  reset(known: Iterable<ReadChange>): void;
}

/** Starts with the journal's reads. A new model has read no file. Paths are real paths. */
export function createReadFileState(known: Iterable<ReadChange>): SessionReads {
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
