// The messages between the page, the FS worker and the tool workers: closed lists of types without
// behaviour. Each list is one direction of one port. read-message.ts validates messages of tool
// workers, because they run tools. Those of the page and the FS worker are trusted.
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

/** Where the log is stored. `memory` ends with the page, and other tabs don't see it. */
export type WorkspaceDriver = 'opfs-log' | 'idb-log' | 'memory';

// Set-up and control, by comlink.

/** The workspace that the FS worker opens; one at a time. */
export interface FsWorkerSetup {
  readonly workspace: string;
  /** Left out: the best driver that works here. */
  readonly driver?: WorkspaceDriver | undefined;
  /** Created if missing. */
  readonly cwd: string;
  /** True if the page is visible. */
  readonly isVisible: boolean;
  /** Commits that the previous worker hasn't answered. */
  readonly unanswered: readonly UnansweredCommit[];
}

/** A request of the page, and its commit. */
export interface UnansweredCommit {
  readonly id: number;
  readonly origin: CommitOrigin;
}

/** The opened workspace, and which unanswered commits it contains, with their records. */
export interface OpenedFacts {
  readonly info: WorkspaceInfo;
  readonly applied: readonly (readonly [id: number, seq: number])[];
}

/**
 * Infrequent requests of the page to the FS worker. No method rejects: errors are in the {@link
 * ControlResult}, because comlink would lose their code and data.
 */
export interface FsWorkerControl {
  /**
   * Resolves once the worker is loaded. The value tells whether it holds this lock from then on:
   * see worker-life.ts.
   */
  live(lifeLock: string): Promise<ControlResult<boolean>>;
  /** Opens the workspace and serves it on `port`. Inverse: {@link FsWorkerControl.close}. */
  open(setup: FsWorkerSetup, port: MessagePort): Promise<ControlResult<OpenedFacts>>;
  /** Feeds a tool worker through a port of its own, which only allows reading. */
  startFeed(id: string, port: MessagePort): Promise<ControlResult<null>>;
  /** The inverse of {@link FsWorkerControl.startFeed}: the worker is gone, or is cut off. */
  endFeed(id: string): Promise<ControlResult<null>>;
  /** Tells whether the page is visible. A hidden leader hands over to a visible tab. */
  setVisible(isVisible: boolean): Promise<ControlResult<null>>;
  /** `EBUSY` if another tab has the workspace open. Otherwise no tab can open it any more. */
  requireAlone(): Promise<ControlResult<null>>;
  /** Flushes and closes the files. */
  close(): Promise<ControlResult<null>>;
  /** Closes the workspace and deletes its data. Only after {@link FsWorkerControl.requireAlone}. */
  destroy(): Promise<ControlResult<null>>;
}

/** What a tool worker must know before it can serve calls. */
export interface ToolWorkerSetup {
  /** The absolute URL from which the sandbox engine's wasm is loaded on first use. */
  readonly wasmUrl: string;
  readonly git?: ToolWorkerGit;
}

/**
 * The git settings of a host that a worker gets. Credentials stay on the page, which is asked for
 * them.
 */
export interface ToolWorkerGit extends Pick<HostGitSettings, 'author' | 'proxy'> {
  readonly hasCredentials: boolean;
}

/** What a tool worker reports when it has booted. */
export interface ToolWorkerFacts {
  /** The names of tools whose calls yield the thread: see `yieldsThread` of a worker's entry. */
  readonly yieldingTools: readonly string[];
}

/** Requests of the page to a tool worker through comlink at its start. No method rejects. */
export interface ToolWorkerControl {
  /**
   * Resolves once the worker is loaded, and checks that the sandbox's engine may be compiled. The
   * value tells whether the worker holds the lock of this name as long as it exists: see
   * worker-life.ts.
   */
  prepare(lifeLock: string): Promise<ControlResult<boolean>>;
  /**
   * Loads the code for calls of these tools, and of tools marked for loading ahead. If that fails,
   * the calls try again.
   */
  warm(setup: ToolWorkerSetup, toolNames: readonly string[]): Promise<ControlResult<null>>;
  /** `calls` has the messages below. `feed` leads to the FS worker. */
  boot(
    setup: ToolWorkerSetup,
    calls: MessagePort,
    feed: MessagePort,
  ): Promise<ControlResult<ToolWorkerFacts>>;
  /** The FS worker was replaced: follow the workspace through this port from now on. */
  follow(feed: MessagePort): Promise<ControlResult<null>>;
  /**
   * Resolves once the booted worker has the workspace, so that calls don't wait for it any more.
   */
  whenFollowing(): Promise<ControlResult<null>>;
}

/** A result that keeps the error's code and data, which comlink's marshalling drops. */
export type ControlResult<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: SerializedError };

// The page and a tool worker.

/** `id` is the executor's own, because calls of two conversations may share a `callId`. */
export type ToToolWorker =
  | {
      readonly type: 'start';
      readonly id: number;
      readonly request: WorkRequest;
      /** The tool's saved state, if there is one that this worker doesn't have. */
      readonly savedState: Uint8Array | null;
    }
  | { readonly type: 'interrupt'; readonly id: number; readonly reason: string }
  /** Answers the `nested-call` with this number. */
  | {
      readonly type: 'nested-reply';
      readonly id: number;
      readonly nestedId: number;
      readonly reply: NestedReply;
    }
  /** Answers the `credentials` with this number. */
  | {
      readonly type: 'credentials-reply';
      readonly id: number;
      readonly askedId: number;
      readonly reply: ControlResult<GitCredentials | undefined>;
    }
  /** Other workers do the parts of call `id` from this number on: see `parts`. */
  | { readonly type: 'parts-taken'; readonly id: number; readonly from: number }
  /** Another worker's answer for one of the parts. Without output, that worker won't do it. */
  | {
      readonly type: 'part-reply';
      readonly id: number;
      readonly at: number;
      readonly output: unknown;
    }
  /** See `kept-texts`: what another worker now caches, and how much all others do. */
  | ({ readonly type: 'kept-elsewhere' } & KeptElsewhere)
  /** Drops what the session's tool keeps in the worker. It starts again from `savedState`. */
  | {
      readonly type: 'discard';
      readonly stateKey: string;
      readonly savedState: Uint8Array | null;
    };

/**
 * Security: a worker's message has no effect by itself. A reply's change set is judged on the page.
 */
export type FromToolWorker =
  | { readonly type: 'progress'; readonly id: number; readonly progress: unknown }
  /** Call `id` has loaded what it needs. Only the first such message counts. */
  | { readonly type: 'clock-started'; readonly id: number }
  /** Text from outside has reached the session's code. Later messages may contain some of it. */
  | { readonly type: 'download'; readonly id: number }
  /** Takes effect when the call has replied. A call that is cut leaves the state unchanged. */
  | { readonly type: 'saved-state'; readonly id: number; readonly state: Uint8Array }
  /** The call has done something that must not be repeated, so it is never run again. */
  | { readonly type: 'effect'; readonly id: number }
  /** Call `id` calls a tool. Answered once, unless the call has replied by then. */
  | {
      readonly type: 'nested-call';
      readonly id: number;
      readonly nestedId: number;
      readonly call: NestedCall;
    }
  /**
   * The git server `host` requires credentials for call `id`. Answered once, unless the call has
   * replied or was stopped by then.
   */
  | {
      readonly type: 'credentials';
      readonly id: number;
      readonly askedId: number;
      readonly host: string;
    }
  /**
   * Offers parts of call `id` to idle workers. If there are any, the answer is `parts-taken`, and a
   * `part-reply` for each part that they do.
   */
  | { readonly type: 'parts'; readonly id: number; readonly parts: readonly WorkPart[] }
  | { readonly type: 'reply'; readonly id: number; readonly reply: WorkReply }
  /**
   * This worker's searches now cache these texts, so the tab's other workers should drop theirs.
   * Empty if it has only dropped some.
   */
  | ({ readonly type: 'kept-texts' } & KeptHere)
  /** The worker holds memory that is freed only when it ends: see `noteSpent` of a realm. */
  | { readonly type: 'spent' }
  /** An unknown message arrived. Nothing was done. */
  | { readonly type: 'refused'; readonly reason: string };

// From a tool worker to the FS worker. None of these messages changes the workspace.

export type ToFeed =
  /** Requests a snapshot, and all records after it. */
  | { readonly type: 'subscribe' }
  /** Answered by `stored`. `id` is the tool worker's own. */
  | { readonly type: 'read-stored'; readonly id: number; readonly part: StoredPart }
  /** A search index to store for workers that start later. `era` is that of its content ids. */
  | { readonly type: 'index'; readonly era: string; readonly index: SavedIndex };

/** The snapshot and records for a replica, or why there will be none, and answers to its reads. */
export type FromFeed =
  | FeedMessage
  | { readonly type: 'feed-failed'; readonly error: SerializedError }
  /** Without bytes, read the Blob, which gives an error if that fails as well. */
  | { readonly type: 'stored'; readonly id: number; readonly bytes: Uint8Array | undefined };

// The page and the FS worker.

/** The methods of {@link WorkspaceRoots} that a page may call by name: a closed list. */
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
 * What a page may request of streams: the methods of `WorkspaceStreams`, with `page` for `read` and
 * `content` for `readContent`, and `lengths`, which returns {@link StreamLength}[] of all streams.
 */
export type StreamsOperation = 'append' | 'fork' | 'drop' | 'list' | 'content' | 'lengths' | 'page';

/**
 * The length of a stream. `made` distinguishes streams with the same id. `forked` is the number of
 * entries taken over.
 */
export interface StreamLength {
  readonly stream: string;
  readonly made: number;
  readonly length: number;
  readonly forked: number;
}

/** Some entries of a stream from a number on. Empty only behind the end. */
export interface StreamPage {
  readonly made: number;
  readonly length: number;
  readonly pieces: readonly StreamPiece[];
}

/**
 * One entry of an import. Paths are relative to the import's directory. A file keeps its
 * modification time if given, as a `File` has it.
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

/** Contents are read in the FS worker, so that a large folder doesn't block the page. */
export type ImportSource =
  | { readonly kind: 'directory'; readonly handle: FileSystemDirectoryHandle }
  | { readonly kind: 'entries'; readonly entries: readonly ImportEntry[] };

/** The target of an import, and what it leaves out. */
export interface ImportSettings {
  /** An absolute path in the workspace. Created if missing. */
  readonly directory: string;
  /** Globs relative to `directory`. Matching paths are left out with everything below them. */
  readonly exclude: readonly string[];
}

/** The committed counts so far; at the end, those of the whole import. */
export interface ImportProgress {
  /** Links count, directories don't. */
  readonly files: number;
  readonly bytes: number;
  /** Paths left out by `exclude`. A directory counts as one. */
  readonly excluded: number;
}

/** Requests of the page to the FS worker. Each is answered once, by `reply` or `failed`. */
export type FsRequest =
  | {
      readonly type: 'fs';
      readonly operation: FileOperation;
      readonly parameters: readonly unknown[];
      /** The id of the root. */
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
      /** Bytes mean a packed change set: see packed-changes.ts. */
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
  /**
   * Answered after `delayMs`, because a hidden page's own timers are throttled but a worker's
   * aren't.
   */
  | { readonly type: 'tick'; readonly delayMs: number };

/**
 * `id` belongs to the port, and is reused after the answer. Both directions may be sent as lists:
 * see outbox.ts.
 */
export type ToFsWorker =
  | { readonly type: 'request'; readonly id: number; readonly request: FsRequest }
  /** Stops an import at its next batch, or a tick. Other requests run to their end. */
  | { readonly type: 'cancel'; readonly id: number };

/**
 * Answers have the request's `id`. A `change` is sent for every acknowledged record, whoever made
 * it.
 */
export type FromFsWorker =
  | { readonly type: 'reply'; readonly id: number; readonly value: unknown }
  | { readonly type: 'failed'; readonly id: number; readonly error: SerializedError }
  | { readonly type: 'progress'; readonly id: number; readonly progress: ImportProgress }
  | { readonly type: 'change'; readonly event: ChangeEvent }
  /** A stream was created, has grown, or was dropped: then its length is 0. */
  | { readonly type: 'stream'; readonly changed: StreamLength }
  /**
   * The change of request `id` is being committed; this is its result if that succeeds. If the
   * worker ends now, the next one can tell by the origin whether it was applied.
   */
  | {
      readonly type: 'committing';
      readonly id: number;
      readonly origin: CommitOrigin;
      readonly value: unknown;
    }
  /** An unknown message arrived. Nothing was done. */
  | { readonly type: 'refused'; readonly reason: string };
