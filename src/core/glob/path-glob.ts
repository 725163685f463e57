// Globs over workspace paths, for rules, imports and capabilities. They are resolved against a directory and
// compiled. Globs of rules are cached.
import { resolvePath } from '../path.ts';
import { GlobMatcher } from './glob-matcher.ts';
import type { GlobNodes } from './glob-node.ts';
import { checkGlob, parsePathGlob } from './parse-path-glob.ts';

/** A compiled glob for absolute, normal paths. */
export interface PathGlob {
  test(path: string): boolean;
}

/**
 * Compiles the glob to a test of normal absolute paths. A test takes time in proportion to the path's length. A glob
 * without a leading slash is resolved against `cwd`, and may begin with `../`. A glob that names a directory also
 * matches everything below it. So a rule on `secrets` or `secrets/` can't be avoided by naming a file in it. Names
 * with a leading dot match like any other. Both forms of an accented letter are the same letter.
 *
 * @throws SdkError `invalid-input` for a glob that is too long
 */
export function compilePathGlob(cwd: string, glob: string): PathGlob {
  checkGlob(glob);
  const absolute = toAbsolute(cwd, glob);
  if (isAscii.test(absolute)) return compileGlob(absolute);
  // Security: a person types `é` as one character. A Mac's disks and archives have an `e` and an accent, which looks
  // the same, and a rule must hold there, too.
  const { test } = compileGlob(absolute.normalize('NFC'));
  return { test: (path) => test(path.normalize('NFC')) };
}

// No letter of such a glob has two forms.
const isAscii = /^[\0-\x7f]*$/u;

/**
 * {@link compilePathGlob} for the globs of rules, which are compiled once because every call is compared with them.
 * Don't use it for globs of a model or its code: these would fill the cache.
 */
export function compileRuleGlob(cwd: string, glob: string): PathGlob {
  const known = compiled.get(cwd)?.get(glob);
  if (known) return known;
  let patterns = compiled.get(cwd);
  if (!patterns || patterns.size >= maxCompiled) compiled.set(cwd, (patterns = new Map()));
  const pattern = compilePathGlob(cwd, glob);
  patterns.set(glob, pattern);
  return pattern;
}

/**
 * The directory that contains all paths that {@link compilePathGlob} of this glob can match. It has no slash at its
 * end, so the root is ''.
 */
export function getGlobDirectory(cwd: string, glob: string): string {
  // The glob is plain text up to its first wildcard, group, `/./`, or letter that may have two forms.
  const [beginning = ''] = toAbsolute(cwd, glob).split(/[*?{}]|\/\.\/|[^\0-\x7f]/u, 1);
  return beginning.slice(0, Math.max(0, beginning.lastIndexOf('/')));
}

/** A cache by working directory and glob. */
const compiled = new Map<string, Map<string, PathGlob>>();

// 4096: more than the rules of a project. With more, some are compiled again at each call.
const maxCompiled = 4096;

function toAbsolute(cwd: string, glob: string): string {
  const climb = /^(?:\.\.?(?:\/+|$))+/u.exec(glob)?.[0] ?? '';
  const path = glob.startsWith('/')
    ? glob
    : `${resolvePath(cwd, climb)}/${glob.slice(climb.length)}`;
  // The tested paths are normal, so a glob with a doubled or trailing slash would never match.
  return path.replace(/\/{2,}/gu, '/').replace(/\/$/u, '');
}

/** The glob must begin with a slash, or be empty. It also matches everything below what it names. */
function compileGlob(glob: string): PathGlob {
  const nodes = parsePathGlob(glob);
  const { text, rest } = splitText(nodes);
  // The usual glob of a rule: a plain path.
  if (rest.length === 0) {
    const below = `${text}/`;
    return { test: (path) => path === text || path.startsWith(below) };
  }
  let matcher: GlobMatcher | undefined;
  return {
    test: (path) =>
      path.startsWith(text) &&
      (matcher ??= new GlobMatcher(rest, { matchesBelow: true })).matches(path, text.length),
  };
}

/** The plain text at the start of a glob, and the nodes after it. */
function splitText(nodes: GlobNodes): { readonly text: string; readonly rest: GlobNodes } {
  let text = '';
  for (const [at, node] of nodes.entries()) {
    if (node.kind !== 'character') return { text, rest: nodes.slice(at) };
    text += String.fromCodePoint(node.codePoint);
  }
  return { text, rest: [] };
}
