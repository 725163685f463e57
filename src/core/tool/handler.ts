// The worker half of a tool: what it is given, and nothing else. Handlers run in tool workers, on
// one thread beside the agent (inline), or in an isolate; they can't tell which.
import type { ContentId, FileChange, Version } from '../change-set.ts';
import type { FetchPort } from '../host-ports/fetch-port.ts';
import type { HostAccess } from '../access/host-access.ts';

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
   * How often sandboxed code's engine asks in a millisecond of computing, where clocks stand still meanwhile: deadlines
   * are counted so there. Left out: what was measured in workerd.
   */
  readonly questionsPerMs?: number;
  /**
   * How often a search asks for its deadline in a millisecond of computing, where clocks stand still meanwhile. Left
   * out: the clock alone counts.
   */
  readonly checksPerMs?: number;
}

/**
 * 128 MB: the cap of sandboxed code's heap, wherever nothing says otherwise. A tab takes several times as
 * much for a session that is full: see docs/repl.md.
 */
export const defaultMemoryBytes = 128 * 1024 * 1024;

/**
 * 32 MB. Of a larger state there is one copy, on the page, which a worker gets when it needs it: with a
 * copy in each worker, and what waits to be collected, a session costs ten times what it holds.
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
   * The value of this key, made on first use: one for each session and tool, until the realm ends or the
   * session's calls move to another. What must outlive that goes through `saveState`.
   */
  keep<T extends Disposable>(key: string, create: () => T): T;
  /**
   * Says that much memory was let go here which only the end of the realm gives back: it gets no further
   * call, and ends after those that it has. Left out where no other realm could take its place.
   */
  noteSpent?(): void;
  /**
   * Says how long it has computed, in milliseconds by its own counts ({@link WorkLimits.questionsPerMs}). Left out where
   * a clock tells that.
   */
  noteWork?(ms: number): void;
}

/** The contents in a call's view. Later contents of a workspace have higher numbers. */
export interface WorkContents {
  /** The newest in the tree that the call began with; of the files alone that were changed last by `seq`. */
  newest(seq?: number): ContentId;
  /** Of the file at a real path; undefined for what a draft has written, and where there is none. */
  idOf(path: string): ContentId | undefined;
  /**
   * Has the synchronous file system refused a content that can't be read at once, as it is in a bucket? Whoever runs
   * code ends it then, takes back what it did, calls {@link WorkContents.bring} and may run it again.
   */
  readonly isAbsent: boolean;
  /** Brings that content, for this call. Rejects as reading does; `limit-exceeded` where it holds too many. */
  bring(): Promise<void>;
}

/**
 * One call's world. `Fs` is the workspace's `FileSystem` (core can't name it: it stands below).
 * All that the handler writes goes to the call's draft and counts only when the agent commits it.
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
   * Says that the call's own time begins now: all that it had to load or to wait for is there. Only for
   * a tool that `keepsOwnTime`; only the first time counts. A `savedState` of more than
   * {@link largeStateBytes} must be read before: its bytes may be freed then.
   */
  startClock(): void;
  /** The version of a path that the model has read (or written) in this conversation, if it has. */
  knownVersion(path: string): Version | undefined;
  /** Says that the model now knows this path's content as of `version`. */
  markRead(path: string, version: Version): void;
  /** Which contents the call's files have: see repl/session/download-taint.ts. */
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
   * Calls another tool for this call, as the model would: it is judged by all rules, and a person may
   * be asked for as long as it takes. What it changes is in this call's draft when it resolves.
   *
   * Resolves to the tool's output. Rejects with an SdkError: `permission-denied` where it was refused;
   * `ECONFLICT` where this call changed the same path meanwhile; else the tool's own. Once `signal` is
   * aborted nothing of it gets into the draft.
   */
  callTool(toolName: string, input: unknown, options: CallToolOptions): Promise<unknown>;
  /**
   * Runs a command of core/git/git-commands.ts on the call's draft, after those that were asked for before;
   * git is loaded with the first one. It changes all that it says or nothing.
   *
   * Rejects with an SdkError that says what to do: `invalid-input` for arguments that it doesn't take, too.
   */
  runGit(command: string, args: readonly unknown[], options: RunGitOptions): Promise<unknown>;
  /**
   * Offers the parts of this call's work to realms that have nothing else to do. Each does some that stand
   * together, the same ones as the last time where the same realms are there; the first ones are always
   * the call's own. A realm sees the same state of the workspace, has the call's rules and limits, and is
   * aborted with it. Left out where there is one realm, for a call within another one, and for one in the
   * background.
   */
  readonly shareWork?: ((parts: readonly unknown[], others: PartListener) => void) | undefined;
  /** What the call's draft holds so far, for people to review, in the order of the paths. */
  fileChanges(): Promise<FileChange[]>;
  /**
   * Says that the call has done what must not be done a second time by itself, as a call may be whose
   * worker is ended for another one's sake. Not needed for what is in its draft, which goes with the
   * worker, nor for a tool that it called: of that the agent knows.
   */
  noteEffect(): void;
  /** Bytes of file content that the call's draft holds, in this realm's memory. Costs what changed. */
  heldBytes(): number;
  /** Drops all that the draft holds: the call then commits nothing. */
  rollback(): void;
  /**
   * State of this tool and session that outlives the worker, as it is when it is asked for: a call
   * that ran beside this one may have saved it meanwhile. See {@link WorkContext.saveState}.
   */
  readonly savedState: Uint8Array | undefined;
  /**
   * Keeps bytes outside the worker, to be handed to the next call if the worker has to be killed. They are
   * the host's from then on; of more than {@link largeStateBytes} the host alone keeps them. Does
   * nothing for a call that runs beside the session's others: see `usesSessionState` of a tool. `kept`:
   * names in it that a later call can use, of use where {@link WorkContext.isRecorded}.
   */
  saveState(state: Uint8Array, kept?: readonly string[]): void;
  /** What it saves is journalled. */
  readonly isRecorded: boolean;
  /** What all randomness of its sandboxed code follows from; undefined: the platform's. */
  readonly seed: string | undefined;
  /** What the clock of its sandboxed code shows at first; undefined: the platform's clock. */
  readonly time: number | undefined;
  /** It said that it neither needs nor changes the state that is kept for the session. */
  readonly isStateless: boolean;
}

/** Both belong to the call that calls. */
export interface RunGitOptions {
  /** Ends the command, and the files are then as they were before it. */
  readonly signal: AbortSignal;
  /** Told while something long runs. Structured-cloneable. */
  readonly onProgress?: (progress: unknown) => void;
  /** Stops the clock of the call's own code, until what it gives is called: a person is asked about the command. */
  readonly pauseClock?: () => () => void;
}

/** Told of what becomes of parts that a call has offered. */
export interface PartListener {
  /** Others do the parts from this number on. May come late, and doesn't where there are none. */
  onTaken(from: number): void;
  /**
   * What `workOnPart` of the tool's worker half has answered to a part that was taken; undefined where it
   * failed, or its realm ended. May never come: the realm may have got a long call of its own.
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
