// The port to a workspace's streams: numbered entries that can only be appended, outside of every
// tree. A session's journal is one. Part of the Workspace port (workspace.ts).
import type { ContentId, Version } from '../core/change-set.ts';
import type { Durability } from './workspace.ts';

/** An entry to append: JSON data, and bytes to which the data refers by index in `contents`. */
export interface NewStreamEntry {
  /**
   * JSON of at most 1 MiB as text: null, booleans, finite numbers, strings, arrays and plain
   * objects. Undefined members are left out. Put larger values into `contents`.
   */
  readonly value: unknown;
  /** At most 1 000, each of at most 1 GiB. */
  readonly contents?: readonly Uint8Array[];
}

/** An entry as it was read. Its value belongs to the reader. */
export interface StreamEntry {
  /** Counted from 1, without gaps. */
  readonly n: number;
  readonly value: unknown;
  /** For {@link WorkspaceStreams.readContent}, in the order in which they were appended. */
  readonly contents?: readonly ContentId[];
  /** The number of the commit with which it was appended, if any. */
  readonly seq?: Version;
}

/** A stream as a list shows it. */
export interface StreamInfo {
  readonly id: string;
  /** The number of entries. */
  readonly length: number;
  /**
   * The bytes of its entries as text, and of their contents. Data shared by forks counts for each
   * of them. If a fork ends in the middle of a pack, the whole pack counts.
   */
  readonly bytes: number;
  /** For a fork: its source, and how many entries they share. */
  readonly forkedFrom?: { readonly id: string; readonly length: number };
}

/** Entries to append together with a commit: in the same record, or not at all. */
export interface StreamAppend {
  readonly stream: string;
  /** The expected length of the stream; 0 creates the stream. */
  readonly at: number;
  readonly entries: readonly NewStreamEntry[];
}

/** One append, as listeners receive it. */
export interface StreamAppended {
  readonly stream: string;
  readonly entries: readonly StreamEntry[];
}

/** The expected length, and the durability of the entries before they are acknowledged. */
export interface AppendOptions {
  /** The expected length of the stream; 0 creates the stream. */
  readonly at: number;
  /** @defaultValue `power` */
  readonly durability?: Durability;
}

/** Where a fork ends. */
export interface ForkOptions {
  /** The number of entries that it takes over. @defaultValue all */
  readonly length?: number;
}

/**
 * Streams of entries. An id has 1 to 128 characters: letters, digits, `-`, `_`, and `/` between
 * them. There may be 4 096 streams at a time.
 * Each write is one record of the log and takes effect as a whole or not at all. It rejects as
 * `Workspace.commit` does. Writes don't use commit numbers and don't affect views. Tool workers
 * don't see streams.
 */
export interface WorkspaceStreams {
  /**
   * Appends one or more entries. The first append creates the stream. Resolves to the new length.
   * Rejects with `EFENCED`, and `stream` and `length` in its data, if the stream's length isn't
   * `at`: somebody else has appended, and nothing was written. Without `stream` in its data,
   * `EFENCED` means that the whole workspace has another writer.
   */
  append(
    id: string,
    entries: readonly NewStreamEntry[],
    options: AppendOptions,
  ): Promise<{ readonly length: number }>;
  /**
   * Reads entries from number `from` (default 1) to the end that the stream has at the first step.
   * Fails with `invalid-input` if the stream doesn't exist, `EIO` if the medium has lost the bytes,
   * and `ECONFLICT` if the stream was dropped during the read.
   */
  read(id: string, from?: number): AsyncIterable<StreamEntry>;
  /**
   * Returns the bytes of an entry's content as long as a stream has the entry. They are shared and
   * must not be changed. Rejects with `EIO`. If the medium has lost them, its data has `isLost`,
   * and a retry doesn't help.
   */
  readContent(contentId: ContentId): Promise<Uint8Array>;
  /**
   * Creates a stream that begins with the entries of another one. The two share them, so it costs
   * very little. Rejects with `invalid-input` if `newId` is used.
   */
  fork(id: string, newId: string, options?: ForkOptions): Promise<{ readonly length: number }>;
  /** Returns the streams in the order of their creation. */
  list(): Promise<StreamInfo[]>;
  /** Removes a stream. Its forks stay. Rejects with `invalid-input` if it doesn't exist. */
  drop(id: string): Promise<void>;
  /**
   * Called for the entries of every append, in order, in every tab, including those that this tab
   * has missed. Several appends may be reported as one. Entries that a fork takes over aren't
   * reported. `onError` receives read errors; if left out, they are uncaught errors. Dispose of the
   * result to stop.
   */
  onAppend(
    listener: (appended: StreamAppended) => void,
    onError?: (error: unknown) => void,
  ): Disposable;
  /**
   * Called after a stream was created, has grown or was dropped, in any tab. Several changes may be
   * one call. Dispose of the result to stop.
   */
  onChange(listener: () => void): Disposable;
}
