// The port to one call's files: a draft over one tree, behind the call's access rules. The realm
// that runs the call opens it: a replica, or the writer's own thread where there is only one.
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

/** One call's files. Everything written stays in its draft until the agent commits the change set. */
export interface WorkspaceView {
  /** The number of the last record in what the draft is over. */
  readonly seq: number;
  readonly fs: LocalFileSystem;
  /** The tree and rules that a service over the view's files needs, such as search. */
  readonly files: ViewFiles;
  readonly contents: WorkContents;
  /** What the draft holds so far, or null when nothing changed. The view stays usable. */
  changeSet(): ChangeSet | null;
  /** The same for people, with patches: see `describeChanges`. */
  fileChanges(): Promise<FileChange[]>;
  /** Bytes of file content that the draft holds, in memory, until it is committed. Costs what changed. */
  heldBytes(): number;
  /** Drops all that the draft holds. */
  rollback(): void;
  /** Has the draft changed what stands at this real path? */
  hasChanged(path: string): boolean;
  /** The version that a commit will compare at this real path: what a `stat` shows. */
  versionOf(path: string): Version;
  /** A view over a fork of this one's draft, with rules of its own: for a call inside this one's work. */
  fork(access: PathAccess): ForkedView;
}

/** A view's tree, its rules, and where the contents are. */
export interface ViewFiles {
  readonly scope: FileScope;
  readonly contents: ContentSource;
  /** The era of the content ids. */
  readonly era: ContentEra;
}

/** Its writes stay in it until it is joined. A fork that isn't joined is dropped. */
export interface ForkedView extends WorkspaceView {
  /** The outer draft's changes at the fork's changed paths, as of the fork. */
  replaced(): Change[];
  /**
   * Hands its changes to the outer view; it must not be used afterwards. @throws SdkError
   * `ECONFLICT` where the outer draft has changed the same path since; nothing is then handed over.
   */
  join(): void;
}

/**
 * Opens views. Waits until `address.minSeq` has arrived, so that a call sees every commit that was
 * acknowledged before it. Rejects with `invalid-input` for a root or a number that doesn't exist,
 * `worker-lost` where the number never arrives.
 */
export interface ViewSource {
  openView(address: WorkspaceAddress, access: PathAccess): Promise<WorkspaceView>;
}
