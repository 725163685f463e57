// A session's request to run one cell, and the result.
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
 * One cell and what it may use. Limits that aren't set come from `defaultCellLimits` of
 * vm/limits.ts.
 */
export interface CellRequest extends Partial<CellLimits> {
  readonly code: string;
  readonly cwd: string;
  /** The cell's draft. All file operations of the guest apply to it. */
  readonly fs: SyncFileSystem;
  /** The contents that a tainted session may load as code. */
  readonly contents: WorkContents;
  /**
   * The sequence number of the workspace when text from outside first reached the session, as far
   * as the host knows: see download-taint.ts. Left out if none has. The session's own cells may
   * know of earlier text.
   */
  readonly downloadedAt?: number | undefined;
  /** Called when text from outside reaches the session. May be called more than once. */
  onDownload?(): void;
  /** Returns the changes of the draft. Called after the cell has succeeded. */
  fileChanges(): Promise<readonly FileChange[]>;
  /**
   * Returns how many bytes of file content the draft holds. Called when the limit may be exceeded.
   */
  heldBytes(): number;
  /** Drops the draft's changes. Called when the cell fails. */
  rollback(): void;
  /** The hosts that the cell's `fetch` may reach. @defaultValue none */
  readonly network?: NetworkAccess | undefined;
  /**
   * The tools that the cell may call. The cell's time doesn't run during a call. @defaultValue none
   */
  readonly tools?: ToolAccess;
  /** See {@link WorkContext.runGit}. @defaultValue every command is refused */
  readonly runGit?: WorkContext<unknown>['runGit'];
  /** Called with the progress of slow git commands, at most about 10 times a second. */
  onGitProgress?(progress: GitCommandProgress): void;
  readonly signal?: AbortSignal;
  /**
   * True if the cell stands alone (see stands-alone.ts) and runs on a copy of the session. The
   * session isn't changed, and the cell's name in stack traces has no number.
   */
  readonly isAlone?: boolean;
  /**
   * Called when the cell's time begins: everything is loaded, and the cell is next. Not called for
   * code that doesn't parse.
   */
  onStart?(): void;
  /**
   * True if each line of the output is used, and not only shown. No output is then left out of a
   * batch.
   */
  readonly isFollowed?: boolean;
  /**
   * Called with output while the cell runs, at most about 10 times a second. Each piece has a
   * limited size.
   */
  onOutput?(piece: OutputPiece): void;
  /**
   * Called once, before the cell calls a host function whose result may differ between runs (see
   * effects.ts). From then on the cell must not be run again automatically.
   */
  onEffect?(): void;
  /** Called at the cell's end with the number of times that the engine has polled. */
  onSteps?(steps: number): void;
  /**
   * The session's state as saved outside of this worker. If it differs from the state of this
   * session, it replaces that. Read when the cell is about to run.
   */
  readonly savedState?: Uint8Array | undefined;
  /** The seed of the cell's randomness and clock. @defaultValue the session's own sources */
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

/** The progress of a git command. */
export interface GitCommandProgress extends GitProgress {
  readonly command: string;
}

export interface CellResult {
  readonly stdout: string;
  readonly stderr: string;
  /** True if the cell was stopped from outside. */
  readonly interrupted: boolean;
  /**
   * The value of the last expression as data. Left out if JSON can't represent it, or if it is
   * long.
   */
  readonly value?: unknown;
  /** The same value as text, for any type. Left out if the value is undefined. */
  readonly display?: string;
  readonly error?: CellError;
  readonly timedOutAfterMs?: number;
  /** The changes of the cell, for review by a person. Empty if the cell was rolled back. */
  readonly changes: readonly FileChange[];
  /** The git commands of the cell that changed something. Left out if there were none. */
  readonly git?: readonly GitDeed[];
  /** True if the cell failed. Variables and files are then as before the cell. */
  readonly rolledBack: boolean;
  /** Explains the outcome if neither value nor error does: failed tests. */
  readonly returnCodeInterpretation?: string;
}
