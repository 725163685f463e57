// The request of a session for one cell, and the outcome.
import type { FileChange } from '../../core/change-set.ts';
import type { GitDeed } from '../../core/git/git-deed.ts';
import type { KeptState } from '../../core/session/state-change.ts';
import type { WorkContents, WorkContext } from '../../core/tool/handler.ts';
import type { GitProgress } from '../../workspace/git/git.ts';
import type { SyncFileSystem } from '../../workspace/files/file-system.ts';
import type { CellError } from './cell-error.ts';
import type { ToolAccess } from './cell-tools.ts';
import type { CellLimits } from '../vm/limits.ts';
import type { NamedSources } from '../host/cell-sources.ts';
import type { NetworkAccess } from '../host/network-broker.ts';
import type { OutputPiece } from './output.ts';

/**
 * One cell and the means that it may use. Limits that aren't given are `defaultCellLimits` of
 * vm/limits.ts.
 */
export interface CellRequest extends Partial<CellLimits> {
  readonly code: string;
  readonly cwd: string;
  /** The cell's draft. Everything that the guest's `fs` does goes here. */
  readonly fs: SyncFileSystem;
  /** The contents that a tainted session may load as code. */
  readonly contents: WorkContents;
  /**
   * The workspace's number when text from outside came into the session, as its host knows: see
   * download-taint.ts. Left out: none has, but the session's own cells may know better.
   */
  readonly downloadedAt?: number | undefined;
  /** Called when text from outside comes into the session; may be called again. */
  onDownload?(): void;
  /** The changes of the draft. Called when the cell has succeeded. */
  fileChanges(): Promise<readonly FileChange[]>;
  /** Bytes of file content that the draft holds; asked for when it may be too much. */
  heldBytes(): number;
  /** Drops what the draft holds; called when the cell fails. */
  rollback(): void;
  /** The hosts that its `fetch` may reach. @defaultValue none */
  readonly network?: NetworkAccess | undefined;
  /** The tools that it may call. The cell's time stands still while one runs. @defaultValue none */
  readonly tools?: ToolAccess;
  /** See {@link WorkContext.runGit}. @defaultValue every command is refused */
  readonly runGit?: WorkContext<unknown>['runGit'];
  /** How far a command of git is that takes long, at most about 10 times a second. */
  onGitProgress?(progress: GitCommandProgress): void;
  readonly signal?: AbortSignal;
  /**
   * The cell stands alone (see stands-alone.ts), and runs on a copy. It leaves the session as it
   * was, and its name in stack traces has no number.
   */
  readonly isAlone?: boolean;
  /**
   * The cell's time begins: all is loaded, and its turn has come. Not called for code that doesn't
   * parse.
   */
  onStart?(): void;
  /**
   * The output is followed line by line, and not only looked at. So nothing of a batch is left out.
   */
  readonly isFollowed?: boolean;
  /** Output while the cell runs, at most about 10 times a second, and bounded each time. */
  onOutput?(piece: OutputPiece): void;
  /**
   * Called once, before the cell asks its host for anything that may differ between runs (see
   * effects.ts). From then on the same cell must not be run again by itself.
   */
  onEffect?(): void;
  /**
   * Called at the cell's end with the number of times that the engine has asked whether to go on.
   */
  onSteps?(steps: number): void;
  /**
   * The session as it was kept outside this worker. Another one than this session's own wins. Read
   * when the cell's turn comes.
   */
  readonly savedState?: Uint8Array | undefined;
  /** The source of its randomness and its clock. @defaultValue the session's own */
  readonly seed?: NamedSources['seed'];
  readonly time?: NamedSources['time'];
  /**
   * Called after each cell that succeeded, with the session as it is then: not to be written to. Of more
   * than `largeStateBytes` the session keeps nothing itself: after a cell that failed, the next one
   * must bring it as `savedState`. `kept`: what it holds, if {@link CellRequest.namesKept}.
   */
  saveState?(state: Uint8Array, kept?: KeptState): void;
  /** @defaultValue false */
  readonly namesKept?: boolean;
}

/** How far a command of git is. */
export interface GitCommandProgress extends GitProgress {
  readonly command: string;
}

export interface CellResult {
  readonly stdout: string;
  readonly stderr: string;
  /** The cell was stopped from outside. */
  readonly interrupted: boolean;
  /** The last expression's value as data. Left out if it isn't JSON's, or is long. */
  readonly value?: unknown;
  /** The same value as text, of whatever type. Left out when it is undefined. */
  readonly display?: string;
  readonly error?: CellError;
  readonly timedOutAfterMs?: number;
  /** The changes of the cell, for people to review. Empty when it was rolled back. */
  readonly changes: readonly FileChange[];
  /** The commands of git that changed something for the cell. Left out if there were none. */
  readonly git?: readonly GitDeed[];
  /** The cell failed: variables and files are as before it. */
  readonly rolledBack: boolean;
  /** The meaning of the outcome, if neither value nor error says it: failing tests. */
  readonly returnCodeInterpretation?: string;
}
