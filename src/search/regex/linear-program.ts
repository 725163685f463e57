// Compiles the syntax tree to a program without backtracking (Thompson's construction). Earlier
// alternatives are preferred, as in Rust's engine.
import { ToolError } from '../../core/errors.ts';
import type { Assertion, RegexNode } from './regex-node.ts';

/** A node that matches one character. */
export type Atom = RegexNode & { readonly kind: 'literal' | 'class' | 'any' };

/** Steps name others by their number. */
export type Step =
  | { readonly kind: 'atom'; readonly atom: number; readonly next: number }
  /** The search continues in all of these ways, the preferred one first. */
  | { readonly kind: 'split'; readonly nexts: readonly number[] }
  | {
      readonly kind: 'place';
      readonly assertion: Assertion;
      readonly isUnicode: boolean;
      readonly next: number;
    }
  | { readonly kind: 'match' };

export interface LinearProgram {
  readonly steps: readonly Step[];
  readonly start: number;
  readonly atoms: readonly Atom[];
  readonly hasPlaces: boolean;
}

// Repetitions are written out. Each character of the text costs as many operations at worst.
const maxSteps = 50_000;

/**
 * `backward`: the program reads a text from its end to its start.
 * @throws ToolError `invalid-input` if the pattern, with its repetitions written out, is too long.
 */
export function compileProgram(node: RegexNode, direction: 'forward' | 'backward'): LinearProgram {
  const compiler = new Compiler(direction);
  const start = compiler.compile(node, compiler.add({ kind: 'match' }));
  const { steps, atoms } = compiler;
  return { steps, start, atoms, hasPlaces: steps.some(({ kind }) => kind === 'place') };
}

/** Each part is compiled to the step it begins with, given the step that follows it. */
class Compiler {
  readonly steps: Step[] = [];
  readonly atoms: Atom[] = [];
  readonly #direction: 'forward' | 'backward';
  readonly #numbers = new Map<string, number>();

  constructor(direction: 'forward' | 'backward') {
    this.#direction = direction;
  }

  add(step: Step): number {
    if (this.steps.length === maxSteps) {
      throw new ToolError(
        'The pattern is too large for lines of this length, or for repetitions within ' +
          'repetitions: written out it has more than 50,000 parts. Use smaller repetitions.',
        { code: 'invalid-input', data: {} },
      );
    }
    return this.steps.push(step) - 1;
  }

  compile(node: RegexNode, next: number): number {
    switch (node.kind) {
      case 'empty':
        return next;
      case 'assertion':
        return this.add({
          kind: 'place',
          assertion: node.assertion,
          isUnicode: node.isUnicode,
          next,
        });
      case 'concatenation': {
        const nodes = this.#direction === 'forward' ? node.nodes.toReversed() : node.nodes;
        return nodes.reduce((after, part) => this.compile(part, after), next);
      }
      case 'alternation': {
        const nexts = node.nodes.map((branch) => this.compile(branch, next));
        return this.add({ kind: 'split', nexts });
      }
      case 'repetition':
        return this.#compileRepetition(node, next);
      default:
        return this.add({ kind: 'atom', atom: this.#numberOf(node), next });
    }
  }

  #compileRepetition(node: RegexNode & { kind: 'repetition' }, next: number): number {
    const { min, max, isGreedy } = node;
    const order = (more: number, enough: number) => (isGreedy ? [more, enough] : [enough, more]);
    let start = next;
    let copies = min;
    if (max === Infinity) {
      const split: { kind: 'split'; nexts: number[] } = { kind: 'split', nexts: [] };
      const again = this.add(split);
      start = this.compile(node.node, again);
      split.nexts = order(start, next);
      // As in Rust, `x*` is `(?:x+)?` if `x` may be empty. Otherwise the order would be wrong.
      if (min === 0) {
        return isNullable(node.node)
          ? this.add({ kind: 'split', nexts: order(start, next) })
          : again;
      }
      copies -= 1;
    } else {
      for (let optional = max - min; optional > 0; optional -= 1) {
        start = this.add({ kind: 'split', nexts: order(this.compile(node.node, start), next) });
      }
    }
    for (; copies > 0; copies -= 1) start = this.compile(node.node, start);
    return start;
  }

  #numberOf(atom: Atom): number {
    const key = JSON.stringify(atom);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.atoms.push(atom) - 1;
    this.#numbers.set(key, number);
    return number;
  }
}

/** True if the node may match without a character. */
function isNullable(node: RegexNode): boolean {
  switch (node.kind) {
    case 'empty':
    case 'assertion':
      return true;
    case 'concatenation':
      return node.nodes.every(isNullable);
    case 'alternation':
      return node.nodes.some(isNullable);
    case 'repetition':
      return node.min === 0 || isNullable(node.node);
    default:
      return false;
  }
}
