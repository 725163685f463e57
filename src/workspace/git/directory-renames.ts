// Detects directories that one side of a merge has renamed as a whole, by the rules of git's `ort`.
// The new name is where most of the files went. merge-renames.ts uses it for directories that one
// side has removed and in which the other has a new file.
import { basename } from '../../core/path.ts';
import type { Oid } from './git.ts';
import { treeModes } from './object-codec.ts';
import type { Repository } from './repository.ts';
import { entryAt, type EntryPair } from './trees.ts';

/** The two sides of a merge, by their stage. */
export type Side = 1 | 2;

/** What is known about renames while they are being detected (renames.ts). */
export interface DirectoryHints {
  /** Records a renamed file. */
  add(from: string, to: string): void;
  /** Returns where a file would be if it moved with its directory, by the renames found so far. */
  guess(path: string): string | undefined;
  /**
   * `left` has files without a rename so far. Returns a test for those still worth searching, of
   * the files that the other side hasn't changed.
   */
  settle(left: readonly string[]): (path: string) => boolean;
}

/** The directories of both sides that must be examined. */
export class GoneDirectories {
  readonly #repository: Repository;
  readonly #trees: readonly [base: Oid, ours: Oid, theirs: Oid];
  readonly #known = new Map<string, boolean>();
  /** Directories that one side has removed and in which the other has a new file. */
  readonly #wanted = [new Set<string>(), new Set<string>(), new Set<string>()] as const;

  constructor(
    repository: Repository,
    trees: { readonly base: Oid; readonly ours: Oid; readonly theirs: Oid },
    differences: { readonly ours: readonly EntryPair[]; readonly theirs: readonly EntryPair[] },
  ) {
    this.#repository = repository;
    this.#trees = [trees.base, trees.ours, trees.theirs];
    this.#look(2, differences.ours);
    this.#look(1, differences.theirs);
  }

  /** `added` are the new files of the other side. */
  #look(side: Side, added: readonly EntryPair[]): void {
    for (const { path, before, after } of added) {
      const directory = parentOf(path);
      if (!before && after && this.isGone(side, directory)) this.#wanted[side].add(directory);
    }
  }

  /** True for a directory of the base that this side doesn't have. */
  isGone(side: Side, directory: string): boolean {
    return this.#isDirectory(0, directory) && !this.#isDirectory(side, directory);
  }

  isWanted(side: Side, directory: string): boolean {
    return this.#wanted[side].has(directory);
  }

  /** True for such a directory and everything below it. Renames out of it show where it went. */
  isInside(directory: string): boolean {
    for (let at = directory; at !== ''; at = parentOf(at)) {
      if (this.#wanted[1].has(at) || this.#wanted[2].has(at)) return true;
    }
    return false;
  }

  #isDirectory(tree: 0 | Side, path: string): boolean {
    const key = `${tree}${path}`;
    let known = this.#known.get(key);
    if (known === undefined) {
      const entry = entryAt(this.#repository, this.#trees[tree], path);
      known = entry?.mode === treeModes.directory;
      this.#known.set(key, known);
    }
    return known;
  }
}

/** Counts where the files of one side's directories went. The majority decides. */
export class DirectoryCounts implements DirectoryHints {
  readonly #gone: GoneDirectories;
  readonly side: Side;
  /** Old directory → new directory → number of files. */
  readonly #counts = new Map<string, Map<string, number>>();
  /** Directories whose result can't change any more. */
  readonly #decided = new Set<string>();
  #guesses: Map<string, string> | undefined;

  constructor(gone: GoneDirectories, side: Side) {
    this.#gone = gone;
    this.side = side;
  }

  /** True if the path's directory is among those examined. */
  isInside(path: string): boolean {
    return this.#gone.isInside(parentOf(path));
  }

  add(from: string, to: string): void {
    let [old, fresh] = [parentOf(from), parentOf(to)];
    for (let isFirst = true; this.#gone.isGone(this.side, old); isFirst = false) {
      const counts = this.#counts.get(old) ?? new Map<string, number>();
      if (isFirst || this.#isOpen(old)) {
        this.#counts.set(old, counts.set(fresh, (counts.get(fresh) ?? 0) + 1));
      }
      // A rename from `a/b/c/d` to `a/x/y/d` also counts for `a/b/c` to `a/x/y`, but not for `a/b`.
      const isMore = this.#gone.isInside(old) && fresh !== '';
      if (!isMore || basename(old) !== basename(fresh)) return;
      [old, fresh] = [parentOf(old), parentOf(fresh)];
    }
  }

  guess(path: string): string | undefined {
    this.#guesses ??= new Map(
      [...this.#counts].map(([old, counts]) => [old, mostOf(counts)[0]?.[0] ?? '']),
    );
    const directory = this.#guesses.get(parentOf(path));
    return directory === undefined ? undefined : `${directory}/${basename(path)}`;
  }

  settle(left: readonly string[]): (path: string) => boolean {
    const unknown = new Map<string, number>();
    for (const path of left) {
      for (let at = parentOf(path); this.#isRelevant(at); at = parentOf(at)) {
        unknown.set(at, (unknown.get(at) ?? 0) + 1);
      }
    }
    for (const [directory, counts] of this.#counts) {
      const [first, second] = mostOf(counts);
      const rest = (second?.[1] ?? 0) + (unknown.get(directory) ?? 0);
      if ((first?.[1] ?? 0) >= rest) this.#decided.add(directory);
    }
    return (path) => {
      for (let at = parentOf(path); this.#isRelevant(at); at = parentOf(at)) {
        if (this.#isOpen(at)) return true;
      }
      return false;
    };
  }

  /**
   * Returns the new name of each directory, or null if two targets got the same number of files.
   */
  list(): Map<string, string | null> {
    const relevant = [...this.#counts].filter(([directory]) => this.#isRelevant(directory));
    return new Map(
      relevant.map(([directory, counts]) => {
        const [first, second] = mostOf(counts);
        return [directory, first && first[1] !== second?.[1] ? first[0] : null];
      }),
    );
  }

  #isRelevant(directory: string): boolean {
    return this.#gone.isInside(directory) && this.#gone.isGone(this.side, directory);
  }

  #isOpen(directory: string): boolean {
    return this.#gone.isWanted(this.side, directory) && !this.#decided.has(directory);
  }
}

/** Returns the directory of a path. The top directory is empty. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** Returns the most frequent target first. */
function mostOf(
  counts: ReadonlyMap<string, number>,
): (readonly [directory: string, count: number])[] {
  return [...counts].sort(([, one], [, other]) => other - one);
}
