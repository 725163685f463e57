// A segment's records in binary form, each with its length, a checksum and its number:
//
//   record   u32 payload length, u32 checksum, u64 sequence number, payload, zeros up to 4 bytes
//   payload  u32 length of the JSON, JSON, contents one behind the other
//   JSON     a commit's fields but its number, a stream record's, or `"moves": true`;
//            `contents`: [id, length, checksum], with a name behind for one that stands in a store
//
// All numbers are little-endian. A record that only moves contents (compaction) or only changes a stream has the
// number of the commit before it. Format 3 had no stores, and format 2 no streams. Format 1 had no moves, no checksum
// for each content, and no removals with `recursive`. Its code would apply such a removal without noticing a person's
// edits below, so it must not (and does not) read newer formats.
import type { ContentId } from '../../core/change-set.ts';
import type { NewContent, WorkspaceRecord } from '../state/record.ts';
import type { WorkspaceState } from '../state/state.ts';
import type { StreamRecord } from '../state/stream-state.ts';
import { checksum } from '../../core/hashes/checksum.ts';

export const recordHeaderBytes = 16;

/** Where a content stands, relative to its record's first byte, and the sum of its bytes. */
export interface EncodedContent {
  readonly contentId: ContentId;
  readonly offset: number;
  readonly length: number;
  readonly checksum: number;
  /** The name of a content in a store: the record has none of its bytes, and its offset is 0. */
  readonly name?: string;
}

/** Bytes to be appended in one piece. */
export interface EncodedRecord {
  readonly bytes: Uint8Array;
  readonly contents: readonly EncodedContent[];
}

/** A record that was found whole: length, checksum and number were right. */
export interface DecodedRecord {
  /** Undefined for one that only moves contents. */
  readonly record: WorkspaceRecord | StreamRecord | undefined;
  readonly contents: readonly EncodedContent[];
  /** The length of the whole record, with header and padding. */
  readonly byteLength: number;
}

interface Metadata extends Omit<WorkspaceRecord, 'seq'> {
  readonly moves?: true;
  readonly revision?: number;
  readonly contents: readonly (readonly [
    contentId: ContentId,
    length: number,
    sum?: number,
    name?: string,
  ])[];
}

/** The name that a content has in a store; undefined: it goes into the record. */
export type NameOf = (bytes: Uint8Array) => string | undefined;

const inRecord: NameOf = () => undefined;

// One for all: in a Worker each is an object of the runtime's.
const utf8 = new TextEncoder();

/** Inverse: {@link decodeRecord}. */
export function encodeRecord(
  { seq, ...fields }: WorkspaceRecord,
  contents: readonly NewContent[],
  nameOf = inRecord,
): EncodedRecord {
  return encode(seq, fields, contents, nameOf);
}

/** `seq`: of the commit before it. Inverse: {@link decodeRecord}. */
export function encodeStreamRecord(
  seq: number,
  record: StreamRecord,
  contents: readonly NewContent[],
  nameOf = inRecord,
): EncodedRecord {
  return encode(seq, record, contents, nameOf);
}

/** `seq`: of the commit before it. Inverse: {@link decodeRecord}. */
export function encodeMoves(seq: number, contents: readonly NewContent[]): EncodedRecord {
  return encode(seq, { moves: true }, contents, inRecord);
}

function encode(
  seq: number,
  fields: object,
  contents: readonly NewContent[],
  nameOf: NameOf,
): EncodedRecord {
  const sums = contents.map(({ bytes }) => checksum(bytes));
  const names = contents.map(({ bytes }) => nameOf(bytes));
  const listed = contents.map(({ contentId, bytes }, at) => [
    contentId,
    bytes.length,
    sums[at],
    ...(names[at] === undefined ? [] : [names[at]]),
  ]);
  const json = utf8.encode(JSON.stringify({ ...fields, contents: listed }));
  let length = 4 + json.length;
  const places = contents.map(({ contentId, bytes }, at) => {
    const name = names[at];
    const place = { contentId, length: bytes.length, checksum: sums[at] ?? 0 };
    if (name !== undefined) return { ...place, offset: 0, name };
    const offset = recordHeaderBytes + length;
    length += bytes.length;
    return { ...place, offset };
  });
  const bytes = new Uint8Array(recordHeaderBytes + padded(length));
  const view = new DataView(bytes.buffer);
  view.setUint32(0, length, true);
  view.setBigUint64(8, BigInt(seq), true);
  view.setUint32(recordHeaderBytes, json.length, true);
  bytes.set(json, recordHeaderBytes + 4);
  contents.forEach((content, at) => {
    if (names[at] === undefined) bytes.set(content.bytes, places[at]?.offset);
  });
  view.setUint32(4, recordChecksum(bytes), true);
  return { bytes, contents: places };
}

/**
 * The contents that a record brings, as views of it: one behind the other, and fixed from here on. Those in a store are
 * as they were `given`.
 */
export function contentsOf(
  { bytes, contents }: EncodedRecord,
  given: readonly NewContent[],
): NewContent[] {
  return contents.map(({ contentId, offset, length, name }, at) => ({
    contentId,
    bytes:
      name === undefined
        ? bytes.subarray(offset, offset + length)
        : (given[at]?.bytes ?? new Uint8Array(0)),
  }));
}

/** The bytes that the record at the head of `bytes` takes, by its own word; its header must be there. */
export function recordByteLength(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return recordHeaderBytes + padded(view.getUint32(0, true));
}

/**
 * The record at the head of `bytes`, or null for anything but a whole, unharmed record that follows
 * the state `before`. Inverse: {@link encodeRecord}, {@link encodeStreamRecord},
 * {@link encodeMoves}.
 */
export function decodeRecord(
  bytes: Uint8Array,
  before: Pick<WorkspaceState, 'seq' | 'revision'>,
): DecodedRecord | null {
  if (bytes.length < recordHeaderBytes) return null;
  const byteLength = recordByteLength(bytes);
  if (byteLength > bytes.length) return null;
  const whole = bytes.subarray(0, byteLength);
  const view = new DataView(whole.buffer, whole.byteOffset, whole.byteLength);
  if (view.getUint32(4, true) !== recordChecksum(whole)) return null;
  // From here on the bytes are what a writer wrote; the number tells whether it is the next.
  const jsonLength = view.getUint32(recordHeaderBytes, true);
  let offset = recordHeaderBytes + 4;
  const json = new TextDecoder().decode(whole.subarray(offset, offset + jsonLength));
  const { contents: listed, moves, revision, ...fields } = JSON.parse(json) as Metadata;
  if (revision !== undefined && revision !== before.revision + 1) return null;
  const next = moves || revision !== undefined ? before.seq : before.seq + 1;
  if (view.getBigUint64(8, true) !== BigInt(next)) return null;
  offset += jsonLength;
  const contents = listed.map(([contentId, length, sum, name]) => {
    if (name !== undefined) return { contentId, offset: 0, length, checksum: sum ?? 0, name };
    const content = whole.subarray(offset, offset + length);
    const place = { contentId, offset, length, checksum: sum ?? checksum(content) };
    offset += length;
    return place;
  });
  if (moves) return { record: undefined, contents, byteLength };
  if (revision === undefined) return { record: { seq: next, ...fields }, contents, byteLength };
  // Whole and unharmed: so it is what `encodeStreamRecord` was given.
  return { record: { revision, ...fields } as StreamRecord, contents, byteLength };
}

function padded(length: number): number {
  // Not by bits: a damaged length may be above 2 GiB, where they would turn negative.
  return Math.ceil(length / 4) * 4;
}

/** Over all but the checksum's own four bytes. */
function recordChecksum(bytes: Uint8Array): number {
  return checksum(bytes.subarray(8), checksum(bytes.subarray(0, 4)));
}
