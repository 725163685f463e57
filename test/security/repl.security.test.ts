// What hostile code in a cell can try against its host. Each attack is run for real, and the host's
// own state is looked at afterwards.
import { describe, expect, it } from 'vitest';
import { createServerFetch } from '../../src/core/host-ports/fetch-port.ts';
import { openRepl } from '../support/repl/repl.ts';

describe('a cell reaches nothing of its host', () => {
  it.each([
    'typeof XMLHttpRequest',
    'typeof EventSource',
    'typeof importScripts',
    'typeof Worker',
    'typeof indexedDB',
    'typeof caches',
    'typeof navigator',
    'typeof document',
    'typeof window',
    'typeof self',
    'typeof postMessage',
    'typeof WebAssembly',
    'typeof Deno',
    'typeof Bun',
    'typeof process.binding',
    'typeof process.mainModule',
    'typeof process.dlopen',
  ])('%s is undefined', async (code) => {
    const repl = await openRepl();
    expect(await repl.value(code)).toBe("'undefined'");
  });

  it.skipIf(typeof BroadcastChannel === 'undefined')(
    'has channels of its own, which reach none of its host',
    async () => {
      const repl = await openRepl();
      const [ofHost, probe] = [new BroadcastChannel('shared'), new BroadcastChannel('shared')];
      const heard: unknown[] = [];
      const came = new Promise((resolve) => {
        ofHost.onmessage = ({ data }) => {
          heard.push(data);
          if (data === 'probe') resolve(undefined);
        };
      });
      const code =
        "const heard = []; new BroadcastChannel('shared').onmessage = ({ data }) => heard.push(data); new BroadcastChannel('shared').postMessage('guest'); await new Promise((resolve) => setTimeout(resolve, 1)); heard";
      expect(await repl.value(code)).toBe("[ 'guest' ]");
      probe.postMessage('probe');
      await came;
      expect(heard).toEqual(['probe']);
      ofHost.close();
      probe.close();
    },
  );

  it.each([
    'globalThis.constructor.constructor("return typeof process.versions.v8 + typeof document")()',
    'console.log.constructor("return typeof process.versions.v8 + typeof document")()',
    'fs.readFileSync.constructor("return typeof process.versions.v8 + typeof document")()',
    'new Function("return typeof process.versions.v8 + typeof document")()',
    '(0, eval)("typeof process.versions.v8 + typeof document")',
    '(async () => {}).constructor("return typeof process.versions.v8 + typeof document")()',
    'let e; try { fs.readFileSync("none") } catch (error) { e = error } e.constructor.constructor("return typeof process.versions.v8 + typeof document")()',
  ])('%s runs in the sandbox too', async (code) => {
    const repl = await openRepl();
    expect(await repl.value(code)).toBe("'undefinedundefined'");
  });

  it('learns nothing of the host from errors and stacks', async () => {
    const repl = await openRepl();
    const text = await repl.value(`
      const seen = [];
      for (const attempt of [() => fs.readFileSync('none'), () => require('none'), () => fs.readFileSync(''), () => new URL('x'),
        () => null.x, () => new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([255]))]) {
        try { attempt() } catch (error) { seen.push(error.stack, error.message, JSON.stringify(error)) }
      }
      seen.join('\\n')`);
    expect(text).not.toMatch(/node_modules\/|\.ts:|src\/repl|file:\/\//u);
  });

  it('finds none of the kernel and the host functions on the global object', async () => {
    const repl = await openRepl();
    const names = await repl.value(`
      const builtIn = new Set(Object.getOwnPropertyNames(globalThis));
      [...builtIn].filter((name) => /kernel|host|rockpool/i.test(name))`);
    expect(names).toBe('[]');
  });
});

describe('a cell cannot reach files that it may not', () => {
  it.each([
    '../etc/passwd',
    '/work/../etc/passwd',
    '/etc/passwd',
    'a/../../etc/passwd',
    '/work2/x',
    './/..//..//etc/passwd',
    'file:///etc/passwd',
    'link/passwd',
    'link-file',
  ])('%s', async (path) => {
    const repl = await openRepl({ 'a/x': '' });
    await repl.workspace.fs.mkdir('/etc');
    await repl.workspace.fs.writeFile('/etc/passwd', 'secret');
    await repl.workspace.fs.symlink('/etc', '/work/link');
    await repl.workspace.fs.symlink('../etc/passwd', '/work/link-file');
    const target = path.startsWith('file:')
      ? `new URL(${JSON.stringify(path)})`
      : JSON.stringify(path);
    for (const attempt of [
      `fs.readFileSync(${target}, 'utf8')`,
      `fs.writeFileSync(${target}, 'owned')`,
      `fs.copyFileSync(${target}, 'mine')`,
      `require('fs').promises.readFile(${target}, 'utf8')`,
      `require(${JSON.stringify(path)})`,
    ]) {
      const result = await repl.run(`await (${attempt})`);
      expect(result.error, attempt).toBeDefined();
      expect(JSON.stringify(result)).not.toContain('secret');
    }
    expect(await repl.workspace.fs.readFile('/etc/passwd', 'utf8')).toBe('secret');
  });

  it('not by moving a link to them', async () => {
    const repl = await openRepl({ 'deep/down/x': '' });
    await repl.workspace.fs.mkdir('/etc');
    await repl.workspace.fs.writeFile('/etc/passwd', 'secret');
    await repl.workspace.fs.symlink('../../../etc/passwd', '/work/deep/down/link');
    await repl.workspace.fs.symlink('../etc/passwd', '/work/link');
    for (const move of [
      'fs.renameSync("link", "mine")',
      'fs.cpSync("link", "mine")',
      'fs.renameSync("deep/down/link", "mine")',
    ]) {
      const result = await repl.run(`${move}; fs.readFileSync("mine", "utf8")`);
      expect(result.error, move).toBeDefined();
      expect(JSON.stringify(result)).not.toContain('secret');
    }
  });

  it('not by a link of its own either', async () => {
    const repl = await openRepl();
    await repl.workspace.fs.mkdir('/etc');
    await repl.workspace.fs.writeFile('/etc/passwd', 'secret');
    const result = await repl.run(
      'fs.symlinkSync("/etc/passwd", "mine"); fs.readFileSync("mine", "utf8")',
    );
    expect(result.error).toBeDefined();
  });
});

describe('host functions refuse what an attacker passes', () => {
  it.each([
    ['fs.readFileSync({ toString: () => "a" })', 'TypeError'],
    ['fs.readFileSync("a\\0b")', 'TypeError'],
    ['fs.readFileSync("a".repeat(5000))', 'Error'],
    ['fs.readFileSync(Object.create(String.prototype))', 'TypeError'],
    ['fs.writeFileSync("a", { length: 1e9 })', 'TypeError'],
    ['fs.writeFileSync("a", new Proxy(new Uint8Array(1), {}))', 'TypeError'],
    ['fs.chmodSync("a", 1e10)', 'TypeError'],
    ['fs.chmodSync("a", NaN)', 'TypeError'],
    ['fs.utimesSync("a", -1, Infinity)', 'TypeError'],
    ['fs.truncateSync("a", -1)', 'TypeError'],
    ['fs.truncateSync("a", 1e15)', 'TypeError'],
    ['crypto.getRandomValues(new Uint8Array(1e6))', 'QuotaExceededError'],
    ['require("crypto").randomBytes(1e12)', 'RangeError'],
    ['fs.readdirSync(Symbol.iterator)', 'TypeError'],
  ])('%s', async (code, name) => {
    const repl = await openRepl({ a: 'x' });
    const before = await repl.workspace.treeHash();
    expect((await repl.run(code)).error?.name).toBe(name);
    expect(await repl.workspace.treeHash()).toBe(before);
    expect(await repl.value('1')).toBe('1');
  });

  it('copies bytes both ways, so that nothing is shared', async () => {
    const repl = await openRepl({ a: 'xy' });
    expect(
      await repl.value(
        'const one = fs.readFileSync("a"); one[0] = 0; const bytes = new Uint8Array([1]); fs.writeFileSync("b", bytes); bytes[0] = 2; [fs.readFileSync("a", "utf8"), fs.readFileSync("b")[0]]',
      ),
    ).toBe("[ 'xy', 1 ]");
  });
});

describe('a cell reaches no network that it was not given', () => {
  it.each([
    'await fetch("http://127.0.0.1:1/")',
    'await fetch("http://localhost/")',
    'await fetch("http://[::ffff:127.0.0.1]/")',
    'await fetch("http://2130706433/")',
    'await fetch("http://169.254.169.254/latest/meta-data/")',
    'await fetch("https://app.net/")',
    'await fetch("https://other.net/")',
    'await fetch("https://a.net:8443/")',
    'await fetch("https://a.net.other.net/")',
    'await fetch("https://a.net@other.net/")',
    'await fetch("//other.net/", { method: "GET" })',
    'await fetch("file:///etc/passwd")',
    'await fetch("https://a.net/", { headers: { Host: "other.net" } })',
    'await fetch("https://a.net/", { headers: { Cookie: "a=b" } })',
    'await fetch("https://a.net/", { method: "CONNECT" })',
    'await fetch("https://a.net/", { headers: { "x-http-method-override": "TRACE" } })',
    // What is judged is what leaves, whatever the guest's own classes have become.
    'class Evil extends Request { #n = 0; get url() { return this.#n++ ? "https://other.net/" : "https://a.net/" } } await fetch(new Evil("https://a.net/"))',
    'Object.defineProperty(Request.prototype, "url", { get: () => "https://other.net/" }); await fetch("https://a.net/")',
    'JSON.stringify = () => \'["https://other.net/","GET","follow"]\'; Array.prototype.flat = () => ["cookie", "a=b"]; await fetch("https://a.net/")',
    'let n = 0; await fetch({ toString: () => (n++ ? "https://a.net/" : "https://other.net/") })',
    'Headers.prototype[Symbol.iterator] = function* () { yield ["cookie", "a=b"] }; await fetch("https://a.net/")',
    'Headers.prototype[Symbol.iterator] = function* () { yield ["x"] }; await fetch("https://a.net/")',
    'Object.defineProperty(Request.prototype, "redirect", { get: () => "elsewhere" }); await fetch("https://a.net/")',
  ])('%s', async (code) => {
    const sent: string[] = [];
    const fetch = async (url: string) => {
      sent.push(url);
      return new Response('', { status: 302, headers: { location: 'https://other.net/' } });
    };
    const repl = await openRepl({}, { network: createServerFetch(fetch, ['app.net']) });
    const result = await repl.run(code, { network: { hosts: ['a.net'] } });
    expect(result.error?.name).toMatch(/^(?:PermissionDenied|TypeError)$/u);
    expect(sent.filter((url) => !url.startsWith('https://a.net/'))).toEqual([]);
  });
});

describe("a cell cannot turn the session's own means against it", () => {
  it.each([
    'const { createHash } = require("crypto"); createHash("sha512").update(new Uint8Array(2e7))',
    'fs.writeFileSync("a", new Uint8Array(1e7)); for (;;) try { fs.readFileSync("a") } catch {}',
    'const data = new Uint8Array(2e7); for (;;) crypto.subtle.digest("SHA-1", data).catch(() => {})',
  ])('to hang it where nothing cuts: %s', async (code) => {
    const repl = await openRepl();
    expect(await repl.run(code, { timeoutMs: 100 })).toMatchObject({ timedOutAfterMs: 100 });
    expect(await repl.value('1')).toBe('1');
  });

  it.each([
    'path.matchesGlob("a".repeat(4000), "*a".repeat(12) + "b")',
    'fs.writeFileSync("a".repeat(250), ""); await runTests("*a".repeat(20) + "b")',
  ])('by a glob, which takes no time that grows: %s', async (code) => {
    const repl = await openRepl();
    expect(await repl.run(code, { timeoutMs: 2000 })).not.toHaveProperty('timedOutAfterMs');
  });

  it('pollutes its own prototypes only', async () => {
    const repl = await openRepl();
    await repl.run(`
      Object.prototype.polluted = 'yes'; Array.prototype.polluted = 'yes';
      Object.defineProperty(Object.prototype, 'outcome', { get() { return { ok: true, display: 'forged' } }, configurable: true });
      JSON.parse('{"__proto__": {"polluted": "yes"}}');`);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(([] as unknown as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('forges at most its own outcome', async () => {
    const repl = await openRepl();
    await repl.run(`
      JSON.stringify = () => '{"outcome":{"ok":true,"display":{"toString":1}},"nextTimer":"x","pendingTimers":-1,"testFailures":[]}';
      JSON.parse = () => { throw new Error('mine') };
      Object.prototype.toJSON = () => ({ outcome: 1 });`);
    const result = await repl.run('2 + 2');
    expect(result.rolledBack || result.display === '4' || result.display === undefined).toBe(true);
    const { display: after } = await repl.successor().run('2 + 2');
    expect(after).toBe('4');
  });

  it('keeps nothing running after it has been cut', async () => {
    const repl = await openRepl({ a: '0' });
    await repl.run('setInterval(() => fs.writeFileSync("a", "1"), 1); for (;;) {}', {
      timeoutMs: 30,
    });
    await repl.run('await new Promise((done) => setTimeout(done, 20))');
    expect(await repl.workspace.fs.readFile('/work/a', 'utf8')).toBe('0');
  });

  it('never shares a VM with another session', async () => {
    const one = await openRepl();
    await one.run('globalThis.secret = 1; Array.prototype.map = () => "mine"');
    expect(await one.successor().value('[typeof secret, [1].map((n) => n)]')).toBe(
      "[ 'undefined', [ 1 ] ]",
    );
  });

  it('cannot make a project file run with more rights than it has', async () => {
    const repl = await openRepl(
      {
        'evil.test.js':
          "import fs from 'fs'; it('writes', () => { fs.writeFileSync('/work/owned', 'x') });",
      },
      { access: { write: 'deny' } },
    );
    const result = await repl.run('await runTests()');
    expect(result.stdout).toContain('EROFS');
    expect(result.changes).toEqual([]);
  });
});
