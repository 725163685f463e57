// The merge of one file's three versions: its mode, and its text by lines. merge-trees.ts and merge-renames.ts call it.
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

/** What a path is in the base, in ours and in theirs; null for nothing. */
export type Stages<Value = GitTreeEntry | null> = [base: Value, ours: Value, theirs: Value];

export interface MergedContent {
  /** In conflict: what the file holds meanwhile. */
  readonly entry: GitTreeEntry;
  readonly isClean: boolean;
}

/** What the sides are called, and how conflicts are written. */
export interface Markers extends MarkerLabels {
  readonly style: ConflictStyle;
  readonly attributes: MergeAttributes;
}

/** As the config wants them, and the attributes in `tree`. @throws SdkError `bad-usage` for a style that git hasn't */
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
 * Merges two entries of one kind. Writes the merged blob. `names` is where each side has the file: the markers tell
 * them where they differ. `path`: by which the attributes are looked up. `isNested`: what comes out is itself one side
 * of another merge.
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
  // Byte by byte, whatever the encoding: every line stays as a side has it.
  const texts = { base: toByteText(old), ours: toByteText(our), theirs: toByteText(their) };
  const { text, conflicts } = mergeWithMarkers(texts, {
    labels: nameSides(markers, names),
    // Git's own, so that markers stand apart from those of a merge around them.
    length: markers.attributes.markerLengthOf(path) + (isNested ? 1 : 0),
    style: markers.style,
    isUnion: driver === 'union',
  });
  return {
    entry: { mode, oid: objects.write('blob', fromByteText(text)) },
    isClean: isModeClean && conflicts === 0,
  };
}

/** The labels as UTF-8 bytes. */
function nameSides(labels: MarkerLabels, [base, ours, theirs]: Stages<string>): MarkerLabels {
  const isOnePath = base === ours && ours === theirs;
  const name = (label: string, path: string) =>
    toByteText(encoder.encode(isOnePath ? label : `${label}:${path}`));
  return {
    base: name(labels.base, base),
    ours: name(labels.ours, ours),
    theirs: name(labels.theirs, theirs),
  };
}

const encoder = new TextEncoder();

// As far as git looks for a NUL.
const binaryProbeBytes = 8000;

/** UTF-16 is, too: markers in it would be no text of it. */
function isBinaryToGit(bytes: Uint8Array): boolean {
  return bytes.subarray(0, binaryProbeBytes).includes(0);
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

/** File, link or submodule: of one kind are a program and a text. */
export function isSameKind(one: GitTreeEntry, other: GitTreeEntry): boolean {
  // The upper bits are the kind.
  return one.mode >> 12 === other.mode >> 12;
}
