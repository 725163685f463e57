// Converts between data of callers (strings, bytes) and the bytes that the tree owns.
import type { FsCall } from './access.ts';
import { decodeString, encodeString, encodingForm } from './file-encoding.ts';
import type { BinaryOption, EncodingOption, FileData } from './file-options.ts';
import { createFsError } from './fs-error.ts';

/** Returns a copy, so that later changes of the caller's buffer don't reach the workspace. */
export function toOwnBytes(data: FileData, encoding: unknown, call: FsCall): Uint8Array {
  if (typeof data === 'string') return encodeString(data, formOf(encoding ?? 'utf8', call));
  if (ArrayBuffer.isView(data)) {
    return new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice();
  }
  throw createFsError('ERR_INVALID_ARG_TYPE', {
    ...call,
    message: 'data is a string, a typed array or a DataView here; collect streams first',
  });
}

/** Returns a string, or a copy of the bytes, because contents are shared and must not change. */
export function fromSharedBytes(
  bytes: Uint8Array,
  options: EncodingOption | BinaryOption | undefined,
  call: FsCall,
): string | Uint8Array<ArrayBuffer> {
  return sharedBytesReader(options, call)(bytes);
}

/** Same as {@link fromSharedBytes}, for many files: the encoding is parsed once. */
export function sharedBytesReader(
  options: EncodingOption | BinaryOption | undefined,
  call: FsCall,
): (bytes: Uint8Array) => string | Uint8Array<ArrayBuffer> {
  const form = textFormOf(options, call);
  return form === undefined
    ? (bytes) => new Uint8Array(bytes)
    : (bytes) => decodeString(bytes, form);
}

/** Refuses an unknown encoding before anything is read or created. */
export function checkEncoding(
  options: EncodingOption | BinaryOption | undefined,
  call: FsCall,
): void {
  textFormOf(options, call);
}

function textFormOf(options: EncodingOption | BinaryOption | undefined, call: FsCall) {
  const encoding = typeof options === 'object' ? options?.encoding : options;
  return encoding == null || (encoding as string) === 'buffer' ? undefined : formOf(encoding, call);
}

function formOf(encoding: unknown, call: FsCall) {
  const form = encodingForm(encoding);
  if (form) return form;
  throw createFsError('ERR_INVALID_ARG_VALUE', {
    ...call,
    message: `the encoding '${String(encoding)}' is unknown`,
  });
}

/**
 * Returns a file's bytes with other bytes written into them. A gap behind the old end is filled
 * with zeros. The result shares no memory with the arguments, but is `bytes` itself if nothing is
 * added.
 */
export function spliced(
  bytes: Uint8Array,
  added: Uint8Array,
  at: number,
  { limit, call }: SizeLimit,
): Uint8Array {
  if (added.length === 0) return bytes;
  const result = allocate(Math.max(bytes.length, at + added.length), { limit, call });
  result.set(bytes);
  result.set(added, at);
  return result;
}

/** Returns a copy of the bytes, truncated or filled with zeros to `length`. */
export function resized(bytes: Uint8Array, length: number, limits: SizeLimit): Uint8Array {
  const result = allocate(length, limits);
  result.set(bytes.subarray(0, length));
  return result;
}

/** The largest size of a file, and the call that is checked. */
export interface SizeLimit {
  readonly limit: number;
  readonly call: FsCall;
}

/** @throws SdkError `EFBIG` above the limit, or if the realm lacks the memory */
function allocate(length: number, { limit, call }: SizeLimit): Uint8Array {
  if (length > limit) throw tooLarge(length, limit, call);
  try {
    return new Uint8Array(length);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw createFsError('EFBIG', { ...call, message: `there is no memory for ${length} bytes` });
  }
}

/** @throws SdkError `EFBIG` */
export function checkSize(length: number, { limit, call }: SizeLimit): void {
  if (length > limit) throw tooLarge(length, limit, call);
}

function tooLarge(length: number, limit: number, call: FsCall) {
  const message = `a file may have ${limit} bytes here, and this one would have ${length}`;
  return createFsError('EFBIG', { ...call, message });
}
