import { describe, expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

describe('path', () => {
  it.each([
    ['path.join("a", "", "..", "b/", "./c")', "'b/c'"],
    ['path.resolve("a", "../b")', "'/work/b'"],
    ['path.resolve("/x", "y")', "'/x/y'"],
    [
      '[path.normalize("/a/../../b/"), path.normalize(""), path.normalize("../a/..")]',
      "[ '/b/', '.', '..' ]",
    ],
    [
      '[path.dirname("/a/b/"), path.dirname("a"), path.dirname("/a"), path.dirname("//a")]',
      "[ '/a', '.', '/', '/' ]",
    ],
    [
      '[path.basename("/a/b.ts"), path.basename("/a/b.ts", ".ts"), path.basename(".ts", ".ts"), path.basename("/")]',
      "[ 'b.ts', 'b', '', '' ]",
    ],
    [
      '[path.extname("a.b.c"), path.extname(".a"), path.extname("a."), path.extname("a")]',
      "[ '.c', '', '.', '' ]",
    ],
    ['path.relative("/a/b/c", "/a/d")', "'../../d'"],
    ['path.relative("/a", "/a")', "''"],
    ['path.parse("/a/b.c")', "{ root: '/', dir: '/a', base: 'b.c', ext: '.c', name: 'b' }"],
    [
      '[path.format({ dir: "/a", name: "b", ext: "c" }), path.format({ root: "/", base: "x" })]',
      "[ '/a/b.c', '/x' ]",
    ],
    [
      '[path.isAbsolute("/a"), path.isAbsolute("a"), path.sep, path.delimiter, path.posix === path]',
      "[ true, false, '/', ':', true ]",
    ],
  ])('computes %s', async (code, text) => {
    const repl = await openRepl();
    expect(await repl.value(code)).toBe(text);
  });

  it('refuses what is no string', async () => {
    const repl = await openRepl();
    expect((await repl.run('path.join(1)')).error).toMatchObject({
      name: 'TypeError',
      message: 'The "path" argument must be of type string. Received type number (1)',
    });
  });
});

describe('timers', () => {
  it('runs nextTick and microtasks before timers', async () => {
    const repl = await openRepl();
    expect(
      await repl.value(`
        const order = [];
        setTimeout(() => order.push('timer'), 0); setImmediate(() => order.push('immediate'));
        process.nextTick((word) => order.push(word), 'tick'); queueMicrotask(() => order.push('job'));
        await new Promise((done) => setTimeout(done, 5)); order`),
    ).toBe("[ 'tick', 'job', 'timer', 'immediate' ]");
  });

  it('clears timers, and repeats intervals', async () => {
    let time = 1_700_000_000_000;
    const sleep = (milliseconds: number) => Promise.resolve(void (time += milliseconds));
    const repl = await openRepl({}, { now: () => time, sleep });
    expect(
      await repl.value(`
        let n = 0; const never = setTimeout(() => { n = 100 }, 1); clearTimeout(never);
        const every = setInterval(() => { n += 1; if (n === 3) clearInterval(every) }, 10);
        const { setTimeout: wait } = require('timers/promises');
        [await wait(100, 'waited'), n]`),
    ).toBe("[ 'waited', 3 ]");
  });

  it('calls with the timer as `this`, which may end itself', async () => {
    let time = 1_700_000_000_000;
    const sleep = (milliseconds: number) => Promise.resolve(void (time += milliseconds));
    const repl = await openRepl({}, { now: () => time, sleep });
    expect(
      await repl.value(`
        let n = 0; const every = setInterval(function () { n += 1; clearInterval(this) }, 1);
        await new Promise((done) => setTimeout(done, 10)); n`),
    ).toBe('1');
  });
});

describe('timers/promises', () => {
  it('end by their signal', async () => {
    const repl = await openRepl();
    expect(
      await repl.value(`
        const { setTimeout: wait, setInterval: every } = require('timers/promises');
        const stop = new AbortController(); setTimeout(() => stop.abort('why'), 1);
        const ended = await wait(1e6, 0, { signal: stop.signal }).catch((error) => [error.name, error.code, error.cause]);
        let n = 0; for await (const value of every(1, 'v')) if ((n += 1) === 3) break;
        [ended, n, await require('util').promisify(setTimeout)(1, 'waited')]`),
    ).toBe("[ [ 'AbortError', 'ABORT_ERR', 'why' ], 3, 'waited' ]");
  });
});

describe('what a callback throws', () => {
  it.each([
    ['queueMicrotask(() => { throw new RangeError("far: off") })', 'RangeError', 'far: off'],
    ['process.nextTick(() => { throw "text" }); await 1', 'Error', 'text'],
    [
      'fs.readFile("none", (error) => { throw error }); await new Promise((done) => setTimeout(done))',
      'Error',
      "ENOENT: no such file or directory, open 'none'",
    ],
  ])('fails the cell as it is: %s', async (code, name, message) => {
    const repl = await openRepl();
    const { error, rolledBack } = await repl.run(code);
    expect([error, rolledBack]).toEqual([{ name, message }, true]);
    expect(await repl.value('1')).toBe('1');
  });
});

describe('what browsers and Node share', () => {
  it.each([
    ['new TextDecoder().decode(new TextEncoder().encode("héé€😀"))', "'héé€😀'"],
    [
      '[atob(btoa("x")), Buffer.from("aGk=", "base64").toString("latin1"), Buffer.concat([Buffer.from("a"), Buffer.alloc(1)]).toString("hex")]',
      "[ 'x', 'hi', '6100' ]",
    ],
    [
      'const s = structuredClone({ d: new Date(0), m: new Map([[1, { a: [1] }]]), u: new Uint8Array([1]), e: new Error("x") }); [s.d.getTime(), s.m.get(1).a, s.u, s.e.message]',
      "[ 0, [ 1 ], Uint8Array(1) [ 1 ], 'x' ]",
    ],
    [
      'const u = new URL("../x?a=1#h", "https://u@ex.com:8080/a/b/"); [u.href, u.host, u.pathname, u.searchParams.get("a"), u.hash]',
      "[ 'https://u@ex.com:8080/a/x?a=1#h', 'ex.com:8080', '/a/x', '1', '#h' ]",
    ],
    [
      'const v = new URL("http://a/"); v.searchParams.append("q", "a b&"); v.pathname = "/p q"; v.port = "81"; v.href',
      "'http://a:81/p%20q?q=a+b%26'",
    ],
    ['[...new URLSearchParams("a=1&b=2&a=3")].flat().join()', "'a,1,b,2,a,3'"],
    [
      '[URL.canParse("nope"), crypto.randomUUID().length, crypto.getRandomValues(new Uint16Array(4)).length]',
      '[ false, 36, 4 ]',
    ],
    [
      'const { fileURLToPath, pathToFileURL } = require("url"); [fileURLToPath("file:///a%20b"), pathToFileURL("c").href]',
      "[ '/a b', 'file:///work/c' ]",
    ],
    [
      'const { format, inspect, promisify } = require("node:util"); [format("%s!", "a"), inspect([1]), await promisify((n, cb) => cb(null, n + 1))(1)]',
      "[ 'a!', '[ 1 ]', 2 ]",
    ],
    [
      'const copy = structuredClone(new RangeError("r", { cause: [1] })); [copy instanceof RangeError, Error.isError(copy), copy.message, copy.cause]',
      "[ true, true, 'r', [ 1 ] ]",
    ],
    [
      'const own = structuredClone(new (class Own extends Error { name = "Own" })("m")); [own.name, own.constructor === Error]',
      "[ 'Error', true ]",
    ],
    ['structuredClone(new DOMException("d", "AbortError")).code', '20'],
    ['try { structuredClone() } catch (error) { error.code }', "'ERR_MISSING_ARGS'"],
    [
      'try { new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.of(255)) } catch (error) { error.code }',
      "'ERR_ENCODING_INVALID_ENCODED_DATA'",
    ],
    [
      'try { crypto.getRandomValues(new Uint8Array(65537)) } catch (error) { [error.name, error.code] }',
      "[ 'QuotaExceededError', 22 ]",
    ],
    ['require("crypto").randomBytes(70_000).length', '70000'],
    [
      'const c = require("crypto"); [await new Promise((done) => c.randomInt(1, (...got) => done(got))), (await new Promise((done) => c.randomBytes(4, (_error, bytes) => done(bytes)))).length]',
      '[ [ null, 0 ], 4 ]',
    ],
    [
      '[[5, 5], [0], [1.5], ["3"], [0, 2 ** 49]].map((args) => { try { return require("crypto").randomInt(...args) } catch (error) { return error.code } })',
      "[\n  'ERR_OUT_OF_RANGE',\n  'ERR_OUT_OF_RANGE',\n  'ERR_INVALID_ARG_TYPE',\n  'ERR_INVALID_ARG_TYPE',\n  'ERR_OUT_OF_RANGE'\n]",
    ],
    ['try { structuredClone(Object(Symbol())) } catch (error) { error.name }', "'DataCloneError'"],
    [
      '["throws", "doesNotThrow"].map((name) => { try { require("assert")[name](Promise.resolve()) } catch (error) { return error.code } })',
      "[ 'ERR_INVALID_ARG_TYPE', 'ERR_INVALID_ARG_TYPE' ]",
    ],
    [
      'try { require("assert").throws(() => { throw new TypeError("t") }, RangeError) } catch (error) { [error.code, error.message.split("\\n", 1)] }',
      `[\n  'ERR_ASSERTION',\n  [\n    'The error is expected to be an instance of "RangeError". Received "TypeError"'\n  ]\n]`,
    ],
    [
      'const E = require("events"); const e = new E(); const got = []; e.once("x", (v) => got.push(v)); e.emit("x", 1); e.emit("x", 2); got',
      '[ 1 ]',
    ],
  ])('works: %s', async (code, text) => {
    const repl = await openRepl();
    expect(await repl.value(code)).toBe(text);
  });
});

describe('abort signals and events', () => {
  it.each([
    [
      'const c = new AbortController(); const got = []; c.signal.addEventListener("abort", (e) => got.push(e.type), { once: true }); c.abort("why"); c.abort(); [c.signal.aborted, c.signal.reason, got]',
      "[ true, 'why', [ 'abort' ] ]",
    ],
    ['AbortSignal.abort().reason.name', "'AbortError'"],
    [
      'const d = new AbortController(); const any = AbortSignal.any([d.signal]); d.abort(1); any.reason',
      '1',
    ],
    [
      'const t = AbortSignal.timeout(1); await new Promise((done) => t.addEventListener("abort", done)); t.reason.name',
      "'TimeoutError'",
    ],
    [
      'const e = new EventTarget(); let n = 0; const on = () => { n += 1 }; e.addEventListener("x", on); e.addEventListener("x", on); e.dispatchEvent(new Event("x")); e.removeEventListener("x", on); e.dispatchEvent(new Event("x")); n',
      '1',
    ],
    [
      'const e = new EventTarget(), told = []; const b = () => told.push("b"); e.addEventListener("x", () => { told.push("a"); e.removeEventListener("x", b); }); e.addEventListener("x", b); e.dispatchEvent(new Event("x")); told.join()',
      "'a'",
    ],
    [
      'const c = new AbortController(); let n = 0; const all = Array.from({ length: 20_000 }, () => () => { n += 1; }); for (const on of all) c.signal.addEventListener("abort", on); for (const on of all.slice(1)) c.signal.removeEventListener("abort", on); c.abort(); n',
      '1',
    ],
    ['new TextDecoder("utf-16le").decode(new Uint8Array([104, 0, 105, 0]))', "'hi'"],
  ])('work: %s', async (code, text) => {
    const repl = await openRepl();
    expect(await repl.value(code)).toBe(text);
  });
});

describe('assert', () => {
  it.each([
    [
      'assert.ok(1); assert.equal(1, "1"); assert.deepEqual({ a: [1] }, { a: ["1"] }); assert.notEqual(1, 2)',
      undefined,
    ],
    [
      'assert.throws(() => { throw new TypeError("bad") }, TypeError); assert.throws(() => { throw new Error("bad") }, /bad/); assert.throws(() => { throw Object.assign(new Error("x"), { code: "E" }) }, { code: "E" })',
      undefined,
    ],
    [
      'await assert.rejects(Promise.reject(new Error("no")), /no/); await assert.doesNotReject(async () => {})',
      undefined,
    ],
    [
      'import strict from "node:assert/strict"; strict.deepEqual(new Map([[1, [2]]]), new Map([[1, [2]]]))',
      undefined,
    ],
    ['assert.strictEqual(1, 2, "own words")', 'own words'],
    [
      'assert.deepStrictEqual({ a: 1 }, { a: 2 })',
      'Expected values to be strictly deep-equal:\n\n+ actual\n- expected\n\n- { a: 2 }\n+ { a: 1 }',
    ],
    ['assert(0)', 'The expression evaluated to a falsy value: 0'],
    ['assert.throws(() => {})', 'Missing expected exception.'],
    [
      'import strict from "assert/strict"; strict.equal(1, "1")',
      "Expected values to be strictly equal:\n\n+ actual\n- expected\n\n- '1'\n+ 1",
    ],
    [
      'assert.match("abc", /x/)',
      "The input did not match the regular expression /x/. Input: 'abc'",
    ],
  ])('judges %s', async (code, message) => {
    const repl = await openRepl();
    expect((await repl.run(code)).error?.message).toBe(message);
  });
});
