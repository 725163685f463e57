// Paths that a mount doesn't synchronise: those that its globs match, and the directories that
// contain them.
import { compilePathGlob } from '../../core/glob/path-glob.ts';
import { dirname, joinPath } from '../../core/path.ts';

/** Tests paths relative to a mount. */
export type IsExcluded = (path: string) => boolean;

/** Globs are relative to the mount's path. */
export function compileExclusion(path: string, globs: readonly string[]): IsExcluded {
  const compiled = globs.map((glob) => compilePathGlob(path, glob));
  return (relative) => compiled.some((glob) => glob.test(joinPath(path, relative)));
}

/** Returns the excluded paths of a mount, relative to it, and the directories above them. */
export function listStaying(paths: readonly string[], isExcluded: IsExcluded): ReadonlySet<string> {
  const staying = new Set<string>();
  for (const path of paths) {
    if (!isExcluded(path)) continue;
    for (let at = path; at !== '.' && !staying.has(at); at = parentOf(at)) staying.add(at);
  }
  return staying;
}

/** `.` is the mount itself. */
export function parentOf(path: string): string {
  const parent = dirname(`/${path}`);
  return parent === '/' ? '.' : parent.slice(1);
}
