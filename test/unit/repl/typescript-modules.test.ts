// TypeScript and JSX of a project, where the compiler must know more than how to drop types.
import { describe, expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

describe('stripped types', () => {
  it.each([
    ['class C { get!: string\n  post!: number\n}', '[ "get", "post" ]'],
    [
      'class C {\n  static set?: Map<\n    string, number>\n  static get: string\n  y = 1\n}',
      '[ "y" ]',
    ],
    [
      'class C {\n  private readonly set: { get: string }\n  static\n  of() {}\n  get\n  z() { return 1 }\n}',
      '[ "set" ]',
    ],
    [
      "const key = 'k', other = 'o'\nclass C {\n  a: object = {}\n  public readonly [key] = true\n  private [other]: boolean = false\n  protected *each() {}\n}",
      '[ "a", "k", "o" ]',
    ],
  ])('leave the fields of %j', async (code, names) => {
    const repl = await openRepl({ 'a.ts': `${code}\nexport default Object.keys(new C());` });
    expect(await repl.value("(await import('./a.ts')).default")).toBe(names.replaceAll('"', "'"));
    expect(await repl.value(`${code}\nObject.keys(new C())`)).toBe(names.replaceAll('"', "'"));
  });

  it('leave no export of a type, wherever the type is from', async () => {
    const repl = await openRepl({
      'types.ts': 'export interface T { a: number }',
      'a.ts':
        "import type { T } from './types';\ninterface Own { a: T }\nexport const a = 1;\nexport { T, Own, a as b };",
    });
    expect(await repl.value("Object.keys(await import('./a.ts'))")).toBe("[ 'a', 'b' ]");
  });

  it('refuses an export of JavaScript that nothing declares', async () => {
    const repl = await openRepl({ 'a.js': 'export { missing };' });
    const { error } = await repl.run("await import('./a.js')");
    expect(error?.message).toBe(
      "Export 'missing' is not defined (/work/a.js:1:10), imported from /work/cell-1",
    );
  });
});

describe('JSX', () => {
  const runtimes = {
    'node_modules/preact/package.json': '{ "exports": { "./jsx-runtime": "./j.js" } }',
    'node_modules/preact/j.js':
      "exports.jsx = exports.jsxs = (type, props) => ['preact', type, props]; exports.Fragment = 'F';",
    'own/jsx-runtime.ts': "export const jsx = (type: string) => ['own', type];",
    'h.js': "export const h = (...parts) => ['h', ...parts]; export const Frag = 'Frag';",
  };
  const load = async (files: Readonly<Record<string, string>>, path: string) => {
    const repl = await openRepl({ ...runtimes, ...files });
    return repl.value(`(await import('./${path}')).default`);
  };
  const element = 'export default <><b>1</b></>;';
  const own = 'export default <b>1</b>;';
  const fromPreact = "[ 'preact', 'F', { children: [ 'preact', 'b', { children: '1' } ] } ]";
  const byH = "[ 'h', 'Frag', null, [ 'h', 'b', null, '1' ] ]";

  it('is compiled as the comments of its file say', async () => {
    expect(await load({ 'a.jsx': `/** @jsxImportSource preact */\n${element}` }, 'a.jsx')).toBe(
      fromPreact,
    );
    expect(
      await load(
        { 'sub/a.tsx': `// A view.\n/* @jsxRuntime automatic @jsxImportSource ../own */\n${own}` },
        'sub/a.tsx',
      ),
    ).toBe("[ 'own', 'b' ]");
    const classic = "/** @jsx h */\n/** @jsxFrag Frag */\nimport { h, Frag } from './h.js';";
    expect(await load({ 'a.jsx': `${classic}\n${element}` }, 'a.jsx')).toBe(byH);
  });

  it('is compiled as the tsconfig.json of its project says', async () => {
    const source = '{ "compilerOptions": { "jsx": "react-jsx", "jsxImportSource": "preact" } }';
    expect(await load({ 'tsconfig.json': source, 'a.tsx': element }, 'a.tsx')).toBe(fromPreact);
    const factory =
      '{ "compilerOptions": { "jsx": "react", "jsxFactory": "h", "jsxFragmentFactory": "Frag" } }';
    const imported = "import { h, Frag } from './h.js';";
    expect(
      await load({ 'jsconfig.json': factory, 'a.jsx': `${imported}\n${element}` }, 'a.jsx'),
    ).toBe(byH);
  });

  it('of a cell is compiled as its project says', async () => {
    const repl = await openRepl({
      ...runtimes,
      'tsconfig.json': '{ "compilerOptions": { "jsxImportSource": "preact" } }',
    });
    expect(await repl.value('<><b>1</b></>')).toBe(fromPreact);
  });
});
