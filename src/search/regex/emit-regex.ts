// Translates the syntax tree to a JavaScript RegExp that finds what Rust's engine would find. There
// are two variants: one for texts of ASCII alone, several times as fast, and one for all texts.
import { asciiMembers } from './ascii-members.ts';
import { perlSet } from './character-sets.ts';
import { emitSet, toOperand } from './emit-set.ts';
import type { Assertion, CharacterSet, RegexNode } from './regex-node.ts';

/** The text that the expression will be run over. */
export interface EmitOptions {
  /** The text has only ASCII characters. */
  readonly isAscii: boolean;
  /**
   * One line without its end, or a whole text of many lines. `lines`: a whole text, in which a
   * match is within one line, as if each were searched by itself.
   */
  readonly scope: 'line' | 'lines' | 'text';
  /** With `lines`: JavaScript's own anchors may be used, as only line feeds end lines in the text. */
  readonly hasPlainLines?: boolean;
}

export interface RegexSource {
  readonly source: string;
  readonly flags: string;
}

/**
 * The expression's source and flags, without `g`. Groups never capture: captures aren't needed, and engines are
 * faster without them. For texts beyond ASCII, case must count in all of the pattern or in none. JavaScript's flags
 * for a part of an expression are new, and V8 wrongly applies them to what follows.
 */
export function emitRegex(node: RegexNode, options: EmitOptions): RegexSource {
  const inLines = options.scope === 'lines';
  if (options.isAscii) {
    const atom: EmitAtom = (set, ignoreCase) => asciiAtom(set, ignoreCase, inLines);
    return { source: emit(node, options, atom), flags: options.hasPlainLines ? 'm' : '' };
  }
  const cases = new Set(caseModes(node));
  if (cases.size > 1) throw new TypeError('Case counts in a part of the pattern alone.');
  const atom: EmitAtom = (set) => {
    const source = emitSet(set);
    return inLines && asciiMembers(set, false).includes(10) ? `[${toOperand(source)}--\n]` : source;
  };
  return { source: emit(node, options, atom), flags: cases.has(true) ? 'iv' : 'v' };
}

/** Writes one character or set: the only part in which the two variants differ much. */
type EmitAtom = (set: CharacterSet, ignoreCase: boolean) => string;

/** Writes the tree as source, from the leaves up. */
function emit(node: RegexNode, options: EmitOptions, atom: EmitAtom): string {
  switch (node.kind) {
    case 'empty':
      return '(?:)';
    case 'literal':
      return atom({ kind: 'range', from: node.codePoint, to: node.codePoint }, node.ignoreCase);
    case 'class':
      return atom(node.set, node.ignoreCase);
    case 'any':
      return emitAny(node.matchesLineFeed, options);
    case 'assertion':
      return emitAssertion(node.assertion, node.isUnicode, options);
    case 'concatenation':
      return node.nodes.map((part) => emitPart(part, options, atom)).join('');
    case 'alternation':
      return node.nodes.map((branch) => emit(branch, options, atom)).join('|');
    case 'repetition': {
      const lazy = node.isGreedy ? '' : '?';
      return `(?:${emit(node.node, options, atom)})${emitCount(node.min, node.max)}${lazy}`;
    }
  }
}

/** In a sequence only alternatives need parentheses, because they bind weakest. */
function emitPart(node: RegexNode, options: EmitOptions, atom: EmitAtom): string {
  const source = emit(node, options, atom);
  return node.kind === 'alternation' ? `(?:${source})` : source;
}

function emitCount(min: number, max: number): string {
  if (min === 0 && max === 1) return '?';
  if (max === Infinity) return min === 0 ? '*' : min === 1 ? '+' : `{${min},}`;
  return min === max ? `{${min}}` : `{${min},${max}}`;
}

/** `Cs`: bytes that are no valid UTF-8 stand in the text as lone surrogates, and match nothing. */
function emitAny(matchesLineFeed: boolean, { isAscii, scope }: EmitOptions): string {
  const takesLineFeed = matchesLineFeed && scope !== 'lines';
  if (isAscii) return takesLineFeed ? '[^]' : '[^\\n]';
  return takesLineFeed ? '[^\\p{Cs}]' : '[^\\n\\p{Cs}]';
}

/**
 * Words are spelt out as look-around in the variant for all texts, because JavaScript's own `\b`
 * knows only ASCII letters. In ASCII text the two are the same.
 */
function emitAssertion(assertion: Assertion, isUnicode: boolean, options: EmitOptions): string {
  const word = options.isAscii ? '\\w' : emitSet(perlSet('w', isUnicode));
  // Beside broken text Rust's engine doesn't count a place as one without a word.
  const wordOrBroken = options.isAscii ? word : `[${word}\\p{Cs}]`;
  switch (assertion) {
    case 'text-start':
      return options.scope === 'lines' ? emitLineStart(options) : '^';
    case 'text-end':
      return options.scope === 'lines' ? emitLineEnd(options) : '$';
    case 'line-start':
      return emitLineStart(options);
    case 'line-end':
      return emitLineEnd(options);
    case 'word-boundary':
      return options.isAscii ? '\\b' : `(?:(?<=${word})(?!${word})|(?<!${word})(?=${word}))`;
    case 'not-word-boundary':
      return options.isAscii
        ? '\\B'
        : `(?:(?<=${word})(?=${word})|(?<!${wordOrBroken})(?!${wordOrBroken}))`;
    case 'word-start':
      return `(?:(?<!${word})(?=${word}))`;
    case 'word-end':
      return `(?:(?<=${word})(?!${word}))`;
    case 'word-start-half':
      return `(?<!${wordOrBroken})`;
    case 'word-end-half':
      return `(?!${wordOrBroken})`;
  }
}

/** Only a line feed ends a line here; JavaScript's `m` flag knows three more ends. */
function emitLineStart({ scope, hasPlainLines }: EmitOptions): string {
  return scope === 'line' || hasPlainLines ? '^' : '(?<=^|\\n)';
}

function emitLineEnd({ scope, hasPlainLines }: EmitOptions): string {
  return scope === 'line' || hasPlainLines ? '$' : '(?=\\n|$)';
}

/** Writes the set's ASCII members out. Case folding and properties are settled here. */
function asciiAtom(set: CharacterSet, ignoreCase: boolean, inLines: boolean): string {
  const members = asciiMembers(set, ignoreCase);
  const codes = inLines ? members.filter((code) => code !== 10) : members;
  const [only] = codes;
  if (codes.length === 1 && only !== undefined) return emitAscii(only);
  let source = '';
  for (let at = 0; at < codes.length;) {
    const from = codes[at] ?? 0;
    let to = from;
    for (at += 1; codes[at] === to + 1; at += 1) to += 1;
    source += from === to ? emitAscii(from) : `${emitAscii(from)}-${emitAscii(to)}`;
  }
  // `[]` matches nothing: no ASCII text has such a character.
  return `[${source}]`;
}

function emitAscii(code: number): string {
  const char = String.fromCharCode(code);
  return /[0-9A-Za-z]/.test(char) ? char : `\\x${code.toString(16).padStart(2, '0')}`;
}

/** For each part that has a case: whether case counts. */
export function caseModes(node: RegexNode): boolean[] {
  switch (node.kind) {
    case 'literal':
    case 'class':
      return [node.ignoreCase];
    case 'concatenation':
    case 'alternation':
      return node.nodes.flatMap(caseModes);
    case 'repetition':
      return caseModes(node.node);
    default:
      return [];
  }
}
