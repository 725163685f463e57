// Which of many globs may match a path, without holding each of them against it: only those can that
// begin in a directory above it.
import { getGlobDirectory } from '../../core/path-glob.ts';

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
  const always: number[] = [];
  const byDirectory = new Map<string, number[]>();
  for (const [at, item] of items.entries()) {
    const glob = getGlob(item);
    const directory = glob === undefined ? undefined : getGlobDirectory(cwd, glob);
    const places = directory === undefined ? always : byDirectory.get(directory);
    if (places) places.push(at);
    else if (directory !== undefined) byDirectory.set(directory, [at]);
  }
  return {
    list(path) {
      const places = [...always];
      for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) {
        places.push(...(byDirectory.get(path.slice(0, end)) ?? []));
      }
      return places.sort((left, right) => left - right).flatMap((at) => items[at] ?? []);
    },
  };
}
