// Acknowledged records that lie behind damage, so that no opening reaches them. They are set aside:
// the log doesn't build on them and upkeep doesn't remove them. They may be repairable, and count
// as dropped bytes while they exist.
import { SdkError } from '../../core/errors.ts';
import { parseImageName, parseSegmentName } from './file-name.ts';
import type { FoundFiles, FoundSegments } from './find-files.ts';
import type { Replayed, ReplaySegment } from './replay.ts';
import { encodeSegmentHeader } from './segment-header.ts';

/** Where an opening got to, on which segments. */
type Reached = Pick<Replayed, 'end' | 'state'> & { readonly chain: readonly ReplaySegment[] };

/**
 * The segments of which at least a part is acknowledged and out of reach. What the newest segment
 * holds behind its last whole record isn't among it: it may just have been torn. Unless there is no
 * whole record, and what should be before the first is missing.
 */
export function findUnreachable(found: FoundSegments, { chain, end }: Reached): string[] {
  const last = chain.findIndex(({ name }) => name === end.segment);
  const names: string[] = [];
  chain.forEach(({ name, length, start = 0, file }, at) => {
    // A later segment was only begun when all of this one's length was acknowledged.
    const isCut = at === last && at < chain.length - 1 && end.offset < length;
    const isBehind = at > last && file !== undefined && length > start;
    const isNext = at === last && end.offset === start && length > start;
    const isSevered = isNext && chain.slice(0, at).some(({ isShort }) => isShort);
    if (isCut || isBehind || isSevered) names.push(name);
  });
  found.headless.forEach(({ name, length }, at) => {
    if (chain.some((segment) => segment.name === name)) return;
    // A header is flushed before the first record: a torn one is the last of its file.
    const number = parseSegmentName(name);
    const before = [...found.live, ...found.headless.slice(0, at)];
    if (number && length > encodeSegmentHeader(number, before, found.aside).length) {
      names.push(name);
    }
  });
  return names;
}

/**
 * Throws `EIO` where nothing can be opened although something was there. An empty workspace in its
 * place would be filled again, and a client that synchronises with it would take it for the truth.
 */
export function requireBeginning(
  files: FoundFiles,
  { chain, state }: Reached,
  unreachable: readonly string[],
): void {
  if (state.revision > 0) return;
  const isMissing = chain.some(({ file }) => !file);
  // Its records are what an image is made of: they were there before it.
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
