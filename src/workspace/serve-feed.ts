// The writer's side of a feed: one snapshot, then every record, in order and without a gap.
import type { ContentId } from '../core/change-set.ts';
import type { ContentSource } from './content-source.ts';
import type { FeedMessage, PackedContent, PackedSegment } from './feed.ts';
import { diffTrees } from './diff-trees.ts';
import { toPlainState } from './plain-state.ts';
import type { NewContent } from './record.ts';
import type { WorkspaceState } from './state.ts';
import { visitTree, type TreeNode } from './tree.ts';
import type { AppliedRecord } from './writer.ts';

/** What can be followed: a writer, or whoever follows one itself. */
export interface FeedSource {
  readonly state: WorkspaceState;
  readonly contents: ContentSource;
  /** Called for each record after it is in `state`, in order. */
  onRecord(listener: (applied: AppliedRecord) => void): Disposable;
}

/** How bytes are packed to cross. They are given away. */
export type PackSegment = (bytes: Uint8Array<ArrayBuffer>) => Blob | Uint8Array;

/**
 * For a tab: large segments as Blobs, which all workers share. Below 64 KB a copy for each worker
 * is cheaper than a Blob's round trip.
 */
export const packForTab: PackSegment = (bytes) =>
  bytes.length < 65_536 ? bytes : new Blob([bytes]);

/** Where the messages go. `send` must keep their order. */
export interface ServeFeedOptions {
  send(message: FeedMessage): void;
  /** @defaultValue the bytes as they are */
  readonly pack?: PackSegment;
  /** Told when the snapshot can't be made: the feed is then dead and disposed. */
  onError(error: unknown): void;
}

// 8 MB: a snapshot of a large workspace never needs more than this at once beside the medium.
const segmentBytes = 8_388_608;

/**
 * Sends a snapshot and then the records after it, until disposed. For a replica that asks again,
 * dispose the feed and serve another: the replica takes up from the new snapshot.
 */
export function serveFeed(source: FeedSource, options: ServeFeedOptions): Disposable {
  const pack = options.pack ?? ((bytes) => bytes);
  // Records that come while the snapshot is being read wait until it was sent.
  let waiting: FeedMessage[] | undefined = [];
  const listening = source.onRecord((applied) => {
    const message = toRecordMessage(applied, pack);
    if (waiting) waiting.push(message);
    else options.send(message);
  });
  let isDisposed = false;
  const dispose = () => {
    isDisposed = true;
    listening[Symbol.dispose]();
  };
  createSnapshot(source, pack).then(
    (snapshot) => {
      if (isDisposed) return;
      options.send(snapshot);
      for (const message of waiting ?? []) options.send(message);
      waiting = undefined;
    },
    (error: unknown) => {
      if (isDisposed) return;
      dispose();
      options.onError(error);
    },
  );
  return { [Symbol.dispose]: dispose };
}

/** The state of now with all its contents, packed in the order of their paths. */
export async function createSnapshot(
  source: FeedSource,
  pack: PackSegment,
): Promise<FeedMessage & { readonly type: 'snapshot' }> {
  // Before anything is awaited: later records are not in it.
  const { state } = source;
  const sizes = sizesOfContents(state);
  const segments: PackedSegment[] = [];
  for (const group of toGroups(sizes)) {
    const contents = await source.contents.readMany(group);
    const named = group.map((contentId, at) => ({
      contentId,
      bytes: contents[at] ?? new Uint8Array(0),
    }));
    segments.push(packContents(named, pack));
  }
  return { type: 'snapshot', state: toPlainState(state), segments };
}

/** Every content that some root holds. What roots share is looked at once. */
function sizesOfContents({ main, roots }: WorkspaceState): ReadonlyMap<ContentId, number> {
  const sizes = new Map<ContentId, number>();
  const add = (node: TreeNode | undefined) => {
    if (node?.kind === 'file' && typeof node.content === 'number') {
      sizes.set(node.content, node.size);
    }
  };
  visitTree('/', main, (_path, node) => add(node));
  for (const { base, root } of roots.values()) {
    diffTrees(main, base, ({ after }) => add(after));
    diffTrees(base, root, ({ after }) => add(after));
  }
  return sizes;
}

function toRecordMessage({ record, contents }: AppliedRecord, pack: PackSegment): FeedMessage {
  const segment = contents.length === 0 ? undefined : packContents(contents, pack);
  return { type: 'record', record, segment };
}

function packContents(contents: readonly NewContent[], pack: PackSegment): PackedSegment {
  let length = 0;
  const places = contents.map(({ contentId, bytes }): PackedContent => {
    const place = [contentId, length, bytes.length] as const;
    length += bytes.length;
    return place;
  });
  const packed = new Uint8Array(length);
  contents.forEach(({ bytes }, at) => packed.set(bytes, places[at]?.[1]));
  return { data: pack(packed), contents: places };
}

function toGroups(sizes: ReadonlyMap<ContentId, number>): ContentId[][] {
  const groups: ContentId[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const [contentId, size] of sizes) {
    if (bytes + size > segmentBytes) {
      groups.push([]);
      bytes = 0;
    }
    groups.at(-1)?.push(contentId);
    bytes += size;
  }
  return groups;
}
