// Applies a delta of a pack to its base. Packs say an object as the difference from a similar one:
// a list of copies out of the base and of new bytes.
import { SdkError } from '../../../core/errors.ts';

/** The sizes that a delta begins with, and where its instructions are. */
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
 * New bytes: what the delta makes of `base`.
 *
 * @throws SdkError `EIO` where sizes and instructions don't fit, `limit-exceeded` above `maxSize`
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
    // Only the bytes that aren't 0 are there; the bits of the code say which.
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
    // `!(…)`: cut instructions make NaN, which fits nowhere.
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
    // 2^49 is more than any file: a longer number is damage.
    if (byte === undefined || factor > 2 ** 49) throw damaged('it has no sizes');
    value += (byte & 127) * factor;
    factor *= 128;
    if (byte < 128) return { value, at };
  }
}

function damaged(why: string): SdkError {
  return new SdkError('EIO', `EIO: a delta of the pack is damaged: ${why}.`);
}
