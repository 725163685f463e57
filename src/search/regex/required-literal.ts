// Finds a text that every match must hold. A search for this text skips nearly all lines without running an
// expression.
import type { RegexNode } from './regex-node.ts';

export interface RequiredLiteral {
  readonly text: string;
  /**
   * True: `text` is ASCII and in lower case. Only ASCII texts may be searched so: `K` is a `k` too.
   */
  readonly ignoreCase: boolean;
  /** The pattern is this literal and nothing else. */
  readonly isWhole: boolean;
  /** The end of the literal, from its rarest character on, and how many characters come before that. */
  readonly tail: string;
  readonly tailAt: number;
}

// Characters of source code, the most common first, counted in the texts of the search bench.
// Others are rarer than all of these.
const commonCharacters =
  ' etrnoais\nlcudpm.f,h\t=0)(";g_1:b2y/*{}4v>3-x\'568kS79CwTEAq|[]PRIDMOjF`L<+N\\B@zHW&U?VG!$KY^XJQ#Z%~';

// A tail of two characters is found in too many places without the literal.
const minTail = 3;

// Up to four literals are found faster one by one than by one RegExp.
const maxAlternatives = 4;

/**
 * Literals of which every match holds one: the longest that all matches hold, or one for each
 * alternative. Empty if there are none.
 */
export function findRequiredLiterals(node: RegexNode): readonly RequiredLiteral[] {
  const literal = findRequiredLiteral(node);
  if (literal) return [literal];
  if (node.kind !== 'alternation' || node.nodes.length > maxAlternatives) return [];
  const literals = node.nodes.flatMap((branch) => findRequiredLiteral(branch) ?? []);
  // A short literal is in too many places.
  const isSelective = ({ text, ignoreCase }: RequiredLiteral) =>
    text.length >= minTail && !ignoreCase;
  return literals.length === node.nodes.length && literals.every(isSelective) ? literals : [];
}

/** The longest literal that every match holds. Undefined if there is none. */
function findRequiredLiteral(node: RegexNode): RequiredLiteral | undefined {
  const { best, isExact } = analyze(node);
  if (best.text === '') return undefined;
  const ignoreCase = best.ignoreCase === true;
  const text = ignoreCase ? best.text.toLowerCase() : best.text;
  const tailAt = findRarest(text);
  return { text, ignoreCase, isWhole: isExact, tail: text.slice(tailAt), tailAt };
}

/**
 * The place of a case-sensitive literal in a text at or behind `from`. -1 if there is none. V8
 * looks for a string by its first character, so the rarest should be the first. That is two to
 * seven times as fast for most words.
 */
export function indexOfLiteral(
  text: string,
  { text: whole, tail, tailAt }: RequiredLiteral,
  from: number,
): number {
  for (let at = from + tailAt; ; at += 1) {
    at = text.indexOf(tail, at);
    if (at === -1 || tailAt === 0) return at;
    if (text.startsWith(whole, at - tailAt)) return at - tailAt;
  }
}

function findRarest(text: string): number {
  let rarest = 0;
  let highest = -1;
  for (let at = 0; at <= Math.max(text.length - minTail, 0); at += 1) {
    const place = commonCharacters.indexOf(text.charAt(at));
    const rank = place === -1 ? Infinity : place;
    if (rank > highest) [rarest, highest] = [at, rank];
  }
  return rarest;
}

interface Run {
  readonly text: string;
  /** Undefined while the run has no letters, so that either may follow. */
  readonly ignoreCase: boolean | undefined;
}

interface Analysis {
  readonly best: Run;
  /** The node matches `best` and nothing else: it may be joined with its neighbours. */
  readonly isExact: boolean;
}

// For a part that may match many texts, such as a class. It ends the run before it.
const nothing: Analysis = { best: { text: '', ignoreCase: undefined }, isExact: false };

function analyze(node: RegexNode): Analysis {
  switch (node.kind) {
    case 'empty':
      return { ...nothing, isExact: true };
    case 'literal':
      return analyzeLiteral(node.codePoint, node.ignoreCase);
    case 'concatenation':
      return analyzeConcatenation(node.nodes);
    case 'repetition': {
      if (node.min === 0) return nothing;
      const inner = analyze(node.node);
      return node.min === 1 && node.max === 1 ? inner : { ...inner, isExact: false };
    }
    default:
      return nothing;
  }
}

function analyzeLiteral(codePoint: number, ignoreCase: boolean): Analysis {
  const text = String.fromCodePoint(codePoint);
  if (!ignoreCase) return { best: { text, ignoreCase: false }, isExact: true };
  // Other letters may fold to more than their two cases.
  if (codePoint > 0x7f) return nothing;
  return { best: { text, ignoreCase: /[a-z]/i.test(text) ? true : undefined }, isExact: true };
}

/** The longest run of neighbours that match one text each, or a longer one inside a neighbour. */
function analyzeConcatenation(nodes: readonly RegexNode[]): Analysis {
  let longest = nothing.best;
  let run: Run = nothing.best;
  let isExact = true;
  for (const node of nodes) {
    const { best, isExact: isPartExact } = analyze(node);
    // An assertion doesn't end a run: in `foo\b ` the blank still follows `foo`.
    if (node.kind === 'assertion') isExact = false;
    else if (isPartExact) {
      const joined = join(run, best);
      if (!joined) isExact = false;
      run = joined ?? best;
    } else {
      isExact = false;
      run = nothing.best;
      if (best.text.length > longest.text.length) longest = best;
    }
    if (run.text.length > longest.text.length) longest = run;
  }
  return { best: longest, isExact };
}

/** Undefined if only one of the two is case-sensitive: no single search finds both. */
function join(left: Run, right: Run): Run | undefined {
  const [a, b] = [left.ignoreCase, right.ignoreCase];
  if (a !== undefined && b !== undefined && a !== b) return undefined;
  return { text: left.text + right.text, ignoreCase: a ?? b };
}
