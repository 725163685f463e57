// The web's WebSocket in a cell. Each program runs in Node over loopback and in a cell, with ws as
// the server, and tells the same.
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';
import { tellInCell, tellInNode } from '../../support/repl/same-program.ts';

const folder = fileURLToPath(new URL('../../../node_modules/ws/', import.meta.url));
const files = Object.fromEntries(
  globSync('{package.json,index.js,lib/*.js}', { cwd: folder }).map((name) => [
    `node_modules/ws/${name}`,
    readFileSync(folder + name, 'utf8'),
  ]),
);

// Errors are each world's own; that there was one isn't.
const start = `
const http = require('node:http');
const { once } = require('node:events');
const { WebSocketServer } = require('ws');
const open = async (greet = () => {}, options = {}) => { const server = http.createServer((request, response) => { response.statusCode = 404; response.end('no'); }); const sockets = new WebSocketServer({ server, ...options }); sockets.on('connection', greet); server.listen(0, '127.0.0.1'); await once(server, 'listening'); return { server, sockets, at: (path = '/') => 'ws://127.0.0.1:' + server.address().port + path }; };
const close = async ({ server, sockets }) => { for (const socket of sockets.clients) socket.terminate(); sockets.close(); await new Promise((resolve) => server.close(resolve)); };
const heard = (socket, type) => new Promise((resolve) => socket.addEventListener(type, resolve, { once: true }));
const tried = (run) => { try { return run(); } catch (error) { return [error.name, error instanceof DOMException]; } };
`;

describe('tells what Node tells', () => {
  it.each([
    [
      'text, and its events',
      "const served = await open((socket, request) => { log(request.url, request.headers['sec-websocket-version']); socket.on('message', (data, isBinary) => { log(isBinary, String(data)); socket.send('echo ' + data); }); }); const socket = new WebSocket(served.at('/chat?a=b')); log(socket.readyState, socket.url === served.at('/chat?a=b'), socket.binaryType, tried(() => socket.send('early'))); socket.onopen = (event) => log(event.type, socket.readyState); await heard(socket, 'open'); socket.send('héllo'); const event = await heard(socket, 'message'); log(event.type, event.data, event.origin.startsWith('ws://127.0.0.1'), event instanceof MessageEvent, event.target === socket, socket.extensions); socket.close(3001, 'bye'); log(socket.readyState); const closed = await heard(socket, 'close'); log(closed.code, closed.reason, closed.wasClean, closed instanceof CloseEvent, socket.readyState); await close(served)",
    ],
    [
      'bytes both ways',
      "const served = await open((socket) => socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }))); const socket = new WebSocket(served.at()); await heard(socket, 'open'); const ask = (data) => { socket.send(data); return heard(socket, 'message'); }; const blob = (await ask(new Uint8Array([1, 2, 3]).subarray(1))).data; log(blob instanceof Blob, [...new Uint8Array(await blob.arrayBuffer())]); socket.binaryType = 'arraybuffer'; for (const data of [new Uint8Array([4]).buffer, new Blob(['a', 'b']), new Uint8Array(70_000).fill(7), new Uint8Array(0)]) { const answer = (await ask(data)).data; log(answer instanceof ArrayBuffer, answer.byteLength, new Uint8Array(answer)[0]); } socket.binaryType = 'none'; log(socket.binaryType); await close(served)",
    ],
    [
      'order, with a blob between',
      "const got = []; let all; const whole = new Promise((resolve) => { all = resolve; }); const served = await open((socket) => socket.on('message', (data) => { got.push(String(data)); if (got.length === 4) all(); })); const socket = new WebSocket(served.at()); await heard(socket, 'open'); socket.send('1'); socket.send(new Blob(['2'])); socket.send('3'); socket.send(new Blob(['4'])); log(socket.bufferedAmount > 0); await whole; log(got); await close(served)",
    ],
    [
      'a server that closes',
      "const served = await open((socket) => socket.close(4000, 'enough')); const socket = new WebSocket(served.at()); const closed = await heard(socket, 'close'); log(closed.code, closed.reason, closed.wasClean); socket.send('late'); log(socket.readyState, socket.bufferedAmount); await close(served)",
    ],
    [
      'a server that closes without a code',
      "const served = await open((socket) => socket.close()); const socket = new WebSocket(served.at()); const closed = await heard(socket, 'close'); log(closed.code, closed.reason, closed.wasClean); await close(served)",
    ],
    [
      'a close with what was sent before',
      "const got = []; const served = await open((socket) => { socket.on('message', (data) => got.push(String(data))); }); const socket = new WebSocket(served.at()); await heard(socket, 'open'); socket.send('a'); socket.close(); socket.send('b'); const closed = await heard(socket, 'close'); log(closed.code, closed.wasClean); await close(served); log(got)",
    ],
    [
      'pings, fragments and large texts',
      "const served = await open((socket) => { socket.on('pong', (data) => { socket.send('fra', { fin: false }); socket.send('g', { fin: false }); socket.send('ment'); socket.send('x'.repeat(100_000)); socket.send(String(data)); }); socket.ping('p'); }); const socket = new WebSocket(served.at()); const got = []; await new Promise((resolve) => socket.addEventListener('message', ({ data }) => { got.push(data.length > 20 ? data.length : data); if (got.length === 3) resolve(); })); log(got); await close(served)",
    ],
    [
      'subprotocols',
      "const served = await open(() => {}, { handleProtocols: (names) => [...names].at(-1) }); const socket = new WebSocket(served.at(), ['a', 'b']); await heard(socket, 'open'); log(socket.protocol); await close(served)",
    ],
    [
      'a server that refuses',
      "const served = await open(() => {}, { verifyClient: () => false }); const socket = new WebSocket(served.at()); let failed = 0; socket.onerror = () => { failed += 1; }; const closed = await heard(socket, 'close'); log(failed, closed.code, closed.wasClean, socket.readyState); await close(served)",
    ],
    [
      'a port where nobody listens',
      "const served = await open(); const url = served.at(); await close(served); const socket = new WebSocket(url); const failed = heard(socket, 'error'); const closed = await heard(socket, 'close'); await failed; log(closed.code, closed.wasClean)",
    ],
    [
      'a connection that breaks',
      "const served = await open((socket) => socket.terminate()); const socket = new WebSocket(served.at()); const closed = await heard(socket, 'close'); log(closed.code, closed.wasClean); await close(served)",
    ],
    [
      'what it refuses, and its names',
      "log(tried(() => new WebSocket('nope')), tried(() => new WebSocket('ftp://a')), tried(() => new WebSocket('ws://a/#b')), tried(() => new WebSocket('ws://127.0.0.1:1', ['a', 'a'])), tried(() => new WebSocket('ws://127.0.0.1:1', 'a b'))); const served = await open(); const socket = new WebSocket(served.at().replace('ws', 'http')); await heard(socket, 'open'); log(socket.url.slice(0, 3), tried(() => socket.close(1001)), tried(() => socket.close(1000, 'x'.repeat(124)))); log(WebSocket.OPEN, socket.CLOSED, http.WebSocket === WebSocket); socket.onmessage = 'none'; log(socket.onmessage, socket.onopen); await close(served)",
    ],
  ])('%s', async (_name, code) => {
    const program = start + code;
    const told = await tellInCell(program, files);
    expect(told).toEqual(await tellInNode(program));
    expect(told.length).toBeGreaterThan(0);
  });
});

// Node's own tells of no end here.
it('ends with an error when it is closed before it is open', async () => {
  const told = await tellInCell(
    start +
      "const served = await open(); const socket = new WebSocket(served.at()); let failed = 0; socket.onerror = () => { failed += 1; }; socket.close(); const closed = await heard(socket, 'close'); log(failed, closed.code, closed.wasClean); await close(served)",
    files,
  );
  expect(told).toEqual([[1, 1006, false]]);
});

it('tells why none is opened to elsewhere', async () => {
  const repl = await openRepl({});
  const { stdout } = await repl.run(`
    const socket = new WebSocket('wss://example.com/feed');
    const event = await new Promise((resolve) => { socket.onerror = resolve; });
    console.log(event.message);`);
  expect(stdout.trim()).toBe(
    'There are no sockets in this sandbox, so an upgrade, such as a WebSocket, reaches only a server that a cell ' +
      'has started, and not https://example.com.',
  );
});
