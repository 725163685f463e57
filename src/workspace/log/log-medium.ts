// The port to a workspace's storage: named, append-only files. Drivers implement it (drivers/);
// only the workspace's log calls it.
import type { Durability } from '../workspace.ts';
import type { ContentStore } from './content-store.ts';

/**
 * The storage of one workspace's files, with one owner at a time. Opening it takes ownership. A
 * former owner that still runs (a terminated worker, a thawed tab) may write. But its `checkFence`
 * rejects, and its files are known by their names. Everything rejects with an SdkError: `ENOSPC`
 * where the medium is full, `EFENCED` where another owner has taken over, `EIO` where it fails
 * otherwise.
 */
export interface LogMedium {
  /** The driver's name, as `workspace.info()` shows it. */
  readonly driver: string;
  /** Does it outlive this page or process? */
  readonly isPersistent: boolean;
  /**
   * A former owner's append is refused with `EFENCED`, in one step with its writing: what was appended needs no
   * `checkFence` behind it. Left out where a former owner can still write.
   */
  readonly refusesFormerOwners?: true;
  /** Where large contents are kept. Left out: in the log's files, as all others. */
  readonly contents?: ContentStore;
  /**
   * Every file with its length as it is now, torn ones too, in no order. Called once ownership is
   * taken, so what a former owner acknowledged is in it.
   */
  list(): Promise<readonly MediumFile[]>;
  /**
   * Makes an empty file of that name. An existing file is replaced, or the call rejects with
   * `EEXIST`. A medium must reject where it can't stop a former owner from creating files: that
   * owner could otherwise empty the new owner's file.
   */
  create(name: string): Promise<AppendFile>;
  /** A file that is there, to be read. Rejects with `ENOENT` where it isn't. */
  open(name: string): Promise<ReadFile>;
  /** Idempotent. Nobody reads the file any more. */
  remove(name: string): Promise<void>;
  /** Called after each append and before it is acknowledged, unless `refusesFormerOwners`. Rejects with `EFENCED`. */
  checkFence(): Promise<void> | void;
  /** Closes all files and gives the ownership up. Idempotent. */
  close(): Promise<void>;
}

/** A file's name, of `[a-z0-9-]`, and its bytes. */
export interface MediumFile {
  readonly name: string;
  readonly length: number;
}

/** Reads may come while something is appended. */
export interface ReadFile {
  /**
   * Exactly `length` bytes: of a file that has a `blob` the caller's own, else they may be shared and
   * must not be changed. `EIO` beyond the end.
   */
  read(offset: number, length: number): Promise<Uint8Array> | Uint8Array;
  /** `read`, synchronously. Left out if the medium can't. */
  readSync?(offset: number, length: number): Uint8Array;
  /**
   * Makes durable what a former owner wrote without a flush. False: that owner still holds the
   * file; ask again. Left out where the owner's own flushes cover it.
   */
  flush?(): Promise<boolean> | boolean;
  /**
   * The bytes up to the present end, for other realms too. It takes no memory, and reading it fails
   * once the file was removed. Undefined, or left out, where the medium has no such thing.
   */
  blob?(): Promise<Blob | undefined>;
  close(): Promise<void> | void;
}

/** One call at a time, except reads. */
export interface AppendFile extends ReadFile {
  /** Bytes in the file. */
  length(): number;
  /**
   * The bytes are handed over and don't change afterwards. `power`: resolves once everything in the
   * file would survive a loss of power. `process`: resolves once it would survive the end of the
   * process. After a failed call, `truncate` cuts off what it left.
   */
  append(bytes: Uint8Array, durability: Durability): Promise<void> | void;
  /** Takes back what was appended but not acknowledged. */
  truncate(length: number): Promise<void> | void;
}
