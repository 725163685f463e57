// File operations on a naive tree: done as Node does them, or not at all. What they do to a real
// view is done by the same names beside them.
import { isInside } from '../../../src/core/path.ts';
import type { SyncFileSystem } from '../../../src/workspace/files/file-system.ts';
import { hasChildren, hasParent, type NaiveEntry, type NaiveTree } from './naive-workspace.ts';

export interface Edit {
  readonly type: 'write' | 'line' | 'mkdir' | 'rm' | 'rename' | 'symlink' | 'chmod';
  readonly path: string;
  readonly to: string;
  readonly number: number;
}

/** Five lines that no other code writes, so equal texts have the same origin. */
const freshText = (now: number) =>
  [0, 1, 2, 3, 4].map((line) => `line ${line} of ${now}\n`).join('');

/** `line` changes every second line's neighbourhood, so that two of them may well merge. */
const changedText = (text: string, { number }: Edit, now: number) =>
  text
    .split('\n')
    .map((line, at) => (at === number % 5 ? `changed at ${now}` : line))
    .join('\n');

/** The tree after the edit, or undefined where Node would throw. */
export function editTree(tree: NaiveTree, edit: Edit, now: number): NaiveTree | undefined {
  const { path, to } = edit;
  const result = new Map(tree);
  const entry = tree.get(path)?.entry;
  const put = (at: string, made: NaiveEntry) => {
    result.set(at, { entry: made, version: 0 });
    return hasParent(tree, at) ? result : undefined;
  };
  switch (edit.type) {
    case 'write': {
      if (entry?.kind === 'directory') return undefined;
      const mode = entry?.kind === 'file' ? entry.mode : 0o644;
      return put(path, { kind: 'file', text: freshText(now), mode, mtimeMs: now });
    }
    case 'line':
      if (entry?.kind !== 'file') return undefined;
      return put(path, { ...entry, text: changedText(entry.text, edit, now), mtimeMs: now });
    case 'mkdir':
      return entry ? undefined : put(path, { kind: 'directory', mode: 0o755, mtimeMs: now });
    case 'symlink':
      return entry ? undefined : put(path, { kind: 'symlink', target: 'nowhere', mtimeMs: now });
    case 'chmod':
      if (!entry || entry.kind === 'symlink') return undefined;
      return put(path, { ...entry, mode: modeOf(edit) });
    case 'rm':
      for (const key of tree.keys()) if (isInside(path, key)) result.delete(key);
      return entry && result;
    case 'rename':
      return entry && moveEntry(tree, path, to);
  }
}

function moveEntry(tree: NaiveTree, from: string, to: string): NaiveTree | undefined {
  if (from === to) return tree;
  const isDirectory = tree.get(from)?.entry.kind === 'directory';
  const target = tree.get(to)?.entry;
  if (isInside(from, to) || !hasParent(tree, to)) return undefined;
  if (target && (target.kind === 'directory') !== isDirectory) return undefined;
  if (target && hasChildren(tree, to)) return undefined;
  const result = new Map(tree);
  for (const key of tree.keys()) if (isInside(from, key)) result.delete(key);
  result.delete(to);
  for (const [key, node] of tree) {
    if (isInside(from, key)) result.set(to + key.slice(from.length), node);
  }
  return result;
}

const modeOf = ({ number }: Edit) => (number % 2 === 0 ? 0o700 : 0o755);

/** The same to a view. Throws as Node does. */
export function editView(fs: SyncFileSystem, edit: Edit, now: number): void {
  const { path, to } = edit;
  switch (edit.type) {
    case 'write':
      return fs.writeFileSync(path, freshText(now));
    case 'line':
      return fs.writeFileSync(path, changedText(fs.readFileSync(path, 'utf8'), edit, now));
    case 'mkdir':
      return void fs.mkdirSync(path);
    case 'symlink':
      return fs.symlinkSync('nowhere', path);
    case 'chmod':
      return fs.chmodSync(path, modeOf(edit));
    case 'rm':
      return fs.rmSync(path, { recursive: true });
    case 'rename':
      return fs.renameSync(path, to);
  }
}
