// One compiled pattern. It uses JavaScript's RegExp if that is certainly fast, otherwise our linear-time engine.
import { analyzeBacktracking } from './backtracking.ts';
import { caseModes, emitRegex, type EmitOptions } from './emit-regex.ts';
import { hasAssertion } from './line-feeds.ts';
import { LinearExpression, type Found } from './linear-expression.ts';
import type { RegexNode } from './regex-node.ts';

/** The part of RegExp that a search needs. */
export interface SearchExpression {
  /** With `isGlobal`: the place to begin at, and after a match its end. Otherwise always 0. */
  lastIndex: number;
  /**
   * Tells whether there is a match. `lastIndex` may be any match's end. `exec` tells the right one.
   */
  test(text: string): boolean;
  exec(text: string): Found | null;
}

export interface ExpressionOptions extends EmitOptions {
  readonly isGlobal: boolean;
  /** Called regularly. Throws to end the search. */
  checkTime(): void;
}

const wordless = ['not-word-boundary', 'word-start-half', 'word-end-half'] as const;

// 10 to 20 ms of work. Our own engine searches a text, or a line, that could take more.
const maxWork = 10_000_000;

// At most 0.2 s, mostly far less.
const maxUncheckedWork = 10 * maxWork;

// Our own engine takes 20 ns for a character, which is the time of 40 steps of a RegExp.
const linearWork = 40;

// V8 stores each place to which it may backtrack, and throws when these take 64 MB.
const maxNativeLength = 1_000_000;

/**
 * Compiles a pattern.
 * @throws ToolError `invalid-input` for a pattern that is too large for either engine.
 */
export function compileExpression(node: RegexNode, options: ExpressionOptions): SearchExpression {
  const { degree, factor } = analyzeBacktracking(node, options);
  // A RegExp would need flags within the pattern for mixed case modes. V8 finds places without a
  // word character within a character of two UTF-16 units.
  const isMixed = new Set(caseModes(node)).size > 1;
  const isBeyondNative = !options.isAscii && (isMixed || hasAssertion(node, wordless));
  // -1: a RegExp isn't used even for an empty text.
  const isNever = isBeyondNative || degree === Infinity;
  const maxLength = isNever ? -1 : Math.min((maxWork / factor) ** (1 / degree), maxNativeLength);
  return new GuardedExpression(node, options, {
    degree: isNever ? 1 : degree,
    factor,
    maxLength,
    maxPart: (maxLength * maxUncheckedWork) / maxWork,
  });
}

interface NativeLimits {
  /** The growth of a RegExp's work: see {@link analyzeBacktracking}. */
  readonly degree: number;
  readonly factor: number;
  /** The longest text, or line, that a RegExp may search. */
  readonly maxLength: number;
  /** The longest part of a text of such lines that a RegExp searches at once. */
  readonly maxPart: number;
}

class GuardedExpression implements SearchExpression {
  lastIndex = 0;
  readonly #node: RegexNode;
  readonly #options: ExpressionOptions;
  readonly #limits: NativeLimits;
  #native: RegExp | undefined;
  #linear: LinearExpression | undefined;
  /** The most work that may have been done since the time was last checked. */
  #work = 0;
  #lastText = '';
  #isLastShort = true;

  constructor(node: RegexNode, options: ExpressionOptions, limits: NativeLimits) {
    this.#node = node;
    this.#options = options;
    this.#limits = limits;
  }

  test(text: string): boolean {
    if (!this.#isShort(text)) {
      const isBeyond = this.lastIndex > text.length;
      const end = isBeyond ? -1 : this.#toLinear().findEnd(text, this.lastIndex);
      if (this.#options.isGlobal) this.lastIndex = Math.max(end, 0);
      return end !== -1;
    }
    if (text.length > this.#limits.maxPart) return this.#testInParts(text);
    const native = this.#toNative();
    native.lastIndex = this.lastIndex;
    const isMatch = native.test(text);
    this.lastIndex = native.lastIndex;
    return isMatch;
  }

  exec(text: string): Found | null {
    if (!this.#isShort(text)) {
      const isBeyond = this.lastIndex > text.length;
      const found = isBeyond ? null : this.#toLinear().find(text, this.lastIndex);
      if (this.#options.isGlobal) this.lastIndex = found ? found.index + found[0].length : 0;
      return found;
    }
    const native = this.#toNative();
    native.lastIndex = this.lastIndex;
    const found = native.exec(text);
    this.lastIndex = native.lastIndex;
    return found;
  }

  /**
   * Searches a text of many lines, each of which may take long, in parts of some lines. The time is
   * checked in between.
   */
  #testInParts(text: string): boolean {
    const native = this.#toNative();
    const { maxPart } = this.#limits;
    const from = this.lastIndex;
    // The text before a place in its line counts for the match.
    for (let start = from === 0 ? 0 : text.lastIndexOf('\n', from - 1) + 1; start <= text.length;) {
      const isRest = start + maxPart >= text.length;
      const end = isRest ? text.length : text.lastIndexOf('\n', start + maxPart);
      native.lastIndex = Math.max(from - start, 0);
      // The part has no last line feed, because a RegExp would find an empty line after it that doesn't exist.
      if (native.test(text.slice(start, end))) {
        this.lastIndex = start + native.lastIndex;
        return true;
      }
      this.#options.checkTime();
      start = end + 1;
    }
    this.lastIndex = 0;
    return false;
  }

  /**
   * True if a RegExp should search this text. Called before each search, so it also counts the
   * work.
   */
  #isShort(text: string): boolean {
    const { degree, factor, maxLength } = this.#limits;
    const isShort = this.#isForNative(text);
    this.#work += isShort
      ? factor * text.length * Math.min(text.length, maxLength) ** (degree - 1)
      : linearWork * text.length;
    if (this.#work > maxUncheckedWork) {
      this.#work = 0;
      this.#options.checkTime();
    }
    return isShort;
  }

  #isForNative(text: string): boolean {
    const { maxLength } = this.#limits;
    if (text.length <= maxLength) return true;
    if (this.#options.scope !== 'lines') return false;
    // The same text is usually searched again from each match.
    if (text !== this.#lastText) {
      this.#lastText = text;
      this.#isLastShort = hasShortLines(text, maxLength);
    }
    return this.#isLastShort;
  }

  #toNative(): RegExp {
    if (this.#native) return this.#native;
    const { source, flags } = emitRegex(this.#node, this.#options);
    this.#native = new RegExp(source, this.#options.isGlobal ? `${flags}g` : flags);
    return this.#native;
  }

  #toLinear(): LinearExpression {
    this.#linear ??= new LinearExpression(this.#node, this.#options);
    return this.#linear;
  }
}

/** Checks only every `maxLength` characters, by the last line feed before each place. */
function hasShortLines(text: string, maxLength: number): boolean {
  for (let start = 0; start + maxLength < text.length;) {
    const lineFeed = text.lastIndexOf('\n', start + maxLength);
    if (lineFeed < start) return false;
    start = lineFeed + 1;
  }
  return true;
}
