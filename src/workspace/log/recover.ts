// Opens a log: chooses the best starting point among the images and the log's beginning, and
// replays the records after it. Recovery only reads, so a kill during it loses nothing. Damage is
// tolerated as long as something can be opened. The result is the newest reachable state, and a
// report of what was dropped or lost.
import type { ContentId } from '../../core/change-set.ts';
import { fromPlainState } from '../state/plain-state.ts';
import { emptyState } from '../state/state.ts';
import { fromPlainPlaces } from './content-places.ts';
import { isStoredName } from './content-store.ts';
import { findImages, findSegments, listFiles } from './find-files.ts';
import type { FoundFiles, FoundImage, FoundSegments } from './find-files.ts';
import { parseImageName, parseIndexName, type SegmentNumber } from './file-name.ts';
import { readImage, type LogImage } from './image-file.ts';
import type { FormerImages } from './image-slots.ts';
import { visitKeptContents } from '../state/live-contents.ts';
import type { LogMedium, MediumFile, ReadFile } from './log-medium.ts';
import { replay, type Replayed, type ReplaySegment } from './replay.ts';
import { readSegmentHeader, type LiveSegment } from './segment-header.ts';
import { findUnreachable, requireBeginning } from './unreachable.ts';

/** A segment that is only read. It may be missing, and then its contents are too. */
export interface SealedSegment extends LiveSegment {
  readonly file: ReadFile | undefined;
}

/** The state from which a log continues. */
export interface RecoveredLog extends Replayed {
  /** In order. The last one is valid up to `end`. */
  readonly segments: readonly SealedSegment[];
  /** Contents that the state needs but the medium no longer has, with their sizes. */
  readonly lost: Map<ContentId, number>;
  /** Bytes that were found but aren't valid: torn, damaged, or set aside at an earlier opening. */
  readonly droppedBytes: number;
  /** Names of segments that must not be removed: see unreachable.ts. */
  readonly aside: readonly string[];
  /** Higher than any number found. */
  readonly nextNumber: SegmentNumber;
  readonly images: FormerImages;
  /** Search index files, valid or not. */
  readonly indexes: readonly MediumFile[];
}

/** The result of replaying from one starting point. */
interface Recovery extends Replayed {
  readonly segments: readonly SealedSegment[];
  readonly chain: readonly ReplaySegment[];
  readonly lost: Map<ContentId, number>;
  readonly image: FoundImage | undefined;
}

// 3: a former owner's last operation may change the files once during recovery. A third change
// means that the medium fails.
const maxTries = 3;

/**
 * @throws SdkError `EIO` for a newer format, for a log that isn't Rockpool's, and if nothing can be
 * opened. Also throws what the medium throws. After an error all files are unchanged.
 */
export async function recoverLog(medium: LogMedium): Promise<RecoveredLog> {
  for (let tries = 1; ; tries += 1) {
    const files = await listFiles(medium);
    try {
      return await recoverFiles(files);
    } catch (error) {
      // A former owner's last operation may have replaced or removed a listed file.
      const hasChanged = !files.equals(await listFiles(medium));
      if (tries === maxTries || !hasChanged) throw error;
      await files.closeAllBut(new Set());
    }
  }
}

async function recoverFiles(files: FoundFiles): Promise<RecoveredLog> {
  files.openAll();
  const found = await findSegments(files);
  const best = await recoverBest(files, found);
  const unreachable = findUnreachable(found, best);
  requireBeginning(files, best, unreachable);
  await files.closeAllBut(new Set(best.segments.map(({ file }) => file)));
  const { name, length: byteLength = 0 } = best.image ?? {};
  const others = files.names.filter((each) => parseImageName(each) && each !== name);
  return {
    ...best,
    droppedBytes: droppedBytes(found, best) + bytesAside(files, found, best),
    aside: [...new Set([...found.aside, ...unreachable])],
    nextNumber: { epoch: found.maxEpoch + 1, index: 0 },
    images: { best: name, byteLength, others },
    indexes: files.names
      .filter((each) => parseIndexName(each))
      .map((each) => ({ name: each, length: files.lengthOf(each) })),
  };
}

async function recoverBest(files: FoundFiles, found: FoundSegments): Promise<Recovery> {
  let best: Recovery | undefined;
  for (const image of await findImages(files)) {
    const content = await readImage(image.file, image.length);
    const accepted = content && acceptedSegments(files, found, content);
    if (!accepted) continue;
    const recovery = { ...(await recoverFrom(files, accepted, content)), image };
    // The newest image first: replaying from an older start leads to the same state.
    if (recovery.lost.size === 0 && !best) return recovery;
    best = better(best, recovery);
  }
  return better(best, { ...(await recoverFrom(files, found.live)), image: undefined });
}

/** Returns the newer state. Of equal states, the one that has lost less. */
function better(first: Recovery | undefined, second: Recovery): Recovery {
  if (!first || first.state.revision < second.state.revision) return second;
  if (first.state.revision > second.state.revision) return first;
  return second.lost.size < first.lost.size ? second : first;
}

/**
 * Returns the segments that are valid if one starts from this image. Returns null if the image
 * itself isn't valid: a former owner made it from records that its successor didn't accept.
 */
function acceptedSegments(
  files: FoundFiles,
  { live, headless }: FoundSegments,
  { position: { segment, offset } }: LogImage,
): readonly LiveSegment[] | null {
  const at = live.findIndex(({ name }) => name === segment);
  const accepted = live[at];
  if (accepted && offset <= accepted.length) return live;
  // Longer than the file, so that the next opening accepts the image as well.
  const asImaged = { name: segment, length: Math.max(files.lengthOf(segment), offset) };
  // The newest segment was truncated after the image was written, so the image is right.
  if (accepted) return at === live.length - 1 ? [...live.slice(0, -1), asImaged] : null;
  if (segment < (live.at(-1)?.name ?? '')) return null;
  // The segment's header was once valid, because the image refers to it.
  return [...live, ...headless.filter(({ name }) => name < segment), asImaged];
}

async function recoverFrom(
  files: FoundFiles,
  accepted: readonly LiveSegment[],
  image?: LogImage,
): Promise<Omit<Recovery, 'image'>> {
  const imaged = accepted.findIndex(({ name }) => name === image?.position.segment);
  const chain = await Promise.all(
    accepted.map(async ({ name, length }, at): Promise<ReplaySegment> => {
      const file = await files.open(name);
      if (!file) return { name, length: 0, isShort: false, start: undefined, file };
      const fileLength = files.lengthOf(name);
      // Records before the image aren't read.
      const header = at < imaged ? null : await readSegmentHeader(file, fileLength);
      const start = header?.byteLength;
      const isShort = fileLength < length;
      return { name, length: Math.min(length, fileLength), isShort, start, file };
    }),
  );
  const replayed = await replay(chain, {
    state: image ? fromPlainState(image.state) : emptyState,
    places: image ? fromPlainPlaces(image.places) : new Map(),
    nextContentId: image?.nextContentId ?? 1,
    end: image?.position ?? { segment: '', offset: 0 },
    replayedBytes: 0,
  });
  const last = accepted.findIndex(({ name }) => name === replayed.end.segment);
  const all = accepted.slice(0, last + 1).map(({ name, length }, at) => {
    const { file, length: found = 0 } = chain[at] ?? {};
    if (at === last) return { name, length: replayed.end.offset, file };
    // Records that are missing after the image are no longer part of the log, and their numbers may
    // be reused. The image covers the records before it.
    const known = at === imaged ? Math.max(image?.position.offset ?? 0, found) : found;
    return { name, length: at < imaged ? length : known, file };
  });
  // Compaction has removed segments that are missing before the image. The next header doesn't name
  // them.
  const segments = all.filter(({ file }, at) => file !== undefined || at >= imaged);
  return { ...replayed, segments, chain, lost: findLost(replayed, chain) };
}

/**
 * Finds contents that the state needs and no segment has. Damage is only detected when bytes are
 * read.
 */
function findLost(
  { state, places }: Replayed,
  chain: readonly ReplaySegment[],
): Map<ContentId, number> {
  const lengths = new Map(chain.map(({ name, length }) => [name, length]));
  const lost = new Map<ContentId, number>();
  visitKeptContents(state, (contentId, size) => {
    const place = places.get(contentId);
    // Whether a store has the content is only known when it is read.
    if (place && isStoredName(place.segment)) return;
    if (place && place.offset + place.length <= (lengths.get(place.segment) ?? 0)) return;
    places.delete(contentId);
    lost.set(contentId, size);
  });
  return lost;
}

/** Returns the remaining bytes of segments that were set aside at an earlier opening. */
function bytesAside(files: FoundFiles, { aside }: FoundSegments, { chain }: Recovery): number {
  const accepted = new Map(chain.map(({ name, length }) => [name, length]));
  return aside.reduce((sum, name) => sum + files.lengthOf(name) - (accepted.get(name) ?? 0), 0);
}

/** Returns the bytes behind the log's end, and those in segments whose place isn't known. */
function droppedBytes({ headless }: FoundSegments, { chain, end }: Recovery): number {
  let bytes = 0;
  const last = chain.findIndex(({ name }) => name === end.segment);
  chain.forEach(({ length, start }, at) => {
    if (at === last) bytes += Math.max(0, length - end.offset);
    else if (at > last) bytes += Math.max(0, length - (start ?? 0));
  });
  for (const { name, length } of headless) {
    if (!chain.some((segment) => segment.name === name)) bytes += length;
  }
  return bytes;
}
