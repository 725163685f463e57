// The log's binary form. A header, then records, each with its length, a checksum and its number:
//
//   header   8 bytes magic, u32 format version, u32 checksum of the twelve before it
//   record   u32 payload length, u32 checksum, u64 sequence number, payload, zeros up to 4 bytes
//   payload  u32 length of the JSON, JSON (author, changes, [contentId, length] of each content), contents
//
// All numbers are little-endian. Inverses: encodeRecord and decodeRecord.
import type { ContentId } from '../core/change-set.ts';
import { SdkError } from '../core/errors.ts';
import type { NewContent, RecordedChange, WorkspaceRecord } from './record.ts';
import type { ChangeAuthor } from './workspace.ts';

/** Raised with every change that older code would misread. */
const formatVersion = 1;

// As drawn above.
export const headerBytes = 16;
export const recordHeaderBytes = 16;

// "RKPLLOG" and a line feed, so that a transfer as text shows.
const magic = [0x52, 0x4b, 0x50, 0x4c, 0x4c, 0x4f, 0x47, 0x0a];

/** Where a content stands in the log. */
export interface ContentPlace {
  readonly contentId: ContentId;
  readonly offset: number;
  readonly length: number;
}

/** A record that was found whole: length, checksum and number were right. */
export interface DecodedRecord {
  readonly record: WorkspaceRecord;
  /** Offsets are relative to the record's first byte. */
  readonly contents: readonly ContentPlace[];
  /** Of the whole record, with header and padding. */
  readonly byteLength: number;
}

interface Metadata {
  readonly author: ChangeAuthor;
  readonly changes: readonly RecordedChange[];
  readonly contents: readonly (readonly [contentId: ContentId, length: number])[];
}

/** What every log begins with. Checked by {@link checkHeader}. */
export function encodeHeader(): Uint8Array {
  const bytes = new Uint8Array(headerBytes);
  bytes.set(magic);
  const view = new DataView(bytes.buffer);
  view.setUint32(8, formatVersion, true);
  view.setUint32(12, checksum(bytes.subarray(0, 12)), true);
  return bytes;
}

/**
 * Throws `EIO` for what is no log of ours, or one of a newer format: it must not be cut off as if it
 * were a torn record.
 */
export function checkHeader(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isOurs =
    bytes.length >= headerBytes &&
    magic.every((byte, at) => bytes[at] === byte) &&
    view.getUint32(12, true) === checksum(bytes.slice(0, 12));
  if (!isOurs) {
    throw new SdkError(
      'EIO',
      'The workspace log begins with bytes that are no Rockpool log; it was left untouched. ' +
        'Open another workspace name, or delete this one.',
    );
  }
  const version = view.getUint32(8, true);
  if (version !== formatVersion) {
    throw new SdkError(
      'EIO',
      `The workspace was written in format ${version}, this version of Rockpool reads ` +
        `${formatVersion}; it was left untouched. Update Rockpool, or open another workspace name.`,
      { data: { formatVersion: version } },
    );
  }
}

/** Inverse: {@link decodeRecord}. `places` are relative to the record's first byte. */
export function encodeRecord(
  record: WorkspaceRecord,
  contents: readonly NewContent[],
): { readonly bytes: Uint8Array; readonly places: readonly ContentPlace[] } {
  const metadata: Metadata = {
    author: record.author,
    changes: record.changes,
    contents: contents.map(({ contentId, bytes }) => [contentId, bytes.length]),
  };
  const json = new TextEncoder().encode(JSON.stringify(metadata));
  let length = 4 + json.length;
  const places = contents.map(({ contentId, bytes }) => {
    const place = { contentId, offset: recordHeaderBytes + length, length: bytes.length };
    length += bytes.length;
    return place;
  });
  const bytes = new Uint8Array(recordHeaderBytes + padded(length));
  const view = new DataView(bytes.buffer);
  view.setUint32(0, length, true);
  view.setBigUint64(8, BigInt(record.seq), true);
  view.setUint32(recordHeaderBytes, json.length, true);
  bytes.set(json, recordHeaderBytes + 4);
  contents.forEach((content, at) => bytes.set(content.bytes, places[at]?.offset));
  view.setUint32(4, recordChecksum(bytes), true);
  return { bytes, places };
}

/** The bytes that the record at the head of `bytes` takes, by its own word; its header must be there. */
export function recordByteLength(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return recordHeaderBytes + padded(view.getUint32(0, true));
}

/**
 * The record at the head of `bytes`, or null for anything but a whole, unharmed record with the
 * number `seq`. Inverse: {@link encodeRecord}.
 */
export function decodeRecord(bytes: Uint8Array, seq: number): DecodedRecord | null {
  if (bytes.length < recordHeaderBytes) return null;
  const byteLength = recordByteLength(bytes);
  if (byteLength > bytes.length) return null;
  const whole = bytes.subarray(0, byteLength);
  const view = new DataView(whole.buffer, whole.byteOffset, whole.byteLength);
  if (view.getUint32(4, true) !== recordChecksum(whole)) return null;
  if (view.getBigUint64(8, true) !== BigInt(seq)) return null;
  // From here on the bytes are what the writer wrote.
  const jsonLength = view.getUint32(recordHeaderBytes, true);
  let offset = recordHeaderBytes + 4;
  const json = new TextDecoder().decode(whole.subarray(offset, offset + jsonLength));
  const { author, changes, contents } = JSON.parse(json) as Metadata;
  offset += jsonLength;
  const places = contents.map(([contentId, length]) => {
    const place = { contentId, offset, length };
    offset += length;
    return place;
  });
  return { record: { seq, author, changes }, contents: places, byteLength };
}

function padded(length: number): number {
  // Not by bits: a damaged length may be above 2 GiB, where they would turn negative.
  return Math.ceil(length / 4) * 4;
}

/** Over all but the checksum's own four bytes. */
function recordChecksum(bytes: Uint8Array): number {
  const length = checksum(bytes.subarray(0, 4));
  return checksum(bytes.subarray(8), length);
}

// Any odd numbers; these have about half of their bits set.
const checksumSeed = 0x52f0c1a7;
const checksumFactor = 0x9e3779b1;

/**
 * Word by word (a byte-wise one made replay three times slower). Each step is a bijection, so a
 * change within one word is always seen; zeros change it too, so a zero-filled tail is no record.
 */
function checksum(bytes: Uint8Array, seed = checksumSeed): number {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  const words = new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.length >>> 2);
  let sum = seed;
  for (let at = 0; at < words.length; at += 1) {
    sum = Math.imul(sum ^ (words[at] ?? 0), checksumFactor);
    sum = (sum << 13) | (sum >>> 19);
  }
  return sum >>> 0;
}
