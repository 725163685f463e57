// The port to what a workspace is kept on: named files that only grow. Drivers implement it
// (drivers/); only the workspace's log calls it.
import type { Durability } from '../workspace.ts';

/**
 * A place for one workspace's files, owned by one writer at a time. To open it is to own it: from
 * then on a former owner that still runs (a terminated worker, a thawed tab) can write, but its
 * `checkFence` rejects, and what it wrote is known by its files' names.
 *
 * Everything rejects with an SdkError: `ENOSPC` where the medium is full, `EFENCED` where somebody
 * else owns it by now, `EIO` where it fails otherwise.
 */
export interface LogMedium {
  /** The driver's name, as `workspace.info()` shows it. */
  readonly driver: string;
  /** Does it outlive this page or process? */
  readonly isPersistent: boolean;
  /**
   * Every file with its length as it is now, torn ones too, in no order. Called once ownership is
   * taken, so what a former owner acknowledged is in it.
   */
  list(): Promise<readonly MediumFile[]>;
  /**
   * An empty file of that name. What had the name is gone, or it rejects with `EEXIST`: where a
   * former owner can't be kept from creating files, it must not be able to empty the owner's.
   */
  create(name: string): Promise<AppendFile>;
  /** A file that is there, to be read. Rejects with `ENOENT` where it isn't. */
  open(name: string): Promise<ReadFile>;
  /** Idempotent. Nobody reads the file any more. */
  remove(name: string): Promise<void>;
  /** Called after each append and before it is acknowledged. Rejects with `EFENCED`. */
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
  /** As `read`, at once. Left out where the medium can't. */
  readSync?(offset: number, length: number): Uint8Array;
  /**
   * Has what a former owner only handed to the system survive a loss of power. False: not yet, as
   * that owner still holds the file; ask again. Left out where the owner's own flushes do it.
   */
  flush?(): Promise<boolean> | boolean;
  /**
   * All bytes up to the end of now, to be read in other realms too, by whoever has the Blob. It takes
   * no memory, and reading it fails once the file was removed. Undefined, or left out, where there is
   * no such thing.
   */
  blob?(): Promise<Blob | undefined>;
  close(): Promise<void> | void;
}

/** One call at a time, but for reads. */
export interface AppendFile extends ReadFile {
  /** Bytes in the file. */
  length(): number;
  /**
   * The bytes are given away: nobody changes them afterwards. `power`: resolves once everything in
   * the file would survive a loss of power; `process`: once it would survive the end of the process.
   * What a failed call left behind is cut off by `truncate`.
   */
  append(bytes: Uint8Array, durability: Durability): Promise<void> | void;
  /** Takes back what was appended but not acknowledged. */
  truncate(length: number): Promise<void> | void;
}
