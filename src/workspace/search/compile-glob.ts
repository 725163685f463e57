// One glob as a test of paths that takes time by their length alone. JavaScript's expressions try all
// ways to match: `*a*a*a*b` has as many as a name's length to the third power.
import { emitRegex } from './emit-regex.ts';
import { LinearExpression } from './linear-expression.ts';
import { parseGlob, type ParsedGlob } from './parse-glob.ts';
import { concatenate, type RegexNode } from './regex-node.ts';

export interface Glob {
  readonly isNegated: boolean;
  readonly directoriesOnly: boolean;
  /** Of a path relative to the glob's root. `checkTime`: called before what may take long. */
  matches(relative: string, checkTime: () => void): boolean;
}

// About 0.2 ms. A path that could take more ways goes to the automaton, which is half as fast at
// short ones.
const maxWays = 100_000;

/** @throws ToolError `invalid-input` for a glob that can't be read. */
export function compileGlob(pattern: string): Glob {
  const parsed = parseGlob(pattern);
  const { isNegated, directoriesOnly } = parsed;
  return { isNegated, directoriesOnly, matches: createTest(parsed) };
}

function createTest({ plainName, node }: ParsedGlob): Glob['matches'] {
  if (plainName) {
    const { text, isSuffix } = plainName;
    // Most globs there are. The name is what stands behind the last slash.
    if (isSuffix) return (relative) => relative.endsWith(text);
    return (relative) => relative === text || relative.endsWith(`/${text}`);
  }
  const whole = concatenate([
    { kind: 'assertion', assertion: 'text-start', isUnicode: true },
    node,
    { kind: 'assertion', assertion: 'text-end', isUnicode: true },
  ]);
  const { branches, stars } = waysOf(node);
  const maxLength = branches > maxWays ? -1 : (maxWays / branches) ** (1 / Math.max(stars, 1));
  let native: RegExp | undefined;
  let linear: LinearExpression | undefined;
  return (relative, checkTime) => {
    if (relative.length < maxLength) return (native ??= toRegExp(whole)).test(relative);
    checkTime();
    // It is kept for longer than this call's time: the caller looks at that between two paths.
    linear ??= new LinearExpression(whole, { scope: 'text', checkTime: () => {} });
    return linear.findEnd(relative, 0) !== -1;
  };
}

function toRegExp(node: RegexNode): RegExp {
  const { source, flags } = emitRegex(node, { isAscii: false, scope: 'text' });
  return new RegExp(source, flags);
}

/** An expression tries `branches` times a path's length to the power of `stars` ways at most. */
interface Ways {
  readonly branches: number;
  readonly stars: number;
}

const oneWay: Ways = { branches: 1, stars: 0 };

function waysOf(node: RegexNode): Ways {
  switch (node.kind) {
    case 'concatenation':
      return node.nodes.map(waysOf).reduce(
        (left, right) => ({
          branches: left.branches * right.branches,
          stars: left.stars + right.stars,
        }),
        oneWay,
      );
    case 'alternation':
      return node.nodes.map(waysOf).reduce((left, right) => ({
        branches: left.branches + right.branches,
        stars: Math.max(left.stars, right.stars),
      }));
    case 'repetition': {
      // A glob repeats single characters without end, and parts at most once.
      if (node.max === Infinity) return { branches: 1, stars: 1 };
      const { branches, stars } = waysOf(node.node);
      return { branches: branches + 1, stars };
    }
    default:
      return oneWay;
  }
}
