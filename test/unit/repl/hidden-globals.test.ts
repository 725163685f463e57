// A cell's top-level names hide the world's globals as a module's do, and stay for later cells.
import { describe, expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

describe("a cell's variable of a global's name", () => {
  it.each([
    ['const crypto = globalThis.crypto; typeof crypto.randomUUID()', "'string'"],
    ["let URL = globalThis.URL; new URL('http://a/').host", "'a'"],
    ['const console = { ...console }; typeof console.log', "'function'"],
    [
      'const { URL, crypto: { subtle } } = globalThis; [typeof URL, typeof subtle].join()',
      "'function,object'",
    ],
    ['const [Map] = [globalThis.Map]; new Map([[1, 2]]).get(1)', '2'],
    ['const fetch = () => globalThis.fetch !== fetch; fetch()', 'true'],
    ['function fetch() { return globalThis.fetch !== fetch } fetch()', 'true'],
    ['class Map extends globalThis.Map { one() { return 1 } } new Map().one()', '1'],
    ['var URL = globalThis.URL; typeof URL', "'function'"],
    ['var process; typeof process.cwd', "'function'"],
    ['var { Buffer } = globalThis; Buffer.from("a").length', '1'],
    [
      "import assert from 'node:assert'; assert !== globalThis.assert || typeof assert",
      "'function'",
    ],
    ["import { URL } from 'node:url'; new URL('http://a/').host", "'a'"],
    ["const assert = require('assert'); assert.equal(1, 1); typeof assert", "'function'"],
    ['const Promise = globalThis.Promise; await Promise.resolve(3)', '3'],
    ['const globalThis = 5; globalThis', '5'],
    ['const Object = null, Array = null, JSON = null, Error = null; 1', '1'],
    ['enum URL { A }; URL.A', '0'],
    ['let cache = globalThis.cache ?? new Map(); cache.size', '0'],
  ])('%s', async (code, expected) => {
    const repl = await openRepl();
    expect(await repl.value(code)).toBe(expected);
    expect(await repl.value('1 + 1')).toBe('2');
    // As often as one likes.
    expect(await repl.value(code)).toBe(expected);
  });

  it('leaves the global as it is', async () => {
    const repl = await openRepl();
    await repl.value('const URL = 5; let structuredClone = 6; function btoa() {} 0');
    expect(
      await repl.value('[URL, typeof globalThis.URL, typeof globalThis.structuredClone]'),
    ).toBe("[ 5, 'function', 'function' ]");
    expect(await repl.value("globalThis.btoa('a')")).toBe("'YQ=='");
  });

  it('stays for later cells and workers, and goes with a cell that is rolled back', async () => {
    const repl = await openRepl();
    await repl.value("let URL = 'first'; 0");
    expect(await repl.value("URL += '!'; URL")).toBe("'first!'");
    expect(
      (await repl.run("URL = 'lost'; const crypto = 1; throw new Error('no')")).rolledBack,
    ).toBe(true);
    expect(await repl.value('[URL, typeof crypto]')).toBe("[ 'first!', 'object' ]");
    const { display } = await repl.successor().run('URL', { savedState: repl.savedState() });
    expect(display).toBe("'first!'");
  });

  it('may take its first value from a property of the global object', async () => {
    const repl = await openRepl();
    await repl.value('globalThis.data = [1]; 0');
    expect(await repl.value('const data = globalThis.data; data')).toBe('[ 1 ]');
    expect(await repl.value('const { data } = globalThis; data')).toBe('[ 1 ]');
  });

  it('is barred before its line where it hides a variable', async () => {
    const repl = await openRepl();
    await repl.value('let own = 1; 0');
    for (const code of ['const own = own', 'own; let own = 2', 'const { own } = { own }']) {
      expect((await repl.run(code)).error).toMatchObject({ name: 'ReferenceError' });
    }
  });
});

/** In the style of collections of programming tasks: a prelude, a function, a check that prints nothing. */
const programs = [
  `const assert = require('node:assert');
const hasCloseElements = (numbers, threshold) => {
  for (let i = 0; i < numbers.length; i++)
    for (let j = i + 1; j < numbers.length; j++)
      if (Math.abs(numbers[i] - numbers[j]) < threshold) return true;
  return false;
}
const testHasCloseElements = () => {
  console.assert(hasCloseElements([1.0, 2.0, 3.9, 4.0, 5.0, 2.2], 0.3) === true)
  assert.strictEqual(hasCloseElements([1.0, 2.0], 0.5), false)
}
testHasCloseElements()`,
  `const crypto = require('crypto');
const stringToMd5 = (text) => (text === '' ? undefined : crypto.createHash('md5').update(text).digest('hex'));
console.assert(stringToMd5('Hello world') === '3e25960a79dbc69b674cd4ec67a72c62');`,
  `const URL = require('url').URL;
const host = (text) => new URL(text).host;
console.assert(host('https://a.example/b') === 'a.example');`,
  `const console = { ...globalThis.console, assert(ok) { if (!ok) throw new Error('failed') } };
var fib = function (n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); };
console.assert(fib(10) === 55);`,
  `const util = require('util'), path = require('path'), fs = require('fs'), os = require('os');
function separate(text) { return text.match(/\\([^()]*\\)/g) ?? []; }
console.assert(util.isDeepStrictEqual(separate('(a) (b)'), ['(a)', '(b)']));`,
  `let performance = globalThis.performance;
const started = performance.now();
function* count(n) { for (let i = 0; i < n; i++) yield i; }
console.assert([...count(3)].join() === '0,1,2' && performance.now() >= started);`,
  `const Buffer = require('buffer').Buffer;
const encode = (text) => Buffer.from(text).toString('base64');
console.assert(encode('abc') === 'YWJj');`,
  `const { performance } = require('perf_hooks');
const process = require('process');
class Stack { #items = []; push(x) { this.#items.push(x); return this; } get size() { return this.#items.length; } }
console.assert(new Stack().push(1).push(2).size === 2 && typeof process.cwd() === 'string');`,
  `const setTimeout = globalThis.setTimeout;
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
await wait(1);
console.assert(true);`,
  `const structuredClone = (value) => JSON.parse(JSON.stringify(value));
const before = { a: [1] };
const after = structuredClone(before);
after.a.push(2);
console.assert(before.a.length === 1);`,
] as const;

describe('programs that were written for Node', () => {
  it.each(programs)('run as they are, and once more: %s', async (code) => {
    const repl = await openRepl();
    for (let time = 0; time < 2; time += 1) {
      const { error, stderr } = await repl.run(code);
      expect([error, stderr]).toEqual([undefined, '']);
    }
  });
});
