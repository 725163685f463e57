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
  const source = `${isTied ? '' : '(?:.*/)?'}${toSource(path, pattern)}`;
  return { expression: new RegExp(`^${source}$`, 'su'), isNegated, directoriesOnly };
}

/** The expression of one glob whose first character is at the root. */
function toSource(glob: string, whole: string = glob): string {
  let source = '';
  let depth = 0;
  for (let at = 0; at < glob.length; at += 1) {
    const char = glob.charAt(at);
    const isAtStart = at === 0 || glob.charAt(at - 1) === '/';
    if (isAtStart && glob.startsWith('**/', at)) {
      source += '(?:.*/)?';
      at += 2;
    } else if (isAtStart && at > 0 && glob.slice(at) === '**') {
      // What is below, and not the directory itself.
      source += '.+';
      at += 1;
    } else if (isAtStart && glob.slice(at) === '**') {
      source += '.*';
      at += 1;
    } else if (char === '*') source += '[^/]*';
    else if (char === '?') source += '[^/]';
    else if (char === '[') {
      const end = endOfClass(glob, at);
      if (end === -1) fail(whole, 'a class is never closed: add the missing ], or write \\[');
      source += toClass(glob.slice(at + 1, end), whole);
      at = end;
    } else if (char === '{') {
      source += '(?:';
      depth += 1;
    } else if (char === '}') {
      if (depth === 0) fail(whole, 'a brace is closed that was never opened: write \\} to find it');
      source += ')';
      depth -= 1;
    } else if (char === ',' && depth > 0) source += '|';
    else if (char === '\\') {
      at += 1;
      if (at >= glob.length) fail(whole, 'a backslash ends it: to find one write \\\\');
      source += escape(glob.charAt(at));
    } else source += escape(char);
  }
  if (depth > 0) fail(whole, 'a brace is never closed: add the missing }, or write \\{');
  return source;
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
