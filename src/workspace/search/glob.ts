// Globs as ripgrep and .gitignore write them. A set of them says of each path whether it is asked
// for; the last glob that matches decides.
import { ToolError } from '../../core/errors.ts';
import { isInside } from '../../core/path.ts';

/** `included`: asked for by name. `excluded`: left out, a directory with all below it. */
export type GlobVerdict = 'included' | 'excluded' | 'none';

export interface GlobSet {
  /** Judges an absolute, normal path. */
  verdict(path: string, isDirectory: boolean): GlobVerdict;
}

/** One glob, compiled. */
interface Glob {
  readonly expression: RegExp;
  readonly isNegated: boolean;
  readonly directoriesOnly: boolean;
}

/**
 * Compiles globs that are relative to `root`. Where one of them asks for something, files that
 * none of them matches are excluded; with negated globs (`!*.md`) alone, all others are left to
 * other rules.
 *
 * @throws ToolError `invalid-input` for a glob that can't be read.
 */
export function compileGlobs(root: string, patterns: readonly string[]): GlobSet {
  const globs = patterns.map(compileGlob);
  const asksForSome = globs.some((glob) => !glob.isNegated);
  const last = globs.toReversed();
  return {
    verdict(path, isDirectory) {
      if (!isInside(root, path)) return 'none';
      const relative = path.slice(root === '/' ? 1 : root.length + 1);
      const glob = last.find(
        ({ directoriesOnly, expression }) =>
          (isDirectory || !directoriesOnly) && expression.test(relative),
      );
      if (glob) return glob.isNegated ? 'excluded' : 'included';
      // A directory may hold what is asked for.
      return asksForSome && !isDirectory ? 'excluded' : 'none';
    },
  };
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

/** Takes off what is about the whole glob: the `!`, the slashes at its ends. */
function compileGlob(pattern: string): Glob {
  const isNegated = pattern.startsWith('!');
  const named = isNegated ? pattern.slice(1) : pattern;
  const directoriesOnly = named.endsWith('/');
  const body = directoriesOnly ? named.slice(0, -1) : named;
  // Without a slash a glob is looked for at every depth; any slash ties it to the root.
  const isTied = body.includes('/');
  const path = body.startsWith('/') ? body.slice(1) : body;
  const source = `${isTied ? '' : '(?:.*/)?'}${toSource(path)}`;
  return { expression: new RegExp(`^${source}$`, 'su'), isNegated, directoriesOnly };
}

/** What stands between two braces, or the whole glob: alternatives, the last of them unfinished. */
interface Frame {
  readonly branches: string[];
  source: string;
}

/** The expression of one glob whose first character is at the root. */
function toSource(glob: string): string {
  let frame: Frame = { branches: [], source: '' };
  const outer: Frame[] = [];
  for (let at = 0; at < glob.length; at += 1) {
    const char = glob.charAt(at);
    if (glob.startsWith('**', at)) {
      const { source, length } = toStars(glob, at, { depth: outer.length, frame });
      frame.source += source;
      at += length - 1;
    } else if (char === '*') frame.source += '[^/]*';
    else if (char === '?') frame.source += '[^/]';
    else if (char === '[') {
      const end = endOfClass(glob, at);
      if (end === -1) fail(glob, 'a class is never closed: add the missing ], or write \\[');
      frame.source += toClass(glob.slice(at + 1, end), glob);
      at = end;
    } else if (char === '{') {
      outer.push(frame);
      frame = { branches: [], source: '' };
    } else if (char === '}') {
      const parent = outer.pop();
      if (!parent) {
        fail(glob, 'a brace is closed that was never opened: write \\} to find it');
      }
      parent.source += toAlternatives(frame);
      frame = parent;
    } else if (char === ',' && outer.length > 0) {
      frame.branches.push(frame.source);
      frame.source = '';
    } else if (char === '\\') {
      at += 1;
      if (at >= glob.length) fail(glob, 'a backslash ends it: to find one write \\\\');
      frame.source += escape(glob.charAt(at));
    } else frame.source += escape(char);
  }
  if (outer.length > 0) fail(glob, 'a brace is never closed: add the missing }, or write \\{');
  return frame.source;
}

/** As in ripgrep, an empty alternative is none: `{,a}b` is `ab`. */
function toAlternatives({ branches, source }: Frame): string {
  const filled = [...branches, source].filter(Boolean);
  return filled.length === 0 ? '' : `(?:${filled.join('|')})`;
}

/** Two stars between slashes are any directories; elsewhere they are as one star. */
function toStars(
  glob: string,
  at: number,
  { depth, frame }: { readonly depth: number; readonly frame: Frame },
): { readonly source: string; readonly length: number } {
  const next = glob.charAt(at + 2);
  const isEnd = next === '' || (depth > 0 && (next === ',' || next === '}'));
  const isAfterSlash = at > 0 && glob.charAt(at - 1) === '/';
  const isFirst = frame.source === '' && !isAfterSlash;
  if (next === '/' && (isAfterSlash || at === 0)) return { source: '(?:.*/)?', length: 3 };
  if (next === '/' && isFirst) return { source: '(?:/?|.*/)', length: 3 };
  // Behind a slash: what is below, and not the directory itself.
  if (isEnd && (isAfterSlash || (next === '' && at === 0))) return { source: '.*', length: 2 };
  return { source: '[^/]*', length: 2 };
}

/** Where the class that begins at `at` is closed. A `]` that comes first stands for itself. */
function endOfClass(glob: string, at: number): number {
  const first = /[!^]/.test(glob.charAt(at + 1)) ? at + 2 : at + 1;
  return glob.indexOf(']', first + 1);
}

/** Unlike `*` and `?`, a class may match a slash: so it is in ripgrep. */
function toClass(body: string, whole: string): string {
  const isNegated = /^[!^]/.test(body);
  const members = isNegated ? body.slice(1) : body;
  const source = [...members]
    .map((char, index, all) => {
      const isRange = char === '-' && index > 0 && index < all.length - 1;
      return isRange ? '-' : char.replace(/[\\\]^-]/u, '\\$&');
    })
    .join('');
  try {
    const expression = isNegated ? `[^${source}]` : `[${source}]`;
    return new RegExp(expression, 'u').source;
  } catch {
    return fail(whole, `the range in [${body}] runs backwards: write its lower end first`);
  }
}

/** A character that stands for itself. */
function escape(char: string): string {
  return char.replace(/[\\^$.|+()[\]{}*?/-]/u, char === '-' ? '-' : '\\$&');
}

function fail(glob: string, problem: string): never {
  throw new ToolError(`The glob ${glob} can't be used: ${problem}.`, {
    code: 'invalid-input',
    data: { glob },
  });
}
