// What Node 24 says to the same.
import { describe, expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

describe('util', () => {
  it.each([
    [
      'util.parseArgs({ args: ["-f", "--bar", "b", "pos", "--no-color", "--x=1", "--x", "2", "--", "-z"], options: { foo: { type: "boolean", short: "f" }, bar: { type: "string" }, color: { type: "boolean" }, x: { type: "string", multiple: true }, d: { type: "string", default: "0" } }, allowPositionals: true, allowNegative: true })',
      "{\n  values: [Object: null prototype] {\n    foo: true,\n    bar: 'b',\n    color: false,\n    x: [ '1', '2' ],\n    d: '0'\n  },\n  positionals: [ 'pos', '-z' ]\n}",
    ],
    [
      '[util.promisify((a, done) => done(null, a + 1))(1) instanceof Promise, await util.promisify(setTimeout)(1, "waited"), util.promisify.custom.description]',
      "[ true, 'waited', 'nodejs.util.promisify.custom' ]",
    ],
    [
      'let told; util.callbackify(async () => 5)((error, value) => { told = [error, value] }); await 0; await 0; told',
      '[ null, 5 ]',
    ],
    [
      'const { types } = util; [types.isMap(new Map()), types.isUint8Array(Buffer.alloc(1)), types.isAsyncFunction(async () => {}), types.isGeneratorFunction(function* () {}), types.isBoxedPrimitive(Object(1)), types.isTypedArray(new Int8Array()), types.isDate({}), types.isNativeError(new TypeError()), types.isProxy({})]',
      '[ true, true, true, true, true, true, false, true, false ]',
    ],
    [
      'function Old() { require("events").call(this) } util.inherits(Old, require("events")); const old = new Old(); let heard = 0; old.on("x", () => { heard += 1 }); old.emit("x"); [heard, Old.super_ === require("events")]',
      '[ 1, true ]',
    ],
    [
      '[util.styleText("red", "plain"), util.stripVTControlCharacters("\\u001b[31mred\\u001b[0m"), util.toUSVString("a\\ud800"), util.isArray([]), util.debuglog("x").enabled, util.deprecate((a) => a, "old")(1), util.isDeepStrictEqual([1], ["1"])]',
      "[ 'plain', 'red', 'a�', true, false, 1, false ]",
    ],
    [
      '[util.format("%s", { toString: () => "own" }), util.format("%s", new Date(0)), util.format("%s", [1, [2]]), util.format("%s", new Error("e")).split("\\n")[0], util.format("%s %s", -0, 5n)]',
      "[ 'own', '1970-01-01T00:00:00.000Z', '[ 1, [Array] ]', 'Error: e', '-0 5n' ]",
    ],
  ])('does: %s', async (code, text) => {
    const repl = await openRepl();
    expect(await repl.value(code)).toBe(text);
  });
});

describe('events', () => {
  it.each([
    [
      'const E = require("events"); const e = new E(); const got = []; e.on("a", (x) => got.push("on" + x)); e.prependListener("a", (x) => got.push("first" + x)); e.once("a", (x) => got.push("once" + x)); e.emit("a", 1); e.emit("a", 2); [got, e.listenerCount("a"), e.eventNames(), e.rawListeners("a").length, e.emit("none")]',
      "[ [ 'first1', 'on1', 'once1', 'first2', 'on2' ], 2, [ 'a' ], 2, false ]",
    ],
    [
      'const { EventEmitter } = require("node:events"); class Own extends EventEmitter { constructor() { super(); this.x = 1 } } const own = new Own(); const news = []; own.on("newListener", (name) => news.push(name)); const f = () => {}; own.on("y", f); own.off("y", f); own.removeAllListeners(); [news, own.listenerCount("y"), own.eventNames()]',
      "[ [ 'y' ], 0, [] ]",
    ],
    [
      'const { once, on } = require("events"); const o = new (require("events"))(); setTimeout(() => { o.emit("x", 1, 2); o.emit("x", 3) }, 1); const first = await once(o, "x"); setTimeout(() => { o.emit("x", 4); o.emit("x", 5) }, 1); const all = []; for await (const args of on(o, "x")) { all.push(args); if (all.length === 2) break } [first, all, o.listenerCount("x")]',
      '[ [ 1, 2 ], [ [ 4 ], [ 5 ] ], 0 ]',
    ],
    [
      'const failing = new (require("events"))(); setTimeout(() => failing.emit("error", new Error("bad")), 1); [await require("events").once(failing, "x").catch((error) => error.message), (() => { try { new (require("events"))().emit("error", 5) } catch (error) { return [error.code, error.message] } })()]',
      "[ 'bad', [ 'ERR_UNHANDLED_ERROR', 'Unhandled error. (5)' ] ]",
    ],
  ])('do: %s', async (code, text) => {
    const repl = await openRepl();
    expect(await repl.value(code)).toBe(text);
  });
});

describe('crypto', () => {
  it.each([
    [
      'const { createHash, createHmac, hash } = require("crypto"); ["md5", "sha1", "sha256"].map((name) => createHash(name).update("a").update(Buffer.from("bc")).digest("hex")).concat(createHmac("sha256", "key").update("abc").digest("base64"), hash("sha1", "abc"), createHash("SHA-256").digest().length)',
      "[\n  '900150983cd24fb0d6963f7d28e17f72',\n  'a9993e364706816aba3e25717850c26c9cd0d89d',\n  'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',\n  'nBluMtwBdfhvSxy4konWYZ3mvuaZ5MN45oMJ7Zehpqs=',\n  'a9993e364706816aba3e25717850c26c9cd0d89d',\n  32\n]",
    ],
    [
      '[await crypto.subtle.digest("SHA-256", new Uint8Array()).then((bytes) => Buffer.from(bytes).toString("hex").slice(0, 8)), await crypto.subtle.digest({ name: "sha-1" }, Buffer.from("abc").buffer.slice(0, 0)).then((bytes) => bytes.byteLength), await crypto.subtle.digest("MD5", new Uint8Array()).catch((error) => error.name)]',
      "[ 'e3b0c442', 20, 'NotSupportedError' ]",
    ],
    [
      'const c = require("crypto"); const partial = c.createHash("sha512").update("x".repeat(40000)); const copy = partial.copy(); [partial.digest("hex") === copy.digest("hex"), c.timingSafeEqual(Buffer.from("a"), Buffer.from("a")), c.randomBytes(4).length, c.randomInt(5, 6), c.webcrypto.randomUUID().length]',
      '[ true, true, 4, 5, 36 ]',
    ],
  ])('does: %s', async (code, text) => {
    const repl = await openRepl();
    expect(await repl.value(code)).toBe(text);
  });

  it('hashes in steps, so that a long hash is cut in time', async () => {
    const repl = await openRepl();
    const code = "const { createHash } = require('crypto'); const data = new Uint8Array(4e6);";
    const result = await repl.run(`${code} for (;;) createHash('sha512').update(data)`, {
      timeoutMs: 60,
    });
    expect(result).toMatchObject({ timedOutAfterMs: 60 });
  });

  it.each([
    [
      "createHash('sha3')",
      'Digest method not supported: sha3. There are md5, sha1, sha256, sha384, sha512.',
    ],
    [
      "createHash('md5').update(5)",
      'The "data" argument must be of type string or an instance of Buffer, TypedArray, or DataView. Received type number (5)',
    ],
    [
      "{ const hash = createHash('md5'); hash.digest(); hash.update('x') }",
      'Digest already called',
    ],
  ])('refuses %s', async (code, message) => {
    const repl = await openRepl();
    const { error } = await repl.run(`const { createHash } = require('crypto'); ${code}`);
    expect(error?.message).toBe(message);
  });
});

describe('a module that is not there', () => {
  it.each(['child_process', 'node:tls', 'worker_threads', 'left-pad'])(
    '%s is missed with a sentence that says what there is',
    async (name) => {
      const repl = await openRepl();
      const { error } = await repl.run(`require('${name}')`);
      expect(error?.message).toContain(`Cannot find module '${name}'`);
      expect(error?.message).toMatch(
        /what there is|isn't available in this sandbox: (?:use fetch|there are no)/u,
      );
    },
  );
});

describe('streams and compression', () => {
  it('has no brotli', async () => {
    const repl = await openRepl();
    const { error } = await repl.run("require('zlib').brotliCompressSync('a')");
    expect(error?.message).toBe(
      "zlib.brotliCompressSync isn't available in this sandbox: use gzip",
    );
    // Servers ask so before they send brotli.
    expect(await repl.value("'createBrotliCompress' in require('zlib')")).toBe('false');
  });

  it('inflates to as much as a sandbox holds', async () => {
    const repl = await openRepl();
    const code =
      "const zlib = require('zlib'); const member = zlib.gzipSync(Buffer.alloc(4_000_000)); const bomb = (count) => Buffer.concat(Array(count).fill(member));";
    await repl.run(code);
    expect(await repl.value('zlib.gunzipSync(bomb(2)).length')).toBe('8000000');
    const { error } = await repl.run('zlib.gunzipSync(bomb(100))', { timeoutMs: 100_000 });
    expect(error?.name).toBe('LimitError');
  });

  it('takes stdout as the end of a pipe, and stdin as what has ended', async () => {
    const repl = await openRepl();
    const code =
      "const { pipeline } = require('stream/promises'); const { Readable } = require('stream'); Readable.from(['a', 'b']).pipe(process.stdout); for await (const line of process.stdin) console.log(line); await new Promise((resolve) => process.stdout.write('c', resolve));";
    expect(await repl.stdout(code)).toBe('abc');
  });
});
