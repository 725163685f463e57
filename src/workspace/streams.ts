// The port to a workspace's streams: numbered entries that are only ever appended, outside every
// tree. A session's journal is one. Part of the Workspace port (workspace.ts).
import type { ContentId, Version } from '../core/change-set.ts';
import type { Durability } from './workspace.ts';

/** What is appended: JSON data, and bytes that it refers to by their place in `contents`. */
export interface NewStreamEntry {
  /**
   * Plain JSON of at most 1 MiB as text: null, booleans, finite numbers, strings, arrays and plain
   * objects. A member that is undefined counts as left out. Larger values go into `contents`.
   */
  readonly value: unknown;
  /** At most 1 000, each of at most 1 GiB. */
  readonly contents?: readonly Uint8Array[];
}

/** An entry as it is read: a value of the reader's own. */
export interface StreamEntry {
  /** From 1, without a gap. */
  readonly n: number;
  readonly value: unknown;
  /** For {@link WorkspaceStreams.readContent}, in the order in which they were given. */
  readonly contents?: readonly ContentId[];
  /** The number of the commit that it landed with, where there was one. */
  readonly seq?: Version;
}

/** A stream as a list shows it. */
export interface StreamInfo {
  readonly id: string;
  /** How many entries it has. */
  readonly length: number;
  /**
   * The bytes that it keeps: its entries as text, and their contents. What forks share counts for
   * each of them; what a fork holds of a pack that it was cut in counts whole.
   */
  readonly bytes: number;
  /** For a fork: the stream from which it was made, and how many entries they share. */
  readonly forkedFrom?: { readonly id: string; readonly length: number };
}

/** Entries that land with a commit: in the same record, or not at all. */
export interface StreamAppend {
  readonly stream: string;
  /** The length that the writer expects; 0 makes the stream. */
  readonly at: number;
  readonly entries: readonly NewStreamEntry[];
}

/** One append, as listeners hear of it. */
export interface StreamAppended {
  readonly stream: string;
  readonly entries: readonly StreamEntry[];
}

/** The expected length, and how durable the entries must be before they are acknowledged. */
export interface AppendOptions {
  /** The length that the writer expects; 0 makes the stream. */
  readonly at: number;
  /** @defaultValue `power` */
  readonly durability?: Durability;
}

/** Where a fork ends. */
export interface ForkOptions {
  /** How many entries it takes over. @defaultValue all */
  readonly length?: number;
}

/**
 * Streams of entries. An id has 1 to 128 characters: letters, digits, `-`, `_`, and `/` between
 * them. There may be 4 096 streams at a time.
 *
 * Each write is one record of the log and lands whole or changes nothing; it rejects as
 * `Workspace.commit` does. No write takes a commit's number, and no view moves by it. Tool workers
 * don't see streams.
 */
export interface WorkspaceStreams {
  /**
   * Appends one entry or more. The first ones make the stream. Resolves with the new length.
   * Rejects with `EFENCED`, and `stream` and `length` in its data, where the stream has another
   * length than `at`. Somebody else has appended, and nothing was written. Without `stream` in its
   * data, `EFENCED` says that the whole workspace has another writer.
   */
  append(
    id: string,
    entries: readonly NewStreamEntry[],
    options: AppendOptions,
  ): Promise<{ readonly length: number }>;
  /**
   * The entries from number `from` (1 if left out) to the stream's end as it is at the first step.
   * Fails with `invalid-input` for a stream that isn't there, and with `EIO` where the medium lost
   * the bytes. Fails with `ECONFLICT` where the stream was dropped while it was read.
   */
  read(id: string, from?: number): AsyncIterable<StreamEntry>;
  /**
   * The bytes of an entry's content, for as long as a stream has the entry. They are shared: leave them as they are.
   * Rejects with `EIO`; with `isLost` in its data where the medium has lost them, and asking again brings nothing.
   */
  readContent(contentId: ContentId): Promise<Uint8Array>;
  /**
   * Makes a stream that begins with the entries of another one. It shares what they have in common
   * and costs next to nothing. Rejects with `invalid-input` where `newId` is taken.
   */
  fork(id: string, newId: string, options?: ForkOptions): Promise<{ readonly length: number }>;
  /** In the order in which they were made. */
  list(): Promise<StreamInfo[]>;
  /** Forgets a stream. Its forks stay. Rejects with `invalid-input` for one that isn't there. */
  drop(id: string): Promise<void>;
  /**
   * Called for the entries of every append, in order, in every tab: also for those that were made
   * while this tab missed them. Several appends may be told of as one. What a fork takes over isn't
   * told of. `onError` is told what could not be read; left out, it surfaces as an uncaught error.
   * Dispose it to stop.
   */
  onAppend(
    listener: (appended: StreamAppended) => void,
    onError?: (error: unknown) => void,
  ): Disposable;
}
