// Parses one glob of ripgrep's and .gitignore's dialect.
import { ToolError } from '../errors.ts';
import { slashCodePoint } from './glob-node.ts';
import type { CodePointRange, GlobNode, GlobNodes } from './glob-node.ts';

/** A parsed glob. It is matched against the whole path relative to the glob's root. */
export interface ParsedSearchGlob {
  readonly nodes: GlobNodes;
  readonly isNegated: boolean;
  readonly directoriesOnly: boolean;
  /** For a glob of plain text, or of `*` and plain text, without a slash: that text. */
  readonly plainName: { readonly text: string; readonly isSuffix: boolean } | undefined;
}

// Much longer than any glob that a person writes. For each character of a path a match takes up to this number of
// steps.
const maxLength = 10_000;

// Recursive functions walk through the parts of a glob, so its depth is limited.
const maxDepth = 100;

/**
 * Parses a glob, after removing what applies to the whole of it: the `!`, and the slashes at both ends.
 *
 * @throws ToolError `invalid-input` for an invalid glob; the message says what to write instead
 */
export function parseSearchGlob(pattern: string): ParsedSearchGlob {
  if (pattern.length > maxLength) {
    fail(`${pattern.slice(0, 40)}…`, `it is longer than ${maxLength} characters`);
  }
  const isNegated = pattern.startsWith('!');
  const named = isNegated ? pattern.slice(1) : pattern;
  const directoriesOnly = named.endsWith('/');
  const body = directoriesOnly ? named.slice(0, -1) : named;
  // A glob without a slash matches at every depth. A glob with a slash matches only from the root on.
  const isTied = body.includes('/');
  const path = body.startsWith('/') ? body.slice(1) : body;
  const nodes = parsePath(path);
  return {
    nodes: isTied ? nodes : [directories, ...nodes],
    isNegated,
    directoriesOnly,
    plainName: isTied ? undefined : toPlainName(body),
  };
}

function toPlainName(body: string): ParsedSearchGlob['plainName'] {
  const isSuffix = body.startsWith('*');
  const text = isSuffix ? body.slice(1) : body;
  return text === '' || /[*?[\]{}\\]/.test(text) ? undefined : { text, isSuffix };
}

const slash: GlobNode = { kind: 'character', codePoint: slashCodePoint };
const star: GlobNode = { kind: 'name' };
/** Everything below a directory, at any depth. */
const below: GlobNode = { kind: 'path' };
const directories: GlobNode = { kind: 'directories' };
/** Any directories at the start of a path, which may begin with a slash. */
const firstDirectories: GlobNode = {
  kind: 'alternatives',
  branches: [[], [slash], [below, slash]],
};

/** The content of a brace group, or the whole glob: alternatives, the last of them unfinished. */
interface Frame {
  readonly branches: GlobNode[][];
  nodes: GlobNode[];
}

/** Parses a glob that matches from the root on. */
function parsePath(glob: string): GlobNodes {
  let frame: Frame = { branches: [], nodes: [] };
  const outer: Frame[] = [];
  for (let at = 0; at < glob.length; at += 1) {
    const char = String.fromCodePoint(glob.codePointAt(at) ?? 0);
    if (glob.startsWith('**', at)) {
      const { node, length } = toStars(glob, at, { depth: outer.length, frame });
      addStars(frame, node);
      at += length - 1;
    } else if (char === '*') addStars(frame, star);
    else if (char === '?') frame.nodes.push({ kind: 'one' });
    else if (char === '[') {
      const end = endOfClass(glob, at);
      if (end === -1) fail(glob, 'a class is never closed: add the missing ], or write \\[');
      frame.nodes.push(toClass(glob.slice(at + 1, end), glob));
      at = end;
    } else if (char === '{') {
      if (outer.length === maxDepth) fail(glob, `more than ${maxDepth} braces stand in each other`);
      outer.push(frame);
      frame = { branches: [], nodes: [] };
    } else if (char === '}') {
      const parent = outer.pop();
      if (!parent) {
        fail(glob, 'a brace is closed that was never opened: write \\} to find it');
      }
      parent.nodes.push(...toAlternatives(frame));
      frame = parent;
    } else if (char === ',' && outer.length > 0) {
      frame.branches.push(frame.nodes);
      frame.nodes = [];
    } else if (char === '\\') {
      at += 1;
      if (at >= glob.length) fail(glob, 'a backslash ends it: to find one write \\\\');
      const escaped = glob.codePointAt(at) ?? 0;
      frame.nodes.push(toLiteral(escaped));
      if (escaped > 0xffff) at += 1;
    } else {
      frame.nodes.push(toLiteral(char.codePointAt(0) ?? 0));
      at += char.length - 1;
    }
  }
  if (outer.length > 0) fail(glob, 'a brace is never closed: add the missing }, or write \\{');
  return frame.nodes;
}

function toLiteral(codePoint: number): GlobNode {
  return { kind: 'character', codePoint };
}

/** Adds the stars, unless the node before is the same. */
function addStars({ nodes }: Frame, stars: GlobNode): void {
  if (nodes.at(-1) !== stars) nodes.push(stars);
}

/** As in ripgrep, an empty alternative is ignored: `{,a}b` is `ab`. */
function toAlternatives({ branches, nodes }: Frame): GlobNode[] {
  const filled = [...branches, nodes].filter(({ length }) => length > 0);
  return filled.length === 0 ? [] : [{ kind: 'alternatives', branches: filled }];
}

/** Two stars between slashes mean any directories. Elsewhere they mean the same as one star. */
function toStars(
  glob: string,
  at: number,
  { depth, frame }: { readonly depth: number; readonly frame: Frame },
): { readonly node: GlobNode; readonly length: number } {
  const next = glob.charAt(at + 2);
  const isEnd = next === '' || (depth > 0 && (next === ',' || next === '}'));
  const isAfterSlash = at > 0 && glob.charAt(at - 1) === '/';
  const isFirst = frame.nodes.length === 0 && !isAfterSlash;
  if (next === '/' && (isAfterSlash || at === 0)) return { node: directories, length: 3 };
  if (next === '/' && isFirst) return { node: firstDirectories, length: 3 };
  // After a slash: everything below the directory, but not the directory itself.
  if (isEnd && (isAfterSlash || (next === '' && at === 0))) return { node: below, length: 2 };
  return { node: star, length: 2 };
}

/** The index of the end of the class that begins at `at`. A `]` at its start is a member of the class. */
function endOfClass(glob: string, at: number): number {
  const first = /[!^]/.test(glob.charAt(at + 1)) ? at + 2 : at + 1;
  return glob.indexOf(']', first + 1);
}

/** As in ripgrep, a class may match a slash, unlike `*` and `?`. */
function toClass(body: string, whole: string): GlobNode {
  const isNegated = /^[!^]/.test(body);
  const members = [...(isNegated ? body.slice(1) : body)].map((char) => char.codePointAt(0) ?? 0);
  const ranges: CodePointRange[] = [];
  for (let at = 0; at < members.length; at += 1) {
    const from = members[at] ?? 0;
    const end = members[at + 1] === 0x2d ? members[at + 2] : undefined;
    const to = end ?? from;
    if (to < from) fail(whole, `the range in [${body}] runs backwards: write its lower end first`);
    if (end !== undefined) at += 2;
    ranges.push({ from, to });
  }
  return { kind: 'class', ranges, isNegated };
}

function fail(glob: string, problem: string): never {
  throw new ToolError(`The glob ${glob} can't be used: ${problem}.`, {
    code: 'invalid-input',
    data: { glob },
  });
}
