// One entry of a pack: a type, a size, the base of a delta, and a zlib stream.
import { SdkError } from '../../../core/errors.ts';
import { inflate } from './inflate.ts';
import { toOid, type ObjectType } from './oid.ts';

/** 256 MB: the limit of one object. Objects are built whole in memory, several at a time. */
export const maxObjectBytes = 268_435_456;

/** The header of an entry. `dataAt` is the offset of its stream. */
export type PackEntry =
  | { readonly type: ObjectType; readonly size: number; readonly dataAt: number }
  | {
      readonly type: 'offset-delta';
      /** The offset of the base's entry. */
      readonly base: number;
      readonly size: number;
      readonly dataAt: number;
    }
  | {
      readonly type: 'oid-delta';
      readonly base: string;
      readonly size: number;
      readonly dataAt: number;
    };

const plainTypes: readonly (ObjectType | undefined)[] = [
  undefined,
  'commit',
  'tree',
  'blob',
  'tag',
];

/** Returns a pack's number for an object type. */
export function packTypeNumber(type: ObjectType): number {
  return plainTypes.indexOf(type);
}

/** @throws SdkError `EIO`, or `limit-exceeded` for an object that is too large */
export function readPackEntry(pack: Uint8Array, start: number): PackEntry {
  let at = start;
  let byte = pack[at++] ?? cutOff();
  const type = (byte >> 4) & 7;
  let size = byte & 15;
  for (let factor = 16; byte >= 128; factor *= 128) {
    byte = pack[at++] ?? cutOff();
    size += (byte & 127) * factor;
    if (size > maxObjectBytes) throw tooLarge(size);
  }
  const plain = plainTypes[type];
  if (plain) return { type: plain, size, dataAt: at };
  if (type === 6) {
    byte = pack[at++] ?? cutOff();
    let distance = byte & 127;
    while (byte >= 128) {
      byte = pack[at++] ?? cutOff();
      distance = (distance + 1) * 128 + (byte & 127);
    }
    if (distance === 0 || distance > start - 12) throw damaged('a delta has no base in it');
    return { type: 'offset-delta', base: start - distance, size, dataAt: at };
  }
  if (type === 7) {
    if (at + 20 > pack.length) cutOff();
    return { type: 'oid-delta', base: toOid(pack, at), size, dataAt: at + 20 };
  }
  throw damaged(`an entry has the unknown type ${type}`);
}

/** Returns the inflated content: the object or the delta. */
export function inflateEntry(pack: Uint8Array, entry: PackEntry): Uint8Array {
  const bytes = new Uint8Array(entry.size);
  inflate(pack, entry.dataAt, bytes);
  return bytes;
}

function cutOff(): never {
  throw damaged('it is cut off');
}

function tooLarge(size: number): SdkError {
  return new SdkError(
    'limit-exceeded',
    `An object of the pack says that it has ${size} bytes or more, and ${maxObjectBytes} are the ` +
      'most here.',
    { data: { limit: maxObjectBytes } },
  );
}

/** The error for an invalid pack. */
export function damaged(why: string): SdkError {
  return new SdkError('EIO', `EIO: the pack is damaged: ${why}. Clone or fetch it again.`);
}
