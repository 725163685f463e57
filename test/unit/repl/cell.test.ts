import { describe, expect, it } from 'vitest';
import { prepareCell } from '../../../src/repl/syntax/cell.ts';
import { parseCode } from '../../../src/repl/syntax/parse.ts';
import { loadStripTypes } from '../../../src/repl/syntax/typescript.ts';

const prepare = (code: string) => prepareCell(code, loadStripTypes);

describe('prepareCell', () => {
  it('names what the cell gives to the session', async () => {
    const { names } = await prepare(`
      const a = 1, { b, c: [d] } = x; let e; class F {} var g; if (a) { var h; let inner; }
      function i() { var own; } import j, { k as l } from 'm'; n = 1; export const o = 2;
      function p() { q = d }`);
    expect(names).toEqual({
      lexical: [],
      unnamed: ['a', 'b', 'd', 'e', 'F', 'o'],
      unbarred: ['j', 'l'],
      vars: ['g', 'h'],
      functions: ['i', 'p'],
      assigned: ['n'],
    });
  });

  it('guards names that the cell may use before their line', async () => {
    const guarded = async (code: string) => (await prepare(code)).names.lexical;
    expect(await guarded('a; const a = 1, b = b; let c = 2; c')).toEqual(['a', 'b']);
    expect(
      await guarded('f(); const a = 1; function f() { return a } function g() { f() }'),
    ).toEqual(['a']);
    expect(
      await guarded('const a = 1; f(); function f() { return a } function g() { f() }'),
    ).toEqual([]);
  });

  it('makes names that are assigned, none that are only updated', async () => {
    const { names } = await prepare('a = 1; [b, { c }] = d; for (e of f); g += 1; h++; i ??= j');
    expect(names.assigned).toEqual(['a', 'b', 'c', 'e']);
  });

  it('hands on imports with their lines', async () => {
    const { imports, bodySource } = await prepare(
      'a();\nimport b, { c as d } from "m";\nimport * as e from "n"',
    );
    expect(imports).toEqual([
      ['m', 2, { b: 'default', d: 'c' }],
      ['n', 3, { e: '*' }],
    ]);
    expect(bodySource).not.toContain('import');
  });

  it('keeps statements apart that only an import or a class was between', async () => {
    const { bodySource } = await prepare('import "m";f()\nfor(;a;)if(b)c;class D{}if(e){}g()');
    expect(() => parseCode(bodySource)).not.toThrow();
  });

  it('keeps every line where it was, in both of its functions', async () => {
    const code = ['const a = 1;', 'function f() {', '  return a;', '}', 'import "x";', 'f()'].join(
      '\n',
    );
    const { functionsSource, bodySource } = await prepare(code);
    expect(
      functionsSource
        .split('\n')
        .map((line) => line.trim())
        .slice(1),
    ).toEqual(['f=function () {', 'return a;', '};', '', '', '})']);
    expect(bodySource.split('\n').slice(1)).toEqual([
      `;${' '.repeat(13)}`,
      ' '.repeat(11),
      ' ',
      `;${' '.repeat(10)}`,
      '__rockpoolValue=(f());',
      'return __rockpoolValue})',
    ]);
  });

  it('separates what semicolons would have been inserted between', async () => {
    const { bodySource } = await prepare(
      'a()\nfunction g() {}\n(b)()\nvar [c] = d\nlet e\n[f] = g',
    );
    const body = bodySource.split('\n');
    expect(body[1]).toMatch(/^;/u);
    expect(body[3]).toBe('void 0,[c] = d;');
  });

  it('takes `f<T>(x)` for TypeScript, though it is JavaScript by the letter', async () => {
    const { bodySource } = await prepare('pick<string>("a")');
    expect(bodySource).toContain('=(pick("a"));');
  });

  it.each([
    ['let a; let a', "Identifier 'a' has already been declared", 1, 12],
    ['1 +\n  * 2', 'Unexpected token', 2, 3],
    ['export * from "m"', "A cell can't re-export from a module; import the names instead.", 1, 1],
    ['1;\n  let undefined = 1', "Identifier 'undefined' has already been declared", 2, 3],
    ['import NaN from "m"', "Identifier 'NaN' has already been declared", 1, 1],
    ['var __rockpool', "Identifier '__rockpool' has already been declared", 1, 1],
  ])('refuses `%s` with line and column', async (code, message, line, column) => {
    await expect(prepare(code)).rejects.toMatchObject({
      name: 'SyntaxError',
      message,
      line,
      column,
    });
  });

  it.each([
    ['const x: = 1', 1, 10],
    ['const x: number = 1;\nlet y = ;', 2, 9],
    ['foo(', 1, 5],
    ['return 1 return 2', 1, 10],
    ['<div>{x}</div>;\nlet a = ;', 2, 9],
  ])('complains of `%s` where the parser that got furthest did', async (code, line, column) => {
    await expect(prepare(code)).rejects.toMatchObject({ line, column });
  });

  it('shows the line with a caret below the column, of a long line a part', async () => {
    await expect(prepare('ok();\n\tlet a = ;')).rejects.toMatchObject({
      frame: '   let a = ;\n           ^',
    });
    await expect(prepare(`${'a;'.repeat(500)}let b = ;${'c;'.repeat(500)}`)).rejects.toMatchObject({
      column: 1009,
      frame: `  ${'a;'.repeat(26)}let b = ;${'c;'.repeat(19)}c\n  ${' '.repeat(60)}^`,
    });
  });

  it.each([
    ['brackets', `${'('.repeat(100_000)}1${')'.repeat(100_000)}`],
    // Parsed in a loop, and walked by recursion.
    ['calls', `f${'()'.repeat(20_000)}`],
  ])('ends by an error of its own where the code is nested too deeply: %s', async (_what, code) => {
    await expect(prepare(code)).rejects.toMatchObject({
      name: 'SyntaxError',
      message: expect.stringMatching(/nested too deeply|stack space/u),
    });
  });
});
