// The port to a workspace's storage: named, append-only files. Drivers implement it (drivers/);
// only the workspace's log calls it.
import type { Durability } from '../workspace.ts';
import type { ContentStore } from './content-store.ts';

/**
 * The storage of one workspace's files. It has one owner at a time: whoever opened it last. A
 * former owner that still runs, such as a terminated worker or a resumed tab, may still write. But
 * its `checkFence` rejects, and its files have names of their own. All methods reject with an
 * SdkError: `ENOSPC` if the medium is full, `EFENCED` after another owner has taken over, and `EIO`
 * for other failures.
 */
export interface LogMedium {
  /** The driver's name, as in `workspace.info()`. */
  readonly driver: string;
  /** True if the data outlives this page or process. */
  readonly isPersistent: boolean;
  /**
   * True if an append of a former owner is refused with `EFENCED` atomically with the write, so
   * that no `checkFence` is needed after an append. Left out if a former owner can still write.
   */
  readonly refusesFormerOwners?: true;
  /** The store for large contents. Left out: they are in the log's files. */
  readonly contents?: ContentStore;
  /**
   * Lists all files with their current lengths, including torn ones, in no particular order. Called
   * after taking ownership, so the result includes everything that a former owner has acknowledged.
   */
  list(): Promise<readonly MediumFile[]>;
  /**
   * Creates an empty file. An existing file is replaced, or the call rejects with `EEXIST`. A
   * medium that can't stop a former owner from creating files must reject, because that owner could
   * otherwise empty a file of the new owner.
   */
  create(name: string): Promise<AppendFile>;
  /** Opens an existing file for reading. Rejects with `ENOENT` if it doesn't exist. */
  open(name: string): Promise<ReadFile>;
  /** Idempotent. Nobody may still be reading the file. */
  remove(name: string): Promise<void>;
  /**
   * Called after each append, before it is acknowledged, unless `refusesFormerOwners`. Rejects with
   * `EFENCED`.
   */
  checkFence(): Promise<void> | void;
  /** Closes all files and gives up ownership. Idempotent. */
  close(): Promise<void>;
}

/** A file's name, of `[a-z0-9-]`, and its length in bytes. */
export interface MediumFile {
  readonly name: string;
  readonly length: number;
}

/** Reads may run during an append. */
export interface ReadFile {
  /**
   * Returns exactly `length` bytes. If the file has a `blob`, they belong to the caller. Otherwise
   * they may be shared and must not be changed. `EIO` beyond the end.
   */
  read(offset: number, length: number): Promise<Uint8Array> | Uint8Array;
  /** Same as `read`, but synchronous. Left out if the medium can't. */
  readSync?(offset: number, length: number): Uint8Array;
  /**
   * Makes durable what a former owner has written without a flush. False if that owner still holds
   * the file; try again later. Left out if the owner's own flushes include it.
   */
  flush?(): Promise<boolean> | boolean;
  /**
   * Returns the bytes up to the current end, also for other realms. It takes no memory. Reading it
   * fails once the file was removed. Undefined or left out if the medium doesn't support it.
   */
  blob?(): Promise<Blob | undefined>;
  close(): Promise<void> | void;
}

/** One call at a time, except for reads. */
export interface AppendFile extends ReadFile {
  /** The number of bytes in the file. */
  length(): number;
  /**
   * Appends bytes. The medium owns them, so they must not change afterwards. With `power`, resolves
   * once everything in the file would survive a power loss. With `process`, once it would survive
   * the end of the process. After a failure, `truncate` removes what was written.
   */
  append(bytes: Uint8Array, durability: Durability): Promise<void> | void;
  /** Removes what was appended but not acknowledged. */
  truncate(length: number): Promise<void> | void;
}
