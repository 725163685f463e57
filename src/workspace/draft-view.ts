// A view over a root that is at hand: a fresh draft, the call's access rules, both faces. What the
// replica and the one-thread workspace open for each call.
import type { PathAccess } from '../core/path-access.ts';
import { createAccessGate } from './access.ts';
import type { ContentSource } from './content-source.ts';
import { describeChanges } from './describe-changes.ts';
import { Draft } from './draft.ts';
import { createLocalFileSystem } from './local-file-system.ts';
import type { DirectoryNode } from './tree.ts';
import type { WorkspaceView } from './view.ts';

/** A tree at one moment, and the rules of one call. */
export interface DraftViewOptions {
  readonly root: DirectoryNode;
  /** The number of the last record in `root`. */
  readonly seq: number;
  readonly contents: ContentSource;
  readonly access: PathAccess;
  /** Milliseconds since the epoch. @defaultValue `Date.now` */
  readonly now?: () => number;
}

/** Opens the view. What it writes is in its change set and nowhere else. */
export function createDraftView(options: DraftViewOptions): WorkspaceView {
  const { root, seq, contents, access, now = Date.now } = options;
  const draft = new Draft(root, seq);
  const gate = createAccessGate(access);
  return {
    fs: createLocalFileSystem({ draft, cwd: access.cwd, gate, now }, contents),
    changeSet: () => draft.changeSet(),
    fileChanges: () => describeChanges(draft, contents, gate),
    rollback: () => draft.rollback(),
  };
}
