// Errors of the engine in a cell say what they say in Node, as far as the engine tells enough.
import { beforeAll, describe, expect, it } from 'vitest';
import { openRepl, type ReplBench } from '../../support/repl/repl.ts';

const same = [
  'null.x',
  'undefined.x.y',
  'undefined[Symbol.iterator + ""].y',
  'let u; u.foo = 1',
  'Object.freeze({ a: 1 }).a = 2',
  "Object.freeze(['x'])[0] = 'y'",
  'Object.assign(Object.freeze({ key: 1 }), { key: 2 })',
  'const p = Proxy.revocable({}, {}); p.revoke(); p.proxy.x',
  'x; let x = 1',
  "Symbol() + ''",
  'Symbol() * 1',
  '1n + 1',
  '[].reduce((a) => a)',
  'new Array(-1)',
  'new Date(NaN).toISOString()',
  "decodeURIComponent('%')",
  'class A { #x; static of(o) { return o.#x } } A.of({})',
  'class A {} class B extends A { constructor() { this.x = 1 } } new B()',
  "let s = 'x'; for (;;) s += s",
  // A program's own errors stay as they are.
  "throw new TypeError('circular reference')",
  "throw new RangeError('empty array')",
];
/** Node's message goes on, or names what the engine doesn't tell. */
const alike: [code: string, part: RegExp][] = [
  ['const c = {}; c.c = c; JSON.stringify(c)', /^Converting circular structure to JSON/],
  ['delete Object.freeze({ a: 1 }).a', /^Cannot delete property/],
  ['class A {} A()', /^Class constructor.* cannot be invoked without 'new'$/],
  ['const o = { get y() { return 1 } }; o.y = 2', /^Cannot set property.*which has only a getter$/],
  ["'x'.repeat(-1)", /^Invalid count value/],
];
const inNode = (code: string): string => {
  try {
    // oxlint-disable-next-line no-new-func -- it shows what Node says
    new Function(`'use strict'; ${code}`)();
    return 'none';
  } catch (error) {
    return String(error);
  }
};

describe('errors of the engine', () => {
  let repl: ReplBench;
  beforeAll(async () => {
    repl = await openRepl();
  });
  const inCell = async (code: string) =>
    JSON.parse(
      await repl.stdout(
        `try { (() => { ${code} })() } catch (e) { console.log(JSON.stringify(String(e))) }`,
      ),
    );

  it.each(same)('%s', async (code) => {
    expect(await inCell(code)).toBe(inNode(code));
  });
  it.each(alike)('%s', async (code, part) => {
    const messageOf = (text: string) => text.slice(text.indexOf(': ') + 2).split('\n')[0];
    expect(messageOf(inNode(code))).toMatch(part);
    expect(messageOf(await inCell(code))).toMatch(part);
  });

  it('names a constant that is assigned', async () => {
    expect(await inCell('const once = 1; once += 2')).toBe("TypeError: 'once' is read-only");
  });

  it("leaves the program's own prepareStackTrace, and the built-ins that it has broken", async () => {
    const code = [
      'Error.prepareStackTrace = (error, sites) => sites.length + error.message;',
      'const own = new Error("!").stack;',
      'Error.prepareStackTrace = undefined;',
      'const { indexOf, slice } = String.prototype;',
      'String.prototype.indexOf = String.prototype.slice = () => { throw 1 };',
      'let told; try { null.x } catch (error) { told = error.message }',
      'Object.assign(String.prototype, { indexOf, slice });',
      '[/^[1-9]!$/.test(own), told, Error.prepareStackTrace]',
    ].join('\n');
    expect(await repl.value(code)).toBe(
      `[ true, "Cannot read properties of null (reading 'x')", undefined ]`,
    );
  });
});
