// The closed lists of messages between the page, the FS worker and the tool workers: types, no
// behaviour. Each list is one direction of one port. What a tool worker says is checked on arrival by
// read-message.ts, because it runs tools; what the page and the FS worker say is not.
import type { GitCredentials } from '../../../workspace/git/remote/network.ts';
import type { HostGitSettings } from '../../git-network.ts';
import type { ChangeSet } from '../../../core/change-set.ts';
import type { SerializedError } from '../../../core/errors.ts';
import type { NestedCall, NestedReply } from '../../../core/tool/nested-call.ts';
import type { WorkPart, WorkReply, WorkRequest } from '../../../core/tool/ports.ts';
import type { SavedIndex, StoredPart } from '../../../workspace/state/content-source.ts';
import type { FeedMessage } from '../../../workspace/feed/feed.ts';
import type { CommitOrigin } from '../../../workspace/state/record.ts';
import type { FileOperation } from '../../../workspace/files/file-operations.ts';
import type { KeptElsewhere, KeptHere } from '../../../search/index/content-index.ts';
import type { StreamPiece } from '../../../workspace/state/stream-pack.ts';
import type { WorkspaceHistory } from '../../../workspace/state/workspace-history.ts';
import type { WorkspaceRoots } from '../../../workspace/state/workspace-roots.ts';
import type { ChangeEvent, CommitOptions, WorkspaceInfo } from '../../../workspace/workspace.ts';

/** Where the log is kept. `memory` is gone with the page, and no other tab sees it. */
export type WorkspaceDriver = 'opfs-log' | 'idb-log' | 'memory';

// Set-up and control, by comlink.

/** Which workspace the FS worker opens: one at a time. */
export interface FsWorkerSetup {
  readonly workspace: string;
  /** Left out: the best that works here. */
  readonly driver?: WorkspaceDriver | undefined;
  /** Made if it isn't there. */
  readonly cwd: string;
  /** Does a person see the page? */
  readonly isVisible: boolean;
  /** Commits of the worker before this one that it hasn't answered. */
  readonly unanswered: readonly UnansweredCommit[];
}

/** A request of the page's, and the commit that it had come to. */
export interface UnansweredCommit {
  readonly id: number;
  readonly origin: CommitOrigin;
}

/** The workspace as it was opened, and which of the unanswered commits are in it, by which record. */
export interface OpenedFacts {
  readonly info: WorkspaceInfo;
  readonly applied: readonly (readonly [id: number, seq: number])[];
}

/**
 * What the page asks of the FS worker once or seldom. No method rejects: what failed is in the
 * {@link ControlResult}, because comlink would lose an error's code and data.
 */
export interface FsWorkerControl {
  /** Answers once it is loaded. The answer is whether it holds this lock from then on: worker-life.ts. */
  live(lifeLock: string): Promise<ControlResult<boolean>>;
  /** Opens the workspace and serves it on `port`. Inverse: {@link FsWorkerControl.close}. */
  open(setup: FsWorkerSetup, port: MessagePort): Promise<ControlResult<OpenedFacts>>;
  /** Feeds a tool worker through a port of its own, which can only read. */
  startFeed(id: string, port: MessagePort): Promise<ControlResult<null>>;
  /** The inverse of {@link FsWorkerControl.startFeed}: the worker is gone, or is to be deaf. */
  endFeed(id: string): Promise<ControlResult<null>>;
  /** The page was shown, or hidden: a hidden leader gives the lead to a visible tab. */
  setVisible(isVisible: boolean): Promise<ControlResult<null>>;
  /** `EBUSY` where another tab has the workspace open; else none can open it any more. */
  requireAlone(): Promise<ControlResult<null>>;
  /** Flushes and lets go of the files. */
  close(): Promise<ControlResult<null>>;
  /** Closes, and deletes the stored workspace. Only after {@link FsWorkerControl.requireAlone}. */
  destroy(): Promise<ControlResult<null>>;
}

/** What a tool worker must be told before it can serve calls. */
export interface ToolWorkerSetup {
  /** Absolute. Where the sandbox engine's wasm is fetched from on first use. */
  readonly wasmUrl: string;
  readonly git?: ToolWorkerGit;
}

/** What of a host's settings for git a worker has: credentials stay on the page, which is asked for them. */
export interface ToolWorkerGit extends Pick<HostGitSettings, 'author' | 'proxy'> {
  readonly hasCredentials: boolean;
}

/** What a tool worker tells of itself when it has booted. */
export interface ToolWorkerFacts {
  /** Names of its tools whose calls yield the thread: see `yieldsThread` of a worker's entry. */
  readonly yieldingTools: readonly string[];
}

/** What the page asks of a tool worker by comlink, when it starts. No method rejects. */
export interface ToolWorkerControl {
  /**
   * Answers once it is loaded: may the sandbox's engine be compiled here? The answer is whether the
   * worker holds the lock of this name for as long as it lives: see worker-life.ts.
   */
  prepare(lifeLock: string): Promise<ControlResult<boolean>>;
  /**
   * Loads what calls of these tools need, ahead of them, and of those whose entry is fetched ahead. What
   * failed, they try again.
   */
  warm(setup: ToolWorkerSetup, toolNames: readonly string[]): Promise<ControlResult<null>>;
  /** `calls` carries the messages below; `feed` leads to the FS worker. */
  boot(
    setup: ToolWorkerSetup,
    calls: MessagePort,
    feed: MessagePort,
  ): Promise<ControlResult<ToolWorkerFacts>>;
  /** The FS worker was replaced: the workspace is followed through this port from now on. */
  follow(feed: MessagePort): Promise<ControlResult<null>>;
  /** Answers once the booted worker has the workspace before it: calls don't wait for it any more. */
  whenFollowing(): Promise<ControlResult<null>>;
}

/** A result that crosses with our error's code and data, which comlink's own marshalling drops. */
export type ControlResult<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: SerializedError };

// The page and a tool worker.

/** `id` is the executor's own: calls of two conversations may share a `callId`. */
export type ToToolWorker =
  | {
      readonly type: 'start';
      readonly id: number;
      readonly request: WorkRequest;
      /** The tool's saved state, where there is one that this worker doesn't have. */
      readonly savedState: Uint8Array | null;
    }
  | { readonly type: 'interrupt'; readonly id: number; readonly reason: string }
  /** Answers the `nested-call` of this number. */
  | {
      readonly type: 'nested-reply';
      readonly id: number;
      readonly nestedId: number;
      readonly reply: NestedReply;
    }
  /** Answers the `credentials` of this number. */
  | {
      readonly type: 'credentials-reply';
      readonly id: number;
      readonly askedId: number;
      readonly reply: ControlResult<GitCredentials | undefined>;
    }
  /** Other workers do the parts of the call `id` from this number on: see `parts`. */
  | { readonly type: 'parts-taken'; readonly id: number; readonly from: number }
  /** What another worker answered to one of them. Without output: it won't be done there. */
  | {
      readonly type: 'part-reply';
      readonly id: number;
      readonly at: number;
      readonly output: unknown;
    }
  /** See `kept-texts`: what another worker keeps now, and how much all others do. */
  | ({ readonly type: 'kept-elsewhere' } & KeptElsewhere)
  /** What the session's tool keeps in the worker is dropped, and begins again from `savedState`. */
  | {
      readonly type: 'discard';
      readonly stateKey: string;
      readonly savedState: Uint8Array | null;
    };

/** Security: a worker's word changes nothing by itself: a reply's change set is judged on the page. */
export type FromToolWorker =
  | { readonly type: 'progress'; readonly id: number; readonly progress: unknown }
  /** What the call `id` had to load is there. Only the first one counts. */
  | { readonly type: 'clock-started'; readonly id: number }
  /** Text from outside has come into what the session's code keeps. What follows may hold some of it. */
  | { readonly type: 'download'; readonly id: number }
  /** Counts only once the call has replied: a call that is cut leaves the state as it was. */
  | { readonly type: 'saved-state'; readonly id: number; readonly state: Uint8Array }
  /** The call has done what must not be done twice: it is never run again. */
  | { readonly type: 'effect'; readonly id: number }
  /** The call `id` calls a tool. Answered once, unless the call itself has replied by then. */
  | {
      readonly type: 'nested-call';
      readonly id: number;
      readonly nestedId: number;
      readonly call: NestedCall;
    }
  /**
   * The git server `host` wants to know who asks in the call `id`. Answered once, unless the call has replied
   * by then, or was told to stop.
   */
  | {
      readonly type: 'credentials';
      readonly id: number;
      readonly askedId: number;
      readonly host: string;
    }
  /**
   * Parts of the call `id`, for workers that are free. If there are any, `parts-taken` is the answer, and a
   * `part-reply` for each part that they take.
   */
  | { readonly type: 'parts'; readonly id: number; readonly parts: readonly WorkPart[] }
  | { readonly type: 'reply'; readonly id: number; readonly reply: WorkReply }
  /**
   * Its searches keep these texts from now on: the tab's other workers are to drop theirs. None where it has
   * only dropped some.
   */
  | ({ readonly type: 'kept-texts' } & KeptHere)
  /** It holds memory that only its end gives back: see `noteSpent` of a realm. */
  | { readonly type: 'spent' }
  /** Something arrived that is on no list. Nothing was done. */
  | { readonly type: 'refused'; readonly reason: string };

// A tool worker and the FS worker. Nothing that a tool worker can say here changes the workspace.

export type ToFeed =
  /** Sends a snapshot and the records after it, from now on. */
  | { readonly type: 'subscribe' }
  /** Answered by `stored`. `id` is the tool worker's own. */
  | { readonly type: 'read-stored'; readonly id: number; readonly part: StoredPart }
  /** To be kept, and given to workers that come later. `era`: of which the content ids are. */
  | { readonly type: 'index'; readonly era: string; readonly index: SavedIndex };

/** The snapshot and records that a replica is made of, or why there will be none; and what it reads. */
export type FromFeed =
  | FeedMessage
  | { readonly type: 'feed-failed'; readonly error: SerializedError }
  /** Without bytes: the Blob is to be read, which tells why if that fails too. */
  | { readonly type: 'stored'; readonly id: number; readonly bytes: Uint8Array | undefined };

// The page and the FS worker.

/** The methods of {@link WorkspaceRoots}: the closed list of what a page may ask by name. */
export const rootsOperations = [
  'list',
  'checkpoint',
  'branch',
  'session',
  'drop',
  'diff',
  'merge',
  'rewind',
] as const satisfies readonly (keyof WorkspaceRoots)[];

/** One of them. */
export type RootsOperation = (typeof rootsOperations)[number];

/** The methods of {@link WorkspaceHistory}: a closed list, as above. */
export const historyOperations = [
  'list',
  'readContent',
  'undo',
] as const satisfies readonly (keyof WorkspaceHistory)[];

/** One of them. */
export type HistoryOperation = (typeof historyOperations)[number];

/**
 * What a page may ask of streams: the methods of `WorkspaceStreams`, but `page` for `read` and
 * `content` for `readContent`, and `lengths`: {@link StreamLength}[] of all.
 */
export type StreamsOperation = 'append' | 'fork' | 'drop' | 'list' | 'content' | 'lengths' | 'page';

/** How long a stream is. `made` tells it from another one of the same id; `forked`: what it took over. */
export interface StreamLength {
  readonly stream: string;
  readonly made: number;
  readonly length: number;
  readonly forked: number;
}

/** Some of a stream's entries, from a number on; none only behind the end. */
export interface StreamPage {
  readonly made: number;
  readonly length: number;
  readonly pieces: readonly StreamPiece[];
}

/**
 * One thing that is loaded into the workspace. Paths are relative to the import's directory. A file
 * keeps the time of its last change where it is given: a `File` has it.
 */
export type ImportEntry =
  | {
      readonly path: string;
      readonly bytes: Uint8Array;
      readonly mode?: number;
      readonly mtimeMs?: number;
    }
  | { readonly path: string; readonly file: Blob }
  | { readonly path: string; readonly target: string }
  | { readonly path: string; readonly isDirectory: true };

/** Contents are read in the FS worker, so that a large folder never blocks the page. */
export type ImportSource =
  | { readonly kind: 'directory'; readonly handle: FileSystemDirectoryHandle }
  | { readonly kind: 'entries'; readonly entries: readonly ImportEntry[] };

/** Where an import goes, and what it leaves out. */
export interface ImportSettings {
  /** Absolute, in the workspace. Made if it isn't there. */
  readonly directory: string;
  /** Globs from `directory`; what they match is left out, with all that is below it. */
  readonly exclude: readonly string[];
}

/** What has been committed so far; at the end the counts of the whole import. */
export interface ImportProgress {
  /** Links count, directories don't. */
  readonly files: number;
  readonly bytes: number;
  /** Left out by `exclude`: a directory counts as one. */
  readonly excluded: number;
}

/** What the page may ask of the FS worker. Each is answered once, by `reply` or `failed`. */
export type FsRequest =
  | {
      readonly type: 'fs';
      readonly operation: FileOperation;
      readonly parameters: readonly unknown[];
      /** The id of the tree. */
      readonly root: string;
    }
  | {
      readonly type: 'roots';
      readonly operation: RootsOperation;
      readonly parameters: readonly unknown[];
    }
  | {
      readonly type: 'history';
      readonly operation: HistoryOperation;
      readonly parameters: readonly unknown[];
    }
  | {
      readonly type: 'streams';
      readonly operation: StreamsOperation;
      readonly parameters: readonly unknown[];
    }
  | {
      readonly type: 'commit';
      /** As bytes it is packed: see packed-changes.ts. */
      readonly changeSet: ChangeSet | Uint8Array;
      readonly options: CommitOptions;
    }
  | {
      readonly type: 'versions' | 'look-up';
      readonly paths: readonly string[];
      readonly root: string;
    }
  | { readonly type: 'tree-hash' }
  | { readonly type: 'info' }
  | { readonly type: 'import'; readonly source: ImportSource; readonly settings: ImportSettings }
  /** Replied to after `delayMs`: a hidden page's own timers are throttled, a worker's are not. */
  | { readonly type: 'tick'; readonly delayMs: number };

/**
 * `id` is the port's own, and free again once it is answered. Both directions may come as lists:
 * outbox.ts.
 */
export type ToFsWorker =
  | { readonly type: 'request'; readonly id: number; readonly request: FsRequest }
  /** Stops an import at its next batch, or a tick. Anything else runs to its end. */
  | { readonly type: 'cancel'; readonly id: number };

/** Answers by the request's `id`; a `change` comes for every acknowledged record, whoever made it. */
export type FromFsWorker =
  | { readonly type: 'reply'; readonly id: number; readonly value: unknown }
  | { readonly type: 'failed'; readonly id: number; readonly error: SerializedError }
  | { readonly type: 'progress'; readonly id: number; readonly progress: ImportProgress }
  | { readonly type: 'change'; readonly event: ChangeEvent }
  /** A stream was made or has grown, whoever did it. */
  | { readonly type: 'stream'; readonly changed: StreamLength }
  /**
   * What the request `id` changes is being committed, and this is what it results in if that succeeds.
   * Should the worker end now, the next one can tell by the origin whether it was applied.
   */
  | {
      readonly type: 'committing';
      readonly id: number;
      readonly origin: CommitOrigin;
      readonly value: unknown;
    }
  /** Something arrived that is on no list. Nothing was done. */
  | { readonly type: 'refused'; readonly reason: string };
