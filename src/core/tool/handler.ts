// The worker half of a tool, and everything that it gets. Handlers run in tool workers, on the agent's thread
// (inline), or in an isolate. They can't tell which.
import type { ContentId, FileChange, Version } from '../change-set.ts';
import type { FetchPort } from '../host-ports/fetch-port.ts';
import type { HostAccess } from '../access/host-access.ts';
import type { KeptState } from '../session/state-change.ts';

/** Caps on what one call may produce, decided by the host. */
export interface WorkLimits {
  /**
   * When the sandbox's engine should stop the call, in milliseconds from {@link WorkContext.startClock}. The
   * dispatcher cuts the call a little later.
   */
  readonly timeoutMs: number;
  /** The largest file that Edit and Read take, in bytes. */
  readonly maxFileBytes: number;
  /** The most text that a call may return, in UTF-16 units. */
  readonly maxOutputChars: number;
  /** The cap of the heap of sandboxed code, in bytes. */
  readonly maxMemoryBytes: number;
  /**
   * How often the sandbox's engine polls for an interrupt in a millisecond of computing. In a runtime whose clock
   * stands still while code runs, deadlines are measured by these polls. Left out: the number measured in workerd.
   */
  readonly questionsPerMs?: number;
  /**
   * How often a search checks its deadline in a millisecond of computing, in a runtime whose clock stands still while
   * code runs. Left out: the clock measures the deadline.
   */
  readonly checksPerMs?: number;
}

/**
 * 128 MB: the default cap of the sandbox's heap. A tab needs several times as much for a session that
 * fills it: see docs/repl.md.
 */
export const defaultMemoryBytes = 128 * 1024 * 1024;

/**
 * 32 MB. Of a larger state only the page has a copy, which a worker gets when it needs it. With a copy in each
 * worker, and garbage that isn't collected yet, a session would take ten times the memory of its state.
 */
export const largeStateBytes = 32 * 1024 * 1024;

/** The part of a realm that loads the sandbox engine. */
export type WasmSource = Pick<Realm, 'loadWasm'>;

/**
 * What belongs to the worker rather than to one call. Handlers keep long-lived things (a REPL's
 * VM) in `keep`, which the realm disposes when it ends.
 */
export interface Realm {
  /** Compiles the sandbox engine's wasm, once per realm. Rejects with `unsupported-environment`. */
  loadWasm(): Promise<WebAssembly.Module>;
  /** How sandboxed code in this realm reaches the network, within the limits of its call. */
  readonly network: FetchPort;
  /**
   * The value of this key, created on first use: one for each session and tool. It lasts until the realm
   * ends or the session's calls move to another realm. What must outlive that goes through `saveState`.
   */
  keep<T extends Disposable>(key: string, create: () => T): T;
  /**
   * Reports that much memory was freed that the system gets back only when the realm ends. The realm then gets no
   * further calls, and ends after the present ones. Left out if no other realm could take over.
   */
  noteSpent?(): void;
  /**
   * Reports how long a call has computed, in milliseconds measured by polls ({@link WorkLimits.questionsPerMs}). Left
   * out if a clock measures that.
   */
  noteWork?(ms: number): void;
}

/** The ids of the contents in a call's view. A later content of a workspace has a higher id. */
export interface WorkContents {
  /**
   * The newest content of the tree that the call began with. With `seq`, only files that haven't changed since count.
   */
  newest(seq?: number): ContentId;
  /** The content of the file at a real path; undefined for what a draft has written, and where there is no file. */
  idOf(path: string): ContentId | undefined;
  /**
   * True if the synchronous file system has refused a content that can't be read at once, because it is in a bucket.
   * The handler then stops the code that it runs, reverts the code's changes and calls {@link WorkContents.bring}.
   * Then it may run the code again.
   */
  readonly isAbsent: boolean;
  /**
   * Fetches the refused content for this call. Rejects like a read, and with `limit-exceeded` if the call holds too
   * many.
   */
  bring(): Promise<void>;
}

/**
 * What a handler gets for one call. `Fs` is the workspace's `FileSystem`, which core may not import. Everything that
 * the handler writes goes to the call's draft, and takes effect when the agent commits the draft.
 */
export interface WorkContext<Fs, Progress = unknown> {
  readonly fs: Fs;
  readonly cwd: string;
  readonly sessionId: string;
  /** Aborted when the call is cut. A handler that doesn't listen is terminated with its worker. */
  readonly signal: AbortSignal;
  readonly limits: WorkLimits;
  readonly realm: Realm;
  /** Reports progress that a person may see while the call runs. Structured-cloneable. */
  progress(progress: Progress): void;
  /**
   * Starts the call's clock, after everything is there that the call had to load or wait for. Only for a tool with
   * `keepsOwnTime`; only the first call has an effect. Read a `savedState` of more than {@link largeStateBytes}
   * before: its bytes may be freed from now on.
   */
  startClock(): void;
  /** The version of a path that the model has last read or written in this conversation. Undefined: neither. */
  knownVersion(path: string): Version | undefined;
  /** Notes that the model now knows this path's content as of `version`. */
  markRead(path: string, version: Version): void;
  /** The contents of the call's files, by id: see repl/session/download-taint.ts. */
  readonly contents: WorkContents;
  /**
   * The workspace's sequence number when text from outside came into what the session's code keeps. Undefined: none
   * has.
   */
  readonly downloadedAt: number | undefined;
  /** Notes that text from outside has come into what the session's code keeps, or into this call's files. */
  noteDownload(): void;
  /** Which hosts the call's own sandboxed code may reach; undefined: none. */
  readonly network: HostAccess | undefined;
  /** Names of the tools that {@link WorkContext.callTool} may call. */
  readonly tools: readonly string[];
  /**
   * Calls another tool on behalf of this call. The nested call is judged by all rules, and a person may take any time
   * to answer. When it resolves, its changes are in this call's draft.
   *
   * Resolves to the tool's output. Rejects with an SdkError: `permission-denied` if it was refused;
   * `ECONFLICT` if this call changed the same path meanwhile; else the tool's own error. After `signal`
   * is aborted none of its changes get into the draft.
   */
  callTool(toolName: string, input: unknown, options: CallToolOptions): Promise<unknown>;
  /**
   * Runs a command of core/git/git-commands.ts on the call's draft, after the commands of earlier calls of this
   * method. Git is loaded with the first one. A command makes all of its changes, or none.
   *
   * Rejects with an SdkError that says what to do; `invalid-input` for arguments that it doesn't take.
   */
  runGit(command: string, args: readonly unknown[], options: RunGitOptions): Promise<unknown>;
  /**
   * Offers parts of this call's work to idle realms. Each takes a run of neighbouring parts. As long as the realms
   * are the same, each takes the same parts as last time. The call itself always does the first parts. A helping
   * realm sees the same state of the workspace, has the call's rules and limits, and is aborted with the call. Left
   * out if there is only one realm, for a nested call, and for a call in the background.
   */
  readonly shareWork?: ((parts: readonly unknown[], others: PartListener) => void) | undefined;
  /** The changes in the call's draft so far, for people to review, sorted by path. */
  fileChanges(): Promise<FileChange[]>;
  /**
   * Notes that the call has had an effect that must not happen twice. Otherwise the call is run again if its worker
   * was ended because of another call. Changes in the draft need no note, because they are lost with the worker.
   * Calls of tools need none either, because the agent knows of them.
   */
  noteEffect(): void;
  /**
   * Bytes of file content that the call's draft holds in this realm's memory. Takes time in proportion to the
   * changes.
   */
  heldBytes(): number;
  /** Drops all changes of the draft, so the call commits nothing. */
  rollback(): void;
  /**
   * The state of this tool and session that outlives the worker, as of now. A call that runs beside
   * this one may have saved it meanwhile. See {@link WorkContext.saveState}.
   */
  readonly savedState: Uint8Array | undefined;
  /**
   * Keeps bytes outside the worker, for the next call in case the worker is killed. The host owns the bytes from then
   * on. It keeps the only copy if they are more than {@link largeStateBytes}. Does nothing for a stateless call: see
   * `usesSessionState` of a tool. `kept` says what a later call finds in the state; it is needed only if
   * {@link WorkContext.isRecorded}.
   */
  saveState(state: Uint8Array, kept?: KeptState): void;
  /** True if the saved state is recorded in the journal. */
  readonly isRecorded: boolean;
  /** The seed of all random numbers of the call's sandboxed code. Undefined: the platform's random numbers. */
  readonly seed: string | undefined;
  /** The first time that the clock of the sandboxed code shows. Undefined: the platform's clock. */
  readonly time: number | undefined;
  /** True if the call neither needs nor changes the state that is kept for the session. */
  readonly isStateless: boolean;
}

/** Both belong to the call that calls. */
export interface RunGitOptions {
  /** Ends the command. The files are then as they were before the command. */
  readonly signal: AbortSignal;
  /** Called during a long operation. Structured-cloneable. */
  readonly onProgress?: (progress: unknown) => void;
  /** The directory whose repository is meant. @defaultValue the working directory */
  readonly directory?: string;
  /** Stops the clock of the call's own code, until what it gives is called: a person is asked about the command. */
  readonly pauseClock?: () => () => void;
}

/** Learns what happens to the parts that a call has offered. */
export interface PartListener {
  /** Other realms do the parts from this index on. May be called late. Never called if no realm takes a part. */
  onTaken(from: number): void;
  /**
   * The output of `workOnPart` for a part that was taken; undefined if it failed or its realm ended. May
   * never be called: the realm may have got a long call of its own.
   */
  onDone(at: number, output: unknown): void;
}

/** Both belong to the call that calls. */
export interface CallToolOptions {
  /**
   * Real paths of the files whose content this call has seen, so that a nested Edit or Write may change them. Files
   * that this call has changed needn't be listed.
   */
  readonly readPaths: Iterable<string>;
  readonly signal: AbortSignal;
  /** Called before the nested call settles, if its output or its error may hold text from outside. */
  onDownload?(): void;
}

/** Does the work of one validated call. A throw fails the call and drops its draft. */
export type Handler<Input, Output, Fs, Progress = unknown> = (
  input: Input,
  context: WorkContext<Fs, Progress>,
) => Promise<Output>;
