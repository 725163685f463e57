// A journal's record as a stream of the workspace keeps it: JSON, with bytes and long texts as contents
// beside it. Used by session-journal.ts.
import { isRecord } from '../../core/is-record.ts';

// 64 kB: what is longer is a content, so that the log's index and its images stay small.
const MAX_INLINE_CHARS = 65_536;

/** The place of a content in its entry, in the value's stead. */
const textMark = '$text';
const bytesMark = '$bytes';
const escapeMark = '$value';

/** A record, ready to be appended. */
export interface EncodedRecord {
  readonly value: unknown;
  readonly contents: readonly Uint8Array[];
}

/** The record as JSON data. What `JSON.stringify` leaves out of a value is left out here too. */
export function encodeRecord(record: unknown): EncodedRecord {
  const contents: Uint8Array[] = [];
  const keep = (bytes: Uint8Array) => contents.push(bytes) - 1;
  return { value: encode(record, keep), contents };
}

function encode(value: unknown, keep: (bytes: Uint8Array) => number): unknown {
  if (typeof value === 'string') {
    if (value.length <= MAX_INLINE_CHARS) return value;
    // As UTF-16: a text may have halves of surrogate pairs, which UTF-8 would lose.
    return { [textMark]: keep(toUtf16(value)) };
  }
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return { [bytesMark]: keep(value) };
  if (Array.isArray(value)) return value.map((item) => encode(item, keep) ?? null);
  if (!isPlain(value)) return encode(JSON.parse(JSON.stringify(value)), keep);
  const entries = Object.entries(value).flatMap(([key, item]) => {
    const encoded = encode(item, keep);
    return encoded === undefined ? [] : [[key, encoded] as const];
  });
  const encoded = Object.fromEntries(entries);
  return isMark(encoded) ? { [escapeMark]: encoded } : encoded;
}

/**
 * The record that {@link encodeRecord} was given. Bytes stay where they are: they become
 * `{ contentId }`. Texts are read by `readContent`.
 */
export async function decodeRecord(
  value: unknown,
  contents: readonly number[],
  readContent: (contentId: number) => Promise<Uint8Array>,
): Promise<unknown> {
  if (contents.length === 0 && !mayHaveMark(value)) return value;
  const decode = async (item: unknown): Promise<unknown> => {
    if (Array.isArray(item)) return Promise.all(item.map(decode));
    if (!isRecord(item)) return item;
    if (isMark(item)) {
      if (escapeMark in item) return decodeFields(item[escapeMark] as Record<string, unknown>);
      const at = Number(item[textMark] ?? item[bytesMark]);
      const contentId = contents[at];
      if (contentId === undefined) throw new TypeError(`The entry has no content ${at}.`);
      if (bytesMark in item) return { contentId };
      return fromUtf16(await readContent(contentId));
    }
    return decodeFields(item);
  };
  const decodeFields = async (fields: Record<string, unknown>): Promise<unknown> => {
    const decoded: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(fields)) decoded[key] = await decode(item);
    return decoded;
  };
  return decode(value);
}

// Most entries have neither contents nor marks, and are taken as they are.
function mayHaveMark(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(mayHaveMark);
  if (!isRecord(value)) return false;
  return isMark(value) || Object.values(value).some(mayHaveMark);
}

function isMark(value: Readonly<Record<string, unknown>>): boolean {
  const keys = Object.keys(value);
  const [key] = keys;
  return keys.length === 1 && (key === textMark || key === bytesMark || key === escapeMark);
}

function isPlain(value: object): boolean {
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function toUtf16(text: string): Uint8Array {
  const units = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at += 1) units[at] = text.charCodeAt(at);
  return new Uint8Array(units.buffer);
}

function fromUtf16(bytes: Uint8Array): string {
  const units = new Uint16Array(bytes.slice().buffer);
  const parts: string[] = [];
  // 8 192: an argument each, of which a call takes so many everywhere.
  for (let at = 0; at < units.length; at += 8_192) {
    parts.push(String.fromCharCode(...units.subarray(at, at + 8_192)));
  }
  return parts.join('');
}
