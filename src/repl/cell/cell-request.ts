// What is asked of a session for one cell, and what comes of it.
import type { FileChange } from '../../core/change-set.ts';
import type { GitDeed } from '../../core/git/git-deed.ts';
import type { WorkContents, WorkContext } from '../../core/tool/handler.ts';
import type { GitProgress } from '../../workspace/git/git.ts';
import type { SyncFileSystem } from '../../workspace/files/file-system.ts';
import type { CellError } from './cell-error.ts';
import type { ToolAccess } from './cell-tools.ts';
import type { CellLimits } from '../vm/limits.ts';
import type { NamedSources } from '../host/cell-sources.ts';
import type { NetworkAccess } from '../host/network-broker.ts';
import type { OutputPiece } from './output.ts';

/** One cell and what it may use. Limits that it doesn't name are `defaultCellLimits` of vm/limits.ts. */
export interface CellRequest extends Partial<CellLimits> {
  readonly code: string;
  readonly cwd: string;
  /** The cell's draft. Everything that the guest's `fs` does goes here. */
  readonly fs: SyncFileSystem;
  /** What of it may be loaded as code in a tainted session. */
  readonly contents: WorkContents;
  /**
   * The workspace's number when text from outside came into the session, as its host knows: see
   * download-taint.ts. Left out: none has, but the session's own cells may know better.
   */
  readonly downloadedAt?: number | undefined;
  /** Called when text from outside comes into the session; may be called again. */
  onDownload?(): void;
  /** What the draft holds; asked for when the cell has succeeded. */
  fileChanges(): Promise<readonly FileChange[]>;
  /** Bytes of file content that the draft holds; asked for when it may be too much. */
  heldBytes(): number;
  /** Drops what the draft holds; called when the cell fails. */
  rollback(): void;
  /** Which hosts its `fetch` may reach. @defaultValue none */
  readonly network?: NetworkAccess | undefined;
  /** Which tools it may call. The cell's time stands still while one runs. @defaultValue none */
  readonly tools?: ToolAccess;
  /** See {@link WorkContext.runGit}. @defaultValue every command is refused */
  readonly runGit?: WorkContext<unknown>['runGit'];
  /** How far a command of git is that takes long, at most about 10 times a second. */
  onGitProgress?(progress: GitCommandProgress): void;
  readonly signal?: AbortSignal;
  /**
   * It stands alone (see stands-alone.ts), and runs on a copy. What was there before it is there
   * after it, and its name in stack traces has no number.
   */
  readonly isAlone?: boolean;
  /** Its time begins: all is loaded, and its turn has come. Not called for code that doesn't parse. */
  onStart?(): void;
  /** Its output is followed line by line, and not only looked at: nothing of a batch is left out. */
  readonly isFollowed?: boolean;
  /** Output while the cell runs, at most about 10 times a second, and bounded each time. */
  onOutput?(piece: OutputPiece): void;
  /**
   * Called once, before the cell asks its host for anything that may tell another run from this one
   * (see effects.ts). From then on the same cell must not be run again by itself.
   */
  onEffect?(): void;
  /** Told at its end how often the engine has asked whether to go on. */
  onSteps?(steps: number): void;
  /**
   * The session as it was kept outside this worker. Another one than this session's own wins. Read
   * when the cell's turn comes.
   */
  readonly savedState?: Uint8Array | undefined;
  /** What its randomness and its clock follow from. @defaultValue the session's own */
  readonly seed?: NamedSources['seed'];
  readonly time?: NamedSources['time'];
  /**
   * Called after each cell that succeeded, with the session as it is then: not to be written to. Of more
   * than `largeStateBytes` the session keeps nothing itself: after a cell that failed, the next one
   * must bring it as `savedState`. `kept`: the names of its variables, if {@link CellRequest.namesKept}.
   */
  saveState?(state: Uint8Array, kept?: readonly string[]): void;
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
  /** The last expression's value as data; left out where it isn't JSON's, or is long. */
  readonly value?: unknown;
  /** The same as text, for whatever it is; left out when it is undefined. */
  readonly display?: string;
  readonly error?: CellError;
  readonly timedOutAfterMs?: number;
  /** What the cell changed, for people to review. Empty when it was rolled back. */
  readonly changes: readonly FileChange[];
  /** What git did for the cell that changed something; left out where it did nothing. */
  readonly git?: readonly GitDeed[];
  /** The cell failed: variables and files are as before it. */
  readonly rolledBack: boolean;
  /** What the outcome means where neither value nor error says it: failing tests. */
  readonly returnCodeInterpretation?: string;
}
