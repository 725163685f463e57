// The entries of a stream as bytes: packs in the log, and pieces sent to a page. A piece is one
// JSON array with a tuple for each entry, so that one parse reads them all.
import type { ContentId, Version } from '../../core/change-set.ts';
import { SdkError } from '../../core/errors.ts';
import type { StreamEntry } from '../streams.ts';
import type { ContentSource } from './content-source.ts';
import type { StoredEntry, StreamState } from './stream-state.ts';

type PlainEntry = readonly [value: unknown, contents?: readonly ContentId[], seq?: Version];

/** Consecutive entries as bytes. They are shared and must not be changed or transferred. */
export interface StreamPiece {
  /** The number of the first entry in the bytes. */
  readonly first: number;
  readonly bytes: Uint8Array;
  /** Only entries from `from` (included) to `end` (excluded) count. */
  readonly from: number;
  readonly end: number;
}

/** Inverse: {@link decodePiece}. */
export function encodeEntries(entries: readonly StoredEntry[]): Uint8Array {
  const texts = entries.map(({ json, contents = [], seq }) => {
    const ids = JSON.stringify(contents.map(([contentId]) => contentId));
    if (seq !== undefined) return `[${json},${ids},${seq}]`;
    return contents.length > 0 ? `[${json},${ids}]` : `[${json}]`;
  });
  return new TextEncoder().encode(`[${texts.join(',\n')}]`);
}

/**
 * Returns the entries from `from` (included) to `end` (excluded). @throws SdkError `EIO` for data
 * that {@link encodeEntries} didn't create
 */
export function decodePiece({ first, bytes, from, end }: StreamPiece): StreamEntry[] {
  const plain: unknown = JSON.parse(new TextDecoder().decode(bytes));
  if (!Array.isArray(plain) || plain.length < end - first) {
    throw new SdkError('EIO', 'EIO: a stream holds a pack that is no list of its entries.');
  }
  return (plain as PlainEntry[])
    .slice(from - first, end - first)
    .map(([value, contents = [], seq], at) => ({
      n: from + at,
      value,
      ...(contents.length > 0 && { contents }),
      ...(seq !== undefined && { seq }),
    }));
}

/** A pack or the tail, if it contains entries from `from` on. */
export type StreamPart =
  | (Omit<StreamPiece, 'bytes'> & { readonly contentId: ContentId; readonly size: number })
  | StreamPiece;

/**
 * Returns the parts of the stream from `from` on, in order. Packs aren't read yet: {@link
 * readParts}.
 */
export function partsOf({ packs, tail, length }: StreamState, from: number): StreamPart[] {
  const parts: StreamPart[] = [];
  let first = 1;
  for (const { contentId, size, count } of packs) {
    const end = first + count;
    if (end > from) parts.push({ first, from: Math.max(first, from), end, contentId, size });
    first = end;
  }
  const start = Math.max(first, from);
  if (start <= length) {
    const bytes = encodeEntries(tail.slice(start - first));
    parts.push({ first: start, from: start, end: length + 1, bytes });
  }
  return parts;
}

/** Rejects as `ContentSource.readMany` does. */
export async function readParts(
  parts: readonly StreamPart[],
  contents: ContentSource,
): Promise<StreamPiece[]> {
  const ids = parts.flatMap((part) => ('contentId' in part ? [part.contentId] : []));
  const read = await contents.readMany(ids);
  let next = 0;
  return parts.map((part) => {
    if (!('contentId' in part)) return part;
    const { first, from, end } = part;
    const bytes = read[next];
    next += 1;
    if (!bytes) throw new TypeError('A content that was read has bytes.');
    return { first, from, end, bytes };
  });
}
