// Globs of ripgrep's dialect, and sets of them. A set decides whether a path is selected; the last
// glob that matches wins.
import { isInside } from '../path.ts';
import { GlobMatcher } from './glob-matcher.ts';
import { parseSearchGlob } from './parse-search-glob.ts';

export interface SearchGlob {
  readonly isNegated: boolean;
  readonly directoriesOnly: boolean;
  /** Matches a path relative to the glob's root. `checkTime` is called before long work. */
  matches(relative: string, checkTime: () => void): boolean;
}

// A match takes at most so many steps for each character of a path: below it that is 0.1 ms at worst.
const maxQuickLength = 500;

/** @throws ToolError `invalid-input` for a glob that can't be read. */
export function compileSearchGlob(pattern: string): SearchGlob {
  const { isNegated, directoriesOnly, plainName, nodes } = parseSearchGlob(pattern);
  return { isNegated, directoriesOnly, matches: createTest() };

  function createTest(): SearchGlob['matches'] {
    if (plainName) {
      const { text, isSuffix } = plainName;
      // Most globs there are. The name is what stands behind the last slash.
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

/** `included`: asked for by name. `excluded`: left out, a directory with all below it. */
export type GlobVerdict = 'included' | 'excluded' | 'none';

export interface GlobSet {
  /**
   * Judges an absolute, normal path. Takes time by the lengths of the path and of the globs alone.
   * `checkTime` is called where that may be long, and throws to end it.
   */
  verdict(path: string, isDirectory: boolean, checkTime?: () => void): GlobVerdict;
}

/**
 * Compiles globs that are relative to `root`. Where one of them asks for something, files that none
 * of them matches are excluded. With negated globs (`!*.md`) alone, all others are left to other
 * rules. Of paths outside of `root` only globs without a slash, or that begin with `**`, can match
 * one.
 *
 * @throws ToolError `invalid-input` for a glob that can't be read.
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
      // A directory may hold what is asked for.
      return asksForSome && !isDirectory ? 'excluded' : 'none';
    },
  };
}

/** The first of the globs that matches a path relative to their root. */
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

/** A glob that was written as a path, absolute or with `./`, is one from the root on. */
export function toRootedGlob(glob: string, root: string): string {
  const [, sign = '', pattern = ''] = /^(!?)(.*)$/su.exec(glob) ?? [];
  const written = [root === '/' ? '/' : `${root}/`, './'].find((start) =>
    pattern.startsWith(start),
  );
  return written === undefined ? glob : `${sign}/${pattern.slice(written.length)}`;
}

/** A list of globs as the `glob` parameter writes it: blanks separate, and commas outside braces. */
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
