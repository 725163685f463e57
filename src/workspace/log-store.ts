// The port to a medium that keeps a log: bytes in a row, appended, never overwritten. Drivers
// implement it (drivers/); only the writer calls it.

/**
 * A log's bytes. Owned by one writer, which appends, flushes and truncates one call at a time; reads
 * may come in between.
 *
 * A store that is full rejects (or throws) with an SdkError `ENOSPC`. What a failed `append` left
 * behind is cut off by the writer with `truncate`.
 */
export interface LogStore {
  /** The driver's name, as `workspace.info()` shows it. */
  readonly driver: string;
  /** Does it outlive this page or process? */
  readonly isPersistent: boolean;
  /** Bytes in the log. */
  length(): number;
  /** The bytes are given away: nobody changes them afterwards. */
  append(bytes: Uint8Array): Promise<void> | void;
  /** Resolves once all that was appended would survive a loss of power. */
  flush(): Promise<void> | void;
  truncate(length: number): Promise<void> | void;
  /** Exactly `length` bytes; they may be shared and must not be changed. */
  read(offset: number, length: number): Promise<Uint8Array> | Uint8Array;
  /** As `read`, at once. Left out where the medium can't. */
  readSync?(offset: number, length: number): Uint8Array;
  close(): Promise<void> | void;
}
