// Merges the three versions of one file: its mode, and its text by lines. Called by merge-trees.ts
// and merge-renames.ts.
import { decodeLatin1, encodeLatin1 } from '../../core/bytes/latin1.ts';
import { SdkError } from '../../core/errors.ts';
import { mergeFile } from '../../text/merge-file.ts';
import {
  mergeWithMarkers,
  type ConflictStyle,
  type MarkerLabels,
} from '../../text/merge-with-markers.ts';
import { readConfig } from './config.ts';
import type { GitTreeEntry, Oid } from './git.ts';
import { MergeAttributes } from './merge-attributes.ts';
import { isFile } from './object-codec.ts';
import type { Repository } from './repository.ts';

/** A path's entry in the base, in ours and in theirs; null for none. */
export type Stages<Value = GitTreeEntry | null> = [base: Value, ours: Value, theirs: Value];

export interface MergedContent {
  /** After a conflict, what the file contains meanwhile. */
  readonly entry: GitTreeEntry;
  readonly isClean: boolean;
}

/** The names of the sides, and how conflicts are written. */
export interface Markers extends MarkerLabels {
  readonly style: ConflictStyle;
  readonly attributes: MergeAttributes;
}

/**
 * Reads the settings from the config, and the attributes from `tree`. @throws SdkError `bad-usage`
 * for a style that git doesn't have
 */
export function readMarkers(repository: Repository, tree: Oid, labels: MarkerLabels): Markers {
  const style = readConfig(repository, 'merge.conflictStyle') ?? 'merge';
  if (style === 'merge' || style === 'diff3' || style === 'zdiff3') {
    return { ...labels, style, attributes: new MergeAttributes(repository, tree) };
  }
  throw new SdkError(
    'bad-usage',
    `merge.conflictStyle in the repository's config is ${JSON.stringify(style)}. It can be merge, diff3 or zdiff3.`,
  );
}

/**
 * Merges two entries of the same kind and writes the merged blob. `names` has the path on each
 * side, which markers show if they differ. Attributes are looked up by `path`. `isNested` is true
 * if the result is itself a side of another merge.
 */
export function mergeContent(
  { objects }: Pick<Repository, 'objects'>,
  [base, ours, theirs]: Stages<GitTreeEntry> | [null, GitTreeEntry, GitTreeEntry],
  names: Stages<string>,
  markers: Markers,
  { path, isNested = false }: { readonly path: string; readonly isNested?: boolean },
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
  const driver = markers.attributes.driverOf(path);
  if (driver === 'binary') return untouched;
  const read = (entry: GitTreeEntry | null) =>
    entry && isFile(entry) ? objects.readAs(entry.oid, 'blob') : new Uint8Array();
  const [old, our, their] = [read(base), read(ours), read(theirs)];
  const hasBase = base !== null && isFile(base);
  if (!hasBase && (isBinaryToGit(our) || isBinaryToGit(their))) return untouched;
  if ([old, our, their].some(isBinaryToGit)) {
    const merged = mergeFile(old, our, their);
    if (merged.type === 'conflict') return untouched;
    return { entry: { mode, oid: objects.write('blob', merged.bytes) }, isClean: isModeClean };
  }
  // Text is treated as bytes, whatever its encoding, so that every line stays as it is on its side.
  const texts = { base: decodeLatin1(old), ours: decodeLatin1(our), theirs: decodeLatin1(their) };
  const { text, conflicts } = mergeWithMarkers(texts, {
    labels: nameSides(markers, names),
    // One longer in a nested merge, as in git, to distinguish the markers.
    length: markers.attributes.markerLengthOf(path) + (isNested ? 1 : 0),
    style: markers.style,
    isUnion: driver === 'union',
  });
  return {
    entry: { mode, oid: objects.write('blob', encodeLatin1(text)) },
    isClean: isModeClean && conflicts === 0,
  };
}

/** Returns the labels as UTF-8 bytes. */
function nameSides(labels: MarkerLabels, [base, ours, theirs]: Stages<string>): MarkerLabels {
  const isOnePath = base === ours && ours === theirs;
  const name = (label: string, path: string) =>
    decodeLatin1(encoder.encode(isOnePath ? label : `${label}:${path}`));
  return {
    base: name(labels.base, base),
    ours: name(labels.ours, ours),
    theirs: name(labels.theirs, theirs),
  };
}

const encoder = new TextEncoder();

// 8 000: the bytes that git searches for a NUL.
const binaryProbeBytes = 8000;

/** Also true for UTF-16, because markers in it wouldn't be valid text. */
function isBinaryToGit(bytes: Uint8Array): boolean {
  return bytes.subarray(0, binaryProbeBytes).includes(0);
}

/**
 * True if both are files, both links or both submodules. Executable and plain files are of one
 * kind.
 */
export function isSameKind(one: GitTreeEntry, other: GitTreeEntry): boolean {
  // The upper bits are the kind.
  return one.mode >> 12 === other.mode >> 12;
}
