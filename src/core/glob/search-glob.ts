// Globs of ripgrep's dialect, and sets of them. A set decides whether a path is selected; the last
// glob that matches wins.
import { hasCode } from '../errors.ts';
import { isInside } from '../path.ts';
import { GlobMatcher } from './glob-matcher.ts';
import { parseSearchGlob } from './parse-search-glob.ts';

export interface SearchGlob {
  readonly isNegated: boolean;
  readonly directoriesOnly: boolean;
  /** Matches a path relative to the glob's root. `checkTime` is called before long work. */
  matches(relative: string, checkTime: () => void): boolean;
}

// A match takes at most as many steps for each character of a path as the glob is long. Up to this length a match
// takes at most 0.1 ms.
const maxQuickLength = 500;

/** @throws ToolError `invalid-input` for an invalid glob */
export function compileSearchGlob(pattern: string): SearchGlob {
  const { isNegated, directoriesOnly, plainName, nodes } = parseSearchGlob(pattern);
  return { isNegated, directoriesOnly, matches: createTest() };

  function createTest(): SearchGlob['matches'] {
    if (plainName) {
      const { text, isSuffix } = plainName;
      // The usual globs. They are compared with the last part of the path.
      if (isSuffix) return (relative) => relative.endsWith(text);
      return (relative) => relative === text || relative.endsWith(`/${text}`);
    }
    let matcher: GlobMatcher | undefined;
    return (relative, checkTime) => {
      if (pattern.length > maxQuickLength) checkTime();
      return (matcher ??= new GlobMatcher(nodes)).matches(relative);
    };
  }
}

/** As {@link compileSearchGlob}, but undefined for an invalid glob. */
export function toSearchGlob(pattern: string): SearchGlob | undefined {
  try {
    return compileSearchGlob(pattern);
  } catch (error) {
    if (hasCode(error, 'invalid-input')) return undefined;
    throw error;
  }
}

/** `included`: a glob selects the path. `excluded`: the path is left out, and for a directory everything below it. */
export type GlobVerdict = 'included' | 'excluded' | 'none';

export interface GlobSet {
  /**
   * Decides about an absolute, normal path. The time depends only on the lengths of the path and of the globs.
   * `checkTime` is called before long work, and throws to stop it.
   */
  verdict(path: string, isDirectory: boolean, checkTime?: () => void): GlobVerdict;
}

/**
 * Compiles globs that are relative to `root`. If one of them isn't negated, a file that no glob matches is excluded.
 * If all are negated (`!*.md`), a path that none matches is left to other rules. A path outside of `root` can match
 * only globs without a slash and globs that begin with `**`.
 *
 * @throws ToolError `invalid-input` for an invalid glob
 */
export function compileGlobs(root: string, patterns: readonly string[]): GlobSet {
  const globs = patterns.map(compileSearchGlob);
  const asksForSome = globs.some((glob) => !glob.isNegated);
  const last = globs.toReversed();
  const start = root === '/' ? 1 : root.length + 1;
  return {
    verdict(path, isDirectory, checkTime = doNothing) {
      const relative = isInside(root, path) ? path.slice(start) : path;
      const glob = findMatch(last, relative, isDirectory, checkTime);
      if (glob) return glob.isNegated ? 'excluded' : 'included';
      // A directory may contain files that a glob selects.
      return asksForSome && !isDirectory ? 'excluded' : 'none';
    },
  };
}

/** The first glob that matches the path, which is relative to the globs' root. */
export function findMatch(
  globs: readonly SearchGlob[],
  relative: string,
  isDirectory: boolean,
  checkTime: () => void,
): SearchGlob | undefined {
  for (const glob of globs) {
    if (glob.directoriesOnly && !isDirectory) continue;
    if (glob.matches(relative, checkTime)) return glob;
  }
  return undefined;
}

function doNothing(): void {}

/** Converts a glob that is written as a path, absolute or with `./`, to a glob from the root on. */
export function toRootedGlob(glob: string, root: string): string {
  const [, sign = '', pattern = ''] = /^(!?)(.*)$/su.exec(glob) ?? [];
  const written = [root === '/' ? '/' : `${root}/`, './'].find((start) =>
    pattern.startsWith(start),
  );
  return written === undefined ? glob : `${sign}/${pattern.slice(written.length)}`;
}

/** Splits the text of a `glob` parameter at blanks, and at commas outside of braces. */
export function splitGlobs(list: string): string[] {
  return list.split(/\s+/u).flatMap(splitAtCommas).filter(Boolean);
}

function splitAtCommas(part: string): string[] {
  const globs: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < part.length; at += 1) {
    const character = part[at];
    if (character === '{') depth += 1;
    else if (character === '}') depth -= 1;
    else if (character === ',' && depth <= 0) {
      globs.push(part.slice(start, at));
      start = at + 1;
    }
  }
  return [...globs, part.slice(start)];
}
