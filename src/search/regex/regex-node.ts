// The syntax tree of a regular expression as Rust (and so ripgrep) understands it. Made by
// parse-regex.ts, read by emit-regex.ts and the analyses beside it.

/** A set of code points, as a class writes it. It never holds surrogates. */
export type CharacterSet =
  | { readonly kind: 'range'; readonly from: number; readonly to: number }
  /** A Unicode property in JavaScript's spelling, such as `Script=Greek`. */
  | { readonly kind: 'property'; readonly name: string }
  | { readonly kind: 'union'; readonly sets: readonly CharacterSet[] }
  | { readonly kind: 'not'; readonly set: CharacterSet }
  | {
      readonly kind: 'intersection' | 'difference' | 'symmetric-difference';
      readonly left: CharacterSet;
      readonly right: CharacterSet;
    };

export type Assertion =
  | 'text-start'
  | 'text-end'
  | 'line-start'
  | 'line-end'
  | 'word-boundary'
  | 'not-word-boundary'
  | 'word-start'
  | 'word-end'
  | 'word-start-half'
  | 'word-end-half';

export type RegexNode =
  | { readonly kind: 'empty' }
  | { readonly kind: 'literal'; readonly codePoint: number; readonly ignoreCase: boolean }
  | { readonly kind: 'class'; readonly set: CharacterSet; readonly ignoreCase: boolean }
  | { readonly kind: 'any'; readonly matchesLineFeed: boolean }
  /** `isUnicode` decides what a word character is. */
  | { readonly kind: 'assertion'; readonly assertion: Assertion; readonly isUnicode: boolean }
  | { readonly kind: 'concatenation'; readonly nodes: readonly RegexNode[] }
  | { readonly kind: 'alternation'; readonly nodes: readonly RegexNode[] }
  | {
      readonly kind: 'repetition';
      readonly node: RegexNode;
      readonly min: number;
      /** `Infinity` for no limit. */
      readonly max: number;
      readonly isGreedy: boolean;
      /** The source in the pattern, for error messages. */
      readonly source: string;
    };

const emptyNode: RegexNode = { kind: 'empty' };

export function concatenate(nodes: readonly RegexNode[]): RegexNode {
  const [only, ...others] = nodes;
  if (only === undefined) return emptyNode;
  return others.length === 0 ? only : { kind: 'concatenation', nodes };
}

/** Repeats a node. `(x*)*` becomes `x*`, because nested repetitions are slow in a backtracking engine. */
export function repeat(
  node: RegexNode,
  range: {
    readonly min: number;
    readonly max: number;
    readonly isGreedy: boolean;
    readonly source: string;
  },
): RegexNode {
  const isPlain = (min: number, max: number) => min <= 1 && (max === 1 || max === Infinity);
  const canMerge =
    node.kind === 'repetition' &&
    node.isGreedy === range.isGreedy &&
    isPlain(node.min, node.max) &&
    isPlain(range.min, range.max);
  if (!canMerge) return { kind: 'repetition', node, ...range };
  return {
    kind: 'repetition',
    node: node.node,
    min: Math.min(node.min, range.min),
    max: Math.max(node.max, range.max),
    isGreedy: range.isGreedy,
    source: range.source,
  };
}
