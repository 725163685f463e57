// Compiles a pattern for searches: parsed once, compiled for each kind of text.
import { ToolError } from '../core/errors.ts';
import { analyzeBacktracking } from './regex/backtracking.ts';
import { createIndexPlans, type IndexPlans } from './index/index-plan.ts';
import { canMatch, hasAssertion, namesCharacter } from './regex/line-feeds.ts';
import { parseRegex } from './regex/parse-regex.ts';
import { createPatternError } from './regex/regex-error.ts';
import type { RegexNode } from './regex/regex-node.ts';
import { findRequiredLiterals, type RequiredLiteral } from './regex/required-literal.ts';
import {
  compileExpression,
  type ExpressionOptions,
  type SearchExpression,
} from './regex/search-expression.ts';
import type { SearchableText } from './index/searchable-text.ts';
import { trimRepetitions } from './regex/trim-repetitions.ts';

// With its repetitions written out, a pattern of this size takes about 100 MB, as much as ripgrep allows.
const maxSize = 2_000_000;

const anchors = ['text-start', 'text-end', 'line-start', 'line-end'] as const;

export interface PatternOptions {
  readonly ignoreCase: boolean;
  /** A match may span lines, and `.` matches line ends. */
  readonly multiline: boolean;
  /** Called regularly during the search for a costly pattern. Throws to end the search. */
  checkTime?(): void;
}

export interface Pattern {
  /**
   * True: the expression is run over whole texts. Otherwise it can't match a line feed, and is run
   * over one line at a time.
   */
  readonly spansLines: boolean;
  /** Each match holds one of these literals. Empty if no literal is known. */
  readonly literals: readonly RequiredLiteral[];
  /** The repetition on which a search spends most time, as it is written in the pattern. */
  readonly costlyPart: string | undefined;
  /** The given function. Call it between texts too. */
  readonly checkTime: () => void;
  /** Global, so that it can be run from `lastIndex` on. Shared: set `lastIndex` before each use. */
  expression(isAscii: boolean): SearchExpression;
  /**
   * For a pattern that doesn't span lines: tells whether a line matches. It costs less than
   * `expression`, which tells the place. Keeps no `lastIndex`.
   */
  lineTest(isAscii: boolean): SearchExpression;
  /**
   * The same for whole texts. Run from `lastIndex` on, it stops within the next line that matches.
   */
  linesTest(text: Pick<SearchableText, 'isAscii' | 'hasPlainLines'>): SearchExpression;
  /** The plans for the index, made when first used. */
  readonly plans: IndexPlans;
}

/**
 * Compiles a pattern in Rust's syntax.
 *
 * @throws ToolError `invalid-input` with the place in the pattern and what to write instead.
 */
export function compilePattern(pattern: string, options: PatternOptions): Pattern {
  const node = parseRegex(pattern, {
    ignoreCase: options.ignoreCase,
    multiLine: true,
    dotAll: options.multiline,
    swapGreed: false,
    isUnicode: true,
    isVerbose: false,
  });
  refuseHuge(pattern, node);
  refuseUnmatchable(pattern, node, options);
  // Even with `multiline`, a pattern without line feeds is matched by lines, as ripgrep does it.
  const spansLines = options.multiline && (canMatch(node, '\n') || hasAssertion(node, anchors));
  const trimmed = spansLines ? node : trimRepetitions(node);
  const checkTime = options.checkTime ?? (() => {});
  // A cache of compiled expressions: one place for each kind of text.
  const compiled: SearchExpression[] = [];
  const compile = (
    place: number,
    emitted: RegexNode,
    settings: Omit<ExpressionOptions, 'checkTime'>,
  ): SearchExpression =>
    (compiled[place] ??= compileExpression(emitted, { ...settings, checkTime }));
  let plans: IndexPlans | undefined;
  return {
    spansLines,
    literals: findRequiredLiterals(node),
    checkTime,
    // Computed only when a search took too long.
    get costlyPart() {
      return analyzeBacktracking(node).costlyPart;
    },
    expression: (isAscii) =>
      compile(isAscii ? 0 : 1, node, {
        isAscii,
        scope: spansLines ? 'text' : 'line',
        isGlobal: true,
      }),
    lineTest: (isAscii) =>
      compile(isAscii ? 2 : 3, trimmed, { isAscii, scope: 'line', isGlobal: false }),
    linesTest: ({ isAscii, hasPlainLines }) =>
      compile(hasPlainLines ? 4 : isAscii ? 5 : 6, trimmed, {
        isAscii,
        scope: 'lines',
        hasPlainLines,
        isGlobal: true,
      }),
    get plans() {
      plans ??= createIndexPlans(node, { byLine: !spansLines });
      return plans;
    },
  };
}

/**
 * Refuses a huge pattern before anything is compiled: an engine would take minutes and gigabytes
 * over it.
 */
function refuseHuge(pattern: string, node: RegexNode): void {
  if (sizeOf(node) <= maxSize) return;
  throw new ToolError('The pattern is too large: its repetitions multiply. Use smaller ones.', {
    code: 'invalid-input',
    data: { pattern },
  });
}

/** The size of a pattern in parts, with repetitions written out. */
function sizeOf(node: RegexNode): number {
  switch (node.kind) {
    case 'concatenation':
    case 'alternation':
      return node.nodes.reduce((size, part) => size + sizeOf(part), 1);
    case 'repetition':
      return sizeOf(node.node) * Math.max(node.max === Infinity ? node.min : node.max, 1);
    default:
      return 1;
  }
}

/** Refuses a pattern that ripgrep refuses too, since no searched text could ever match it. */
function refuseUnmatchable(pattern: string, node: RegexNode, options: PatternOptions): void {
  if (namesCharacter(node, '\0')) {
    throw createPatternError(pattern, {
      position: 0,
      problem: 'it asks for a NUL, which only binary files have, and they are not searched',
      remedy: 'Look into binary files with Repl.',
    });
  }
  if (!options.multiline && namesCharacter(node, '\n')) {
    throw createPatternError(pattern, {
      position: Math.max(pattern.search(/\\n|\n/u), 0),
      problem: 'it asks for a line end, and a match is within one line',
      remedy: 'Set multiline to let matches span lines.',
    });
  }
}
