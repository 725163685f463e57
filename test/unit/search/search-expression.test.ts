import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyzeBacktracking } from '../../../src/search/regex/backtracking.ts';
import { LinearExpression } from '../../../src/search/regex/linear-expression.ts';
import { parseRegex } from '../../../src/search/regex/parse-regex.ts';
import { emitRegex } from '../../../src/search/regex/emit-regex.ts';
import type { RegexNode } from '../../../src/search/regex/regex-node.ts';
import { compileExpression } from '../../../src/search/regex/search-expression.ts';
import { runsHere } from '../../support/runs-here.ts';

const parse = (pattern: string, ignoreCase = false) =>
  parseRegex(pattern, {
    ignoreCase,
    multiLine: true,
    dotAll: false,
    swapGreed: false,
    isUnicode: true,
    isVerbose: false,
  });
const checkTime = () => {};

const compile = (pattern: string, scope: 'line' | 'lines' | 'text', isAscii: boolean) =>
  compileExpression(parse(pattern), { isAscii, scope, isGlobal: true, checkTime });

describe('analyzeBacktracking', () => {
  it.each([
    ['foo', 1],
    ['\\bfoo\\b', 1],
    ['get|set|has', 1],
    ['\\d{4}-\\d{2}', 1],
    ['super\\(.{0,200}\\)', 1],
    ['import\\s+\\w', 1],
    ['import\\s+\\w+\\s+from', 1],
    ['ab+\\w*c', 3],
    ['x\\w+\\.', 2],
    ['\\w+Handler\\(', 2],
    ['foo|for|function', 2],
    ['a.*b', 2],
    ['a.*b.*c', 3],
    ['a.*b\\s+c', 2],
    ['a?a?a?aaa', 4],
    ['(\\w+\\.)*x', 3],
    ['(?:ab|cd)+e', 2],
    ['(a*)*b', 2],
  ])('%s: at most the power %d', (pattern, degree) => {
    expect(analyzeBacktracking(parse(pattern), { isAscii: true }).degree).toBe(degree);
  });

  it('takes all characters beyond ASCII for one', () => {
    const node = parse('import\\s+\\w');
    expect(analyzeBacktracking(node).degree).toBeGreaterThan(
      analyzeBacktracking(node, { isAscii: true }).degree,
    );
  });

  it.each([
    ['foo\\w+', 1],
    ['\\d{4}-\\d{2}', 4],
    ['super\\(.{0,200}\\)', 200],
    ['(?:[ab]{1,9}c){1,9}d', 81],
    ['a.{3}b.{5}c.{7}d', 105],
  ])('%s: its counts multiply the work by %d', (pattern, factor) => {
    expect(analyzeBacktracking(parse(pattern)).factor).toBe(factor);
  });

  it.each([
    ['x(a+-?)+b', '(a+-?)+'],
    ['(x+x+)+y', '(x+x+)+'],
    ['^(\\w+\\s?)*$', '(\\w+\\s?)*'],
    ['(a|a)*b', '(a|a)*'],
    ['(a|ab|b)*c', '(a|ab|b)*'],
    ['(a{1,30}){1,30}b', '(a{1,30}){1,30}'],
    ['(a?){30}b', '(a?){30}'],
    ['(|a)+', '(|a)+'],
    ['(?:a??)?b', '(?:a??)?'],
    ['(a.*b)*c', '(a.*b)*'],
  ])('%s: without bound, for %s', (pattern, costlyPart) => {
    expect(analyzeBacktracking(parse(pattern))).toMatchObject({ degree: Infinity, costlyPart });
  });
});

describe('LinearExpression', () => {
  const atom = fc.constantFrom(
    ...['a', 'b', 'k', '.', '\\w', '\\W', '[ab]', '[^b]', '\\s', 'é', '\\p{Lu}', '\\n'],
    ...['^', '$', '\\b', '\\B', '\\A', '\\z', '\\<', '\\>', '\\b{start-half}', '\\b{end-half}'],
  );
  const { pattern } = fc.letrec<{ pattern: string; part: string; group: string }>((tie) => ({
    group: tie('pattern').map((inside) => `(?:${inside})`),
    part: fc
      .tuple(
        fc.oneof({ maxDepth: 3 }, atom, atom, tie('group')),
        fc.constantFrom('', '', '', '', '*', '+', '?', '{2}', '{1,3}', '*?', '+?', '??'),
      )
      .map(([repeated, sign]) => repeated + sign),
    pattern: fc
      .array(fc.array(tie('part'), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 2 })
      .map((branches) => branches.map((parts) => parts.join('')).join('|')),
  }));
  const text = fc
    .array(fc.constantFrom('a', 'b', 'k', 'B', ' ', 'é', '\n', '-', '\u{1f469}', '\udce9'))
    .map((parts) => parts.join(''));

  it('finds what a RegExp finds, wherever it begins', () => {
    fc.assert(
      fc.property(pattern, text, fc.nat(), fc.boolean(), (source, whole, place, ignoreCase) => {
        const node = parse(source, ignoreCase);
        // The two differ in what an iteration is worth that matches nothing: Rust has it our way.
        fc.pre(!hasEmptyLoop(node));
        // V8 finds such places within a character of two UTF-16 units too.
        fc.pre(!(/\\B|half/.test(source) && whole.includes('\u{1f469}')));
        const { source: emitted, flags } = emitRegex(node, { isAscii: false, scope: 'text' });
        const native = new RegExp(emitted, `${flags}g`);
        const from = startOfCharacter(whole, place % (whole.length + 1));
        native.lastIndex = from;
        const expected = native.exec(whole);
        const linear = new LinearExpression(node, { scope: 'text', checkTime });
        const found = linear.find(whole, from);
        expect(found && [found.index, found[0]]).toEqual(expected && [expected.index, expected[0]]);
        expect(linear.findEnd(whole, from) !== -1).toBe(expected !== null);
      }),
      { numRuns: runsHere(2_000) },
    );
  });

  it('takes time by the length of the text alone', () => {
    // A backtracking engine would need longer for any of these than there is time.
    const long = 'ab'.repeat(500_000);
    for (const hard of ['(a*)*c', '(?:a|b|ab)*c', '(x+x+)+y', '(.*,)*;', '(?:.*a){12}c']) {
      expect(new LinearExpression(parse(hard), { scope: 'line', checkTime }).find(long, 0)).toBe(
        null,
      );
    }
  });

  it('asks whether there is time left as often as it makes states', () => {
    let asked = 0;
    const late = () => {
      asked += 1;
      if (asked > 3) throw new Error('late');
    };
    const node = parse('(?:a|b)*a(?:a|b){14}c');
    let seed = 1;
    const random = Array.from({ length: 50_000 }, () => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return seed & 65_536 ? 'a' : 'b';
    });
    const linear = new LinearExpression(node, { scope: 'line', checkTime: late });
    expect(() => linear.find(random.join(''), 0)).toThrow('late');
  });
});

describe('compileExpression', () => {
  it('takes each line by itself in a text of lines', () => {
    const expression = compile('(a|\\s|\\z)+', 'lines', true);
    const ends: number[] = [];
    while (expression.test('ab\nba\n\nb')) {
      ends.push(expression.lastIndex);
      expression.lastIndex += 1;
      if (ends.length > 9) break;
    }
    expect(ends).toEqual([1, 2, 5, 6, 8]);
  });

  it('looks at the time within a text of lines that each take long', () => {
    let asked = 0;
    const late = () => {
      asked += 1;
      if (asked > 3) throw new Error('late');
    };
    const expression = compileExpression(parse('[ab][a-z]*[0-9]'), {
      ...{ isAscii: true, scope: 'lines', hasPlainLines: true, isGlobal: true },
      checkTime: late,
    });
    // A RegExp needs a minute for all of it at once.
    expect(() => expression.test(`${'a'.repeat(3_000)}\n`.repeat(3_000))).toThrow('late');
  });

  it('counts what its own engine takes by its length, not by what a RegExp would do with it', () => {
    let asked = 0;
    const expression = compileExpression(parse('a.*b.*[=;][0-9]'), {
      ...{ isAscii: true, scope: 'line', isGlobal: false },
      checkTime: () => void (asked += 1),
    });
    const line = 'ab'.repeat(200);
    for (let at = 0; at < 5_000; at += 1) expect(expression.test(line)).toBe(false);
    // For the first of its states: 2 MB are less than what is counted between two questions.
    expect(asked).toBe(1);
  });

  it.each(['^$', '[ab][a-z]*[0-9]$', '\\b[ab]*9', 'x[a-z]*[a-z]*[0-9]', '\\z'])(
    'finds in a long text of lines what it finds in the short ones: %s',
    (pattern) => {
      const lines = Array.from({ length: 3_000 }, (_, at) =>
        at % 700 === 699 ? '' : `xab${'c'.repeat(at % 40)}${at % 900 === 3 ? '9' : ''}`,
      );
      const isMatch = compile(pattern, 'line', true);
      const expected = lines.flatMap((line, at) => {
        isMatch.lastIndex = 0;
        return isMatch.test(line) ? [at] : [];
      });
      const text = lines.join('\n');
      const expression = compile(pattern, 'lines', true);
      const found: number[] = [];
      while (expression.lastIndex <= text.length && expression.test(text)) {
        found.push(text.slice(0, expression.lastIndex).split('\n').length - 1);
        const end = text.indexOf('\n', expression.lastIndex);
        expression.lastIndex = end === -1 ? text.length + 1 : end + 1;
      }
      expect(found).toEqual(expected);
    },
  );

  it.each([
    ['(?i:s)s', '\u017fs', true],
    ['(?i:s)s', 's\u017f', false],
    ['(?i:k)\\P{Lu}', '\u212ap', true],
  ])('lets case count in a part alone: %s in %s is %s', (pattern, text, isMatch) => {
    expect(compile(pattern, 'line', false).test(text)).toBe(isMatch);
  });

  it('answers for long lines as for short ones', () => {
    const expression = compile('a.*b.*c', 'line', true);
    const padding = '-'.repeat(100_000);
    for (const line of ['a-b-c', `a${padding}b${padding}c${padding}`]) {
      expression.lastIndex = 0;
      expect(expression.exec(line)?.[0].length).toBe(line.lastIndexOf('c') + 1);
      expect(expression.lastIndex).toBe(line.lastIndexOf('c') + 1);
    }
    expression.lastIndex = 0;
    expect(expression.test(`c${padding}b${padding}a`)).toBe(false);
  });

  it('refuses what is too large for a long line, and says why', () => {
    const expression = compile('(?:a{1,500}b?){1,500}c', 'line', true);
    expect(() => expression.test('a')).toThrow(/pattern is too large.*50,000 parts/s);
  });
});

function hasEmptyLoop(node: RegexNode): boolean {
  switch (node.kind) {
    case 'concatenation':
    case 'alternation':
      return node.nodes.some(hasEmptyLoop);
    case 'repetition':
      return (node.max > 0 && isNullable(node.node)) || hasEmptyLoop(node.node);
    default:
      return false;
  }
}

function isNullable(node: RegexNode): boolean {
  switch (node.kind) {
    case 'concatenation':
      return node.nodes.every(isNullable);
    case 'alternation':
      return node.nodes.some(isNullable);
    case 'repetition':
      return node.min === 0 || isNullable(node.node);
    default:
      return node.kind === 'empty' || node.kind === 'assertion';
  }
}

function startOfCharacter(text: string, at: number): number {
  return at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff ? at - 1 : at;
}
