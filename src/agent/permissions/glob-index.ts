// Which of many globs may match a path, without holding each of them against it: only those can that
// begin in a directory above it.
import { getOrMake } from '../../core/get-or-make.ts';
import { getGlobDirectory } from '../../core/glob/path-glob.ts';

export interface GlobIndex<T> {
  /** All whose glob may match this normal absolute path, and all without one; in their order. */
  list(path: string): readonly T[];
}

/** An item without a glob is in every list. */
export function createGlobIndex<T>(
  items: readonly T[],
  cwd: string,
  getGlob: (item: T) => string | undefined,
): GlobIndex<T> {
  /** The places of the items, by directory; undefined: without a glob. */
  const places = new Map<string | undefined, number[]>();
  for (const [at, item] of items.entries()) {
    const glob = getGlob(item);
    const directory = glob === undefined ? undefined : getGlobDirectory(cwd, glob);
    getOrMake(places, directory, () => []).push(at);
  }
  return {
    list(path) {
      const near = [...(places.get(undefined) ?? [])];
      for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) {
        near.push(...(places.get(path.slice(0, end)) ?? []));
      }
      return near.sort((left, right) => left - right).flatMap((at) => items[at] ?? []);
    },
  };
}
