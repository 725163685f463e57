// What suites of real projects ask of runTests: hooks that skip, files that change Node's modules, helpers.
import { describe, expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

describe('runTests over suites', () => {
  it('skips a suite whose hook skips, and fails all below one whose hook fails', async () => {
    const repl = await openRepl({
      'a.test.js': [
        "describe('no window', () => {",
        '  before(function () { this.skip(); });',
        "  it('a', () => {});",
        "  describe('in', () => { before(() => console.log('never')); it('b', () => {}); });",
        '});',
        "describe('broken', () => {",
        "  before(() => { throw new Error('no database'); });",
        "  describe('in', () => { before(() => console.log('never')); it('c', () => {}); });",
        '});',
      ].join('\n'),
    });
    expect(await repl.stdout('await runTests()')).toBe(
      [
        ' ❯ a.test.js (3 tests | 1 failed | 2 skipped)',
        '   ↓ no window > a',
        '   ↓ no window > in > b',
        '   ✗ broken > in > c',
        '     Error: no database',
        '     at <anonymous> (a.test.js:7)',
        "       7 | before(() => { throw new Error('no database'); });",
        '',
        ' Test Files  1 failed (1)',
        '      Tests  1 failed | 2 skipped (3)',
        '',
      ].join('\n'),
    );
  });

  it("puts Node's modules, process and its env back after each file", async () => {
    const repl = await openRepl({
      'a.test.js': [
        "const fs = require('fs');",
        "it('patches', () => {",
        "  fs.readFileSync = () => 'patched';",
        "  require('timers/promises').setTimeout = () => new Promise(() => {});",
        '  process.env.LEFT = 1;',
        "  process.env = { OTHER: '2' };",
        "  Object.defineProperty(process, 'platform', { value: 'win32' });",
        '});',
      ].join('\n'),
      'b.test.js': [
        "const fs = require('fs');",
        "it('finds all as ever', async () => {",
        "  await require('timers/promises').setTimeout(1);",
        "  const found = [fs.readFileSync('b.test.js', 'utf8').length > 9, process.env.LEFT, process.env.OTHER];",
        '  expect(found).toEqual([true, undefined, undefined]);',
        "  expect(process.platform).not.toBe('win32');",
        '});',
      ].join('\n'),
    });
    expect(await repl.value('await runTests()')).toBe(
      '{ passed: 2, failed: 0, skipped: 0, failures: [] }',
    );
  });

  it('ends what a file hears of process with the file', async () => {
    const repl = await openRepl({
      'a.test.js':
        "it('hears', () => { process.on('exit', () => console.log('a ends')); process.on('unhandledRejection', () => {}); });",
      'b.test.js':
        "it('hears nothing', () => { console.log('b begins'); expect(process.eventNames()).toEqual([]); });",
    });
    const stdout = await repl.stdout(
      "process.on('exit', () => console.log('the cell ends')); await runTests()",
    );
    expect(stdout).toMatch(/^a ends\n[^]*\nb begins\n[^]*2 passed \(2\)\nthe cell ends\n$/);
  });

  it.each([
    ['test/**/*.[jt]s', 3],
    ['test/*.?(c|m)js', 1],
    ['**/+(a|b).ts', 1],
    ['test/*', 3],
  ])('runs the files of %s', async (glob, count) => {
    const repl = await openRepl({
      'test/a.js': "it('a', () => {});",
      'test/in/b.ts': "it('b', () => {});",
      'test/in/c.js': "it('c', () => {});",
      'd.ts': "it('d', () => {});",
    });
    expect(await repl.value(`(await runTests('${glob}')).passed`)).toBe(String(count));
  });

  it('refuses a glob of too many parts that may be left out', async () => {
    const repl = await openRepl({ 'a.test.js': '' });
    const { error } = await repl.run("await runTests('?(a)'.repeat(7))");
    expect(error?.message).toContain('The glob has more than 6 parts such as ?(a|b)');
  });

  it('goes back to its directory after a file that has left it', async () => {
    const repl = await openRepl({
      'a.test.js': "it('goes', () => { fs.mkdirSync('/work/in'); process.chdir('/work/in'); });",
      'b.test.js': "it('is here', () => expect(process.cwd()).toBe('/work'));",
    });
    expect(await repl.value('await runTests()')).toBe(
      '{ passed: 2, failed: 0, skipped: 0, failures: [] }',
    );
  });

  it('gives 30 s to the tests of every file that imports node:test', async () => {
    const late = [
      "import { test } from 'node:test';",
      "test('late', () => new Promise((done) => setTimeout(done, 6000)));",
    ].join('\n');
    let time = 0;
    const repl = await openRepl(
      { 'a.test.js': late, 'b.test.js': late },
      {
        now: () => 0,
        guestNow: () => time,
        sleep: async (milliseconds) => void (time += milliseconds),
      },
    );
    expect(await repl.value('await runTests()')).toBe(
      '{ passed: 2, failed: 0, skipped: 0, failures: [] }',
    );
  });

  it('passes over helpers that a glob matches, and tells what it looks for if there is no test', async () => {
    const repl = await openRepl({
      'test/a.js': "it('runs', () => {});",
      'test/helper.js': 'module.exports = 1;',
    });
    expect(await repl.stdout("await runTests('test/*.js')")).toBe(
      [
        ' ✓ test/a.js (1 test)',
        '   ✓ runs',
        '   test/helper.js (no tests)',
        '',
        ' Test Files  1 passed (1)',
        '      Tests  1 passed (1)',
        '',
      ].join('\n'),
    );
    const none =
      'No test found in these files: tests are declared by it or test, of vitest, jest, mocha, node:test or bun:test.';
    expect((await repl.run("await runTests('test/h*.js')")).error?.message).toBe(none);
    expect(await repl.stdout("await runTests('test/helper.js')")).toContain(
      none.replace('these files', '/work/test/helper.js'),
    );
  });

  it('spies on accessors that are inherited, and on values as if they were accessors', async () => {
    const repl = await openRepl({
      'a.test.js': [
        "import { expect, it, vi } from 'vitest';",
        "class Page { get state() { return 'visible' } }",
        'const page = new Page();',
        'const at = { place: 1 };',
        "it('spies', () => {",
        "  const spies = [vi.spyOn(page, 'state', 'get'), vi.spyOn(at, 'place', 'get')];",
        "  expect([page.state, at.place]).toEqual(['visible', 1]);",
        '  for (const spy of spies) spy.mockReturnValue(0);',
        '  expect([page.state, at.place, spies[0].mock.calls.length]).toEqual([0, 0, 2]);',
        '  vi.restoreAllMocks();',
        "  expect([page.state, at.place, Object.keys(page)]).toEqual(['visible', 1, []]);",
        '});',
      ].join('\n'),
    });
    expect(await repl.value('await runTests()')).toContain('failed: 0');
  });

  it("tells a test's own listeners of what nobody has caught", async () => {
    const repl = await openRepl({
      'a.test.js': [
        'const heard = [];',
        "it('hears', async () => {",
        "  process.on('unhandledRejection', (reason) => heard.push(reason.message));",
        "  process.on('uncaughtException', (error) => heard.push(error.message));",
        "  Promise.reject(new Error('rejected'));",
        "  setTimeout(() => { throw new Error('thrown') });",
        '  await new Promise((done) => setTimeout(done, 5));',
        "  expect(heard).toEqual(['rejected', 'thrown']);",
        "  process.removeAllListeners('unhandledRejection').removeAllListeners('uncaughtException');",
        '});',
        "it('fails without them', async () => { Promise.reject(new Error('lost')); await new Promise((done) => setTimeout(done, 1)); });",
      ].join('\n'),
    });
    const stdout = await repl.stdout('await runTests()');
    expect(stdout).toContain('Tests  1 failed | 1 passed (2)');
    expect(stdout).toContain('Error: lost');
  });
});
