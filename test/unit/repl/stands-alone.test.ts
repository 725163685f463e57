import { describe, expect, it } from 'vitest';
import { classifyCell } from '../../../src/repl/cell/classify.ts';

const isAlone = (code: string) => classifyCell(code).standsAlone === true;

describe('a cell stands alone', () => {
  it.each([
    '1 + 1',
    '(() => { let n = 0; for (let i = 0; i < 9; i += 1) n = (n * 31 + i) % 7; return n })()',
    '[1, 2].map((n) => n * 2).filter(Boolean).join()',
    '["1"].map(Number)',
    'fs.readFileSync("a.txt", "utf8").split("\\n").length',
    'fs.readdirSync(".").map((name) => path.join("a", name))',
    'for (const name of fs.readdirSync(".")) console.log(name)',
    '(() => { const counts = {}; for (const w of ["a"]) counts[w] = (counts[w] ?? 0) + 1; return counts })()',
    '(() => { const list = []; list.push(1); list[1] = 2; return [3, 1].sort() })()',
    '(() => { const fib = (n) => n < 2 ? n : fib(n - 1) + fib(n - 2); return fib(9) })()',
    '(() => { function twice({ n = 1, ...rest }) { return n * 2 } return twice({ n: 2 }) })()',
    'new Map([[1, 2]]).get(1)?.toFixed()',
    'try { JSON.parse("{") } catch (error) { throw new Error(error.message) }',
    '"abc".replace(/b/g, (found) => found.toUpperCase())',
    'Math.max(...[1, 2]) > Number.MAX_SAFE_INTEGER ? undefined : `${1}`',
  ])('%s', (code) => {
    expect(isAlone(code)).toBe(true);
  });
});

describe('a cell does not stand alone that', () => {
  it.each([
    ['declares', 'const a = 1; a'],
    ['declares in a block', '{ var a = 1 }'],
    ['imports', 'import "fs"'],
    ['requires', 'require("path").sep'],
    ['assigns', 'a = 1'],
    ['reads a variable of the session', 'items.length'],
    ['awaits', 'await 1'],
    ['is asynchronous', '(async () => 1)()'],
    ['may go on later', 'Promise.resolve(1).then((n) => n)'],
    ['starts a timer', 'setTimeout(() => 1, 1)'],
    ['asks for the time', 'Date.now()'],
    ['asks for chance', 'Math.random()'],
    ['counts in the console', 'console.count()'],
    ['asks for the process', 'process.cwd()'],
    ['writes', 'fs.writeFileSync("a", "b")'],
    ['calls a tool', 'tools.Read({ file_path: "a" })'],
    ['reaches the network', 'fetch("https://a.net")'],
    ['is TypeScript', '((n: number) => n)(1)'],
    ['names the global object', '(() => this)()'],
    ["changes the world's object", 'Math.abs = 1'],
    ["changes one by another's name", '(() => { const m = Math; m.abs = 1 })()'],
    ['deletes', 'delete Math.abs'],
    ['changes what all lists share', '[].constructor.prototype.a = 1'],
    ['changes it by a computed name', '[]["__proto__"].a = 1'],
    ['changes what it has not made', '(() => { const a = [].map; a.b = 1 })()'],
    ['hands it to what changes it', '[].push.call([].at, 1)'],
    ['changes what may not be its own', '((list) => list.push(1))([])'],
    ['changes what is bound twice', '(() => { const a = []; return ((a) => a.push(1))(a) })()'],
    ['calls a parameter', '((f) => f())(() => 1)'],
    ['calls a member', '(() => { const f = [].map["x"]; return f() })()'],
    ['calls by a computed name', '[]["constructor"]("x")()'],
    ['hands on a function that it found', '["x"].map([].map["constructor"])'],
    ['hands it on by a spread', '["x"].map(...[[].map["constructor"]])'],
    ['has one found under a name that is called', '({ map: [].map["constructor"] }).map("x")'],
    ['has it there by a computed name', '({ ["map"]: [].at["constructor"] }).map("x")'],
    ['puts it there', '(() => { const o = {}; o.map = o["constructor"]; return o.map("x") })()'],
    ['puts it there by a pattern', '(() => { const o = {}; [o.map] = [o["at"]] })()'],
    ['puts it there by a loop', '(() => { const o = {}; for (o.map of []); })()'],
    ['replaces its own function', '(() => { function f() {} f = [].at["x"]; f() })()'],
    ['replaces it by a pattern', '(() => { function f() {} [f] = [[].at["x"]]; f() })()'],
    ['makes an object of what it is given', '(() => { const a = new Object([].at); a.b = 1 })()'],
    ['makes a class', 'new (class { static { globalThis.a = 1 } })()'],
    ['has a getter', '({ get a() { return 1 } }).a'],
    ['is a generator', '[...(function* () { yield 1 })()]'],
    ['tags a text', '((f) => f`x`)(() => 1)'],
    ['looks at its arguments', '(function () { return arguments[0] })(1)'],
    ["has a view of others' bytes", 'new Uint8Array(fs.readFileSync("a").buffer).fill(0)'],
  ])('%s: %s', (_, code) => {
    expect(isAlone(code)).toBe(false);
  });
});
