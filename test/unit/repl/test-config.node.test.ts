// What a project's config says of its tests, and a DOM that is jsdom's.
import { expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

async function testsOf(files: Readonly<Record<string, string>>): Promise<string> {
  const repl = await openRepl(files);
  return (await repl.run('await runTests()', { timeoutMs: 60_000 })).stdout;
}

const matcher =
  "import { beforeEach, expect } from 'vitest'; expect.extend({ toBeOdd: (n) => ({ pass: n % 2 === 1, message: () => 'even' }) }); beforeEach(() => { globalThis.count = (globalThis.count ?? 0) + 1; });";
const asks = "it('is set up', () => { expect(3).toBeOdd(); expect(globalThis.count).toBe(1); });";

it.each([
  [
    'a path in a config of vitest, from its folder',
    {
      'app/vitest.config.ts':
        "export default { test: { /* setupFiles: ['./none'] */ setupFiles: ['./test/setup.ts'] } }; // setupFiles: './nor'",
      'app/test/setup.ts': matcher,
      'app/src/a.test.ts': asks,
    },
  ],
  [
    'one without dots, and a package',
    {
      'vite.config.mts':
        "export default { test: { setupFiles: [\n  'odd/setup',\n  `first.ts`,\n] } };",
      'first.ts': '',
      'node_modules/odd/setup.js': matcher,
      'a.test.ts': asks,
    },
  ],
  [
    'by the root of jest',
    {
      'jest.config.cjs':
        "module.exports = { testEnvironment: 'node', setupFilesAfterEnv: ['<rootDir>/setup.js'] };",
      'setup.js': matcher,
      'a.test.js': asks,
    },
  ],
  [
    'in package.json',
    {
      'package.json': '{ "jest": { "setupFiles": ["./setup.js"] } }',
      'setup.js': matcher,
      'a.test.js': asks,
    },
  ],
])('runs the setup files before each test file: %s', async (_how, files) => {
  expect(await testsOf(files)).toContain('Tests  1 passed (1)');
});

it.each([
  [
    'vite.config.ts',
    `export default { build: { rollupOptions: { output: { globals: { vue: 'Vue' } } } }, define: { __DEV__: true, 'process.env.MODE': '"odd"', __VERSION__: JSON.stringify('1.2'), __N__: 3, __CODE__: 'location.href', __TEXT__: '"a, b"' } };`,
    `typeof vue === 'undefined' && __DEV__ === true && process.env.MODE === 'odd' && __VERSION__ === '1.2' && __N__ === 3 && typeof __CODE__ === 'undefined' && __TEXT__ === 'a, b'`,
  ],
  [
    'jest.config.js',
    "module.exports = { globals: { __DEV__: false, NAME: 'x' } };",
    "__DEV__ === false && NAME === 'x'",
  ],
  ['package.json', '{ "jest": { "globals": { "LIST": [1] } } }', 'LIST[0] === 1'],
])('defines for its tests what %s defines by literals', async (config, text, holds) => {
  const files = {
    [`app/${config}`]: text,
    'app/packages/one/package.json': '{ "name": "one" }',
    'app/packages/one/a.test.js': `it('has them', () => { expect(${holds}).toBe(true); });`,
    'b.test.js':
      "it('has none', () => { expect(typeof __DEV__ + typeof LIST).toBe('undefinedundefined'); });",
  };
  expect(await testsOf(files)).toContain('Tests  2 passed (2)');
});

const projectTests = {
  'unit/a.test.js':
    "it('a', () => expect([globalThis.unit, globalThis.dom]).toEqual([1, undefined]));",
  'dom/b.test.js':
    "it('b', () => expect([globalThis.unit, globalThis.dom]).toEqual([undefined, 1]));",
  'set.js': 'globalThis.unit = 1;',
  'test/dom.js': 'globalThis.dom = 1;',
};

it.each([
  [
    'vitest.config.ts',
    `import { resolve } from 'node:path';
    export default defineConfig({ test: { projects: [
      'packages/*',
      { test: { include: ['{unit,dom}/**/*.test.[jt]s'], exclude: ['dom/**'], setupFiles: './set.js' } }, // don't
      { extends: true, test: { name: 'dom', include: ['dom/**/*.test.js'] } },
    ], setupFiles: [resolve(__dirname, 'test/dom.js')] } });`,
  ],
  [
    'package.json',
    JSON.stringify({
      jest: {
        projects: [
          { testMatch: ['<rootDir>/dom/**'], setupFiles: ['./test/dom.js'] },
          { setupFilesAfterEnv: ['<rootDir>/set.js'] },
        ],
      },
    }),
  ],
])('takes for each file its project of %s', async (config, text) => {
  expect(await testsOf({ ...projectTests, [config]: text })).toContain('Tests  2 passed (2)');
});

it('has the env of a config', async () => {
  const stdout = await testsOf({
    'vite.config.js': "export default { test: { env: { PLACE: 'here', N: 1 } } };",
    'a.test.js': "it('a', () => expect(process.env.PLACE + process.env.N).toBe('here1'));",
  });
  expect(stdout).toContain('Tests  1 passed (1)');
});

it('says which setup file is missing', async () => {
  const stdout = await testsOf({
    'vitest.config.ts': "export default { test: { setupFiles: './gone.ts' } };",
    'a.test.ts': asks,
  });
  expect(stdout).toContain("Cannot find module './gone.ts', imported from /work/vitest.config.ts");
});

it('takes jsdom where that is asked for and happy-dom is not installed', async () => {
  const stdout = await testsOf({
    'node_modules/jsdom/package.json': '{ "main": "i.js" }',
    'node_modules/jsdom/late.js':
      "const { JSDOM } = require('jsdom'); exports.of = (window) => (JSDOM.opened.includes(window) ? 'own ' : 'other ');",
    'node_modules/jsdom/i.js': `
      class Window { closed = false; close() { this.closed = true; } say() { return require('./late.js').of(this) + this.document.title; } }
      exports.VirtualConsole = class { forwardTo(to) { this.to = to; } };
      exports.JSDOM = class {
        constructor(html, { url, virtualConsole }) {
          const window = (this.window = new Window());
          Object.assign(window, { document: { title: html, URL: url }, said: typeof virtualConsole.to.log });
          (exports.JSDOM.opened ??= []).push(window);
        }
      };`,
    'package.json': '{ "jest": { "testEnvironment": "jsdom" } }',
    'a.test.js':
      "it('has it', () => { expect([document.title, document.URL, say(), said, document.defaultView === window]).toEqual(['<!DOCTYPE html>', 'http://localhost:3000/', 'own <!DOCTYPE html>', 'function', true]); });",
    'b.test.js': "it('has its own', () => expect(require('jsdom').JSDOM.opened).toBeUndefined());",
  });
  expect(stdout).toContain('Tests  2 passed (2)');
});

it('finds modules by the aliases of a bundler’s config', async () => {
  const repl = await openRepl({
    'vite.config.js':
      "import path from 'node:path';\nexport default defineConfig({ resolve: { alias: { '@': path.resolve(__dirname, 'src') } } });",
    'src/add.js': 'export const add = (a, b) => a + b;',
    'src/add.test.js':
      "import { expect, it, vi } from 'vitest'; import { add } from '@/add'; it('adds', () => { expect(add(1, 2)).toBe(3); });",
  });
  expect((await repl.run('await runTests()')).stdout).toContain('1 passed');
  expect(await repl.value("import { add } from '@/add.js'; add(2, 2)")).toBe('4');
});
