// An error's stack reads as in Node: what was thrown, then where, in lines of the cell.
import { describe, expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

describe('the stack of an error', () => {
  it.each([
    ['of the engine', 'null.x', "TypeError: Cannot read properties of null (reading 'x')"],
    ['of the cell', 'throw new RangeError("far")', 'RangeError: far'],
    [
      'of a host function',
      'fs.readFileSync("a")',
      "Error: ENOENT: no such file or directory, open 'a'",
    ],
    ['without a message', 'throw new Error()', 'Error'],
    [
      'of a class that names it and captures it',
      'throw new (class Own extends Error { constructor() { super("m"); this.name = "Own"; Error.captureStackTrace(this, Own) } })()',
      'Own: m',
    ],
  ])('%s begins with the error', async (_whose, code, title) => {
    const repl = await openRepl();
    expect(await repl.stdout(`try { ${code} } catch (error) { console.log(error.stack) }`)).toBe(
      `${title}\n    at <anonymous> (cell-1:1)\n`,
    );
  });

  it('may be replaced, and is then shown as it is, without a key of its own', async () => {
    const repl = await openRepl();
    expect(
      await repl.stdout(
        `const error = new Error('m'); error.stack = 'Error: m\\n    at elsewhere'; console.log(error, Object.keys(error))`,
      ),
    ).toBe('Error: m\n    at elsewhere []\n');
  });

  it('has call sites that answer what those of Node do', async () => {
    const repl = await openRepl({
      'sites.cjs': [
        'const { prepareStackTrace } = Error;',
        'Error.prepareStackTrace = (_error, sites) => sites;',
        'function here() { const o = {}; Error.captureStackTrace(o, here); return o.stack; }',
        'function caller() { return here(); }',
        'const [site] = caller();',
        'Error.prepareStackTrace = prepareStackTrace;',
        'module.exports = [site.isEval(), site.isNative(), site.isToplevel(), site.getThis(), site.getTypeName(), site.getMethodName(), site.getEvalOrigin(), site.getFunctionName(), site.getLineNumber(), String(site).replace(/:\\d+\\)$/, ")")];',
      ].join('\n'),
    });
    expect(await repl.value("JSON.stringify(require('./sites.cjs'))")).toBe(
      `'[false,false,false,null,null,null,null,"caller",4,"caller (/work/sites.cjs:4)"]'`,
    );
  });

  it("is what a program's own prepareStackTrace makes of it", async () => {
    const repl = await openRepl();
    expect(
      await repl.value(
        'Error.prepareStackTrace = (_error, sites) => sites; Array.isArray(new Error().stack)',
      ),
    ).toBe('true');
    expect((await repl.run('throw new Error("after")')).error).toEqual({
      name: 'Error',
      message: 'after',
    });
  });

  it('is the text that such a one makes, with nothing before it', async () => {
    const repl = await openRepl();
    expect(
      await repl.value(
        `Error.prepareStackTrace = (error) => 'mine: ' + error;
         const plain = {}; Error.captureStackTrace(plain);
         [new Error('m').stack, plain.stack]`,
      ),
    ).toBe("[ 'mine: Error: m', 'mine: [object Object]' ]");
  });

  it('may be what a message or a name is made of', async () => {
    const repl = await openRepl();
    const { error } = await repl.run(
      `throw new (class Own extends Error {
         get message() { return typeof this.stack }
         get name() { return 'Own ' + typeof this.stack }
       })()`,
    );
    expect(error).toMatchObject({ name: 'Own string', message: 'string' });
  });

  it('tells a line of the cell where a field of a class fails, for which the engine has none', async () => {
    const repl = await openRepl();
    const { error } = await repl.run('class Box {\n  value = this.none.x;\n}\nnew Box()');
    expect(error?.line).toBeGreaterThan(0);
  });

  it('tells the line of a failing cell though a cell took the property away', async () => {
    const repl = await openRepl();
    await repl.run('delete Error.prototype.stack');
    expect((await repl.run('\nthrow new Error("m")')).error?.line).toBe(2);
  });
});

describe('the line of source that an uncaught error shows', () => {
  it.each([
    ["of the cell's own code", 'const o = {};\n  o.foo(1)', '      2 | o.foo(1)'],
    [
      'of a folder in brackets',
      "(await import('./app/(shop)/a.js')).go()",
      '      1 | export const go = () => x.y()',
    ],
    ['cut where it is long', `null.x;${'a'.repeat(200)}`, `null.x;${'a'.repeat(153)}…`],
  ])('is %s', async (_whose, code, shown) => {
    const repl = await openRepl({ 'app/(shop)/a.js': 'export const go = () => x.y()' });
    const { error } = await repl.run(code);
    expect(error?.stack).toContain(shown);
  });

  it('is left out where the file was removed, or is of an earlier cell', async () => {
    const repl = await openRepl({ 'a.js': 'exports.go = () => null.x;' });
    await repl.run("const { go } = require('./a.js'); const mine = () => null.x");
    expect((await repl.run("fs.unlinkSync('a.js'); go()")).error?.stack).not.toContain('|');
    const { error } = await repl.run('mine()');
    expect(error?.stack).toContain('(cell-1:1)');
    expect(error?.stack).not.toContain('|');
  });
});
