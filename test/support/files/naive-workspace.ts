// A simple, slow workspace: flat maps from paths to entries, which are copied as a whole and compared path by path.
// It is the oracle of the model test.
import { dirname, isInside } from '../../../src/core/path.ts';
import { mergeFile } from '../../../src/text/merge-file.ts';

export type NaiveEntry =
  | {
      readonly kind: 'file';
      readonly text: string;
      readonly mode: number;
      readonly mtimeMs: number;
    }
  | { readonly kind: 'directory'; readonly mode: number; readonly mtimeMs: number }
  | { readonly kind: 'symlink'; readonly target: string; readonly mtimeMs: number };

/** The version is 0 for entries that a draft has created. Entries are replaced, never changed. */
export type NaiveTree = Map<string, { readonly entry: NaiveEntry; readonly version: number }>;

export interface NaiveRoot {
  readonly kind: 'checkpoint' | 'branch';
  readonly seq: number;
  base: NaiveTree;
  tree: NaiveTree;
}

export type NaiveChange = { readonly path: string; readonly entry: NaiveEntry | undefined };

/** The tree with which a draft began, and its present tree. */
export interface NaiveDraft {
  readonly base: NaiveTree;
  readonly start: NaiveTree;
  tree: NaiveTree;
}

/** Everything at the paths and below them as `from` has it, with the directories on the way. */
export function take(onto: NaiveTree, from: NaiveTree, paths: readonly string[]): NaiveTree {
  const tree = new Map(onto);
  for (const path of paths) {
    for (const key of [...tree.keys()]) if (isInside(path, key)) tree.delete(key);
    if (path !== '/' && !from.has(path)) continue;
    if (path !== '/') makeParents(tree, from, path);
    for (const [key, node] of from) if (isInside(path, key)) tree.set(key, node);
  }
  return tree;
}

function makeParents(tree: NaiveTree, from: NaiveTree, path: string): void {
  for (const parent of ancestors(path)) {
    const model = from.get(parent);
    if (tree.get(parent)?.entry.kind !== 'directory' && model) tree.set(parent, model);
  }
}

/** The changes from one tree to the other: removals, children first, then creations, parents first. */
export function changesBetween(before: NaiveTree, after: NaiveTree): NaiveChange[] {
  const removals: NaiveChange[] = [];
  const makings: NaiveChange[] = [];
  for (const path of [...new Set([...before.keys(), ...after.keys()])].sort()) {
    const [old, now] = [before.get(path)?.entry, after.get(path)?.entry];
    const isTurned = old && now && (old.kind === 'directory') !== (now.kind === 'directory');
    if (old && (!now || isTurned)) removals.unshift({ path, entry: undefined });
    if (now && !isEqual(old, now)) makings.push({ path, entry: now });
  }
  return [...removals, ...makings];
}

/**
 * Applies all changes to a copy. Undefined if one doesn't fit, or creates something in another directory than the one
 * in `seen`.
 */
export function apply(
  tree: NaiveTree,
  changes: readonly NaiveChange[],
  version: number,
  seen: NaiveTree = tree,
): NaiveTree | undefined {
  const result = new Map(tree);
  for (const { path, entry } of changes) {
    if (entry && !hasSameParent(path, seen, tree)) return undefined;
    const old = result.get(path)?.entry;
    if (!hasParent(result, path)) return undefined;
    if (!entry) {
      if (!old || hasChildren(result, path)) return undefined;
      result.delete(path);
    } else {
      const isDirectory = old?.kind === 'directory';
      if (old && isDirectory !== (entry.kind === 'directory')) return undefined;
      result.set(path, { entry, version });
    }
  }
  return result;
}

/**
 * The changes that are left once those were merged that `tree` has moved on from; undefined for a
 * conflict. `baseOf` says what the changes' maker saw, as far as that is known.
 */
export function mergeChanges(
  tree: NaiveTree,
  changes: readonly NaiveChange[],
  versions: NaiveTree,
  baseOf: (path: string) => NaiveEntry | undefined,
): NaiveChange[] | undefined {
  const merged: NaiveChange[] = [];
  for (const change of changes) {
    const { path } = change;
    const theirs = tree.get(path);
    if ((theirs?.version ?? 0) === (versions.get(path)?.version ?? 0)) {
      merged.push(change);
      continue;
    }
    const making = changes.find((other) => other.path === path && other.entry);
    let entry = mergeEntry(baseOf(path), change.entry, theirs?.entry);
    if (entry === 'conflict' && making !== change && making) {
      entry = mergeEntry(baseOf(path), making.entry, theirs?.entry) === 'done' ? 'done' : entry;
    }
    if (entry === 'conflict') return undefined;
    if (entry !== 'done') merged.push({ path, entry });
  }
  return merged;
}

function mergeEntry(
  base: NaiveEntry | undefined,
  ours: NaiveEntry | undefined,
  theirs: NaiveEntry | undefined,
): NaiveEntry | 'done' | 'conflict' | undefined {
  const isFile = ours?.kind === 'file' && theirs?.kind === 'file';
  if (isSame(ours, theirs) && !isFile) return 'done';
  if (base && isSame(base, theirs)) return ours;
  if (!isFile) return 'conflict';
  const old = base?.kind === 'file' ? base : undefined;
  const mode = pick(old?.mode, ours.mode, theirs.mode);
  const text = mergeTexts(old?.text, ours.text, theirs.text);
  if (mode === undefined || text === undefined) return 'conflict';
  if (mode === theirs.mode && text === theirs.text) return 'done';
  return { kind: 'file', text, mode, mtimeMs: Math.max(ours.mtimeMs, theirs.mtimeMs) };
}

function mergeTexts(base: string | undefined, ours: string, theirs: string): string | undefined {
  const simple = pick(base, ours, theirs);
  if (simple !== undefined || base === undefined) return simple;
  const [old, our, their] = [base, ours, theirs].map((text) => new TextEncoder().encode(text));
  if (!old || !our || !their) throw new TypeError('Three texts are three files.');
  const merged = mergeFile(old, our, their);
  return merged.type === 'clean' ? new TextDecoder().decode(merged.bytes) : undefined;
}

function pick<Value>(base: Value | undefined, ours: Value, theirs: Value): Value | undefined {
  if (ours === theirs || theirs === base) return ours;
  return ours === base ? theirs : undefined;
}

/** A fork's changes on what its outer draft is by now; undefined for a conflict. */
export function absorb(outer: NaiveTree, { start, tree }: NaiveDraft): NaiveTree | undefined {
  const result = new Map(outer);
  for (const path of new Set([...start.keys(), ...tree.keys(), ...outer.keys()])) {
    const [base, ours, theirs] = [start.get(path), tree.get(path), outer.get(path)];
    if (ours === base || ours === theirs) continue;
    const [old, our, their] = [base, ours, theirs].map((each) =>
      each?.entry.kind === 'directory' ? each.entry : undefined,
    );
    // Of a directory that both have, only the mode can be in conflict: it was changed by both.
    if (our && their) {
      if (old && isEqual(old, our)) continue;
      if (old && pick(old.mode, our.mode, their.mode) === undefined) return undefined;
    } else if (theirs !== base) return undefined;
    if (ours) result.set(path, ours);
    else result.delete(path);
  }
  for (const path of result.keys()) if (!hasParent(result, path)) return undefined;
  return result;
}

/** What main becomes, and which of the edited paths stay otherwise than the checkpoint has them. */
export function rewind(
  main: NaiveTree,
  checkpoint: NaiveTree,
  { paths, edited }: { readonly paths: readonly string[]; readonly edited: readonly string[] },
): { readonly tree: NaiveTree; readonly kept: string[] } {
  const tree = take(main, checkpoint, paths);
  const asked = edited.filter((path) => paths.some((each) => isInside(each, path))).sort();
  for (const path of asked) {
    const mine = main.get(path);
    if (!mine) continue;
    makeParents(tree, main, path);
    if (mine.entry.kind !== 'directory') {
      for (const key of [...tree.keys()]) if (isInside(path, key)) tree.delete(key);
    }
    tree.set(path, mine);
  }
  for (const path of asked.toReversed()) {
    if (!main.has(path) && !hasChildren(tree, path)) tree.delete(path);
  }
  const isKept = (path: string) => !isSame(tree.get(path)?.entry, checkpoint.get(path)?.entry);
  return { tree, kept: asked.filter(isKept) };
}

function ancestors(path: string): string[] {
  const parent = dirname(path);
  return parent === '/' ? [] : [...ancestors(parent), parent];
}

export function hasParent(tree: NaiveTree, path: string): boolean {
  const parent = dirname(path);
  return parent === '/' || tree.get(parent)?.entry.kind === 'directory';
}

/** Of a path that `base` hasn't got: is the directory there that it was to stand in? */
function hasSameParent(path: string, base: NaiveTree, current: NaiveTree): boolean {
  const seen = base.get(dirname(path));
  if (base.has(path) || seen?.entry.kind !== 'directory') return true;
  return current.get(dirname(path))?.version === seen.version;
}

export function hasChildren(tree: NaiveTree, path: string): boolean {
  return [...tree.keys()].some((key) => key !== path && isInside(path, key));
}

/** Compares entries with their times. */
function isEqual(left: NaiveEntry | undefined, right: NaiveEntry): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

/** Compares entries without their times. */
function isSame(left: NaiveEntry | undefined, right: NaiveEntry | undefined): boolean {
  return JSON.stringify({ ...left, mtimeMs: 0 }) === JSON.stringify({ ...right, mtimeMs: 0 });
}
