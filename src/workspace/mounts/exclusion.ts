// What a mount leaves where it is, on both sides: what its globs name, in a directory that is there for it.
import { compilePathGlob } from '../../core/glob/path-glob.ts';
import { dirname, joinPath } from '../../core/path.ts';

/** Decides about paths relative to a mount. */
export type IsExcluded = (path: string) => boolean;

/** The globs are taken from the mount's path. */
export function compileExclusion(path: string, globs: readonly string[]): IsExcluded {
  const compiled = globs.map((glob) => compilePathGlob(path, glob));
  return (relative) => compiled.some((glob) => glob.test(joinPath(path, relative)));
}

/** The excluded paths of a mount, relative to it, and the directories above them. */
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
