// A journal's record as a stream of the workspace keeps it: JSON, with bytes and long texts as contents
// beside it, the same text once. Used by session-journal.ts.
import type { SdkError } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { LostText, areLost, describeLost } from './lost-parts.ts';

// 64 kB: what is longer is a content, so that the log's index and its images stay small.
const MAX_INLINE_CHARS = 65_536;

// 150 000: an entry has at most 1 MiB as text, and a character takes up to six bytes of it.
const MAX_RECORD_CHARS = 150_000;

// 500: a stream takes data nested twice as deep.
const MAX_DEPTH = 500;

// 8: deeper than the fields that a fold needs of a record, such as a call's id in a message.
const PART_DEPTH = 8;

// 256: what is shorter isn't worth a content.
const MIN_PART_CHARS = 256;

// 64: what stands in a part's place.
const MARK_CHARS = 64;

/** The place of a content in its entry, in the value's stead. */
const textMark = '$text';
const bytesMark = '$bytes';
const escapeMark = '$value';

/** The place of a part of the record, or of all of it, as JSON. */
const recordMark = '$record';

const marks: ReadonlySet<string> = new Set([textMark, bytesMark, escapeMark, recordMark]);

/** A record, ready to be appended. */
export interface EncodedRecord {
  readonly value: unknown;
  readonly contents: readonly Uint8Array[];
}

/**
 * The record as JSON data. As `JSON.stringify` has it, what isn't data is left out, or null in a list and
 * for a number that isn't finite.
 */
export function encodeRecord(record: unknown): EncodedRecord {
  const encoder = new Encoder();
  const value = encoder.encode(record);
  const encoded = { value, contents: encoder.contents };
  return encoder.chars > MAX_RECORD_CHARS ? packLarge(encoded) : encoded;
}

class Encoder {
  readonly contents: Uint8Array[] = [];
  // A picture's text stands in a call's output and in its result.
  readonly #texts = new Map<string, number>();
  /** About how long the text is. */
  chars = 0;

  encode(value: unknown, depth = 0): unknown {
    if (depth > MAX_DEPTH) this.chars = Infinity;
    if (typeof value === 'string') {
      if (value.length > MAX_INLINE_CHARS) return { [textMark]: this.#keepText(value) };
      this.chars += value.length;
      return value;
    }
    this.chars += 8;
    if (typeof value === 'number') return Number.isFinite(value) ? value : null;
    if (typeof value === 'bigint') return String(value);
    if (typeof value === 'function' || typeof value === 'symbol') return undefined;
    if (typeof value !== 'object' || value === null) return value;
    if (value instanceof Uint8Array) return { [bytesMark]: this.#keep(value) };
    if (Array.isArray(value)) return this.#encodeItems(value, depth + 1);
    if (!isPlain(value)) return this.encode(JSON.parse(JSON.stringify(value)), depth);
    const encoded = this.#encodeMembers(value, depth + 1);
    return isMark(encoded) ? { [escapeMark]: encoded } : encoded;
  }

  #encodeItems(value: readonly unknown[], depth: number): unknown[] {
    const encoded: unknown[] = [];
    for (const item of value) encoded.push(this.encode(item, depth) ?? null);
    return encoded;
  }

  #encodeMembers(value: object, depth: number): Record<string, unknown> {
    const encoded: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(value)) {
      this.chars += key.length;
      const member = this.encode(item, depth);
      if (member === undefined) continue;
      // An assignment would set the object's prototype.
      if (key === '__proto__') Object.defineProperty(encoded, key, { ...asMember, value: member });
      else encoded[key] = member;
    }
    return encoded;
  }

  #keepText(text: string): number {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    const at = this.#keep(toUtf16(text));
    this.#texts.set(text, at);
    return at;
  }

  #keep(bytes: Uint8Array): number {
    return this.contents.push(bytes) - 1;
  }
}

/** An encoded record from elsewhere, as {@link encodeRecord} would have given it. */
export function packIfLarge(encoded: EncodedRecord): EncodedRecord {
  return JSON.stringify(encoded.value).length > MAX_RECORD_CHARS ? packLarge(encoded) : encoded;
}

/**
 * The record with its largest parts as contents of their own: an entry's value has a limit. Where that isn't enough, all
 * of it is one, and only of what kind it is, and whose, stays. A part may be lost later: the rest is still there then.
 */
function packLarge({ value, contents }: EncodedRecord): EncodedRecord {
  const packer = new Packer(contents);
  const packed = packer.shrink(value, MAX_RECORD_CHARS, 0);
  if (packed) return { value: packed, contents: packer.contents };
  const { type, agent } = isRecord(value) ? value : {};
  const kept = {
    ...(typeof type === 'string' && { type }),
    ...(typeof agent === 'string' && { agent }),
  };
  const text = toUtf16(JSON.stringify(value));
  return { value: { ...kept, [recordMark]: contents.length }, contents: [...contents, text] };
}

class Packer {
  readonly contents: Uint8Array[];
  // A text stands in a call's output and in its result.
  readonly #parts = new Map<string, number>();

  constructor(contents: readonly Uint8Array[]) {
    this.contents = [...contents];
  }

  /** A list or an object with as many of its parts packed as it takes. Undefined: too many small ones stay. */
  shrink(value: unknown, room: number, depth: number): object | undefined {
    if (typeof value !== 'object' || value === null || depth > PART_DEPTH) return undefined;
    // What an escaped object has isn't looked into when it is read.
    if (isMark(value as Record<string, unknown>)) return undefined;
    const entries = Object.entries(value);
    const sizes = entries.map(([, item]) => measure(item, MAX_DEPTH - depth - 1));
    const sizeAt = (at: number) => sizes[at] ?? 0;
    const large = [...sizes.keys()].filter((at) => sizeAt(at) >= MIN_PART_CHARS);
    let left = room - 8;
    for (const [at, [key]] of entries.entries()) {
      left -= key.length + (sizeAt(at) < MIN_PART_CHARS ? sizeAt(at) : 0);
    }
    if (left < large.length * MARK_CHARS) return undefined;
    large.sort((a, b) => sizeAt(a) - sizeAt(b));
    // Each may take the same. What a small one leaves is for the larger ones.
    for (const [index, at] of large.entries()) {
      const entry = entries[at];
      const share = Math.floor(left / (large.length - index));
      if (entry && sizeAt(at) > share) entry[1] = this.#pack(entry[1], share, depth + 1);
      left -= Math.min(sizeAt(at), share);
    }
    return Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries);
  }

  #pack(value: unknown, room: number, depth: number): unknown {
    const smaller = this.shrink(value, room, depth);
    if (smaller) return smaller;
    const text = JSON.stringify(value);
    const known = this.#parts.get(text);
    const at = known ?? this.contents.push(toUtf16(text)) - 1;
    this.#parts.set(text, at);
    return { [recordMark]: at };
  }
}

/** About how long the value's text is; `Infinity` where it is nested more than `levels` deep. */
function measure(value: unknown, levels: number): number {
  if (levels < 0) return Infinity;
  if (typeof value === 'string') return value.length + 8;
  if (typeof value !== 'object' || value === null) return 8;
  let chars = 8;
  for (const [key, item] of Object.entries(value)) {
    chars += (Array.isArray(value) ? 0 : key.length) + measure(item, levels - 1);
  }
  return chars;
}

/** Has the value only the record's kind, and is the rest a content of its own? */
export function isPacked(value: Readonly<Record<string, unknown>>): boolean {
  if (typeof value[recordMark] !== 'number') return false;
  return Object.keys(value).every((key) => packedKeys.has(key));
}

const packedKeys: ReadonlySet<string> = new Set(['type', 'agent', recordMark]);

function findPacked<Content>(value: unknown, contents: readonly Content[]): Content | undefined {
  return isRecord(value) && isPacked(value) ? contents[Number(value[recordMark])] : undefined;
}

/** The inverse: the record as data again. One that isn't packed is given back. */
export function unpackLarge(encoded: EncodedRecord): EncodedRecord {
  const { value, contents } = encoded;
  if (contents.length === 0) return encoded;
  const packed = findPacked(value, contents);
  if (packed) return { value: JSON.parse(fromUtf16(packed)), contents: contents.slice(0, -1) };
  // The parts stand behind all other contents.
  let first = contents.length;
  const unpack = (item: unknown): unknown => {
    if (Array.isArray(item)) return item.map(unpack);
    if (!isRecord(item)) return item;
    if (!isMark(item)) {
      return Object.fromEntries(Object.entries(item).map(([key, one]) => [key, unpack(one)]));
    }
    const at = Number(item[recordMark]);
    const part = contents[at];
    if (!part) return item;
    first = Math.min(first, at);
    return JSON.parse(fromUtf16(part));
  };
  const unpacked = unpack(value);
  if (first === contents.length) return encoded;
  return { value: unpacked, contents: contents.slice(0, first) };
}

/**
 * The record that {@link encodeRecord} was given. Bytes stay where they are: they become
 * `{ contentId }`. Texts are read by `readContent`. For one that is lost there is a sentence, in entries that are told;
 * else it rejects as `readContent` does.
 */
export async function decodeRecord(
  value: unknown,
  contents: readonly number[],
  readContent: (contentId: number) => Promise<Uint8Array>,
): Promise<unknown> {
  if (isDecoded(value, contents)) return value;
  const packed = findPacked(value, contents);
  if (packed !== undefined) {
    const whole: unknown = JSON.parse(fromUtf16(await readContent(packed)));
    return decodeRecord(whole, contents.slice(0, -1), readContent);
  }
  let lost: SdkError | undefined;
  const readText = async (contentId: number): Promise<string | LostText> => {
    try {
      return fromUtf16(await readContent(contentId));
    } catch (error) {
      if (!areLost(error)) throw error;
      lost = error;
      return new LostText(error);
    }
  };
  const decode = async (item: unknown): Promise<unknown> => {
    if (Array.isArray(item)) return Promise.all(item.map(decode));
    if (!isRecord(item)) return item;
    if (isMark(item)) {
      if (escapeMark in item) return decodeFields(item[escapeMark] as Record<string, unknown>);
      const at = Number(item[textMark] ?? item[bytesMark] ?? item[recordMark]);
      const contentId = contents[at];
      if (contentId === undefined) throw new TypeError(`The entry has no content ${at}.`);
      if (bytesMark in item) return { contentId };
      const text = await readText(contentId);
      if (!(recordMark in item) || typeof text !== 'string') return text;
      const part: unknown = JSON.parse(text);
      // A promise for each field of a long one would cost more than all else.
      return mayHaveMark(part) ? decode(part) : part;
    }
    return decodeFields(item);
  };
  const decodeFields = async (fields: Record<string, unknown>): Promise<unknown> => {
    const decoded: [key: string, item: unknown][] = [];
    for (const [key, item] of Object.entries(fields)) decoded.push([key, await decode(item)]);
    // Not by assignment, because a key may be `__proto__`.
    return Object.fromEntries(decoded);
  };
  const decoded = await decode(value);
  return lost ? describeLost(decoded, lost) : decoded;
}

/** Is the value what {@link decodeRecord} would give? Most entries have neither contents nor marks. */
export function isDecoded(value: unknown, contents: readonly number[]): boolean {
  return contents.length === 0 && !mayHaveMark(value);
}

function mayHaveMark(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(mayHaveMark);
  if (!isRecord(value)) return false;
  return isMark(value) || Object.values(value).some(mayHaveMark);
}

function isMark(value: Readonly<Record<string, unknown>>): boolean {
  const keys = Object.keys(value);
  const [key] = keys;
  return keys.length === 1 && key !== undefined && marks.has(key);
}

const asMember = { configurable: true, enumerable: true, writable: true } as const;

function isPlain(value: object): boolean {
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

// A text may have halves of surrogate pairs, which UTF-8 would lose.
function toUtf16(text: string): Uint8Array {
  const units = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at += 1) units[at] = text.charCodeAt(at);
  return new Uint8Array(units.buffer);
}

function fromUtf16(bytes: Uint8Array): string {
  const units = new Uint16Array(bytes.slice().buffer);
  const parts: string[] = [];
  // 8 192: an argument each, of which a call takes so many everywhere. Spread they would go through an iterator, and a long
  // conversation would take as much computing to open as an event of an object may have.
  for (let at = 0; at < units.length; at += 8_192) {
    const some = units.subarray(at, at + 8_192);
    parts.push(Reflect.apply(String.fromCharCode, undefined, some) as string);
  }
  return parts.join('');
}
