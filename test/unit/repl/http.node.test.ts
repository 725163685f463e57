// http of a cell does what Node's own does: each program runs in both, and tells the same. In Node bytes go over
// loopback; in a cell none leaves the sandbox.
import { describe, expect, it } from 'vitest';
import { tellInCell, tellInNode } from '../../support/repl/same-program.ts';

// Ports, dates and the order of what both sides do at once are each world's own.
const start = `
const http = require('node:http');
const { once } = require('node:events');
const open = async (listener, options = {}) => { const server = http.createServer(options, listener); server.listen(0, '127.0.0.1'); await once(server, 'listening'); return server; };
const close = (server) => new Promise((resolve) => server.close(resolve));
const at = (server, path = '/') => 'http://localhost:' + server.address().port + path;
const textOf = async (stream) => { let text = ''; for await (const piece of stream) text += piece; return text; };
const ask = async (url, options = {}, body) => { const request = typeof url === 'string' ? http.request(url, options) : http.request(url); request.end(body); const [response] = await once(request, 'response'); return { response, text: await textOf(response) }; };
const plain = (headers) => Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, /^(date|host)$/.test(name) ? name : value]));
const tried = (run) => { try { return run(); } catch (error) { return [error.name, error.code, error.message]; } };
`;

describe('tells what Node tells', () => {
  it.each([
    [
      'request and response',
      "const server = await open((request, response) => { log(request.method, request.url, plain(request.headers), request.httpVersion); response.setHeader('X-A', '1'); response.setHeader('Set-Cookie', ['a=1', 'b=2']); response.end('hi'); log(response.headersSent, response.finished, response.writableEnded); }); const { response, text } = await ask(at(server, '/x?y'), { headers: { a: 1, B: ['x', 'y'], cookie: ['c=1', 'd=2'] } }); log(response.statusCode, response.statusMessage, plain(response.headers), text, response.complete); await close(server)",
    ],
    [
      'a body in pieces',
      "const server = await open(async (request, response) => { response.writeHead(201, { 'Content-Type': 'text/plain' }); response.write(await textOf(request)); response.write('-'); response.end('end'); }); const { response, text } = await ask(at(server), { method: 'POST', headers: { 'content-type': 'a/b' } }, 'body é'); log(response.statusCode, plain(response.headers), text); await close(server)",
    ],
    [
      'request pieces',
      "const server = await open(async (request, response) => { log(request.headers['transfer-encoding'], request.headers['content-length']); response.end(await textOf(request)); }); const request = http.request(at(server), { method: 'PUT' }); request.write('a'); request.write(Buffer.from('b')); request.end('c'); const [response] = await once(request, 'response'); log(await textOf(response), request.getHeaders().host === new URL(at(server)).host); await close(server)",
    ],
    [
      'large bodies, with backpressure',
      "const { pipeline } = require('node:stream/promises'); const { Readable } = require('node:stream'); const piece = 'x'.repeat(70_000); const server = await open(async (request, response) => { await pipeline(request, response); }); const request = http.request(at(server), { method: 'POST' }); const received = once(request, 'response'); await pipeline(Readable.from(Array(10).fill(piece)), request); const [response] = await received; log((await textOf(response)).length); await close(server)",
    ],
    [
      'HEAD, 204 and 304',
      "const server = await open((request, response) => { response.statusCode = Number(request.url.slice(1)); response.end('never seen'); }); for (const [method, code] of [['HEAD', 200], ['GET', 204], ['GET', 304]]) { const { response, text } = await ask(at(server, '/' + code), { method }); log(response.statusCode, plain(response.headers), text); } await close(server)",
    ],
    [
      'the headers of a response',
      "const server = await open((request, response) => { response.setHeader('A', 1); response.appendHeader('a', '2'); response.appendHeader('B', ['x', 'y']); response.setHeader('c', 'gone'); response.removeHeader('C'); response.removeHeader('date'); log(response.getHeaderNames(), response.getHeaders(), response.hasHeader('b'), response.getHeader('A')); response.writeHead(418, 'Short', ['D', 'd', 'E', 'e']); log(tried(() => response.setHeader('x', 1)), tried(() => response.writeHead(200)), response._header.split('\\r\\n')); response.end(); }); const { response } = await ask(at(server)); log(response.statusMessage, response.rawHeaders); await close(server)",
    ],
    [
      'what it refuses',
      "const server = await open((request, response) => { log(tried(() => response.setHeader('a b', 1)), tried(() => response.setHeader('a', undefined)), tried(() => response.setHeader('a', 'x\\ny')), tried(() => response.writeHead(1)), tried(() => response.setHeader('ok', 'yes') === response)); response.end(); }); await ask(at(server)); log(tried(() => http.request('https://localhost/')), tried(() => http.request({ path: '/a b' })), tried(() => http.request({ method: 'A B' }))); await close(server)",
    ],
    [
      'trailers',
      "const server = await open((request, response) => { response.writeHead(200, { Trailer: 'X-Sum' }); response.write('a'); response.addTrailers({ 'X-Sum': '1' }); response.end(); }); const { response } = await ask(at(server)); log(response.trailers, response.rawTrailers); await close(server)",
    ],
    [
      'events of a server',
      "const server = http.createServer(); log(server.listening, server.address()); server.on('request', (request, response) => response.end('x')); server.listen(0, () => log('called')); log(server.listening, server.address().family, server.address().port > 0); await once(server, 'listening'); log(tried(() => server.listen(0))); const other = http.createServer().listen(server.address().port); const [error] = await once(other, 'error'); log(error.code, error.syscall, error.port === server.address().port); await close(server); log(server.listening, server.address()); server.close((failure) => log(failure.code, failure.message)); await new Promise((resolve) => setTimeout(resolve, 5));",
    ],
    [
      'a port that is used again',
      "const first = await open((request, response) => response.end('first')); const { port } = first.address(); await close(first); const second = http.createServer((request, response) => response.end('second')); second.listen(port); await once(second, 'listening'); log((await ask({ port, agent: false })).text); await close(second)",
    ],
    [
      'fetch',
      "const server = await open(async (request, response) => { if (request.url === '/old') { response.writeHead(302, { Location: '/new' }).end(); return; } if (request.url === '/old-post') { response.writeHead(307, { Location: '/new' }).end(); return; } response.setHeader('content-type', 'application/json'); response.end(JSON.stringify({ method: request.method, url: request.url, type: request.headers['content-type'], body: await textOf(request) })); }); for (const [path, init] of [['/a'], ['/old'], ['/old', { method: 'POST', body: 'b' }], ['/old-post', { method: 'POST', body: 'b' }], ['/old', { redirect: 'manual' }]]) { const response = await fetch(at(server, path), init); log(response.status, response.redirected, new URL(response.url || at(server)).pathname, response.headers.get('location'), await response.text()); } try { await fetch(at(server, '/old'), { redirect: 'error' }); } catch (error) { log(error.name, error.message, error.cause.message); } await close(server)",
    ],
    [
      'the headers of a fetch, and a packed answer',
      "const zlib = require('zlib'); const server = await open((request, response) => { log(Object.entries(request.headers).filter(([name]) => name !== 'host').sort()); const packs = /gzip/.test(request.headers['accept-encoding']); if (packs) response.setHeader('Content-Encoding', 'gzip'); response.end(packs ? zlib.gzipSync('packed') : 'plain'); }); const packed = await fetch(at(server)); log(packed.headers.get('content-encoding'), await packed.text()); log(await (await fetch(at(server), { method: 'POST', body: 'x', headers: { Accept: 'a/b', 'User-Agent': 'me', 'Accept-Encoding': 'identity' } })).text())",
    ],
    [
      'fetch and cookies, 204, json, a stream',
      "const server = await open((request, response) => { if (request.url === '/204') { response.writeHead(204).end(); return; } response.setHeader('Set-Cookie', ['a=1; Path=/', 'b=2']); response.write('{\"a\":'); setTimeout(() => response.end('1}'), 5); }); const response = await fetch(at(server)); log(response.headers.getSetCookie(), response.ok, await response.json()); const empty = await fetch(at(server, '/204')); log(empty.status, empty.body, await empty.text()); let pieces = ''; for await (const piece of (await fetch(at(server))).body) pieces += Buffer.from(piece); log(pieces); await close(server)",
    ],
    [
      'a client that leaves',
      "let left; const server = await open((request, response) => { left = once(response, 'close').then(() => log('closed', response.writableEnded, response.destroyed)); response.write('a'); }); const request = http.get(at(server)); const [response] = await once(request, 'response'); response.on('error', (error) => log('error', error.code, error.message)); response.once('data', () => request.destroy()); await new Promise((resolve) => response.once('close', resolve)); await left; log(response.aborted, response.complete); await close(server)",
    ],
    [
      'a server that breaks off',
      "const server = await open((request, response) => { if (request.url === '/early') response.destroy(); else { response.write('a'); setTimeout(() => response.destroy(), 5); } }); const request = http.get(at(server, '/early')); const [error] = await once(request, 'error'); log(error.code, error.message); const { response } = await new Promise((resolve) => http.get(at(server, '/late'), (response) => { response.resume(); response.on('error', (failure) => { log(failure.code, failure.message); resolve({ response }); }); })); log(response.complete, response.aborted); try { await fetch(at(server, '/early')); } catch (failure) { log(failure.name, failure.message); } await close(server)",
    ],
    [
      'abort signals and time-outs',
      "const server = await open(() => {}); const controller = new AbortController(); const request = http.get(at(server), { signal: controller.signal }); setTimeout(() => controller.abort(), 5); const [error] = await once(request, 'error'); log(error.name, error.code); const slow = http.get(at(server), { timeout: 10 }); await once(slow, 'timeout'); slow.destroy(); log((await once(slow, 'error'))[0].code); try { await fetch(at(server), { signal: AbortSignal.timeout(10) }); } catch (failure) { log(failure.name); } server.closeAllConnections(); await close(server)",
    ],
    [
      'Expect, informational answers',
      "const server = await open(async (request, response) => { response.end(await textOf(request)); }); const request = http.request(at(server), { method: 'POST', headers: { Expect: '100-continue' } }); request.flushHeaders(); await once(request, 'continue'); request.end('go'); const [response] = await once(request, 'response'); log(await textOf(response)); server.once('checkContinue', (asked, answer) => { answer.writeContinue(); answer.end('checked'); }); const second = http.request(at(server), { method: 'POST', headers: { Expect: '100-continue' } }); second.end('x'); const [answer] = await once(second, 'response'); log(await textOf(answer)); await close(server)",
    ],
    [
      'classes of their own, called as functions',
      "const { inherits } = require('node:util'); function Own(request) { http.ServerResponse.call(this, request); } inherits(Own, http.ServerResponse); Own.prototype.json = function (value) { this.setHeader('content-type', 'application/json'); this.end(JSON.stringify(value)); }; class Asked extends http.IncomingMessage { get query() { return new URL(this.url, 'http://x').searchParams; } } const server = await open((request, response) => response.json({ a: request.query.get('a') }), { ServerResponse: Own, IncomingMessage: Asked }); const { response, text } = await ask(at(server, '/?a=b')); log(response.headers['content-type'], text, response instanceof http.IncomingMessage); await close(server)",
    ],
    [
      'a response without a server',
      "const { PassThrough } = require('node:stream'); const response = new http.ServerResponse({ method: 'GET', httpVersionMajor: 1, httpVersionMinor: 1, headers: {} }); const socket = new PassThrough(); response.assignSocket(socket); response.sendDate = false; response.shouldKeepAlive = false; response.write('abc'); response.addTrailers({ x: '1' }); response.end('d'); await once(response, 'finish'); log(String(socket.read()).split('\\r\\n'))",
    ],
    [
      'auth, an array of headers, own hosts, agents',
      "const server = await open((request, response) => response.end(JSON.stringify([request.headers.authorization, request.headers.host, request.rawHeaders.filter((_, index, all) => /^x$/i.test(all[index - (index % 2)]))]))); const { port } = server.address(); log((await ask({ hostname: '127.0.0.1', port, auth: 'me:pass', headers: { host: 'example.com', X: ['1', '2'] }, agent: new http.Agent({ keepAlive: false }) })).text); await close(server)",
    ],
    [
      'addresses of a server for both families, and of one for a single',
      "for (const host of [undefined, '127.0.0.1']) { const server = http.createServer(({ socket }, response) => response.end([socket.remoteAddress, socket.remoteFamily, socket.localAddress].join(' '))); server.listen({ port: 0, host }); await once(server, 'listening'); const { port, address } = server.address(); log(address, (await ask({ host: '127.0.0.1', port })).text); await close(server); }",
    ],
    [
      'what it has',
      "log(http.METHODS.length > 30, http.STATUS_CODES[404], http.maxHeaderSize, typeof http.globalAgent.destroy, http.createServer() instanceof http.Server, http.Server() instanceof require('events'), Object.getPrototypeOf(http.ServerResponse) === http.OutgoingMessage, require('https').globalAgent.protocol)",
    ],
  ])('%s', async (_name, code) => {
    const program = start + code;
    const told = await tellInCell(program);
    expect(told).toEqual(await tellInNode(program));
    expect(told.length).toBeGreaterThan(0);
  });
});
