// Compares a mount's source with the mirror and returns the differences. Changes nothing. A scan
// that fails returns nothing.
import { throwIfAborted } from '../../core/async/abort.ts';
import { getOrMake } from '../../core/values/get-or-make.ts';
import { byteLengthExceeds, maxNameBytes } from '../files/file-limits.ts';
import type { HostFs, HostStats } from './host-fs.ts';
import { isInAny } from './is-in-any.ts';
import type { MirrorEntry } from './mirror.ts';

/** A change of the source since the mirror's state. */
export interface Incoming {
  /** Relative to the mount. */
  readonly path: string;
  readonly before: MirrorEntry | undefined;
  /** Null if it was removed. */
  readonly after: HostStats | null;
}

/** What is scanned, and what is skipped. */
export interface ScanOptions {
  readonly source: HostFs;
  readonly entries: ReadonlyMap<string, MirrorEntry>;
  /** The paths to scan with everything below them; `''` means all. */
  readonly scope: readonly string[];
  readonly isExcluded: (path: string) => boolean;
  readonly signal: AbortSignal | undefined;
  /** Called with each path whose name isn't valid in a workspace. */
  readonly onBadName: (path: string) => void;
}

/**
 * Returns removals first, entries before directories; then the rest, directories before entries.
 */
export async function scanSource(options: ScanOptions): Promise<Incoming[]> {
  const { source, entries, isExcluded, signal, onBadName } = options;
  const found = new Map<string, HostStats>();
  async function visit(path: string): Promise<void> {
    throwIfAborted(signal);
    if (path !== '' && isExcluded(path)) return;
    const stats = path === '' ? ({ kind: 'directory' } as const) : await source.stat(path);
    if (!stats) return;
    if (path !== '') found.set(path, toWholeTimes(stats));
    if (stats.kind !== 'directory') return;
    for (const { name } of await source.readdir(path)) {
      const child = path === '' ? name : `${path}/${name}`;
      if (isGoodName(name)) await visit(child);
      else onBadName(child);
    }
  }
  const scope = toScope(options.scope, entries);
  const listed = new Map<string, Promise<ReadonlySet<string>>>();
  for (const path of scope)
    if (path === '' || (await isListed(path, source, listed))) await visit(path);

  const removed = [...entries.keys()].filter(
    (path) => !found.has(path) && isInAny(scope, path) && !isExcluded(path),
  );
  const incoming: Incoming[] = removed
    .sort()
    .reverse()
    .map((path) => ({ path, before: entries.get(path), after: null }));
  for (const [path, after] of found) {
    const before = entries.get(path);
    if (!before || !isAsMirrored(before, after)) incoming.push({ path, before, after });
  }
  return incoming;
}

/**
 * True if the directory has exactly this name. A case-insensitive source would otherwise find A as
 * well as a. `listed` caches directories that were already read.
 */
export async function isListed(
  path: string,
  source: HostFs,
  listed: Map<string, Promise<ReadonlySet<string>>>,
): Promise<boolean> {
  const at = path.lastIndexOf('/');
  const directory = at < 0 ? '' : path.slice(0, at);
  const list = async () => {
    if (directory !== '' && (await source.stat(directory))?.kind !== 'directory')
      return new Set<string>();
    return new Set((await source.readdir(directory)).map(({ name }) => name));
  };
  return (await getOrMake(listed, directory, list)).has(path.slice(at + 1));
}

/** True if the source is as in the mirror. Files are compared by size, time and mode only. */
export function isAsMirrored(entry: MirrorEntry | undefined, stats: HostStats | null): boolean {
  if (!entry || !stats) return !entry && !stats;
  switch (stats.kind) {
    case 'directory':
      return entry.kind === 'directory';
    case 'symlink':
      return entry.kind === 'symlink' && entry.target === stats.target;
    case 'file':
      return (
        entry.kind === 'file' &&
        entry.size === stats.size &&
        entry.mtimeMs === Math.trunc(stats.mtimeMs) &&
        (stats.mode === undefined || entry.mode === (stats.mode & 0o7777))
      );
  }
}

/** Removes fractions of a millisecond, which the workspace doesn't store exactly. */
export function toWholeTimes(stats: HostStats): HostStats {
  return stats.kind === 'file' ? { ...stats, mtimeMs: Math.trunc(stats.mtimeMs) } : stats;
}

/**
 * Replaces each path by its topmost directory that the mirror doesn't know, because its parents are
 * new as well.
 */
function toScope(
  scope: readonly string[],
  entries: ReadonlyMap<string, MirrorEntry>,
): ReadonlySet<string> {
  if (scope.includes('')) return new Set(['']);
  const tops = scope.map((path) => {
    const names = path.split('/');
    for (let depth = 1; depth < names.length; depth += 1) {
      const above = names.slice(0, depth).join('/');
      if (entries.get(above)?.kind !== 'directory') return above;
    }
    return path;
  });
  return new Set(tops);
}

// NUL and other control characters: no terminal, archive or log shows them as what they are.
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const controls = /[\u0000-\u001f\u007f]/u;

function isGoodName(name: string): boolean {
  if (name === '' || name === '.' || name === '..' || name.includes('/')) return false;
  return !controls.test(name) && !byteLengthExceeds(name, maxNameBytes);
}
