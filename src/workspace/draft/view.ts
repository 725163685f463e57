// What one call gets of the workspace: a draft over one tree, behind its access rules. Opened by
// the realm that runs the call (a replica, or the writer itself where there is one thread).
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
  /** What a service over the view's files works on, as search is one. */
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
  /** In which the contents have their numbers. */
  readonly era: ContentEra;
}

/** What is written to it stays in it until it is joined; without that it is simply forgotten. */
export interface ForkedView extends WorkspaceView {
  /** What the outer draft had changed, when it was forked, at the paths that this one has changed. */
  replaced(): Change[];
  /**
   * Hands what it changed to the outer view, and is done with then.
   *
   * @throws SdkError `ECONFLICT` where the outer draft has changed the same path since; nothing is
   * then handed over.
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
