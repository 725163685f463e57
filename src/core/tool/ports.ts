// What the agent needs from where it runs. Hosts implement these; nothing here knows a browser.
import type { Change, ChangeSet, Version, WorkspaceAddress } from '../change-set.ts';
import type { SerializedError } from '../errors.ts';
import type { WorkLimits } from './handler.ts';
import type { NestedCallListener } from './nested-call.ts';
import type { HostAccess } from '../access/host-access.ts';
import type { PathAccess } from '../access/path-access.ts';
import type { StateChange } from '../session/state-change.ts';

/** Time, so that tests need not wait. In a tab the ticking is a worker's: hidden pages are throttled. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back once after `delayMs`, unless disposed first. */
  after(delayMs: number, callback: () => void): Disposable;
}

/** One allowed call as it crosses to where the work is done. Structured-cloneable. */
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
   * The changes may come as `packedChanges`, because the sender passes them on without looking at them. Security: only
   * for changes that no rule is asked about.
   */
  readonly packsChanges?: true;
  /** The part of the call's work that is asked for; another realm has the call. Left out: all of it. */
  readonly part?: WorkPart;
  /**
   * For a journal: the reply says what the call has saved, as a change of the state before it or as a whole (see
   * `isChainHeavy`). Without a state before it, the change is always a whole one. Left out: the reply doesn't.
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

/** A part of a call, offered by the realm that has the call and puts the parts together. */
export interface WorkPart {
  /** The record that the call sees last. Realms that see the same one see the same files. */
  readonly seq: number;
  /** The part, in the tool's own form. */
  readonly task: unknown;
}

/** What became of the work. Structured-cloneable. */
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
  /** The worker ended before it answered: terminated by us, or dead by itself. */
  | { readonly type: 'lost'; readonly message: string };

/** Hears what work asks and reports while it runs, beside its progress. */
export interface WorkListeners {
  /** Left out: every nested call of the work is refused. */
  readonly onNestedCall?: NestedCallListener | undefined;
  /**
   * See `startClock` of a handler's context. Called at most once, and once more where the work had to
   * be started again in another worker.
   */
  readonly onClockStart?: () => void;
  /** See `noteDownload` of a handler's context. Called before any of the download is visible. */
  readonly onDownload?: () => void;
  /** Which worker has the work, by a name for people; again where it had to be started anew. */
  readonly onWorker?: (worker: string) => void;
}

/** Work under way. Only agent/calls/dispatch.ts decides when to interrupt and when to kill. */
export interface RunningWork {
  /** Never rejects. Settles exactly once. */
  readonly reply: Promise<WorkReply>;
  /**
   * Asks the handler to stop (its signal is aborted). The reply still comes, if it can; one that is
   * `done` was on its way already.
   */
  interrupt(reason: string): void;
  /**
   * Is an earlier call still at work in the same place? Then this one may not have begun, through no fault of its own.
   * A nested call waits for no other: its outer call waits for it.
   */
  isBehind(): boolean;
  /** Ends the work for good, with its worker if need be; the reply is then `lost`. */
  kill(reason: string): void;
  /**
   * Called after a `done` reply whose changes were not kept. What the handler saved and keeps for its session goes back
   * to what it was before the call.
   */
  discard(): void;
  /**
   * Called after a `done` reply whose changes were kept. It can't be {@link RunningWork.discard | discarded} any more,
   * so what that would need may go. Left out where nothing is held for it.
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
   * Drops what the session's tools keep and have saved. None of its calls runs, and none will come. Left out where
   * nothing is kept.
   */
  endSession?(sessionId: string): void;
  /**
   * The session continues from these states, in a new host or at an earlier point. Whatever else its tools have kept
   * and saved is dropped. None of its calls may run. Left out where nothing is kept.
   *
   * Rejects with `invalid-input` where a chain can't be read; then nothing has changed.
   */
  restoreStates?(sessionId: string, chains: readonly StateChain[]): Promise<void>;
}

/** How a tool's state for a session came about. */
export interface StateChain {
  readonly toolName: string;
  /** The bytes of its {@link StateChange}s in their order, from the last whole one on. */
  readonly changes: readonly Uint8Array<ArrayBuffer>[];
  /** Why the medium can't give these bytes any more: the tool begins anew, and tells that. Left out: it can. */
  readonly lost?: string;
}
