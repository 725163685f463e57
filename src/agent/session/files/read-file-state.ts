// What the model has read in this session: path and version. The stations' own copy of what the journal
// knows, which learns of it with the call that has read.
import type { Version } from '../../../core/change-set.ts';
import type { ReadFileState } from '../../../core/tool/context.ts';

/** A path, and the version that is known; 0: it isn't known any more. */
export type ReadChange = readonly [path: string, version: Version];

/** What the model of one session has read. */
export interface SessionReads extends ReadFileState {
  /** What has changed since it was last asked, for the journal. */
  takeChanges(): ReadChange[];
  /** Takes over what the journal knows already. */
  learn(changes: readonly ReadChange[]): void;
  /** The conversation goes on from elsewhere: the journal knows these by now, and nothing else. */
  reset(known: Iterable<ReadChange>): void;
}

/** Begins with what the journal knows; a model that has just begun knows no file. Paths are real ones. */
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
