// The ports from the agent to its host. Hosts implement them. Nothing here depends on a browser.
import type { Change, ChangeSet, Version, WorkspaceAddress } from '../change-set.ts';
import type { SerializedError } from '../errors.ts';
import type { WorkLimits } from './handler.ts';
import type { NestedCallListener } from './nested-call.ts';
import type { HostAccess } from '../access/host-access.ts';
import type { PathAccess } from '../access/path-access.ts';
import type { StateChange } from '../session/state-change.ts';

/**
 * The port to time, so that tests need not wait. In a tab a worker runs the timers, because the browser throttles
 * those of hidden pages.
 */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back once after `delayMs`, unless disposed first. */
  after(delayMs: number, callback: () => void): Disposable;
}

/** One allowed call, as it is sent to the realm that runs it. Structured-cloneable. */
export interface WorkRequest {
  readonly callId: string;
  readonly toolName: string;
  /** Parsed by the tool's schema on this side; the worker parses it again. */
  readonly input: unknown;
  readonly sessionId: string;
  readonly address: WorkspaceAddress;
  readonly access: PathAccess;
  readonly cwd: string;
  readonly limits: WorkLimits;
  /** What the model has read so far: path and version. */
  readonly knownVersions: readonly (readonly [path: string, version: Version])[];
  /** The call whose sandboxed code makes this one. It works on a fork of that call's draft. */
  readonly outerCallId?: string;
  /** Names of the tools that the call's own sandboxed code may call. Left out: none. */
  readonly tools?: readonly string[];
  /** Which hosts the call's own sandboxed code may reach. Left out: none. */
  readonly network?: HostAccess;
  /** Commands of git that the call's own sandboxed code may not run: names, or patterns. Left out: none. */
  readonly deniedGit?: readonly string[];
  /** See `downloadedAt` of a handler's context. */
  readonly downloadedAt?: number;
  /**
   * The call runs beside the session's other calls, in a realm of its own. It runs on a copy of
   * what its tool has saved for the session. What it saves itself is dropped.
   */
  readonly isBackground?: true;
  /**
   * The call neither needs nor changes what its tool keeps for the session. It may run beside the session's other
   * calls, in any realm. What it saves is dropped.
   */
  readonly isStateless?: true;
  /**
   * The reply may have `packedChanges`, because the sender passes the changes on without reading them. Security: only
   * for changes that no rule judges.
   */
  readonly packsChanges?: true;
  /** The part of the call's work that this request is for; another realm runs the call. Left out: the whole call. */
  readonly part?: WorkPart;
  /**
   * For a journal: the reply has the state that the call has saved, as a change of the state before or as a whole
   * (see `isChainHeavy`). Without a state before, it is always a whole one. Left out: the reply has no state.
   */
  readonly recordState?: 'change' | 'whole';
  /**
   * The seed of all randomness of the call's sandboxed code: 32 hexadecimal digits, as `deriveSeed` makes them. Left
   * out: the platform's randomness. Security: with a seed, nothing that the code draws is a secret.
   */
  readonly seed?: string;
  /**
   * The first time that the clock of the call's sandboxed code shows, in milliseconds since the epoch. It continues
   * with real time. Left out: the platform's clock.
   */
  readonly time?: number;
}

/** A part of a call. The realm that runs the call offers the parts and combines their outputs. */
export interface WorkPart {
  /** The last record of the log that the call sees. All realms that have this record see the same files. */
  readonly seq: number;
  /** The part, in the tool's own form. */
  readonly task: unknown;
}

/** How the work has ended. Structured-cloneable. */
export type WorkReply =
  | {
      readonly type: 'done';
      readonly output: unknown;
      /** Null when the draft is empty. */
      readonly changeSet: ChangeSet | null;
      /** Replaces `changeSet` if `packsChanges` was asked for and the executor supports it. */
      readonly packedChanges?: Uint8Array<ArrayBuffer>;
      readonly reads: readonly (readonly [path: string, version: Version])[];
      /**
       * For a nested call: what the outer call's draft had changed before at the paths of `changeSet`. Left out:
       * nothing.
       */
      readonly replaced?: readonly Change[];
      /** Left out if it wasn't asked for, or if nothing was saved for the session. */
      readonly state?: StateChange;
    }
  | { readonly type: 'failed'; readonly error: SerializedError }
  /** The worker ended before it replied: it was terminated, or died by itself. */
  | { readonly type: 'lost'; readonly message: string };

/** Callbacks for what the work requests and reports while it runs, except its progress. */
export interface WorkListeners {
  /** Left out: every nested call of the work is refused. */
  readonly onNestedCall?: NestedCallListener | undefined;
  /**
   * See `startClock` of a handler's context. Called at most once for each start of the work; the work starts again if
   * it is retried in another worker.
   */
  readonly onClockStart?: () => void;
  /** See `noteDownload` of a handler's context. Called before any of the download is visible. */
  readonly onDownload?: () => void;
  /** The worker that runs the work, by a name for people. Called again if the work is started again. */
  readonly onWorker?: (worker: string) => void;
}

/** Work under way. Only agent/calls/dispatch.ts decides when to interrupt and when to kill. */
export interface RunningWork {
  /** Never rejects. Settles exactly once. */
  readonly reply: Promise<WorkReply>;
  /**
   * Asks the handler to stop: its signal is aborted. The reply still comes, if it can. It is `done` if the work had
   * already ended.
   */
  interrupt(reason: string): void;
  /**
   * True if an earlier call still runs in the same realm, so that this one may not have begun yet. Always false for a
   * nested call, for which its outer call waits.
   */
  isBehind(): boolean;
  /** Ends the work, if necessary with its worker. The reply is then `lost`. */
  kill(reason: string): void;
  /**
   * Called after a `done` reply whose changes weren't kept. What the handler keeps and has saved for its session is
   * reset to the state before the call.
   */
  discard(): void;
  /**
   * Called after a `done` reply whose changes were kept. The work can't be {@link RunningWork.discard | discarded}
   * any more, so what that would need may be freed. Left out if nothing is held for that.
   */
  keep?(): void;
}

/** Runs one call's handler somewhere. Adapters: WorkerExecutor (a tab), InlineExecutor (one thread). */
export interface Executor {
  start(
    request: WorkRequest,
    onProgress: (progress: unknown) => void,
    listeners?: WorkListeners,
  ): RunningWork;
  /**
   * Drops what the session's tools keep and have saved. Called when none of its calls runs and none will come. Left
   * out if nothing is kept.
   */
  endSession?(sessionId: string): void;
  /**
   * Sets the states from which the session continues, in a new host or at an earlier point. Everything else that its
   * tools keep and have saved is dropped. Called when none of its calls runs. Left out if nothing is kept.
   *
   * Rejects with `invalid-input` if a chain can't be read; then nothing has changed.
   */
  restoreStates?(sessionId: string, chains: readonly StateChain[]): Promise<void>;
}

/** The recorded changes that make up a tool's state for a session. */
export interface StateChain {
  readonly toolName: string;
  /** The bytes of the {@link StateChange}s in their order, from the last whole state on. */
  readonly changes: readonly Uint8Array<ArrayBuffer>[];
  /**
   * Why the medium can't read these bytes any more. The tool then begins with an empty state, and says so. Left out:
   * the bytes are there.
   */
  readonly lost?: string;
}
