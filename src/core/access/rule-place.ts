// The base directory of permission rules, and the directories that are copies of others. Rules stay
// relative to the session's first directory, wherever it works. Used by path-access.ts and
// agent/permissions/.
import { isInside, joinPath } from '../path.ts';

/** A directory that holds what another one holds, such as a further work tree of git. Both absolute and normal. */
export interface DirectoryCopy {
  readonly path: string;
  readonly of: string;
}

/** Plain data, for any realm. */
export interface RulePlace {
  /** Where globs without a leading slash are taken from. */
  readonly cwd: string;
  /** Besides those in {@link worktreesFolder}. Left out: there are none. */
  readonly copies?: readonly DirectoryCopy[];
}

/** The folder in the repository's root in which EnterWorktree creates work trees. */
export const worktreesFolder = '.worktrees';

const none: readonly string[] = [];

// 8: a copy in a copy is rare, and each path is asked for all of them.
const maxOriginals = 8;

/**
 * The paths that this one is a copy of, the path itself left out. Security: a rule that denies or
 * asks holds in each copy as well. A rule that allows holds in fewer copies: see
 * {@link listAllowedOriginals}.
 */
export function listOriginals(path: string, { copies = [] }: RulePlace): readonly string[] {
  if (copies.length === 0 && !path.includes(`/${worktreesFolder}/`)) return none;
  const found = new Set<string>([path]);
  for (const at of found) {
    if (found.size > maxOriginals) break;
    for (const match of at.matchAll(inWorktrees)) {
      found.add(`${at.slice(0, match.index)}${at.slice(match.index + match[0].length)}` || '/');
    }
    for (const { path: copy, of } of copies) {
      const isWithin = isInside(copy, at) && !isInside(copy, of);
      if (isWithin) found.add(at === copy ? of : joinPath(of, at.slice(copy.length + 1)));
    }
  }
  found.delete(path);
  return [...found];
}

/**
 * Those of {@link listOriginals} whose allow rules hold for this path as well. Original and copy
 * are below the directory where the session began, and the path itself says what it is a copy of.
 * Security: which other directories are copies is told by a journal, which may come from elsewhere;
 * it doesn't widen what a person has allowed.
 */
export function listAllowedOriginals(path: string, { cwd }: RulePlace): readonly string[] {
  if (!isInside(cwd, path)) return none;
  return listOriginals(path, { cwd }).filter((original) => isInside(cwd, original));
}

const inWorktrees = /\/\.worktrees\/[^/]+(?=\/|$)/gu;

/** Does the test hold of the path, or of one that it is a copy of? */
export function meansPath(
  test: (path: string) => boolean,
  path: string,
  originals: readonly string[],
): boolean {
  return test(path) || originals.some(test);
}
