// The merge of one file's three versions: its mode, and its text by lines. merge-trees.ts and merge-renames.ts call it.
import { detectFormat, isBinary } from '../../text/encoding.ts';
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
  const hasBase = base !== null && isFile(base);
  if (!hasBase && (isBinaryToGit(our) || isBinaryToGit(their))) return untouched;
  const merged = mergeFile(old, our, their);
  if (merged.type === 'clean') {
    return { entry: { mode, oid: objects.write('blob', merged.bytes) }, isClean: isModeClean };
  }
  if ([old, our, their].some(isBinaryToGit)) return untouched;
  // Byte by byte, whatever the encoding: what is outside of the markers stays as it is.
  const texts = { base: toByteText(old), ours: toByteText(our), theirs: toByteText(their) };
  const named = nameSides(labels, names);
  const { text, regions } = mergeWithMarkers(texts, {
    ours: toByteText(encoder.encode(named.ours)),
    theirs: toByteText(encoder.encode(named.theirs)),
    length: isNested ? nestedMarkerLength : markerLength,
  });
  // Without a place that differs the line ends alone do, which markers can't show.
  if (regions === 0) return untouched;
  return {
    entry: { mode, oid: objects.write('blob', fromByteText(text)) },
    isClean: false,
  };
}

function nameSides(labels: MarkerLabels, [base, ours, theirs]: Stages<string>): MarkerLabels {
  if (base === ours && ours === theirs) return labels;
  return { ours: `${labels.ours}:${ours}`, theirs: `${labels.theirs}:${theirs}` };
}

const encoder = new TextEncoder();

/** Markers in UTF-16 would be no text of it: to git it is binary, too. */
function isBinaryToGit(bytes: Uint8Array): boolean {
  return isBinary(bytes) || detectFormat(bytes).encoding !== 'utf-8';
}

// A call takes only so many arguments.
const bytesAtOnce = 8192;

/** One character for each byte. */
function toByteText(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += bytesAtOnce) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + bytesAtOnce)));
  }
  return parts.join('');
}

/** The inverse of {@link toByteText}. */
function fromByteText(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  return bytes;
}

export function isFile({ mode }: GitTreeEntry): boolean {
  return mode === treeModes.file || mode === treeModes.executable;
}

/** File, link or submodule: of one kind are a program and a text. */
export function isSameKind(one: GitTreeEntry, other: GitTreeEntry): boolean {
  // The upper bits are the kind.
  return one.mode >> 12 === other.mode >> 12;
}
