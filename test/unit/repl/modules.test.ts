import { describe, expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

describe('import and require of workspace files', () => {
  it('takes TypeScript, by its name, without an extension and as the .js that it would become', async () => {
    const repl = await openRepl({
      'src/math.ts':
        'export interface Pair { a: number }\nexport const add = (a: number, b: number): number => a + b;\nexport default function twice(n: number) { return add(n, n) }',
      'src/index.ts':
        "import twice, { add, type Pair } from './math.js';\nexport { twice, add };\nexport type { Pair };",
      'src/view.tsx':
        "const h = (tag: string, props: object) => tag;\nexport const view = (n: number) => h('b', {});",
    });
    expect(
      await repl.value(`
        import { twice } from './src/index.ts';
        import { add } from './src/math';
        import def, { add as add2 } from './src';
        [twice(2), add(1, 2), add2 === add, def, require('./src/view.tsx').view(1)]`),
    ).toBe("[ 4, 3, true, undefined, 'b' ]");
  });

  it('gives an ES module a require of its own place', async () => {
    const repl = await openRepl({
      'src/a.ts':
        "import b = require('./b.json');\nexport const both = [b.n, require('./b.json').n, require.resolve('./b.json')];",
      'src/b.json': '{ "n": 1 }',
    });
    expect(await repl.value("import { both } from './src/a.ts'; both")).toBe(
      "[ 1, 1, '/work/src/b.json' ]",
    );
  });

  it.each([
    "import _ from './under.cjs';",
    "let under = require('./under.cjs'), _ = under;",
    "const load = () => import('./under.cjs'); const { default: _ } = await load();",
    "import under from './under.cjs'; const _ = under; function get() { return _ }",
    "const _ = require('./under.cjs');",
    "const _ = require('./under.cjs'); function get() { return _ } get();",
  ])(
    'lets a module ask the global object for the name that it is about to have: %s',
    async (code) => {
      const repl = await openRepl({
        'under.cjs': 'const old = globalThis._; module.exports = { old };',
      });
      expect(await repl.value(`${code} _`)).toBe('{ old: undefined }');
      expect(await repl.value(`${code} _`)).toBe('{ old: { old: undefined } }');
    },
  );

  it.each(['(1 < 2 ? 3 : 4)', '(() => 3)()', '/* ( */ ((3)) // )', '(3);', '(\n3\n)'])(
    'exports what stands in parentheses: %s',
    async (value) => {
      const repl = await openRepl({ 'a.mjs': `export default ${value}\nexport const b = 4` });
      expect(await repl.value("const { default: a, b } = await import('./a.mjs'); [a, b]")).toBe(
        '[ 3, 4 ]',
      );
      expect(await repl.value(`export default ${value}`)).toBe('3');
    },
  );

  it('runs a namespace that holds values, also over cells, and forgets one of types', async () => {
    const repl = await openRepl({
      'types.ts': 'export namespace Kinds {\n  export type A = 1;\n}\nexport const n = 29;',
      'values.ts':
        'const one = 1;\nexport namespace Values {\n  export const two = one + 1;\n}\nexport namespace Values {\n  export function fail() { throw new Error(`at ${two}`) }\n}',
      'assigned.ts':
        "import path = require('node:path');\nnamespace Out { export const base = path.basename('/a/b') }\nexport = Out;",
      'open.ts': 'export namespace Open { export const a = 1;\n',
    });
    expect(await repl.value("Object.keys(await import('./types.ts'))")).toBe("[ 'n' ]");
    expect(await repl.value("import { Values } from './values.ts'; Values")).toBe(
      '{ two: 2, fail: [Function: fail] }',
    );
    const { error } = await repl.run('Values.fail()');
    expect(error?.stack).toContain('/work/values.ts:6');
    expect(await repl.value("require('./assigned.ts')")).toBe("{ base: 'b' }");
    expect(await repl.value('namespace A { export let n: number = 1 }; A.n = 5; A')).toBe(
      '{ n: 5 }',
    );
    expect(await repl.value('namespace A { export let m = 2 }; A')).toBe('{ m: 2 }');
    const { error: wrong } = await repl.run('namespace Bad { export const = 3 }');
    expect(wrong?.message).toBe(
      'Unexpected token (1:30)\n  namespace Bad { export const = 3 }\n                               ^',
    );
    const { error: listed } = await repl.run('namespace Bad { const a = 1; export { a } }');
    expect(listed?.message).toMatch(/^A namespace exports what it declares/u);
    const { error: inner } = await repl.run('function f() { namespace Bad { let a = 1 } }');
    expect(inner?.message).toMatch(/^A namespace stands at the top level/u);
    const { error: earlier } = await repl.run('const a = (1;\nnamespace After { let a = 1 }');
    expect(earlier?.message).toMatch(/^Unexpected token.* \(1:13\)/u);
    const { error: unclosed } = await repl.run("await import('./open.ts')");
    expect(unclosed?.message).toMatch(
      /^Where the namespace Open ends .* \(\/work\/open\.ts:1:8\)/u,
    );
  });

  it('says what is not there by the code that each way of asking has', async () => {
    const repl = await openRepl();
    const code = (call: string) => `await (async () => ${call})().catch((error) => error.code)`;
    expect(
      await repl.value(
        `[${['require("./a")', 'require.resolve("b")', 'await import("./a")', 'require("")', 'require()'].map(code).join()}]`,
      ),
    ).toBe(
      [
        '[',
        "  'MODULE_NOT_FOUND',",
        "  'MODULE_NOT_FOUND',",
        "  'ERR_MODULE_NOT_FOUND',",
        "  'ERR_INVALID_ARG_VALUE',",
        "  'ERR_INVALID_ARG_TYPE'",
        ']',
      ].join('\n'),
    );
  });

  it('calls React where the file names it', async () => {
    const repl = await openRepl({
      'view.jsx':
        'const React = { createElement: (...parts) => parts };\nexport const view = <b id="1">{2}</b>;',
    });
    expect(await repl.value("(await import('./view.jsx')).view")).toBe("[ 'b', { id: '1' }, 2 ]");
  });

  it('keeps imports live, and lets modules import each other in a circle', async () => {
    const repl = await openRepl({
      'a.mjs':
        "import { b } from './b.mjs';\nexport let n = 0;\nexport const up = () => { n += 1 };\nexport const ab = () => 'a' + b;",
      'b.mjs':
        "import { ab, n } from './a.mjs';\nexport const b = 'b';\nexport const ba = () => 'b' + ab() + n;",
    });
    expect(
      await repl.value(
        "import { n, up } from './a.mjs'; import { ba } from './b.mjs'; up(); up(); [n, ba()]",
      ),
    ).toBe("[ 2, 'bab2' ]");
  });

  it('exports in all the ways that there are', async () => {
    const repl = await openRepl({
      'x.mjs': [
        'const a = 1; function b() { return this }',
        'export { a, a as "odd name", b };',
        "export * from './y.mjs'; export * as all from './y.mjs'; export { c as d } from './y.mjs';",
        'export class E {} export default class {}',
        'export const [f, { g = 2 }] = [1, {}]; export async function h() {}',
      ].join('\n'),
      'y.mjs': 'export const c = 3; export default 4;',
    });
    expect(await repl.value("Object.keys(await import('./x.mjs')).sort()")).toBe(
      "[ 'E', 'a', 'all', 'b', 'c', 'd', 'default', 'f', 'g', 'h', 'odd name' ]",
    );
    expect(await repl.value("import { b as bare } from './x.mjs'; bare()")).toBeUndefined();
  });

  it('runs CommonJS with all that it expects, and sloppily', async () => {
    const repl = await openRepl({
      'lib/main.cjs':
        '#!/usr/bin/env node\nvar x = 010; module.exports = { x, f: __filename, d: __dirname, j: require("./data").v, self: this === exports };',
      'lib/data.json': '{"v": [1]}',
      'lib/esm.mjs':
        "import main, { x } from './main.cjs';\nimport data from './data.json' with { type: 'json' };\nexport const both = [main.x, x, data.v];",
    });
    expect(await repl.value("require('./lib/main.cjs')")).toBe(
      "{ x: 8, f: '/work/lib/main.cjs', d: '/work/lib', j: [ 1 ], self: true }",
    );
    expect(await repl.value("require('./lib/esm.mjs').both")).toBe('[ 8, 8, [ 1 ] ]');
  });

  it('reads JSON behind a byte order mark', async () => {
    const repl = await openRepl({
      'data.json': '\uFEFF{"v": 1}',
      'node_modules/dep/package.json': '\uFEFF{"main": "lib.js"}',
      'node_modules/dep/lib.js': 'exports.v = 2;',
    });
    expect(
      await repl.value("[require('./data').v, (await import('./data.json')).v, require('dep').v]"),
    ).toBe('[ 1, 1, 2 ]');
  });

  it('waits for modules that await at their top level', async () => {
    const repl = await openRepl({
      'slow.mjs': 'export const v = await new Promise((done) => setTimeout(() => done(1), 1));',
      'uses.mjs': "import { v } from './slow.mjs';\nexport const w = v + 1;",
    });
    expect(await repl.value("import { w } from './uses.mjs'; w")).toBe('2');
    expect((await repl.run("require('./uses.mjs')")).error?.message).toBe(
      "require('./uses.mjs') can't wait for a module that awaits at its top level; use await import('./uses.mjs').",
    );
  });

  it('finds packages, their exports, imports and the package itself', async () => {
    const repl = await openRepl({
      'package.json':
        '{"name": "own", "imports": {"#m": "./src/m.js", "#d/*": "./src/*.js"}, "exports": {".": {"types": "./no.d.ts", "default": "./src/m.js"}}}',
      'src/m.js': 'export const m = "m";',
      'node_modules/dep/package.json': '{"main": "./lib"}',
      'node_modules/dep/lib/index.js': 'exports.dep = "dep";',
      'node_modules/@s/p/package.json':
        '{"exports": {".": {"browser": "./b.js", "import": "./i.js"}, "./f/*": "./files/*.js"}}',
      'node_modules/@s/p/i.js': 'export default "i";',
      'node_modules/@s/p/files/a.js': 'export default "a";',
    });
    expect(
      await repl.value(`
        import { m } from '#m'; import { m as m2 } from '#d/m'; import { m as m3 } from 'own';
        import { dep } from 'dep'; import i from '@s/p'; import a from '@s/p/f/a';
        [m, m2, m3, dep, i, a]`),
    ).toBe("[ 'm', 'm', 'm', 'dep', 'i', 'a' ]");
    expect((await repl.run("import '@s/p/secret'")).error?.message).toMatch(
      /^Cannot find module '@s\/p\/secret', imported from/u,
    );
  });

  it('reads a changed file anew in the next cell', async () => {
    const repl = await openRepl({ 'v.js': 'export const v = 1;' });
    expect(await repl.value("import { v } from './v.js'; v")).toBe('1');
    await repl.run("fs.writeFileSync('v.js', 'export const v = 2;')");
    expect(await repl.value("import { v } from './v.js'; v")).toBe('2');
  });

  it('knows where it is', async () => {
    const repl = await openRepl({
      'src/w.mjs':
        'export const { url, filename, dirname } = import.meta; export const r = import.meta.resolve("./w.mjs");',
    });
    expect(
      await repl.value(
        "const w = await import('./src/w.mjs'); [w.url, w.filename, w.dirname, w.r]",
      ),
    ).toBe(
      "[\n  'file:///work/src/w.mjs',\n  '/work/src/w.mjs',\n  '/work/src',\n  'file:///work/src/w.mjs'\n]",
    );
  });

  it('says of a package that is there what it lacks', async () => {
    const repl = await openRepl({
      'node_modules/mapped/package.json': '{"exports":{".":"./a.js","./gone":"./gone.js"}}',
      'node_modules/mapped/a.js': '',
      'node_modules/@plain/one/package.json': '{"main":"dist/a.js"}',
      'src/deep.cjs': "exports.ask = () => require('mapped/inner.js')",
    });
    const told = async (code: string) => {
      const { error } = await repl.run(
        `try { ${code} } catch (e) { e.message += e.code; throw e }`,
      );
      return error?.message;
    };
    const exported =
      'The package is in /work/node_modules/mapped, but the exports of its package.json lead to no file for itERR_PACKAGE_PATH_NOT_EXPORTED';
    expect(await told("require('mapped/inner.js')")).toMatch(new RegExp(`${exported}$`, 'u'));
    expect(await told("await import('mapped/gone')")).toMatch(new RegExp(`${exported}$`, 'u'));
    expect(await told("require('./src/deep.cjs').ask()")).toMatch(new RegExp(`${exported}$`, 'u'));
    expect(await told("require('@plain/one')")).toMatch(
      /The package is in \/work\/node_modules\/@plain\/one, but it has no file for itMODULE_NOT_FOUND$/u,
    );
  });

  it.each([
    [
      "import 'left-pad'",
      /^Cannot find module 'left-pad', imported from \/work\/cell-1:1\. There is no npm install here; what there is: .*\bfs\b.*\bvitest\b/u,
    ],
    ["import './none.js'", /^Cannot find module '\.\/none\.js', imported from \/work\/cell-1:1$/u],
    [
      "\nimport './asks.mjs'",
      /^Cannot find module '\.\/none\.mjs', imported from \/work\/asks\.mjs:2$/u,
    ],
    [
      "import './broken.ts'",
      /^Unexpected token \(\/work\/broken\.ts:2:11\), imported from \/work\/cell-1:1$/u,
    ],
    [
      "import './wants.mjs'",
      /^The module '\.\/has\.mjs' has no export named 'nope', imported from \/work\/wants\.mjs:1$/u,
    ],
    ["import { nope } from './has.mjs'", /^The module '\.\/has\.mjs' has no export named 'nope'$/u],
    ["require('./data.json')", /^\/work\/data\.json is no valid JSON: /u],
  ])('says of `%s` what is wrong and where', async (code, message) => {
    const repl = await openRepl({
      'asks.mjs': "\nimport './none.mjs';",
      'broken.ts': 'const a = 1;\nconst b = ;',
      'has.mjs': 'export const has = 1;',
      'wants.mjs': "import { nope } from './has.mjs'; nope;",
      'data.json': '{,}',
    });
    expect((await repl.run(code)).error?.message).toMatch(message);
  });

  it('shows file and line of what a module throws', async () => {
    const repl = await openRepl({
      'src/t.ts': 'type A = 1;\nexport function go(): never {\n  throw new Error("x");\n}',
    });
    const { error } = await repl.run("import { go } from './src/t.ts';\ngo()");
    expect(error?.line).toBe(2);
    expect(error?.stack).toBe(
      [
        '    at go (/work/src/t.ts:3)',
        '      3 | throw new Error("x");',
        '    at <anonymous> (cell-1:2)',
      ].join('\n'),
    );
  });

  it('tells what a module throws as it is, where nothing can be added to it', async () => {
    const repl = await openRepl({ 'a.mjs': "throw Object.freeze(new Error('as it is'));" });
    expect((await repl.run("import './a.mjs'")).error?.message).toBe('as it is');
  });

  it("gives CommonJS Node's module, by whose require React's act finds its timers", async () => {
    const repl = await openRepl({
      'lib/a.cjs':
        "const found = module.require('./b.cjs'); module.exports = [Object.keys(module), module.path, found];",
      'lib/b.cjs': 'module.exports = 7;',
    });
    expect(await repl.value("require('./lib/a.cjs')")).toBe(
      [
        '[',
        "  [ 'exports', 'id', 'path', 'filename', 'loaded', 'children', 'paths' ],",
        "  '/work/lib',",
        '  7',
        ']',
      ].join('\n'),
    );
  });
});
