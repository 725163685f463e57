import { describe, expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

describe('runTests', () => {
  it('runs all test files of the workspace, and reports as vitest does', async () => {
    const repl = await openRepl({
      'src/math.ts': 'export const add = (a: number, b: number): number => a - b;',
      'src/math.test.ts': [
        "import { describe, expect, it } from 'vitest';",
        "import { add } from './math.js';",
        "describe('add', () => {",
        "  it('adds', () => {",
        '    expect(add(1, 2)).toBe(3);',
        '  });',
        "  it.skip('later', () => {});",
        "  it('leaves zero', () => expect(add(1, 0)).toBe(1));",
        '});',
      ].join('\n'),
      'test/plain.spec.mjs': "it('knows the globals', () => { expect([1]).toHaveLength(1) });",
      'node_modules/x/x.test.js': 'throw new Error("never run")',
      'src/not-a-test.ts': 'throw new Error("never run")',
    });
    const result = await repl.run('await runTests()');
    expect(result.stdout).toBe(
      [
        ' ❯ src/math.test.ts (3 tests | 1 failed | 1 skipped)',
        '   ✗ add > adds',
        '     AssertionError: expected -1 to be 3 // Object.is equality',
        '     ',
        '     - Expected',
        '     + Received',
        '     ',
        '     - 3',
        '     + -1',
        '     at <anonymous> (src/math.test.ts:5)',
        '       5 | expect(add(1, 2)).toBe(3);',
        '   ↓ add > later',
        '   ✓ add > leaves zero',
        ' ✓ test/plain.spec.mjs (1 test)',
        '   ✓ knows the globals',
        '',
        ' Test Files  1 failed | 1 passed (2)',
        '      Tests  1 failed | 2 passed | 1 skipped (4)',
        '',
      ].join('\n'),
    );
    expect(result).toMatchObject({
      display: '{ passed: 2, failed: 1, skipped: 1, failures: [ … 1 … ] }',
      returnCodeInterpretation: '1 test failed',
      rolledBack: false,
    });
  });

  it('returns what failed, and where', async () => {
    const repl = await openRepl({
      'a.test.js':
        "import { test } from 'node:test';\nimport assert from 'node:assert';\ntest('one', () => {\n  assert.equal(1, 2);\n});",
    });
    expect(await repl.value('const { failures } = await runTests(); failures')).toBe(
      [
        '[',
        '  {',
        "    file: 'a.test.js',",
        "    name: 'one',",
        "    message: 'AssertionError: Expected values to be loosely equal:\\n\\n+ actual\\n- expected\\n\\n- 2\\n+ 1',",
        '    line: 4',
        '  }',
        ']',
      ].join('\n'),
    );
  });

  it('takes a file, a glob, a part of a path, or several', async () => {
    const files = ['src/a.test.ts', 'src/b.test.ts', 'lib/a.spec.js'];
    const repl = await openRepl(
      Object.fromEntries(files.map((file) => [file, `it('in ${file}', () => {})`])),
    );
    const ran = async (pattern: string) =>
      [...(await repl.stdout(`await runTests(${pattern})`)).matchAll(/in (\S+)/gu)].map(
        ([, file]) => file,
      );
    expect(await ran('"src/b.test.ts"')).toEqual(['src/b.test.ts']);
    expect(await ran('"**/*.spec.js"')).toEqual(['lib/a.spec.js']);
    expect(await ran('"a."')).toEqual(['lib/a.spec.js', 'src/a.test.ts']);
    expect(await ran('["./lib/", "src/b.test.ts"]')).toEqual(['lib/a.spec.js', 'src/b.test.ts']);
    expect((await repl.run('await runTests("zebra")')).error?.message).toMatch(
      /^No test files found for zebra: a test file is named \*\.test\.\* or \*\.spec\.\*/u,
    );
  });

  it('runs hooks around each test and each suite, in their order', async () => {
    const repl = await openRepl({
      'order.test.js': `
        const log = (word) => () => { console.log(word) };
        beforeAll(log('file')); afterAll(log('/file')); beforeEach(log(' each')); afterEach(log(' /each'));
        describe('s', () => {
          beforeAll(log('suite')); afterAll(log('/suite')); beforeEach(log('  inner')); afterEach(log('  /inner'));
          it('a', log('   a'));
        });
        it('b', log('   b'));`,
    });
    const stdout = await repl.stdout('await runTests()');
    expect(stdout.split('\n').slice(0, 12)).toEqual([
      'file',
      'suite',
      ' each',
      '  inner',
      '   a',
      '  /inner',
      ' /each',
      '/suite',
      ' each',
      '   b',
      ' /each',
      '/file',
    ]);
  });

  it('honours only, skip, todo, fails and each', async () => {
    const repl = await openRepl({
      'only.test.js': `
        it('not this', () => { throw new Error() });
        describe.only('chosen', () => { it('this', () => {}); it.skip('not that', () => {}) });
        describe('other', () => { it.only('this too', () => {}) });`,
      'more.test.js': `
        it.todo('later'); it.fails('is wrong', () => { throw new Error() });
        it.each([[1, 2, 3], [2, 2, 4]])('%i + %i = %i', (a, b, c) => { expect(a + b).toBe(c) });
        it.each([{ n: { v: 'x' } }])('has $n.v', ({ n }) => { expect(n.v).toBe('x') });
        it.each\`a | b
          \${1} | \${2}\`('$a before $b', ({ a, b }) => { expect(a).toBeLessThan(b) });
        describe.skip('never', () => { it('x', () => { throw new Error() }) });`,
    });
    expect(await repl.stdout('await runTests()')).toBe(
      [
        ' ✓ more.test.js (7 tests | 2 skipped)',
        '   ↓ later',
        '   ✓ is wrong',
        '   ✓ 1 + 2 = 3',
        '   ✓ 2 + 2 = 4',
        '   ✓ has x',
        '   ✓ 1 before 2',
        '   ↓ never > x',
        ' ✓ only.test.js (4 tests | 2 skipped)',
        '   ↓ not this',
        '   ✓ chosen > this',
        '   ↓ chosen > not that',
        '   ✓ other > this too',
        '',
        ' Test Files  2 passed (2)',
        '      Tests  7 passed | 4 skipped (11)',
        '',
      ].join('\n'),
    );
  });

  it('waits for suites that await before they declare', async () => {
    const repl = await openRepl({
      'x.test.js': `
        describe('slow', async () => { await null; it('a', () => {}); describe('inner', () => { it('b', () => {}) }) });
        describe('fast', () => { it('c', () => {}) });`,
    });
    expect((await repl.stdout('await runTests()')).split('\n').slice(1, 4)).toEqual([
      '   ✓ slow > a',
      '   ✓ slow > inner > b',
      '   ✓ fast > c',
    ]);
  });

  it('goes on after a file that breaks, and a test that hangs', async () => {
    let time = 1_700_000_000_000;
    const sleep = (milliseconds: number) => Promise.resolve(void (time += milliseconds));
    const repl = await openRepl(
      {
        'a.test.js': 'throw new Error("at load")',
        'b.test.js':
          "it('hangs', () => new Promise(() => {})); it('also hangs', () => new Promise(() => {}), 20); it('works', () => {});",
        'c.test.js': '',
      },
      { now: () => time, sleep },
    );
    const { stdout } = await repl.run('await runTests()', { timeoutMs: 60_000 });
    expect(stdout).toContain(
      ' ❯ a.test.js (1 test | 1 failed)\n   ✗ a.test.js\n     Error: at load\n',
    );
    expect(stdout).toContain('✗ hangs\n     Error: The test timed out in 5000ms.\n');
    expect(stdout).toContain('✗ also hangs\n     Error: The test timed out in 20ms.\n');
    expect(stdout).toContain('   ✓ works\n');
    expect(stdout).toContain('Error: No test found in /work/c.test.js: tests are declared by');
    expect(stdout).toContain('Tests  4 failed | 1 passed (5)');
  });

  it('gives each file modules and globals of its own', async () => {
    const repl = await openRepl({
      'state.js': 'export const state = { n: 0 };',
      'a.test.js':
        "import { state } from './state.js'; it('a', () => { expect(state.n++).toBe(0) });",
      'b.test.js':
        "import { state } from './state.js'; it('b', () => { expect(state.n++).toBe(0) });",
    });
    expect(
      await repl.value('const { passed } = await runTests(); [passed, typeof vi, typeof jest]'),
    ).toBe("[ 2, 'undefined', 'undefined' ]");
  });

  it.each(['vitest', 'node:test', 'bun:test', '@jest/globals'])(
    'serves tests that import %s',
    async (name) => {
      const repl = await openRepl({
        'x.test.ts': `import { describe, it, test, beforeEach } from '${name}';\ndescribe('s', () => { beforeEach(() => {}); it('a', () => {}); test('b', () => {}) });`,
      });
      expect(await repl.stdout('await runTests()')).toContain('Tests  2 passed (2)');
    },
  );
});

describe('node:test', () => {
  it('has subtests that count, and fail the test that started them', async () => {
    const repl = await openRepl({
      'a.test.mjs': [
        "import test from 'node:test';",
        "import assert from 'node:assert';",
        "test('outer', async (t) => {",
        "  await t.test('first', () => {});",
        "  t.test('second', (t) => t.test('inner', () => assert.fail('no')));",
        "  t.test('left out', { skip: true }, () => {});",
        '});',
        "test('skips', (t) => t.skip('not here'));",
        "test(function named(t) { assert.equal(t.name, 'named'); });",
        "test('calls back', (t, done) => { setTimeout(() => done(new Error('late')), 1); });",
      ].join('\n'),
    });
    expect(
      await repl.value('const report = await runTests(); [report.passed, report.skipped]'),
    ).toBe('[ 2, 2 ]');
    expect(
      await repl.value('report.failures.map(({ name, message }) => name + ": " + message)'),
    ).toBe(
      [
        '[',
        "  'outer > second > inner: AssertionError: no',",
        "  'outer > second: Error: 1 subtest failed',",
        "  'outer: Error: 1 subtest failed',",
        "  'calls back: Error: late'",
        ']',
      ].join('\n'),
    );
  });

  it('plans its assertions and subtests, and has a signal that ends with the test', async () => {
    const repl = await openRepl({
      'a.test.mjs': `import test from 'node:test'; let signal;
        test('keeps it', async (t) => { t.plan(3); t.assert.ok(true); t.assert.equal(1, 1); await t.test('sub', () => {}); signal = t.signal; t.assert.ok.name; });
        test('was ended', (t) => { t.assert.equal(signal.aborted, true); t.assert.equal(t.signal.aborted, false); });
        test('has too few', (t) => { t.plan(2); t.assert.ok(true); });`,
    });
    const { stdout } = await repl.run('await runTests()');
    expect(stdout).toContain(
      '✗ has too few\n     Error: plan expected 2 assertions but received 1',
    );
    // Subtests are none of the cell's own tests.
    expect(stdout).toMatch(/Tests {2}1 failed \| 3 passed \(4\)\n$/u);
  });

  it("has mock functions in Node's own shape", async () => {
    const repl = await openRepl();
    await repl.run(
      "import { mock } from 'node:test'; const add = mock.fn((a, b) => a + b); add(1, 2);",
    );
    expect(await repl.value('[add.mock.callCount(), add.mock.calls[0].arguments]')).toBe(
      '[ 1, [ 1, 2 ] ]',
    );
    await repl.run(
      "const target = { size: () => 1 }; const spy = mock.method(target, 'size', () => 2)",
    );
    expect(await repl.value('[target.size(), spy.mock.restore(), target.size()]')).toBe(
      '[ 2, undefined, 1 ]',
    );
    expect((await repl.run("mock.module('fs')")).error?.message).toMatch(
      /^mock\.module isn't available in this test runner/u,
    );
  });
});

describe('a cell that declares tests', () => {
  it('runs them when its own code is done, and goes on with its variables', async () => {
    const repl = await openRepl({});
    const code = [
      'const add = (a, b) => a + b;',
      "describe('add', () => {",
      '  let sum = 0;',
      '  beforeEach(() => { sum = add(1, 2); });',
      "  it('adds', async () => expect(sum).toBe(3));",
      "  test('is told what went wrong', () => expect(sum).toBe(4));",
      '});',
    ].join('\n');
    const result = await repl.run(code);
    expect(result.stdout).toBe(
      [
        ' ❯ this cell (2 tests | 1 failed)',
        '   ✓ add > adds',
        '   ✗ add > is told what went wrong',
        '     AssertionError: expected 3 to be 4 // Object.is equality',
        '     ',
        '     - Expected',
        '     + Received',
        '     ',
        '     - 4',
        '     + 3',
        '     at <anonymous> (cell-1:6)',
        "       6 | test('is told what went wrong', () => expect(sum).toBe(4));",
        '',
        '      Tests  1 failed | 1 passed (2)',
        '',
      ].join('\n'),
    );
    expect(result).toMatchObject({ returnCodeInterpretation: '1 test failed', rolledBack: false });
    // The tests of one cell are not run again by the next.
    expect((await repl.run('add(2, 2)')).stdout).toBe('');
    expect(await repl.value('const it = 5; it')).toBe('5');
  });
});
