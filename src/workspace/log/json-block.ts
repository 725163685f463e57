// What segments, images and search indexes begin with. It says who made the file, in which format,
// and has a piece of JSON that is either found whole or not at all. All numbers are little-endian:
//
//   8 bytes magic, u32 format version, u32 checksum of these twelve      the same in every version
//   u32 length of the JSON, u32 checksum of all that follows and of that length
//   u64 number (an image's is its state's revision, a segment's its epoch), JSON, zeros up to 4 bytes
import { SdkError } from '../../core/errors.ts';
import { checksum } from '../../core/hashes/checksum.ts';

/**
 * Increase it with every change that older code would misread. Code reads the formats of all
 * earlier versions and writes its own. It refuses a newer format without changing it. Format 1 was
 * one file `log` of records without segments or images. Format 2 had no streams. Format 3 had all
 * contents in its own files.
 */
const formatVersion = 4;

/** A kind of file, by its first bytes. */
export type Magic = 'RKPLLOG\n' | 'RKPLIMG\n' | 'RKPLIDX\n';

/** The length of the part that all versions share. */
export const preludeBytes = 16;

/** The length of everything before the JSON. */
export const blockHeaderBytes = 32;

/** Inverse: {@link decodeBlock}. */
export function encodeBlock(magic: Magic, number: number, value: unknown): Uint8Array {
  const json = new TextEncoder().encode(JSON.stringify(value));
  const bytes = new Uint8Array(blockByteLength(json.length));
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < magic.length; at += 1) bytes[at] = magic.charCodeAt(at);
  view.setUint32(8, formatVersion, true);
  view.setUint32(12, checksum(bytes.subarray(0, 12)), true);
  view.setUint32(16, json.length, true);
  view.setBigUint64(24, BigInt(number), true);
  bytes.set(json, blockHeaderBytes);
  view.setUint32(20, blockChecksum(bytes), true);
  return bytes;
}

/**
 * Returns the format version in a file's first bytes, or null if they aren't such a prelude.
 * @throws SdkError `EIO` for a newer version, which must not be taken for a damaged file
 */
export function readFormatVersion(magic: Magic, bytes: Uint8Array): number | null {
  if (bytes.length < preludeBytes) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < magic.length; at += 1) {
    if (bytes[at] !== magic.charCodeAt(at)) return null;
  }
  if (view.getUint32(12, true) !== checksum(bytes.slice(0, 12))) return null;
  const version = view.getUint32(8, true);
  if (version <= formatVersion) return version;
  throw new SdkError(
    'EIO',
    `The workspace was written in format ${version}, this version of Rockpool reads up to ` +
      `${formatVersion}; it was left untouched. Reload the page if it was open while it was updated; else update ` +
      'Rockpool, or open another workspace name.',
    { data: { formatVersion: version } },
  );
}

/** Returns the header's values without verifying them. `bytes` must contain the whole header. */
export function readBlockHeader(bytes: Uint8Array): { byteLength: number; number: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    byteLength: blockByteLength(view.getUint32(16, true)),
    number: Number(view.getBigUint64(24, true)),
  };
}

/**
 * Returns the JSON's value, or null if the block is incomplete or damaged. Inverse: {@link
 * encodeBlock}.
 */
export function decodeBlock(bytes: Uint8Array): unknown {
  if (bytes.length < blockHeaderBytes) return null;
  const { byteLength } = readBlockHeader(bytes);
  if (byteLength > bytes.length) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(20, true) !== blockChecksum(bytes.subarray(0, byteLength))) return null;
  const json = bytes.subarray(blockHeaderBytes, blockHeaderBytes + view.getUint32(16, true));
  return JSON.parse(new TextDecoder().decode(json)) as unknown;
}

function blockByteLength(jsonLength: number): number {
  // Without bit operations: a damaged length above 2 GiB would become negative.
  return blockHeaderBytes + Math.ceil(jsonLength / 4) * 4;
}

/** Covers the length, and everything behind the checksum itself. */
function blockChecksum(bytes: Uint8Array): number {
  return checksum(bytes.subarray(24), checksum(bytes.subarray(16, 20)));
}
