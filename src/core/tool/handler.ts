// The worker half of a tool: what it is given, and nothing else. Handlers run in tool workers, on
// one thread beside the agent (inline), or in an isolate; they can't tell which.
import type { ContentId, FileChange, Version } from '../change-set.ts';
import type { FetchPort } from '../host-ports/fetch-port.ts';
import type { HostAccess } from '../access/host-access.ts';
import type { KeptState } from '../session/state-change.ts';

/** Caps on what one call may produce, decided by the host. */
export interface WorkLimits {
  /**
   * When the call's own engine should cut itself, in milliseconds from {@link WorkContext.startClock};
   * the dispatcher cuts later.
   */
  readonly timeoutMs: number;
  /** The largest file that Edit and Read take, in bytes. */
  readonly maxFileBytes: number;
  /** The most text that a call may return, in UTF-16 units. */
  readonly maxOutputChars: number;
  /** The guest heap's cap for sandboxed code, in bytes. */
  readonly maxMemoryBytes: number;
  /**
   * How often the sandbox's engine polls for an interrupt in a millisecond of computing. Where clocks stand still while
   * code runs, deadlines are counted by these polls. Left out: the figure measured in workerd.
   */
  readonly questionsPerMs?: number;
  /**
   * How often a search checks its deadline in a millisecond of computing, where clocks stand still while code runs.
   * Left out: only the clock counts.
   */
  readonly checksPerMs?: number;
}

/**
 * 128 MB: the default cap of the sandbox's heap. A tab needs several times as much for a session that
 * fills it: see docs/repl.md.
 */
export const defaultMemoryBytes = 128 * 1024 * 1024;

/**
 * 32 MB. A larger state has one copy, on the page, which a worker gets when it needs it. With a copy in
 * each worker, and garbage that isn't collected yet, a session would cost ten times what it holds.
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
  /** How sandboxed code reaches the network from here, as far as its call may. */
  readonly network: FetchPort;
  /**
   * The value of this key, created on first use: one for each session and tool. It lasts until the realm
   * ends or the session's calls move to another realm. What must outlive that goes through `saveState`.
   */
  keep<T extends Disposable>(key: string, create: () => T): T;
  /**
   * Says that much memory was freed here that only the realm's end returns to the system. The realm then
   * gets no further calls, and ends after the present ones. Left out where no other realm could take over.
   */
  noteSpent?(): void;
  /**
   * Reports how long a call has computed, in milliseconds by its own polls ({@link WorkLimits.questionsPerMs}). Left
   * out where a clock measures that.
   */
  noteWork?(ms: number): void;
}

/** The contents in a call's view. Later contents of a workspace have higher numbers. */
export interface WorkContents {
  /** The newest content of the tree that the call began with. `seq`: only of files that haven't changed since. */
  newest(seq?: number): ContentId;
  /** The content of the file at a real path; undefined for what a draft has written, and where there is no file. */
  idOf(path: string): ContentId | undefined;
  /**
   * Has the synchronous file system refused a content that can't be read at once, because it is in a bucket? Whoever
   * runs code then ends it, reverts what it did, calls {@link WorkContents.bring} and may run it again.
   */
  readonly isAbsent: boolean;
  /** Fetches that content for this call. Rejects as a read does; `limit-exceeded` if the call holds too many. */
  bring(): Promise<void>;
}

/**
 * What a handler is given for one call. `Fs` is the workspace's `FileSystem`, which core may not import.
 * All that the handler writes goes to the call's draft, and takes effect when the agent commits it.
 */
export interface WorkContext<Fs, Progress = unknown> {
  readonly fs: Fs;
  readonly cwd: string;
  readonly sessionId: string;
  /** Aborted when the call is cut. A handler that doesn't listen is terminated with its worker. */
  readonly signal: AbortSignal;
  readonly limits: WorkLimits;
  readonly realm: Realm;
  /** What a person may see while it runs. Structured-cloneable. */
  progress(progress: Progress): void;
  /**
   * Says that the call's time begins now: all that it had to load or wait for is there. Only for a tool
   * that `keepsOwnTime`; only the first call counts. Read a `savedState` of more than
   * {@link largeStateBytes} before: its bytes may be freed now.
   */
  startClock(): void;
  /** The version of a path that the model has read (or written) in this conversation, if it has. */
  knownVersion(path: string): Version | undefined;
  /** Says that the model now knows this path's content as of `version`. */
  markRead(path: string, version: Version): void;
  /** The contents of the call's files, by id: see repl/session/download-taint.ts. */
  readonly contents: WorkContents;
  /** The workspace's number when text from outside came into what the session's code keeps, if it has. */
  readonly downloadedAt: number | undefined;
  /** Says that text from outside has come into what the session's code keeps, or into this call's files. */
  noteDownload(): void;
  /** Which hosts the call's own sandboxed code may reach; undefined: none. */
  readonly network: HostAccess | undefined;
  /** Names of the tools that {@link WorkContext.callTool} may call. */
  readonly tools: readonly string[];
  /**
   * Calls another tool for this call, as the model would. The call is judged by all rules, and a
   * person may be asked for as long as it takes. What it changes is in this call's draft when it
   * resolves.
   *
   * Resolves to the tool's output. Rejects with an SdkError: `permission-denied` if it was refused;
   * `ECONFLICT` if this call changed the same path meanwhile; else the tool's own error. After `signal`
   * is aborted none of its changes get into the draft.
   */
  callTool(toolName: string, input: unknown, options: CallToolOptions): Promise<unknown>;
  /**
   * Runs a command of core/git/git-commands.ts on the call's draft, after the commands that were asked for
   * before. Git is loaded with the first one. The command changes all that it promises, or nothing.
   *
   * Rejects with an SdkError that says what to do; `invalid-input` for arguments that it doesn't take.
   */
  runGit(command: string, args: readonly unknown[], options: RunGitOptions): Promise<unknown>;
  /**
   * Offers parts of this call's work to idle realms. Each takes a run of neighbouring parts, and the same
   * ones as last time while the same realms are there. The first parts are always the call's own. A realm
   * sees the same state of the workspace, has the call's rules and limits, and is aborted with the call.
   * Left out if there is one realm only, for a nested call, and for one in the background.
   */
  readonly shareWork?: ((parts: readonly unknown[], others: PartListener) => void) | undefined;
  /** What the call's draft holds so far, for people to review, in the order of the paths. */
  fileChanges(): Promise<FileChange[]>;
  /**
   * Says that the call has had an effect that must not happen twice. Without it, a call whose worker was
   * ended because of another call is run again. Not needed for what is in its draft, which is lost with
   * the worker, nor for tools that it called: the agent knows of these.
   */
  noteEffect(): void;
  /** Bytes of file content that the call's draft holds in this realm's memory. Takes time by what changed. */
  heldBytes(): number;
  /** Drops all that the draft holds: the call then commits nothing. */
  rollback(): void;
  /**
   * The state of this tool and session that outlives the worker, as of now. A call that runs beside
   * this one may have saved it meanwhile. See {@link WorkContext.saveState}.
   */
  readonly savedState: Uint8Array | undefined;
  /**
   * Keeps bytes outside the worker; the next call gets them if the worker was killed. The host owns them
   * from then on, and keeps the only copy if they are more than {@link largeStateBytes}. Does nothing for
   * a stateless call: see `usesSessionState` of a tool. `kept`: what a later call finds in the state; needed
   * only if {@link WorkContext.isRecorded}.
   */
  saveState(state: Uint8Array, kept?: KeptState): void;
  /** What it saves is journalled. */
  readonly isRecorded: boolean;
  /** The seed of all randomness of its sandboxed code; undefined: the platform's randomness. */
  readonly seed: string | undefined;
  /** What the clock of its sandboxed code shows at first; undefined: the platform's clock. */
  readonly time: number | undefined;
  /** The call neither needs nor changes the state that is kept for the session. */
  readonly isStateless: boolean;
}

/** Both belong to the call that calls. */
export interface RunGitOptions {
  /** Ends the command, and the files are then as they were before it. */
  readonly signal: AbortSignal;
  /** Called while something long runs. Structured-cloneable. */
  readonly onProgress?: (progress: unknown) => void;
  /** The directory whose repository is meant. @defaultValue the working directory */
  readonly directory?: string;
  /** Stops the clock of the call's own code, until what it gives is called: a person is asked about the command. */
  readonly pauseClock?: () => () => void;
}

/** Learns what happens to the parts that a call has offered. */
export interface PartListener {
  /** Others do the parts from this number on. May be called late; never called if nobody takes any. */
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
   * Real paths of files whose content it has seen: a nested Edit or Write may change them. Those that
   * it has changed itself needn't be named.
   */
  readonly readPaths: Iterable<string>;
  readonly signal: AbortSignal;
  /** Called before the call settles, where its output or its failure may hold text from outside. */
  onDownload?(): void;
}

/** Does the work of one validated call. A throw fails the call and drops its draft. */
export type Handler<Input, Output, Fs, Progress = unknown> = (
  input: Input,
  context: WorkContext<Fs, Progress>,
) => Promise<Output>;
