// Streams as a part of the workspace's state: their entries, and how a record changes them. The
// newest entries are in the state itself. Older ones are packed into contents of the log, which
// forks share.
import type { ContentId, Version } from '../../core/change-set.ts';
import { PersistentMap } from '../tree/persistent-map.ts';
import type { CommitOrigin } from './record.ts';

/** A content that an entry refers to, with its size in bytes. */
export type EntryContent = readonly [contentId: ContentId, size: number];

/** An entry's value as JSON text, and its contents. */
export interface StoredEntry {
  readonly json: string;
  readonly contents?: readonly EntryContent[];
  /** The number of the commit with which the entry was appended, if any. */
  readonly seq?: Version;
}

/** Consecutive entries of a stream as one content: see stream-pack.ts. */
export interface StreamPack {
  readonly contentId: ContentId;
  /** In bytes. */
  readonly size: number;
  /** How many of its entries count, because a fork may end in the middle of a pack. */
  readonly count: number;
  /** The contents to which its entries refer. */
  readonly contents: readonly EntryContent[];
}

/** Immutable. */
export interface StreamState {
  /** The revision that created the stream. It distinguishes streams with the same id. */
  readonly made: number;
  readonly length: number;
  /** In order, followed by `tail`. */
  readonly packs: readonly StreamPack[];
  readonly tail: readonly StoredEntry[];
  readonly forkedFrom?: { readonly id: string; readonly length: number };
}

/** The streams by id. */
export type Streams = PersistentMap<StreamState>;

export const noStreams: Streams = PersistentMap.empty<StreamState>();

/** The change of one stream in a record. It is validated and leaves nothing to decide. */
export type StreamChange =
  | {
      readonly type: 'append';
      readonly stream: string;
      /** The stream's length before it; 0 creates the stream. */
      readonly at: number;
      /** The previous tail and the first new entries, if they were packed. */
      readonly packs?: readonly StreamPack[];
      /** The new entries that aren't packed. */
      readonly entries: readonly StoredEntry[];
    }
  | {
      readonly type: 'fork';
      readonly stream: string;
      readonly from: string;
      readonly length: number;
    }
  | { readonly type: 'drop'; readonly stream: string };

/**
 * A record that only changes a stream. It has no number of its own: in the log it has the number of
 * the last commit.
 */
export interface StreamRecord {
  /** The revision after it. */
  readonly revision: number;
  readonly stream: StreamChange;
  readonly origin?: CommitOrigin;
}

/** @throws TypeError if the change doesn't fit: the log is damaged, or there is a bug */
export function applyStreamChange(
  streams: Streams,
  change: StreamChange,
  revision: number,
): Streams {
  const before = streams.get(change.stream);
  switch (change.type) {
    case 'append':
      return streams.set(change.stream, withEntries(before, change, revision));
    case 'fork': {
      const source = streams.get(change.from);
      if (before || !source || change.length > source.length) throw misfit(change);
      return streams.set(change.stream, forkOf(source, change, revision));
    }
    case 'drop':
      if (!before) throw misfit(change);
      return streams.delete(change.stream);
    default:
      throw misfit(change satisfies never);
  }
}

function withEntries(
  before: StreamState = { made: 0, length: 0, packs: [], tail: [] },
  change: StreamChange & { readonly type: 'append' },
  revision: number,
): StreamState {
  const { at, packs: added = [], entries } = change;
  if (at !== before.length) throw misfit(change);
  const packs = added.length === 0 ? before.packs : [...before.packs, ...added];
  // The entries of the previous tail are in the first new pack.
  const tail = added.length === 0 ? [...before.tail, ...entries] : entries;
  const packed = added.reduce((sum, { count }) => sum + count, 0);
  const length =
    added.length === 0
      ? before.length + entries.length
      : before.length - before.tail.length + packed + entries.length;
  return { ...before, made: before.made || revision, length, packs, tail };
}

function forkOf(
  { packs, tail }: StreamState,
  { from, length }: StreamChange & { readonly type: 'fork' },
  made: number,
): StreamState {
  const kept: StreamPack[] = [];
  let left = length;
  for (const pack of packs) {
    if (left === 0) break;
    const count = Math.min(pack.count, left);
    kept.push(count === pack.count ? pack : { ...pack, count });
    left -= count;
  }
  return { made, length, packs: kept, tail: tail.slice(0, left), forkedFrom: { id: from, length } };
}

function misfit(change: unknown): TypeError {
  return new TypeError(`The change doesn't fit the stream: ${JSON.stringify(change)}`);
}

/** Visits the contents that streams need: their packs, and contents of entries. */
export function visitStreamContents(
  streams: Streams,
  visitContent: (contentId: ContentId, size: number) => void,
): void {
  streams.forEach((_id, stream) => visitContentsOf(stream, visitContent));
}

/** `bytes` of `StreamInfo` (streams.ts). */
export function streamBytes(stream: StreamState): number {
  let bytes = 0;
  for (const { json } of stream.tail) bytes += json.length;
  visitContentsOf(stream, (_contentId, size) => (bytes += size));
  return bytes;
}

function visitContentsOf(
  { packs, tail }: StreamState,
  visitContent: (contentId: ContentId, size: number) => void,
): void {
  for (const { contentId, size, contents } of packs) {
    visitContent(contentId, size);
    for (const [id, bytes] of contents) visitContent(id, bytes);
  }
  for (const { contents = [] } of tail) for (const [id, bytes] of contents) visitContent(id, bytes);
}

/** A stream as JSON, in images and snapshots. */
export type PlainStream = readonly [
  id: string,
  made: number,
  packs: readonly (readonly [
    contentId: ContentId,
    size: number,
    count: number,
    contents: readonly EntryContent[],
  ])[],
  tail: readonly StoredEntry[],
  forkedFrom: StreamState['forkedFrom'] | null,
];

/** In the order of their creation. Inverse: {@link fromPlainStreams}. */
export function toPlainStreams(streams: Streams): PlainStream[] {
  return inOrder(streams).map(([id, { made, packs, tail, forkedFrom }]) => [
    id,
    made,
    packs.map(({ contentId, size, count, contents }) => [contentId, size, count, contents]),
    tail,
    forkedFrom ?? null,
  ]);
}

/** Inverse: {@link toPlainStreams}. */
export function fromPlainStreams(plain: readonly PlainStream[]): Streams {
  let streams = noStreams;
  for (const [id, made, plainPacks, tail, forkedFrom] of plain) {
    const packs = plainPacks.map(([contentId, size, count, contents]) => {
      return { contentId, size, count, contents };
    });
    const length = packs.reduce((sum, { count }) => sum + count, tail.length);
    streams = streams.set(id, { made, length, packs, tail, ...(forkedFrom && { forkedFrom }) });
  }
  return streams;
}

/** Returns the streams in the order of their creation. */
export function inOrder(streams: Streams): (readonly [id: string, stream: StreamState])[] {
  const all: (readonly [string, StreamState])[] = [];
  streams.forEach((id, stream) => all.push([id, stream]));
  return all.sort(([, left], [, right]) => left.made - right.made);
}
