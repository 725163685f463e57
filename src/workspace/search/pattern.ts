// A pattern ready to search with: parsed once, compiled for the texts that it meets.
import { ToolError } from '../../core/errors.ts';
import { emitRegex } from './emit-regex.ts';
import { canMatch, hasAssertion, namesCharacter } from './line-feeds.ts';
import { parseRegex } from './parse-regex.ts';
import { createPatternError } from './regex-error.ts';
import type { RegexNode } from './regex-node.ts';
import { findRequiredLiteral, type RequiredLiteral } from './required-literal.ts';

export interface PatternOptions {
  readonly ignoreCase: boolean;
  /** A match may span lines, and `.` matches line ends. */
  readonly multiline: boolean;
}

export interface Pattern {
  /**
   * The expression is run over whole texts. Else it can't match a line feed, and is run over one
   * line at a time.
   */
  readonly spansLines: boolean;
  readonly literal: RequiredLiteral | undefined;
  /** Global, so that it can be run from `lastIndex` on. Shared: set `lastIndex` before each use. */
  expression(isAscii: boolean): RegExp;
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
  refuseUnmatchable(pattern, node, options);
  // Even with `multiline`, what can't hold a line feed is matched by lines, as ripgrep does it.
  const spansLines =
    options.multiline && (canMatch(node, '\n') || hasAssertion(node, ['text-start', 'text-end']));
  const compiled = new Map<boolean, RegExp>();
  return {
    spansLines,
    literal: findRequiredLiteral(node),
    expression(isAscii) {
      const known = compiled.get(isAscii);
      if (known) return known;
      const expression = compile(pattern, node, isAscii, spansLines);
      compiled.set(isAscii, expression);
      return expression;
    },
  };
}

function compile(pattern: string, node: RegexNode, isAscii: boolean, spansLines: boolean): RegExp {
  const scope = spansLines ? 'text' : 'line';
  const { source, flags } = emitRegex(node, { isAscii, scope });
  try {
    return new RegExp(source, `${flags}g`);
  } catch (cause) {
    // The parser takes only what can be emitted; what is left is size.
    throw new ToolError(
      'The pattern is too large to be compiled. Use smaller repetitions, or fewer alternatives.',
      { code: 'invalid-input', data: { pattern }, cause },
    );
  }
}

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
