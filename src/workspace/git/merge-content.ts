// The merge of one file's three versions: its mode, and its text by lines. merge-trees.ts and merge-renames.ts call it.
import { decodeText, isBinary } from '../../text/encoding.ts';
import { mergeFile } from '../../text/merge-file.ts';
import { mergeWithMarkers, type MarkerLabels } from '../../text/merge-text.ts';
import type { GitTreeEntry } from './git.ts';
import { treeModes } from './object-codec.ts';
import type { Repository } from './repository.ts';

/** What a path is in the base, in ours and in theirs; null for nothing. */
export type Stages<Value = GitTreeEntry | null> = [base: Value, ours: Value, theirs: Value];

export interface MergedContent {
  /** In conflict: what the file holds meanwhile. */
  readonly entry: GitTreeEntry;
  readonly isClean: boolean;
}

// Git's own, so that markers stand apart from those of a merge around them.
const markerLength = 7;
const nestedMarkerLength = 8;

/**
 * Merges two entries of one kind. Writes the merged blob. `names` is where each side has the file: the markers tell
 * them where they differ. `isNested`: what comes out is itself one side of another merge.
 */
export function mergeContent(
  { objects }: Pick<Repository, 'objects'>,
  [base, ours, theirs]: Stages<GitTreeEntry> | [null, GitTreeEntry, GitTreeEntry],
  names: Stages<string>,
  labels: MarkerLabels,
  isNested = false,
): MergedContent {
  const takesTheirMode = ours.mode === theirs.mode || ours.mode === base?.mode;
  const mode = takesTheirMode ? theirs.mode : ours.mode;
  const isModeClean = takesTheirMode || theirs.mode === base?.mode;
  const take = (entry: GitTreeEntry) => ({
    entry: { mode, oid: entry.oid },
    isClean: isModeClean,
  });
  if (ours.oid === theirs.oid || ours.oid === base?.oid) return take(theirs);
  if (theirs.oid === base?.oid) return take(ours);
  const untouched = { entry: { mode, oid: ours.oid }, isClean: false };
  if (!isFile(ours) || !isFile(theirs)) return untouched;
  const read = (entry: GitTreeEntry | null) =>
    entry && isFile(entry) ? objects.readAs(entry.oid, 'blob') : new Uint8Array();
  const [old, our, their] = [read(base), read(ours), read(theirs)];
  const merged = mergeFile(old, our, their);
  if (merged.type === 'clean') {
    return { entry: { mode, oid: objects.write('blob', merged.bytes) }, isClean: isModeClean };
  }
  if ([old, our, their].some(isBinary)) return untouched;
  const texts = { base: decode(old), ours: decode(our), theirs: decode(their) };
  const { text, regions } = mergeWithMarkers(texts, {
    ...nameSides(labels, names),
    length: isNested ? nestedMarkerLength : markerLength,
  });
  // Without a place that differs the line ends alone do, which markers can't show.
  if (regions === 0) return untouched;
  return {
    entry: { mode, oid: objects.write('blob', encoder.encode(text)) },
    isClean: false,
  };
}

function nameSides(labels: MarkerLabels, [base, ours, theirs]: Stages<string>): MarkerLabels {
  if (base === ours && ours === theirs) return labels;
  return { ours: `${labels.ours}:${ours}`, theirs: `${labels.theirs}:${theirs}` };
}

const encoder = new TextEncoder();

function decode(bytes: Uint8Array): string {
  return decodeText(bytes).text;
}

export function isFile({ mode }: GitTreeEntry): boolean {
  return mode === treeModes.file || mode === treeModes.executable;
}

/** File, link or submodule: of one kind are a program and a text. */
export function isSameKind(one: GitTreeEntry, other: GitTreeEntry): boolean {
  // The upper bits are the kind.
  return one.mode >> 12 === other.mode >> 12;
}
