// Acknowledged records behind damage that no opening can reach. Their segments are set aside: the
// log doesn't continue from them, and upkeep doesn't remove them, because they may be repairable.
// They count as dropped bytes.
import { SdkError } from '../../core/errors.ts';
import { parseImageName, parseSegmentName } from './file-name.ts';
import type { FoundFiles, FoundSegments } from './find-files.ts';
import type { Replayed, ReplaySegment } from './replay.ts';
import { encodeSegmentHeader } from './segment-header.ts';

/** The position that an opening has reached, and its segments. */
type Reached = Pick<Replayed, 'end' | 'state'> & { readonly chain: readonly ReplaySegment[] };

/**
 * Returns segments of which at least a part is acknowledged but unreachable. Bytes of the newest
 * segment behind its last complete record don't count, because they may just be torn. They do count
 * if there is no complete record and data before the first one is missing.
 */
export function findUnreachable(found: FoundSegments, { chain, end }: Reached): string[] {
  const last = chain.findIndex(({ name }) => name === end.segment);
  const names: string[] = [];
  chain.forEach(({ name, length, start = 0, file }, at) => {
    // A later segment is only started when this one was acknowledged in full.
    const isCut = at === last && at < chain.length - 1 && end.offset < length;
    const isBehind = at > last && file !== undefined && length > start;
    const isNext = at === last && end.offset === start && length > start;
    const isSevered = isNext && chain.slice(0, at).some(({ isShort }) => isShort);
    if (isCut || isBehind || isSevered) names.push(name);
  });
  found.headless.forEach(({ name, length }, at) => {
    if (chain.some((segment) => segment.name === name)) return;
    // A header is flushed before the first record, so a torn header means that the file has no
    // records.
    const number = parseSegmentName(name);
    const before = [...found.live, ...found.headless.slice(0, at)];
    if (number && length > encodeSegmentHeader(number, before, found.aside).length) {
      names.push(name);
    }
  });
  return names;
}

/**
 * @throws SdkError `EIO` if nothing can be opened although there was something. An empty workspace
 * in its place would be filled again, and a client that synchronises would take it for the truth.
 */
export function requireBeginning(
  files: FoundFiles,
  { chain, state }: Reached,
  unreachable: readonly string[],
): void {
  if (state.revision > 0) return;
  const isMissing = chain.some(({ file }) => !file);
  // An image is made from records, so there were records before it.
  const hadImage = files.names.some((name) => parseImageName(name) && files.lengthOf(name) > 0);
  if (!isMissing && !hadImage && unreachable.length === 0) return;
  throw new SdkError(
    'EIO',
    "EIO: nothing of this workspace can be opened: its log's beginning is missing or damaged, and so " +
      'are its images. What is left was not touched. Restore the files from elsewhere, open another ' +
      'workspace name, or delete this one.',
    { data: { files: files.names } },
  );
}
