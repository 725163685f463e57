// Packages that have an ES module for `import` and CommonJS for `require`, as Node and bundlers tell them apart.
import { expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

const manifest = (fields: object) => JSON.stringify(fields);

const packages = {
  'node_modules/dual/package.json': manifest({
    exports: { import: './i.mjs', require: './r.cjs' },
  }),
  'node_modules/dual/i.mjs': 'export default () => "imported"; export const named = 1;',
  'node_modules/dual/r.cjs': 'module.exports = () => "required";',
  'node_modules/late/package.json': manifest({
    exports: { '.': { require: './r.cjs', default: './i.mjs' } },
  }),
  'node_modules/late/i.mjs': 'export default () => "imported";',
  'node_modules/late/r.cjs': 'module.exports = () => "required";',
  'node_modules/old/package.json': manifest({ main: 'r.js', module: 'i.js' }),
  'node_modules/old/i.js': 'export default () => "imported";',
  'node_modules/old/r.js': 'module.exports = () => "required";',
};

it('gives import what a package has for it, and require the other', async () => {
  const repl = await openRepl({
    ...packages,
    'node_modules/user/package.json': manifest({ main: 'r.js' }),
    'node_modules/user/r.js': 'module.exports = require("dual")();',
    'made.mjs':
      'import { createRequire } from "module";\nexport const said = createRequire(import.meta.url)("dual")();',
  });
  expect(
    await repl.value(
      "import dual from 'dual'; import late from 'late'; import old from 'old'; [dual(), late(), old(), (await import('dual')).named]",
    ),
  ).toBe("[ 'imported', 'imported', 'required', 1 ]");
  expect(
    await repl.value(
      "[...['dual', 'late', 'old'].map((name) => require(name)()), require('user'), (await import('./made.mjs')).said, require.resolve('old')]",
    ),
  ).toBe(
    "[\n  'required',\n  'required',\n  'required',\n  'required',\n  'required',\n  '/work/node_modules/old/r.js'\n]",
  );
});

it('has a package once that names a module for bundlers, as Node has it', async () => {
  const repl = await openRepl({
    'node_modules/classes/package.json': manifest({ main: 'r.js', module: 'i.js' }),
    'node_modules/classes/i.js': 'export class Schema {}',
    'node_modules/classes/r.js': 'exports.Schema = class {};',
    'node_modules/makes/package.json': manifest({ main: 'r.js' }),
    'node_modules/makes/r.js': "exports.make = () => new (require('classes').Schema)();",
    'node_modules/bundled/package.json': manifest({ module: 'i.js' }),
    'node_modules/bundled/i.js': 'export const only = 1;',
  });
  expect(
    await repl.value(
      "import all, { Schema } from 'classes'; import { make } from 'makes'; import { only } from 'bundled'; [make() instanceof Schema, all.Schema === Schema, only]",
    ),
  ).toBe('[ true, true, 1 ]');
});

it('takes what there is where a package has nothing for one of them', async () => {
  const repl = await openRepl({
    'node_modules/i/package.json': manifest({ exports: { '.': { import: './i.mjs' } } }),
    'node_modules/i/i.mjs': 'export const a = 1;',
    'node_modules/r/package.json': manifest({ exports: { '.': { require: './r.cjs' } } }),
    'node_modules/r/r.cjs': 'exports.b = 2;',
  });
  expect(await repl.value("import { b } from 'r'; [require('i').a, b]")).toBe('[ 1, 2 ]');
});

it('lets code made for CommonJS find the default of an ES module, and one name its own exports', async () => {
  const repl = await openRepl({
    'only.mjs': 'export default (a) => a + 1;',
    'own.mjs': 'const own = () => "own"; export default own; export { own as "module.exports" };',
    'plain.mjs': 'export const a = 1;',
    'made.cjs':
      'const only = require("./only.mjs"); const taken = only && only.__esModule ? only : { default: only };\nmodule.exports = [(0, taken.default)(1), require("./own.mjs")(), require("./plain.mjs").__esModule, require("./only.mjs") === only];',
  });
  expect(await repl.value("require('./made.cjs')")).toBe("[ 2, 'own', undefined, true ]");
});

it('replaces a module of both for whoever asks', async () => {
  const repl = await openRepl({
    ...packages,
    'uses.cjs': 'exports.ask = () => require("dual");',
    'uses.test.mjs': [
      "import { expect, it, vi } from 'vitest';",
      "import { ask } from './uses.cjs';",
      "import dual from 'dual';",
      "vi.mock('dual', () => ({ default: () => 'replaced' }));",
      "it('works', () => { expect([dual(), ask().default()]).toEqual(['replaced', 'replaced']) });",
    ].join('\n'),
  });
  expect((await repl.run('await runTests()')).stdout).toMatch(/1 passed/u);
});

it('follows the links of workspaces and of packages to where they stand', async () => {
  const repl = await openRepl({
    'packages/lib/package.json': manifest({ exports: './lib.mjs' }),
    'packages/lib/lib.mjs': 'export const state = { n: 0 };',
    'store/a/index.js': 'module.exports = "a needs " + require("b");',
    'store/node_modules/b/index.js': 'module.exports = "b";',
    'uses.mjs':
      "import { state } from 'lib'; import { state as same } from './packages/lib/lib.mjs'; export const isOne = state === same;",
  });
  await repl.workspace.fs.mkdir('/work/node_modules');
  await repl.workspace.fs.symlink('../packages/lib', '/work/node_modules/lib');
  await repl.workspace.fs.symlink('../store/a', '/work/node_modules/a');
  expect(await repl.value("import { isOne } from './uses.mjs'; [isOne, require('a')]")).toBe(
    "[ true, 'a needs b' ]",
  );
});

it('takes names of an ES module that hands on all of a CommonJS one', async () => {
  const repl = await openRepl({
    'node_modules/half/package.json': manifest({ exports: { import: './i.mjs' } }),
    'node_modules/half/i.mjs': "export * from './r.cjs'; export const own = 1;",
    'node_modules/half/r.cjs': 'for (const name of ["a", "b"]) exports[name] = name;',
    'again.mjs': "export * from 'half';",
    'a.mjs':
      "import { a, own } from 'half'; import { b } from './again.mjs'; export { b as c } from './again.mjs'; export const all = [a, own, b];",
    'wrong.mjs': "import { a, none } from './again.mjs'; export default a;",
  });
  expect(await repl.value("import { all, c } from './a.mjs'; [...all, c]")).toBe(
    "[ 'a', 1, 'b', 'b' ]",
  );
  expect((await repl.run("import './wrong.mjs'")).error?.message).toContain(
    "'./again.mjs' has no export named 'none'",
  );
});

it('gives what a module asks for late the modules that it has, in a later cell too', async () => {
  const repl = await openRepl({
    'shared.cjs': 'exports.own = {};',
    'late.cjs':
      "const { own } = require('./shared.cjs'); exports.isSame = () => require('./shared.cjs').own === own; exports.imports = async () => (await import('./shared.cjs')).own === own;",
  });
  expect(
    await repl.value("var late = require('./late.cjs'); [late.isSame(), await late.imports()]"),
  ).toBe('[ true, true ]');
  expect(
    await repl.value(
      "[late.isSame(), await late.imports(), require('./shared.cjs').own === require('./late.cjs').own]",
    ),
  ).toBe('[ true, true, false ]');
  await repl.workspace.fs.writeFile('/work/shared.cjs', 'exports.own = 5;');
  expect(await repl.value("[late.isSame(), require('./shared.cjs').own]")).toBe('[ true, 5 ]');
});

it('imports a file again under another query, as tools do with a config that may have changed', async () => {
  const repl = await openRepl({
    'tool.config.js':
      'globalThis.runs = (globalThis.runs ?? 0) + 1; export const { url } = import.meta;',
    'odd?name.js': 'export const odd = true;',
    'use.mjs':
      "import { url } from './tool.config.js?a=1#b'; import { odd } from './odd?name.js'; export { odd, url };",
  });
  expect(
    await repl.value(`
      const config = 'file:///work/tool.config.js';
      const [a, b, c] = [await import(config + '?mtime=1'), await import(config + '?mtime=2'), await import(config + '?mtime=1')];
      const { odd, url } = await import('./use.mjs');
      [a === c, a === b, a.url, url, odd, globalThis.runs]`),
  ).toBe(
    "[\n  true,\n  false,\n  'file:///work/tool.config.js?mtime=1',\n  'file:///work/tool.config.js?a=1#b',\n  true,\n  3\n]",
  );
  const { error } = await repl.run("require('./tool.config.js?a')");
  expect(error?.message).toContain("Cannot find module './tool.config.js?a'");
});
