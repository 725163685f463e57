// Between what callers pass and get (strings, bytes) and what the tree holds (bytes of its own).
import type { FsCall } from './access.ts';
import type { BinaryOption, EncodingOption, FileData } from './file-system.ts';
import { createFsError } from './fs-error.ts';

/** A copy: what the caller does to its buffer afterwards doesn't reach the workspace. */
export function toOwnBytes(data: FileData, call: FsCall): Uint8Array {
  if (typeof data === 'string') return new TextEncoder().encode(data);
  if (data instanceof Uint8Array) return new Uint8Array(data);
  throw createFsError('EINVAL', { ...call, message: 'data must be a string or a Uint8Array' });
}

/** A string, or a copy of the bytes: contents are shared and must not change. */
export function fromSharedBytes(
  bytes: Uint8Array,
  options: EncodingOption | BinaryOption | undefined,
  call: FsCall,
): string | Uint8Array {
  const encoding = typeof options === 'object' ? options?.encoding : options;
  if (encoding == null) return new Uint8Array(bytes);
  if (encoding === 'utf8' || encoding === 'utf-8') {
    // As in Node, a byte order mark stays in the text.
    return new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(bytes);
  }
  throw createFsError('EINVAL', {
    ...call,
    message: `the encoding '${String(encoding)}' is unknown`,
  });
}

/** New bytes; neither argument is kept. */
export function concatBytes(first: Uint8Array, second: Uint8Array): Uint8Array {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}
