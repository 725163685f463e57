// A cursor over a pattern's text, which the parsers of expressions and of classes share.
import { createPatternError, type PatternProblem } from './regex-error.ts';

export class PatternReader {
  readonly text: string;
  #at = 0;

  constructor(text: string) {
    this.text = text;
  }

  get position(): number {
    return this.#at;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.text.length;
  }

  /** The next code point as a string; empty at the end. */
  peek(): string {
    const code = this.text.codePointAt(this.#at);
    return code === undefined ? '' : String.fromCodePoint(code);
  }

  /** Takes the next code point; empty at the end. */
  next(): string {
    const char = this.peek();
    this.#at += char.length;
    return char;
  }

  startsWith(text: string): boolean {
    return this.text.startsWith(text, this.#at);
  }

  /** Takes `text` if it comes next. */
  take(text: string): boolean {
    if (!this.startsWith(text)) return false;
    this.#at += text.length;
    return true;
  }

  /** Takes the match of a sticky expression here. Undefined if it doesn't match. */
  takeMatch(expression: RegExp): string | undefined {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  /** Takes white space and comments, as the `x` flag allows them between all parts. */
  skipSpace(isVerbose: boolean): void {
    const space = isVerbose ? this.takeMatch(/(?:\s|#[^\n]*)+/uy) : undefined;
    if (space === undefined || !this.isAtEnd || !/#[^\n]*$/u.test(space)) return;
    this.fail(
      'a comment runs to the end of the pattern',
      'Put a line end behind it, or write \\# to find the sign.',
      this.#at - space.length,
    );
  }

  fail(problem: string, remedy: string, position = this.#at): never {
    const found: PatternProblem = { position, problem, remedy };
    throw createPatternError(this.text, found);
  }
}
