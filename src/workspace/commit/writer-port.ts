// The port between a workspace's interfaces and its log. Its adapters are the writer itself, and a
// tab's access to a leader that may be in another tab (tabs/shared-workspace.ts).
import type { ChangeSet } from '../../core/change-set.ts';
import type { RootChange } from '../state/record.ts';
import type { FeedSource } from '../feed/serve-feed.ts';
import type { DirectoryNode } from '../tree/tree.ts';
import type { CommitOptions, CommitResult, WorkspaceInfo } from '../workspace.ts';
import type { StreamRequest } from './validate-stream.ts';

/** The same as for a commit. */
export type StreamOptions = Pick<CommitOptions, 'durability' | 'origin'>;

/** When a commit has resolved, its client sees the result in `state`. */
export interface WriterPort extends FeedSource {
  /** The tree of `main`. */
  readonly root: DirectoryNode;
  readonly seq: number;
  /** The most bytes in a file that `Workspace.fs` writes. Undefined: the limit of every view. */
  readonly maxFileBytes?: number | undefined;
  info(): WorkspaceInfo;
  commit(changeSet: ChangeSet, options: CommitOptions): Promise<CommitResult>;
  changeRoots(change: RootChange, options: CommitOptions): Promise<CommitResult>;
  /** Changes only a stream. `seq` of the result is that of the last commit. */
  changeStream(request: StreamRequest, options: StreamOptions): Promise<CommitResult>;
  /** Called whenever the state has new or changed streams, before any other listener. */
  onStreams(listener: () => void): Disposable;
  /** Idempotent. Waits for commits that are under way. */
  close(): Promise<void>;
}
