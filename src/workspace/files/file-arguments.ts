// Validates the arguments of file operations as Node does: modes, times, lengths and buffer ranges.
// Every refusal is an SdkError with Node's code.
import type { FsCall } from './access.ts';
import { encodingForm } from './file-encoding.ts';
import type { FileMode, FileTime } from './file-options.ts';
import { createFsError } from './fs-error.ts';

/** 0o022: Node's usual umask. */
const umask = 0o022;

/** Returns `usual` if no mode was given. */
export function toMode(mode: FileMode | null | undefined, usual: number, call: FsCall): number {
  return mode == null ? usual : requireMode(mode, call);
}

/** Accepts a number or octal digits. */
export function requireMode(mode: FileMode, call: FsCall): number {
  if (typeof mode === 'string') {
    if (/^[0-7]+$/u.test(mode)) return requireMode(Number.parseInt(mode, 8), call);
    throw createFsError('ERR_INVALID_ARG_VALUE', {
      ...call,
      message: `the mode '${mode}' isn't of octal digits`,
    });
  }
  return toInteger(mode, { name: 'mode', max: 0xffff_ffff }, call);
}

/** Returns the permission bits of a new node: the requested mode without the bits of the umask. */
export function toNewMode(mode: FileMode | null | undefined, usual: number, call: FsCall): number {
  return toMode(mode, usual, call) & 0o7777 & ~umask;
}

/** Returns milliseconds since the epoch. As in Node, a negative number of seconds means now. */
export function toTimeMs(time: FileTime, call: FsCall, now: () => number = Date.now): number {
  if (typeof time === 'number' && time < 0 && Number.isFinite(time)) return now();
  const ms =
    time instanceof Date
      ? time.getTime()
      : typeof time === 'number' || (typeof time === 'string' && time.trim() !== '')
        ? Number(time) * 1000
        : Number.NaN;
  if (Number.isFinite(ms)) return ms;
  throw createFsError('ERR_INVALID_ARG_TYPE', {
    ...call,
    message: 'a time is a number of seconds or a valid Date',
  });
}

/** The name of an integer for errors, and its largest value. */
interface IntegerRange {
  readonly name: string;
  readonly max?: number;
}

/** Accepts a whole number from 0 on. */
export function toInteger(
  value: unknown,
  { name, max = Number.MAX_SAFE_INTEGER }: IntegerRange,
  call: FsCall,
): number {
  if (typeof value !== 'number') {
    throw createFsError('ERR_INVALID_ARG_TYPE', { ...call, message: `the ${name} is no number` });
  }
  if (Number.isInteger(value) && value >= 0 && value <= max) return value;
  throw createFsError('ERR_OUT_OF_RANGE', {
    ...call,
    message: `the ${name} ${value} is no whole number from 0 to ${max}`,
  });
}

/** Null, undefined and -1 mean the current position. */
export function toPosition(value: unknown, call: FsCall): number | null {
  if (value == null) return null;
  const position = typeof value === 'bigint' ? Number(value) : value;
  return position === -1 ? null : toInteger(position, { name: 'position' }, call);
}

/** The part of a buffer that is read or written, and the position in the file. */
export interface BufferRange<View extends ArrayBufferView = ArrayBufferView> {
  readonly buffer: View;
  /** A view of the caller's memory. */
  readonly bytes: Uint8Array;
  /** Null means the current position, which then advances. */
  readonly position: number | null;
}

/** Node's options of `read` and `write`. Each may also be an argument. */
export interface BufferOptions {
  readonly offset?: number | null | undefined;
  readonly length?: number | null | undefined;
  readonly position?: number | bigint | null | undefined;
}

/** Reads `(buffer, offset, length, position)` or `(buffer, { offset, length, position })`. */
export function toBufferRange<View extends ArrayBufferView>(
  buffer: View,
  offsetOrOptions: number | BufferOptions | null | undefined,
  lengthArgument: number | null | undefined,
  positionArgument: number | bigint | null | undefined,
  call: FsCall,
): BufferRange<View> {
  if (!ArrayBuffer.isView(buffer)) {
    throw createFsError('ERR_INVALID_ARG_TYPE', {
      ...call,
      message: 'the buffer is a typed array or a DataView',
    });
  }
  const options: BufferOptions =
    typeof offsetOrOptions === 'object' && offsetOrOptions !== null
      ? offsetOrOptions
      : { offset: offsetOrOptions, length: lengthArgument, position: positionArgument };
  const offset = toInteger(options.offset ?? 0, { name: 'offset', max: buffer.byteLength }, call);
  const rest = buffer.byteLength - offset;
  const length = toInteger(options.length ?? rest, { name: 'length', max: rest }, call);
  return {
    buffer,
    bytes: new Uint8Array(buffer.buffer, buffer.byteOffset + offset, length),
    position: toPosition(options.position, call),
  };
}

/**
 * Refuses options of Node that aren't supported, because ignoring them would be wrong.
 *
 * @throws SdkError `EINVAL` that names the option and what to do instead.
 */
export function refuseOptions(
  options: unknown,
  unsupported: Readonly<Record<string, string>>,
  call: FsCall,
): void {
  if (typeof options !== 'object' || options === null) return;
  for (const [name, instead] of Object.entries(unsupported)) {
    // Only own properties count, because every byte array inherits a `filter`.
    const value: unknown = Object.hasOwn(options, name) ? Reflect.get(options, name) : undefined;
    if (value === undefined || value === false || value === null || value === 0) continue;
    throw createFsError('EINVAL', {
      ...call,
      message: `the option '${name}' isn't supported here; ${instead}`,
    });
  }
}

/** Names and link targets are UTF-8 text. Other encodings are refused. */
export function checkNameEncoding(options: unknown, call: FsCall): void {
  const encoding: unknown =
    typeof options === 'object' && options !== null ? Reflect.get(options, 'encoding') : options;
  if (encoding == null || encodingForm(encoding) === 'utf8') return;
  const isKnown = encoding === 'buffer' || encodingForm(encoding) !== undefined;
  throw createFsError(isKnown ? 'EINVAL' : 'ERR_INVALID_ARG_VALUE', {
    ...call,
    message: `names are UTF-8 text here, not '${String(encoding)}'; leave the encoding out`,
  });
}
