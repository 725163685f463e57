// Parses Rust's regular expression syntax, which ripgrep takes. A pattern that Rust refuses is
// refused here too, with the place and a better spelling.
import { parseClass } from './parse-class.ts';
import { parseEscape, refuseBytes } from './parse-escape.ts';
import { PatternReader } from './pattern-reader.ts';
import { concatenate, repeat, type RegexNode } from './regex-node.ts';

/** The flags in force at a place of the pattern. */
export interface RegexFlags {
  /** `i` */
  readonly ignoreCase: boolean;
  /** `m`: `^` and `$` are about lines rather than the text. */
  readonly multiLine: boolean;
  /** `s`: `.` matches line feeds too. */
  readonly dotAll: boolean;
  /** `U`: repetitions are lazy, and greedy with a `?`. */
  readonly swapGreed: boolean;
  /** `u` */
  readonly isUnicode: boolean;
  /** `x`: white space and comments are left out. */
  readonly isVerbose: boolean;
}

const flagNames = new Map<string, keyof RegexFlags>([
  ['i', 'ignoreCase'],
  ['m', 'multiLine'],
  ['s', 'dotAll'],
  ['U', 'swapGreed'],
  ['u', 'isUnicode'],
  ['x', 'isVerbose'],
]);

// Deeper than any person's pattern, and far from the end of the stack.
const maxDepth = 200;

/**
 * Parses a pattern.
 * @throws ToolError `invalid-input`, which shows the place in the pattern.
 */
export function parseRegex(pattern: string, flags: RegexFlags): RegexNode {
  const parser = new RegexParser(pattern);
  return parser.parse(flags);
}

/**
 * Recursive descent, one method a rule of the grammar. Flags are handed down as values, so a
 * group's flags end with the group.
 */
class RegexParser {
  readonly #reader: PatternReader;
  readonly #groupNames = new Set<string>();
  #depth = 0;

  constructor(pattern: string) {
    this.#reader = new PatternReader(pattern);
  }

  parse(flags: RegexFlags): RegexNode {
    const node = this.#parseAlternation(flags);
    if (!this.#reader.isAtEnd) {
      this.#reader.fail('a group is closed that was never opened', 'To find ) write \\).');
    }
    return node;
  }

  /** Everything up to the end of the group. A flag that is set on the way holds until there. */
  #parseAlternation(outerFlags: RegexFlags): RegexNode {
    const reader: PatternReader = this.#reader;
    let flags = outerFlags;
    const branches: RegexNode[] = [];
    let parts: RegexNode[] = [];
    // Only a part that matches something can be repeated: not the start, not a group of flags.
    let canRepeat = false;
    let partStart = 0;
    for (;;) {
      reader.skipSpace(flags.isVerbose);
      if (reader.isAtEnd || reader.startsWith(')')) break;
      const setFlags = this.#parseFlagGroup(flags);
      if (setFlags) {
        flags = setFlags;
        canRepeat = false;
      } else if (reader.take('|')) {
        branches.push(concatenate(parts));
        parts = [];
        canRepeat = false;
      } else if (/[*+?{]/.test(reader.peek())) {
        const target = canRepeat ? parts.pop() : undefined;
        if (!target) this.#failNothingToRepeat();
        parts.push(this.#parseRepetition(target, flags, partStart));
      } else {
        partStart = reader.position;
        parts.push(this.#parseAtom(flags));
        canRepeat = true;
      }
    }
    branches.push(concatenate(parts));
    const [only] = branches;
    return branches.length === 1 && only ? only : { kind: 'alternation', nodes: branches };
  }

  /** Parses a part that a repetition sign could follow: one character, set, place or group. */
  #parseAtom(flags: RegexFlags): RegexNode {
    const reader: PatternReader = this.#reader;
    const { ignoreCase, isUnicode } = flags;
    const start = reader.position;
    switch (reader.peek()) {
      case '(':
        return this.#parseGroup(flags);
      case '[':
        return { kind: 'class', set: parseClass(reader, flags), ignoreCase };
      case '\\': {
        const escape = parseEscape(reader, isUnicode);
        if (escape.kind === 'assertion') return { ...escape, isUnicode };
        return escape.kind === 'set'
          ? { kind: 'class', set: escape.set, ignoreCase }
          : { kind: 'literal', codePoint: escape.codePoint, ignoreCase };
      }
      case '.':
        refuseBytes(reader, start, isUnicode);
        reader.next();
        return { kind: 'any', matchesLineFeed: flags.dotAll };
      case '^':
      case '$': {
        const edge = reader.next() === '^' ? 'start' : 'end';
        const scope = flags.multiLine ? 'line' : 'text';
        return { kind: 'assertion', assertion: `${scope}-${edge}`, isUnicode };
      }
      default:
        return { kind: 'literal', codePoint: reader.next().codePointAt(0) ?? 0, ignoreCase };
    }
  }

  /**
   * Parses a group. Whether it captures makes no difference here: only the place of a match counts.
   */
  #parseGroup(outerFlags: RegexFlags): RegexNode {
    const reader: PatternReader = this.#reader;
    const start = reader.position;
    reader.next();
    reader.skipSpace(outerFlags.isVerbose);
    const flags = this.#parseGroupHead(outerFlags, start);
    this.#depth += 1;
    if (this.#depth > maxDepth) {
      reader.fail(`groups are nested more than ${maxDepth} deep`, 'Simplify the pattern.', start);
    }
    const node = this.#parseAlternation(flags);
    this.#depth -= 1;
    if (!reader.take(')')) {
      reader.fail('a group is never closed', 'Add the missing ), or write \\( to find it.', start);
    }
    return node;
  }

  /** Parses the text between `(` and the expression: a name, or flags for this group alone. */
  #parseGroupHead(flags: RegexFlags, start: number): RegexFlags {
    const reader: PatternReader = this.#reader;
    if (/^\?(?:<?[=!])/.test(reader.text.slice(reader.position))) {
      reader.fail(
        'look-around is not supported',
        'Match the text around too, or filter the matches with Repl.',
        start,
      );
    }
    if (reader.take('?P<') || reader.take('?<')) {
      this.#parseGroupName();
      return flags;
    }
    if (!reader.take('?')) return flags;
    const inside = this.#parseFlags(flags);
    if (!reader.take(':')) this.#failFlags();
    return inside;
  }

  /** Names are checked and forgotten; two of one name are refused, as Rust does. */
  #parseGroupName(): void {
    const reader: PatternReader = this.#reader;
    const start = reader.position;
    const name = reader.takeMatch(/[\p{Alphabetic}_][\p{Alphabetic}\p{N}_.[\]]*(?=>)/uy);
    if (name === undefined) {
      reader.fail(
        "the group's name isn't valid or isn't closed",
        'A name has letters, digits and _, begins with no digit, and ends with >.',
        start,
      );
    }
    reader.take('>');
    if (this.#groupNames.has(name)) {
      reader.fail('two groups have the same name', 'Name them differently, or not at all.', start);
    }
    this.#groupNames.add(name);
  }

  /** `(?i)` and its like, which set flags for the rest of their group. */
  #parseFlagGroup(flags: RegexFlags): RegexFlags | undefined {
    const reader: PatternReader = this.#reader;
    if (reader.takeMatch(/\(\?(?=[A-Za-z-]+\))/y) === undefined) return undefined;
    const changed = this.#parseFlags(flags);
    if (!reader.take(')')) this.#failFlags();
    return changed;
  }

  /** The letters of `i-s`: those before the dash are set, those behind it cleared. */
  #parseFlags(flags: RegexFlags): RegexFlags {
    const reader: PatternReader = this.#reader;
    const start = reader.position;
    const letters = reader.takeMatch(/[A-Za-z-]*/y) ?? '';
    const isWellFormed = /^[A-Za-z]*(?:-[A-Za-z]+)?$/.test(letters);
    if (!isWellFormed || new Set(letters).size !== letters.length) this.#failFlags(start);
    const changed = { ...flags };
    let value = true;
    for (const letter of letters) {
      const name = flagNames.get(letter);
      if (letter === '-') value = false;
      else if (name) changed[name] = value;
      else this.#failFlags(start);
    }
    return changed;
  }

  /** Parses a repetition sign, and maybe a `?` that turns its greed around. */
  #parseRepetition(node: RegexNode, flags: RegexFlags, start: number): RegexNode {
    const reader: PatternReader = this.#reader;
    const sign = reader.peek();
    const { min, max } = sign === '{' ? this.#parseCount() : signRange(reader.next());
    const isLazy = reader.take('?');
    const source = reader.text.slice(start, reader.position);
    return repeat(node, { min, max, isGreedy: isLazy === flags.swapGreed, source });
  }

  /** `{2}`, `{2,}` or `{2,5}`; blanks between are allowed. `{,5}` isn't Rust. */
  #parseCount(): { readonly min: number; readonly max: number } {
    const reader: PatternReader = this.#reader;
    const start = reader.position;
    const count = reader.takeMatch(/\{\s*\d+\s*(?:,\s*(?:\d+\s*)?)?\}/uy);
    if (count === undefined) {
      reader.fail(
        'this brace begins no repetition',
        'To find a brace escape it: \\{. A repetition is {2}, {2,} or {2,5}.',
        start,
      );
    }
    const [min = 0, max] = (count.match(/\d+/gu) ?? []).map(Number);
    const highest = max ?? (count.includes(',') ? Infinity : min);
    if (min > highest) {
      reader.fail('the repetition runs backwards', 'Write the lower number first.', start);
    }
    return { min, max: highest };
  }

  #failNothingToRepeat(): never {
    const sign = this.#reader.peek();
    return this.#reader.fail(
      'there is nothing before this sign that it could repeat',
      `To find ${sign} itself escape it: \\${sign}.`,
    );
  }

  #failFlags(position = this.#reader.position): never {
    return this.#reader.fail(
      'these are no flags of a group',
      'There are i, m, s, U, u and x, as in (?i) or (?i-s:…); groups without a number are (?:…).',
      position,
    );
  }
}

function signRange(sign: string): { readonly min: number; readonly max: number } {
  return { min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Infinity };
}
