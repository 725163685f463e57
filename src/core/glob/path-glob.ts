// Globs over workspace paths, for rules, imports and capabilities: resolved from a directory,
// compiled, and cached for rules.
import { resolvePath } from '../path.ts';
import { GlobMatcher } from './glob-matcher.ts';
import type { GlobNodes } from './glob-node.ts';
import { checkGlob, parsePathGlob } from './parse-path-glob.ts';

/** What a glob says of absolute, normal paths. */
export interface PathGlob {
  test(path: string): boolean;
}

/**
 * The glob as a test of normal absolute paths, in time that grows with their length. A glob without a
 * leading slash is taken from `cwd`, and may climb from there with leading `../`. A glob that names
 * a directory matches what is below it too. So a rule on `secrets` or `secrets/` can't be
 * sidestepped by naming a file in it. Every name counts, those with a leading dot too.
 *
 * @throws SdkError `invalid-input` for a glob that is too long.
 */
export function compilePathGlob(cwd: string, glob: string): PathGlob {
  checkGlob(glob);
  return compileGlob(toAbsolute(cwd, glob));
}

/**
 * {@link compilePathGlob} for the globs of rules, which are held against every call: compiled once.
 * Not for globs that a model or its code makes up, which would be kept as well.
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
 * The directory that a glob's first wildcard, or what it names, is in: whatever {@link compilePathGlob}
 * of it matches is below. Without a slash at its end, so the root is empty.
 */
export function getGlobDirectory(cwd: string, glob: string): string {
  // Up to a wildcard, a group or a `/./`, all of a glob stands for itself.
  const [beginning = ''] = toAbsolute(cwd, glob).split(/[*?{}]|\/\.\//u, 1);
  return beginning.slice(0, Math.max(0, beginning.lastIndexOf('/')));
}

/** A cache by working directory and glob. */
const compiled = new Map<string, Map<string, PathGlob>>();

// 4096: more than a project's rules. A host with more pays for some of them at each call.
const maxCompiled = 4096;

function toAbsolute(cwd: string, glob: string): string {
  const climb = /^(?:\.\.?(?:\/+|$))+/u.exec(glob)?.[0] ?? '';
  const path = glob.startsWith('/')
    ? glob
    : `${resolvePath(cwd, climb)}/${glob.slice(climb.length)}`;
  // Paths that are matched are normal: a doubled or trailing slash would match none of them.
  return path.replace(/\/{2,}/gu, '/').replace(/\/$/u, '');
}

/** The glob must begin with a slash, or be empty. It also means what is below whatever it names. */
function compileGlob(glob: string): PathGlob {
  const nodes = parsePathGlob(glob);
  const { text, rest } = splitText(nodes);
  // Most globs of rules: a path, spelled out.
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

/** The text that a glob begins with, and what follows it. */
function splitText(nodes: GlobNodes): { readonly text: string; readonly rest: GlobNodes } {
  let text = '';
  for (const [at, node] of nodes.entries()) {
    if (node.kind !== 'character') return { text, rest: nodes.slice(at) };
    text += String.fromCodePoint(node.codePoint);
  }
  return { text, rest: [] };
}
