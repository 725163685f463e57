// Applies a delta of a pack to its base. A delta describes an object as the difference from a
// similar one: a list of copies from the base, and of new bytes.
import { SdkError } from '../../../core/errors.ts';

/** The sizes at the beginning of a delta, and where its instructions begin. */
interface DeltaHeader {
  readonly baseSize: number;
  readonly size: number;
  readonly at: number;
}

/** @throws SdkError `EIO` */
function readDeltaHeader(delta: Uint8Array): DeltaHeader {
  const base = readSize(delta, 0);
  const result = readSize(delta, base.at);
  return { baseSize: base.value, size: result.value, at: result.at };
}

/**
 * Returns the object that the delta makes of `base`, as new bytes.
 *
 * @throws SdkError `EIO` if sizes and instructions are inconsistent, `limit-exceeded` above
 * `maxSize`
 */
export function applyDelta(base: Uint8Array, delta: Uint8Array, maxSize: number): Uint8Array {
  const { baseSize, size, at: from } = readDeltaHeader(delta);
  if (baseSize !== base.length) throw damaged('its base has another size than it says');
  if (size > maxSize) {
    throw new SdkError(
      'limit-exceeded',
      `An object of the pack has ${size} bytes, and ${maxSize} are the most here.`,
      { data: { size, limit: maxSize } },
    );
  }
  const result = new Uint8Array(size);
  let length = 0;
  let at = from;
  while (at < delta.length) {
    const code = delta[at] ?? 0;
    at += 1;
    if (code === 0) throw damaged('an instruction is unknown');
    if (code < 128) {
      if (at + code > delta.length || length + code > size) throw damaged('it is too long');
      result.set(delta.subarray(at, at + code), length);
      at += code;
      length += code;
      continue;
    }
    // Only bytes that aren't 0 are stored. The bits of the code tell which.
    let offset = 0;
    let count = 0;
    if (code & 1) offset = delta[at++] ?? 0;
    if (code & 2) offset += (delta[at++] ?? 0) * 0x100;
    if (code & 4) offset += (delta[at++] ?? 0) * 0x10000;
    if (code & 8) offset += (delta[at++] ?? 0) * 0x1000000;
    if (code & 16) count = delta[at++] ?? 0;
    if (code & 32) count += (delta[at++] ?? 0) * 0x100;
    if (code & 64) count += (delta[at++] ?? 0) * 0x10000;
    if (count === 0) count = 0x10000;
    // Written as `!(…)`, because truncated instructions give NaN, for which every comparison is
    // false.
    if (!(offset + count <= base.length && length + count <= size)) {
      throw damaged('it copies what is not there');
    }
    result.set(base.subarray(offset, offset + count), length);
    length += count;
  }
  if (length !== size) throw damaged('it makes fewer bytes than it says');
  return result;
}

function readSize(delta: Uint8Array, from: number): { value: number; at: number } {
  let value = 0;
  let factor = 1;
  let at = from;
  for (;;) {
    const byte = delta[at];
    at += 1;
    // A number above 2^49 is larger than any file, so the data is damaged.
    if (byte === undefined || factor > 2 ** 49) throw damaged('it has no sizes');
    value += (byte & 127) * factor;
    factor *= 128;
    if (byte < 128) return { value, at };
  }
}

function damaged(why: string): SdkError {
  return new SdkError('EIO', `EIO: a delta of the pack is damaged: ${why}.`);
}
