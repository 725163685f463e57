// What stands between a workspace's faces and its log: the writer itself, or what a tab has of a
// writer that may be another tab's (tabs/shared-workspace.ts).
import type { ChangeSet } from '../../core/change-set.ts';
import type { RootChange } from '../state/record.ts';
import type { FeedSource } from '../feed/serve-feed.ts';
import type { DirectoryNode } from '../tree/tree.ts';
import type { CommitOptions, CommitResult, WorkspaceInfo } from '../workspace.ts';

/** Whoever commits to it sees the result in `state` by the time that the commit has resolved. */
export interface WriterPort extends FeedSource {
  /** The tree of `main`. */
  readonly root: DirectoryNode;
  readonly seq: number;
  info(): WorkspaceInfo;
  commit(changeSet: ChangeSet, options: CommitOptions): Promise<CommitResult>;
  changeRoots(change: RootChange, options: CommitOptions): Promise<CommitResult>;
  /** Idempotent. Waits for the commits under way. */
  close(): Promise<void>;
}
