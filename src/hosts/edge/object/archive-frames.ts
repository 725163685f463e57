// The byte format of an archive: a sequence of frames, each with its length and a checksum over it
// and all earlier frames. The bytes are split into parts for an upload, and read as a stream. Used
// by session-archive.ts.
import { checksum } from '../../../core/hashes/checksum.ts';
import { SdkError } from '../../../core/errors.ts';

/** `head`: JSON, the first one. `row`: eight bytes of its key, then its bytes. `end`: JSON, the last one. */
export const frameKinds = { head: 1, row: 2, end: 3 } as const;

/** One frame. */
export interface ArchiveFrame {
  readonly kind: number;
  readonly bytes: Uint8Array;
}

/** 8 MiB: R2 requires at least 5, and an isolate keeps two parts in memory. */
const partBytes = 8 * 1024 * 1024;

/** Kind, length and checksum. */
const headBytes = 12;

/** A row has at most 64 kB, and the list of a session's files some kilobytes. */
const maxFrameBytes = 4 * 1024 * 1024;

/** Splits frames into parts of equal size, except the last. */
export interface PartWriter {
  /** Returns the parts that have become full. */
  add(frame: ArchiveFrame): readonly Uint8Array[];
  /** Returns the last, partial part. */
  rest(): Uint8Array;
}

/** Starts empty. */
export function createPartWriter(): PartWriter {
  let part = new Uint8Array(partBytes);
  let used = 0;
  let sum = 0;

  function* fill(bytes: Uint8Array): Generator<Uint8Array> {
    for (let at = 0; at < bytes.length;) {
      const piece = bytes.subarray(at, at + partBytes - used);
      part.set(piece, used);
      used += piece.length;
      at += piece.length;
      if (used < partBytes) continue;
      yield part;
      part = new Uint8Array(partBytes);
      used = 0;
    }
  }

  return {
    add({ kind, bytes }) {
      sum = checksum(bytes, sum);
      const head = new DataView(new ArrayBuffer(headBytes));
      head.setUint32(0, kind);
      head.setUint32(4, bytes.length);
      head.setUint32(8, sum);
      return [...fill(new Uint8Array(head.buffer)), ...fill(bytes)];
    },
    rest: () => part.subarray(0, used),
  };
}

/** @throws SdkError `EIO` if the bytes differ from those that were written */
export async function* readFrames(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<ArchiveFrame, void, undefined> {
  const reader = body.getReader();
  let held = new Uint8Array(0);
  let sum = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      held = join(held, value);
      for (let frame = take(); frame; frame = take()) yield frame;
    }
  } finally {
    // Has no effect on a stream that has ended or failed.
    void reader.cancel().catch(() => undefined);
  }
  if (held.length > 0) throw wrongBytes();

  function take(): ArchiveFrame | undefined {
    if (held.length < headBytes) return undefined;
    const head = new DataView(held.buffer, held.byteOffset, headBytes);
    const length = head.getUint32(4);
    if (length > maxFrameBytes) throw wrongBytes();
    if (held.length < headBytes + length) return undefined;
    const bytes = held.slice(headBytes, headBytes + length);
    sum = checksum(bytes, sum);
    if (sum !== head.getUint32(8)) throw wrongBytes();
    held = held.subarray(headBytes + length);
    return { kind: head.getUint32(0), bytes };
  }
}

function join(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

/** The error for an archive whose bytes differ from those written. */
export function wrongBytes(): SdkError {
  return new SdkError(
    'EIO',
    "EIO: the session's archive is damaged: its bytes aren't those that were put there. Nothing was changed; bring the object in the bucket back from a copy.",
  );
}

/** The error if the archive isn't in the bucket. It may be in another bucket. */
export function missingArchive(key: string): SdkError {
  return new SdkError(
    'EIO',
    `EIO: the session is archived, and the bucket has no object ${key}. Nothing was changed. Bind the bucket that has it as the archive's again, or bring the object back from a copy.`,
    { data: { key } },
  );
}
