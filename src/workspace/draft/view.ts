// The port to one call's files: a draft over one tree, behind the call's access rules. Opened by
// the realm that runs the call: a replica, or the writer's own thread.
import type {
  Change,
  ChangeSet,
  FileChange,
  Version,
  WorkspaceAddress,
} from '../../core/change-set.ts';
import type { WorkContents } from '../../core/tool/handler.ts';
import type { PathAccess } from '../../core/access/path-access.ts';
import type { ContentEra } from '../state/content-era.ts';
import type { ContentSource } from '../state/content-source.ts';
import type { LocalFileSystem } from '../files/file-system.ts';
import type { FileScope } from '../files/read-operations.ts';

/** One call's files. Writes stay in the draft until the agent commits the change set. */
export interface WorkspaceView {
  /** The number of the last record in the draft's base. */
  readonly seq: number;
  readonly fs: LocalFileSystem;
  /** The tree and the rules that a service over the view's files needs, such as search. */
  readonly files: ViewFiles;
  readonly contents: WorkContents;
  /** Returns the draft's changes, or null if there are none. The view stays usable. */
  changeSet(): ChangeSet | null;
  /** Returns the changes for people, with patches: see `describeChanges`. */
  fileChanges(): Promise<FileChange[]>;
  /**
   * Returns the bytes of file content that the draft holds in memory until it is committed. The
   * cost is proportional to the changes.
   */
  heldBytes(): number;
  /** Drops all changes of the draft. */
  rollback(): void;
  /** True if the draft has changed the node at this real path. */
  hasChanged(path: string): boolean;
  /** Returns the version that a commit compares at this real path, which `stat` shows. */
  versionOf(path: string): Version;
  /** Opens a view over a fork of this view's draft, with its own rules: for a nested call. */
  fork(access: PathAccess): ForkedView;
}

/** A view's tree, its rules, and the source of its contents. */
export interface ViewFiles {
  readonly scope: FileScope;
  readonly contents: ContentSource;
  /** The era of the content ids. */
  readonly era: ContentEra;
}

/** Writes stay in the fork until it is joined. A fork that isn't joined is dropped. */
export interface ForkedView extends WorkspaceView {
  /** Returns the outer draft's changes at the fork's changed paths, as of the fork. */
  replaced(): Change[];
  /**
   * Passes the fork's changes to the outer view. Don't use the fork afterwards. @throws SdkError
   * `ECONFLICT` if the outer draft has changed the same path since; nothing is passed on then
   */
  join(): void;
}

/**
 * Opens views. Waits until record `address.minSeq` has arrived, so that a call sees every commit
 * that was acknowledged before it. Rejects with `invalid-input` for a root or number that doesn't
 * exist, and with `worker-lost` if the record never arrives.
 */
export interface ViewSource {
  openView(address: WorkspaceAddress, access: PathAccess): Promise<WorkspaceView>;
}
