import { describe, expect, it } from 'vitest';
import { prepareCell } from '../../../src/repl/cell.ts';
import { loadStripTypes } from '../../../src/repl/syntax/typescript.ts';

const prepare = (code: string) => prepareCell(code, loadStripTypes);

describe('prepareCell', () => {
  it('names what the cell gives to the session', async () => {
    const { names } = await prepare(`
      const a = 1, { b, c: [d] } = x; let e; class F {} var g; if (a) { var h; let inner; }
      function i() { var own; } import j, { k as l } from 'm'; n = 1; export const o = 2;
      function p() { q = 1 }`);
    expect(names).toEqual({
      lexical: ['a', 'b', 'd', 'e', 'F', 'j', 'l', 'o'],
      vars: ['g', 'h'],
      functions: ['i', 'p'],
      assigned: ['n'],
    });
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
      'return (f());',
      '})',
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
    expect(bodySource).toContain('return (pick("a"));');
  });

  it.each([
    ['let a; let a', "Identifier 'a' has already been declared", 1, 12],
    ['1 +\n  * 2', 'Unexpected token', 2, 3],
    ['export * from "m"', "A cell can't re-export from a module; import the names instead.", 1, 1],
  ])('refuses `%s` with line and column', async (code, message, line, column) => {
    await expect(prepare(code)).rejects.toMatchObject({
      name: 'SyntaxError',
      message,
      line,
      column,
    });
  });

  it('complains about JavaScript in the words of JavaScript, when it is no TypeScript either', async () => {
    await expect(prepare('const x: = 1')).rejects.toMatchObject({
      message: 'Unexpected token',
      line: 1,
      column: 8,
    });
  });

  it('ends by an error of its own where the code is nested too deeply to be parsed', async () => {
    const nested = '('.repeat(100_000);
    await expect(prepare(`${nested}1${')'.repeat(100_000)}`)).rejects.toMatchObject({
      name: 'SyntaxError',
    });
  });
});
