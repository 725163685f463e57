// Servers in a cell, beside what Node has too: over cells, rollbacks and files of tests, and requests to elsewhere.
import { describe, expect, it } from 'vitest';
import { createServerFetch } from '../../../src/core/host-ports/fetch-port.ts';
import { openRepl } from '../../support/repl/repl.ts';

const serve =
  "const { createServer } = require('http'); const server = createServer((request, response) => response.end('at ' + request.url)).listen(3000);";

describe('a server of a cell', () => {
  it('answers later cells by the name of the machine, and nobody elsewhere', async () => {
    const repl = await openRepl();
    await repl.value(serve);
    const ask = (url: string) => `await (await fetch('${url}')).text()`;
    expect(await repl.value(ask('http://localhost:3000/a'))).toBe("'at /a'");
    expect(await repl.value(ask('http://127.0.0.1:3000/b'))).toBe("'at /b'");
    expect(await repl.value(ask('http://[::1]:3000/c'))).toBe("'at /c'");
    for (const url of [
      'http://example.com:3000/',
      'https://localhost:3000/',
      'http://localhost:3001/',
    ])
      expect((await repl.run(ask(url))).error?.name).toBe('PermissionDenied');
  });

  it('is as it was before a cell that failed', async () => {
    const repl = await openRepl();
    await repl.value(serve);
    expect((await repl.run("server.close(); throw new Error('no')")).error?.message).toBe('no');
    expect(await repl.value('server.listening')).toBe('true');
    await repl.run(`require('http').createServer().listen(4000); throw new Error('no')`);
    expect(await repl.value(`require('http').createServer().listen(4000).listening`)).toBe('true');
  });

  it('says what its listener threw, and breaks off', async () => {
    const repl = await openRepl();
    const code =
      "require('http').createServer(() => { throw new Error('in the listener'); }).listen(3000); await fetch('http://localhost:3000/')";
    const { error, stderr } = await repl.run(code);
    expect(error?.message).toBe('fetch failed');
    expect(stderr).toContain('Uncaught in a request listener: Error: in the listener');
  });

  it('has an end when the head says another length than comes', async () => {
    const repl = await openRepl();
    const code =
      "require('http').createServer((request, response) => { response.setHeader('Content-Length', 5); response.end('abc'); }).listen(3000); await (await fetch('http://localhost:3000/')).text()";
    expect((await repl.run(code)).error?.message).toBe('aborted');
  });

  it('taints no session: what it answers is of the cell', async () => {
    const repl = await openRepl();
    await repl.value(`${serve} await (await fetch('http://localhost:3000/')).text()`);
    expect(await repl.value("new Function('return 1')()")).toBe('1');
  });

  it('is closed at the end of the file of tests that has opened it', async () => {
    const test = `${serve} const { test, expect } = require('vitest'); test('answers', async () => expect(await (await fetch('http://localhost:3000/')).text()).toBe('at /'));`;
    const repl = await openRepl({ 'a.test.cjs': test, 'b.test.cjs': test });
    await repl.value("require('http').createServer((q, r) => r.end('mine')).listen(4000)");
    expect((await repl.run('await runTests()')).stdout).toContain('2 passed');
    expect(await repl.value("await (await fetch('http://localhost:4000/')).text()")).toBe("'mine'");
  });
});

describe('a request that goes elsewhere', () => {
  it('is refused like a fetch', async () => {
    const repl = await openRepl();
    const code =
      "const { get } = require('http'); await new Promise((resolve, reject) => get('http://example.com/', resolve).on('error', reject))";
    expect((await repl.run(code)).error?.name).toBe('PermissionDenied');
  });

  const ask =
    "const { request } = require('https'); const ask = (url, options, body) => new Promise((resolve, reject) => { const asked = request(url, options, async (response) => { let text = ''; for await (const piece of response) text += piece; resolve([response.statusCode, response.headers, text]); }); asked.on('error', reject); asked.end(body); });";

  it('goes by fetch, and has its answer', async () => {
    const asked: unknown[] = [];
    const network = createServerFetch(async (url, init) => {
      const request = new Request(url, init as RequestInit);
      const { method, headers } = request;
      asked.push([url, method, Object.fromEntries(headers), await request.text()]);
      return new Response('hello', {
        status: 302,
        headers: { location: '/b', 'content-encoding': 'gzip', 'content-length': '25' },
      });
    });
    const repl = await openRepl({}, { network });
    const code = `${ask} await ask('https://a.net/x?y', { method: 'POST', headers: { 'X-A': ['1', '2'], 'Accept-Encoding': 'gzip', Expect: '100-continue' } }, 'body')`;
    const { value, error } = await repl.run(code, { network: { hosts: ['a.net'] } });
    expect(error).toBeUndefined();
    expect(value).toEqual([
      302,
      { 'content-type': 'text/plain;charset=UTF-8', location: '/b' },
      'hello',
    ]);
    expect(asked).toEqual([['https://a.net/x?y', 'POST', { 'x-a': '1, 2' }, 'body']]);
  });

  it('is refused where it asks for another host than its own', async () => {
    const repl = await openRepl({}, { network: createServerFetch(async () => new Response()) });
    const code = `${ask} await ask('https://a.net/', { headers: { host: 'b.net' } })`;
    const { error } = await repl.run(code, { network: { hosts: ['a.net'] } });
    expect(error?.message).toContain('host');
  });

  it('goes by the global fetch where its agent makes the connections: mocks answer there', async () => {
    const repl = await openRepl();
    const code = `${ask} class Mock extends require('http').Agent { createConnection() {} } globalThis.fetch = async (url, { method }) => new Response(method + ' ' + url); (await ask('http://a.net/x', { agent: new Mock() }))[2]`;
    expect(await repl.value(code)).toBe("'GET http://a.net/x'");
  });

  it('fails once, by its own socket, where a subclass brings one', async () => {
    const repl = await openRepl();
    const code =
      "const { ClientRequest, OutgoingMessage } = require('http'); const { once, EventEmitter } = require('events'); class Socket extends EventEmitter { destroy(error) { process.nextTick(() => this.emit('error', error)); } } function Mock() { OutgoingMessage.call(this); this.socket = new Socket(); this.socket.on('error', (error) => this.emit('error', error)); } Object.setPrototypeOf(Mock.prototype, ClientRequest.prototype); const request = new Mock(); const failed = once(request, 'error'); request.destroy(new Error('no match')); (await failed)[0].message";
    expect(await repl.value(code)).toBe("'no match'");
  });
});

it.each([
  ["require('https').createServer()", 'use http.createServer'],
  ["require('http').createServer().listen('/tmp/socket')", 'There are no Unix sockets'],
  ["require('http').request({ socketPath: '/tmp/socket' })", 'There are no Unix sockets'],
])('%s says what to do instead', async (code, message) => {
  const repl = await openRepl();
  expect((await repl.run(code)).error?.message).toContain(message);
});

it('is found by its name: dns knows that of this machine', async () => {
  const code =
    "const { lookup, promises } = require('dns'); const all = (name) => new Promise((resolve) => lookup(name, { all: true }, (error, found) => resolve(found))); exports.ask = async () => [await all('localhost'), await promises.lookup('10.0.0.1'), await promises.lookup('example.com').catch((error) => error.message)];";
  const repl = await openRepl({ 'ask.cjs': code });
  expect((await repl.run("require('./ask.cjs').ask()")).value).toEqual([
    [{ address: '127.0.0.1', family: 4 }],
    { address: '10.0.0.1', family: 4 },
    "dns.lookup was called. It isn't available in this sandbox: use fetch",
  ]);
});
