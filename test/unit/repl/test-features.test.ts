// What projects' tests use of vitest besides describe, it and expect's matchers.
import { expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

const head =
  "import { beforeAll, beforeEach, describe, expect, it, test, vi } from 'vitest';\nconst log = [];\n";

async function stdoutOf(code: string): Promise<string> {
  const repl = await openRepl({ 'a.test.ts': head + code });
  return (await repl.run('await runTests()')).stdout;
}

it.each([
  [
    'hooks may return what ends them',
    "describe('in', () => { beforeAll(() => { log.push('all'); return () => log.push('end'); }); beforeEach(() => { log.push('in'); return () => log.push('out'); }); it('a', () => {}); it('b', () => {}); }); it('c', () => expect(log).toEqual(['all', 'in', 'out', 'in', 'out', 'end']));",
  ],
  [
    'test.extend makes what a test takes, and ends it in the other order',
    "const own = test.extend({ n: async ({}, use) => { log.push('n+'); await use(5); log.push('n-'); }, list: async ({ n }, use) => { log.push('list+'); await use([n]); log.push('list-'); }, plain: 'p', unused: async ({}, use) => { log.push('never'); await use(0); }, watch: [async ({}, use) => { log.push('auto'); await use(); }, { auto: true }] }); own('has', ({ list, plain, task }) => { expect([list, plain, task.name]).toEqual([[5], 'p', 'has']); log.push('test'); }); it('is over', () => expect(log).toEqual(['auto', 'n+', 'list+', 'test', 'list-', 'n-'])); const more = own.extend({ n: async ({ n }, use) => use(n + 1) }); more('goes on', ({ n }) => expect(n).toBe(6)); own.skip('skipped', ({ n }) => {});",
  ],
  [
    'a test is tried again',
    "let tries = 0; it('third time', { retry: 2 }, () => expect((tries += 1)).toBe(3));",
  ],
  [
    'expect.soft goes on',
    "it.fails('is told at the end', () => { expect.soft(1).toBe(2); expect.soft(1).not.toBe(1); log.push('on'); }); it('went on', () => expect(log).toEqual(['on']));",
  ],
  [
    'mock functions know what became of promises, and which was called first',
    "it('does', async () => { const one = vi.fn(async () => 3).mockName('one'); const other = vi.fn(); await one(); other(); expect(one).toHaveResolvedWith(3); expect(one).toHaveResolvedTimes(1); expect(one).toHaveBeenCalledBefore(other); expect(other).toHaveBeenCalledAfter(one); expect(other).not.toHaveBeenCalledBefore(one); expect(one.getMockName()).toBe('one'); expect(one.mock.settledResults).toEqual([{ type: 'fulfilled', value: 3 }]); other.mockReturnValue(1)(); expect(other).toHaveLastReturnedWith(1); expect(other).toHaveNthReturnedWith(1, undefined); other.withImplementation(() => 2, () => expect(other()).toBe(2)); expect(other()).toBe(1); });",
  ],
  [
    'mock functions make objects',
    "it('does', () => { const Make = vi.fn(function () { this.x = 1; }); const made = new Make(); expect(made.x).toBe(1); expect(made).toBeInstanceOf(Make); expect(Make.mock.instances[0]).toBe(made); class Real { y = 2; get() { return this.y; } } const Mock = vi.fn(Real); expect(new Mock().get()).toBe(2); expect(new Mock()).toBeInstanceOf(Real); const Arrow = vi.fn(() => ({ z: 3 })); expect(new Arrow().z).toBe(3); });",
  ],
  [
    'expect.extend adds matchers, in values and asynchronous ones too',
    "expect.extend({ toBeFoo(received) { return { pass: received === 'foo', message: () => String(this.isNot) }; }, async toBeLate(received) { await null; return { pass: received === 'late', message: () => 'early' }; } }); it('does', async () => { expect('foo').toBeFoo(); expect('bar').not.toBeFoo(); expect({ a: 'foo' }).toEqual({ a: expect.toBeFoo() }); await expect('late').toBeLate(); await expect(expect('x').toBeLate()).rejects.toThrow('early'); expect('x').toEqual(expect.toSatisfy((value) => value === 'x')); });",
  ],
  [
    'hooks have the context of their test',
    "beforeEach((given) => { given.n = given.task.name.length; given.onTestFinished(() => log.push('finished')); }); it('one', ({ n }) => { log.push('test'); expect(n).toBe(3); }); it('two', () => expect(log).toEqual(['test', 'finished']));",
  ],
  [
    'a test knows that it is one',
    "describe('s', () => it('is', () => { expect(expect.getState()).toMatchObject({ currentTestName: 's > is', testPath: '/work/a.test.ts' }); expect(import.meta.env.MODE).toBe('test'); expect(process.env.NODE_ENV).toBe('test'); vi.stubEnv('VITE_KEY', 'k'); expect(import.meta.env.VITE_KEY).toBe('k'); }));",
  ],
])('%s', async (_what, code) => {
  const stdout = await stdoutOf(code);
  expect(stdout).toMatch(/Tests {2}\d+ passed(?: \| 1 skipped)? \(\d+\)/u);
});

it.each([
  ["it('is', () => { expect.soft(1).toBe(2); expect.soft(3).toBe(4); });", 'expected 3 to be 4'],
  ["it('is', { retry: 1 }, () => expect(log.push(1)).toBe(3));", 'expected 2 to be 3'],
  ["test.extend({ n: async () => {} })('is', ({ n }) => {});", "'n' didn't call use()"],
  [
    "test.extend({ n: [async ({}, use) => use(1), { scope: 'file' }] })('is', ({ n }) => {});",
    "the scope 'file': here each test makes its own",
  ],
  [
    "expect.extend({ async toBeLate() { return { pass: false, message: () => 'early' }; } }); it('is', async () => { await expect(1).toBeLate(); });",
    '(toBeLate): early',
  ],
])('says what failed: %s', async (code, message) => {
  const stdout = await stdoutOf(code);
  expect(stdout).toContain(message);
  expect(stdout).toContain('Tests  1 failed (1)');
});

it('leaves process.env as it was', async () => {
  const repl = await openRepl({ 'a.test.ts': "it('is', () => {});" });
  expect(await repl.value('await runTests(); [process.env.NODE_ENV, process.env.VITEST]')).toBe(
    '[ undefined, undefined ]',
  );
});

it('runs what was written for mocha and for jest, with their globals and callbacks', async () => {
  const repl = await openRepl({
    'test/mocha.js': `
      const assert = require('assert');
      describe('old', function () {
        this.timeout(20);
        let made;
        before((done) => setTimeout(() => { made = 1; done(); }, 1));
        after(function () { assert.equal(made, 1); });
        context('in', () => { specify('has what was made before', () => assert.equal(made, 1)); });
        it('calls back', function (done) { this.timeout(500).slow(10); setTimeout(done, 40); });
        it('calls back with an error', (done) => { done(new Error('told')); });
        it('never calls back', (cb) => {});
        it('skips itself', function () { this.skip(); });
        xit('is left out', () => {});
      });`,
    'jest.test.js': `
      beforeEach((done) => { globalThis.ready = true; done(); });
      test('calls back', (done) => { expect(ready).toBe(true); setTimeout(done, 1); });
      test('fails by its callback', (done) => { done.fail(new Error('failed')); });
      test('throws before', (done) => { throw new Error('thrown'); });
      xtest('is left out', () => {});
      it('has a context as vitest gives it', (given) => { expect(given.task.name).toContain('context'); });`,
  });
  const mocha = await repl.run("const { failures } = await runTests('test/**/*.js'); failures");
  expect(mocha.value).toMatchObject([
    { name: 'old > calls back with an error', message: 'Error: told' },
    { name: 'old > never calls back', message: 'Error: The test timed out in 20ms.' },
  ]);
  expect(mocha.stdout).toContain('2 failed | 2 passed | 2 skipped (6)');
  const jest = await repl.run('const result = await runTests(); result.failures');
  expect(jest.value).toMatchObject([
    { name: 'fails by its callback', message: 'Error: failed' },
    { name: 'throws before', message: 'Error: thrown' },
  ]);
  expect(jest.stdout).toContain('2 failed | 2 passed | 1 skipped (5)');
});

it('goes on after an error that no test has caught: it is the failure of the one that ran', async () => {
  const code = `
    const { it } = require('node:test');
    for (const later of [process.nextTick, queueMicrotask, setTimeout, (run) => require('fs').stat('.', run)])
      it('fails', (_, done) => { later(() => { throw new Error('thrown'); }); });
    it('runs', () => {});`;
  const repl = await openRepl({ 'a.test.cjs': code });
  const { value } = await repl.run(
    'const { passed, failures } = await runTests(); [passed, failures]',
  );
  const failure = { file: 'a.test.cjs', name: 'fails', message: 'Error: thrown', line: 4 };
  expect(value).toEqual([1, Array(4).fill(failure)]);
});

it('leaves nothing of a file behind: neither its globals nor its spies', async () => {
  const repl = await openRepl({
    'a.test.ts':
      "import { it, vi } from 'vitest'; it('is', () => { vi.spyOn(console, 'log').mockImplementation(() => {}); globalThis.left = 1; Object.defineProperty(globalThis, 'crypto', { value: undefined }); });",
  });
  const code = "await runTests(); console.log('shown'); [typeof left, typeof crypto]";
  const { stdout, value } = await repl.run(code);
  expect(stdout).toContain('shown');
  expect(value).toEqual(['undefined', 'object']);
});

it("shares mocha's this: a suite's hooks and tests have what the suites around it have set", async () => {
  const repl = await openRepl({
    'a.test.cjs': `
      const { equal } = require('assert');
      before(function () { this.outer = 1; });
      describe('in', function () {
        before(function () { this.inner = this.outer + 1; });
        afterEach(function () { equal(this.currentTest.title, 'has both'); });
        it('has both', function () { equal(this.inner + this.outer, 3); });
      });
      it('has its own', function () { equal(this.inner, undefined); });`,
  });
  expect(await repl.value('await runTests()')).toContain('passed: 2, failed: 0');
});

it("ends a test's mocks of node:test with the test", async () => {
  const repl = await openRepl({
    'a.test.mjs': `
      import test, { beforeEach, mock } from 'node:test';
      import { equal } from 'node:assert';
      const one = { get: () => 1 };
      const other = { ...one };
      let spy;
      beforeEach((t) => { spy = t.mock.method(one, 'get', () => 2); });
      for (const name of ['first', 'second']) test(name, () => { equal(one.get(), 2); equal(spy.mock.calls[0].result, 2); });
      test.describe('others', () => {
        test.before(() => { equal(one.get(), 1); });
        test('in time', (t) => { t.mock.timers.enable({ apis: ['Date'], now: 5 }); equal(Date.now(), 5); });
        test('after it', () => { equal(Date.now() > 5, true); test.mock.method(other, 'get', () => 3); equal(other.get(), 3); mock.reset(); equal(other.get(), 1); });
      });`,
  });
  expect(await repl.value('await runTests()')).toContain('passed: 4, failed: 0');
});

it("finds jest's tests in __tests__, where no file has the name of a test", async () => {
  const repl = await openRepl({
    '__tests__/sum.js': "test('is', () => {});",
    '__tests__/in/a.tsx': "test('is', () => {});",
    '__tests__/__snapshots__/sum.js.snap': '',
    'src/sum.js': '',
  });
  const { stdout } = await repl.run('await runTests()');
  expect(stdout).toContain('Test Files  2 passed (2)');
});

it("finds mocha's tests in test, where no file has the name of a test", async () => {
  const repl = await openRepl({
    'lib/test/sum.js': "it('is', () => {});",
    'lib/test/helpers/tell.js': "throw new Error('ran')",
    'lib/sum.js': '',
  });
  expect((await repl.run('await runTests()')).stdout).toContain('Test Files  1 passed (1)');
});

it("gives vitest's globals, what a test knows of itself, and what a module has of its file", async () => {
  const repl = await openRepl({
    'sub/a.test.ts': `
      beforeEach(({ task, skip }) => { if (task.suite?.name === 'in' && task.suite.suite?.name === 'out') skip(); });
      let told = '';
      describe('out', () => {
        describe('in', () => { it('is skipped', () => { throw new Error('ran'); }); });
        it.fails('fails', () => { onTestFailed(({ task }) => { told += task.name + task.result.state; }); onTestFinished(() => { told += '!'; }); throw new Error('no'); });
        it('passes', ({ onTestFailed }) => { onTestFailed(() => { told = 'wrong'; }); expectTypeOf(1).toEqualTypeOf<number>(); assertType<number>(1); expect(told).toBe('failsfail!'); });
      });
      it('has its folder', () => { expect([__dirname, __filename, typeof import.meta]).toEqual(['/work/sub', '/work/sub/a.test.ts', 'object']); });`,
  });
  const { stdout } = await repl.run('await runTests()');
  expect(stdout).toContain('Tests  3 passed | 1 skipped (4)');
});

it('fails a test by a rejection that nobody handles, and none by one that is handled later', async () => {
  const repl = await openRepl({
    'a.test.ts': `
      import http from 'node:http';
      const sleep = () => new Promise((resolve) => setTimeout(resolve));
      it('rejects', async () => { void Promise.reject(new Error('lost')); await sleep(); });
      it('handles', async () => { const late = (async () => { throw new Error('kept'); })(); await null; await expect(late).rejects.toThrow('kept'); await sleep(); });
      it('listens', async () => { const server = http.createServer(); server.closeAllConnections = null; await new Promise((resolve) => server.listen(0, resolve)); });
      it('is over', () => { void Promise.reject(new Error('at the end')); });`,
  });
  const { stdout } = await repl.run('await runTests()');
  expect(stdout).toContain('✗ rejects\n     Error: lost\n');
  expect(stdout).toContain('Error: at the end\n');
  expect(stdout).toContain('Tests  2 failed | 3 passed (5)');
});

it("takes Mocha's functions as a module, and its chain behind a test", async () => {
  const repl = await openRepl({
    'a.test.ts': `
      import { describe, it, before, specify } from 'mocha';
      import assert from 'node:assert';
      let n = 0;
      before(() => { n += 1; });
      describe('has', () => { it('hooks', () => assert.equal(n, 1)).timeout(100); specify('names', function () { this.timeout(50); }); }).timeout(20);
      it('is late', () => new Promise(() => {})).timeout(5);`,
  });
  const { stdout } = await repl.run('await runTests()');
  expect(stdout).toContain('The test timed out in 5ms.');
  expect(stdout).toContain('Tests  1 failed | 2 passed (3)');
});

it("says what chai's expect says, by the project's own chai", async () => {
  const test =
    "it('is', () => { expect.assertions(3); expect(3).equal(3); expect(1).to.be(1); expect(2).not.to.be(1); }); it('fails', () => { expect(1, 'one').to.be(2); });";
  const own =
    'export const expect = (a, note) => { const words = (not) => ({ equal(b) { this.to.be(b); }, to: { be(b) { if ((a === b) === not) throw new Error(`${note}: not ${b}`); } } }); return { ...words(false), not: words(true) }; };';
  const repl = await openRepl({
    'a.test.ts': test,
    'node_modules/chai/package.json': '{ "type": "module", "main": "index.js" }',
    'node_modules/chai/index.js': own,
  });
  const { stdout } = await repl.run('await runTests()');
  expect(stdout).toContain('Error: one: not 2\n');
  expect(stdout).toContain('Tests  1 failed | 1 passed (2)');
  const without = await openRepl({ 'a.test.ts': test });
  expect((await without.run('await runTests()')).stdout).toContain(
    'expect(…).to is of the package chai: add chai to the devDependencies and have it installed, or use toBe and its like.',
  );
});
