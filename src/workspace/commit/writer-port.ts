// The port between a workspace's interfaces and its log. Adapters: the writer itself, and a tab's
// access to a leader that may be another tab (tabs/shared-workspace.ts).
import type { ChangeSet } from '../../core/change-set.ts';
import type { RootChange } from '../state/record.ts';
import type { FeedSource } from '../feed/serve-feed.ts';
import type { DirectoryNode } from '../tree/tree.ts';
import type { CommitOptions, CommitResult, WorkspaceInfo } from '../workspace.ts';
import type { StreamRequest } from './validate-stream.ts';

/** As those of a commit. */
export type StreamOptions = Pick<CommitOptions, 'durability' | 'origin'>;

/** A client that commits sees the result in `state` once its commit has resolved. */
export interface WriterPort extends FeedSource {
  /** The tree of `main`. */
  readonly root: DirectoryNode;
  readonly seq: number;
  /** Bytes that a file may have that `Workspace.fs` writes. Undefined: what every view takes. */
  readonly maxFileBytes?: number | undefined;
  info(): WorkspaceInfo;
  commit(changeSet: ChangeSet, options: CommitOptions): Promise<CommitResult>;
  changeRoots(change: RootChange, options: CommitOptions): Promise<CommitResult>;
  /** A change of a stream alone. `seq` of the result is that of the commit before it. */
  changeStream(request: StreamRequest, options: StreamOptions): Promise<CommitResult>;
  /** Called whenever the state has other streams than before, each time before anything else is. */
  onStreams(listener: () => void): Disposable;
  /** Idempotent. Waits for the commits under way. */
  close(): Promise<void>;
}
