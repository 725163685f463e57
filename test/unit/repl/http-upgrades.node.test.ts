// Upgrades and CONNECT in a cell's http: each program runs in Node over loopback and in a cell, and tells the same.
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';
import { tellInCell, tellInNode } from '../../support/repl/same-program.ts';

const start = `
const http = require('node:http');
const { once } = require('node:events');
const open = async (upgrade) => { const server = http.createServer((request, response) => response.end('plain ' + request.url)); if (upgrade) server.on('upgrade', upgrade); server.listen(0, '127.0.0.1'); await once(server, 'listening'); return server; };
const close = (server) => new Promise((resolve) => server.close(resolve));
const headers = { Connection: 'Upgrade', Upgrade: 'echo' };
const begin = (server, options = {}) => { const request = http.request({ port: server.address().port, host: '127.0.0.1', headers, agent: false, ...options }); request.end(); return request; };
const textOf = async (stream) => { let text = ''; for await (const piece of stream) text += piece; return text; };
const accept = 'HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: echo\\r\\nConnection: Upgrade\\r\\n\\r\\n';
`;

describe('tells what Node tells', () => {
  it.each([
    [
      'bytes both ways, and the end',
      "const server = await open((request, socket, head) => { log(request.method, request.url, request.headers.upgrade, request.upgrade, head.length, Buffer.isBuffer(head)); socket.write(accept); socket.on('data', (piece) => socket.write('echo ' + piece)); socket.on('end', () => { log('server end'); socket.end('bye'); }); }); const request = begin(server, { path: '/x' }); const [response, socket, head] = await once(request, 'upgrade'); log(response.statusCode, response.statusMessage, response.headers.upgrade, head.length, request.destroyed); socket.write('one'); log(String((await once(socket, 'data'))[0])); socket.end(); log(await textOf(socket)); await close(server); log('closed')",
    ],
    [
      'bytes that come with the answer',
      "const server = await open((request, socket) => { socket.end(accept + 'first'); }); const [, socket, head] = await once(begin(server), 'upgrade'); log(String(head)); log(await textOf(socket)); await close(server)",
    ],
    [
      'whether a socket was closed by an error',
      "const server = await open((request, socket) => { socket.on('error', () => {}); socket.once('close', (bad) => log('server', bad)); socket.write(accept); socket.once('data', () => socket.destroy(new Error('no'))); }); const [, socket] = await once(begin(server), 'upgrade'); socket.on('error', () => {}); socket.write('x'); const [bad] = await once(socket, 'close'); log('client', bad); await close(server)",
    ],
    [
      'a refusal with a body',
      "const server = await open((request, socket) => { socket.once('finish', () => socket.destroy()); socket.end('HTTP/1.1 401 Unauthorized\\r\\nConnection: close\\r\\nX-A: 1\\r\\nContent-Length: 4\\r\\n\\r\\nnope'); }); const request = begin(server); const [response] = await once(request, 'response'); log(response.statusCode, response.statusMessage, response.headers['x-a'], await textOf(response), response.complete); await close(server)",
    ],
    [
      'a refusal whose body ends with the socket',
      "const server = await open((request, socket) => { socket.end('HTTP/1.1 400 Bad Request\\r\\nConnection: close\\r\\n\\r\\nall of it'); }); const [response] = await once(begin(server), 'response'); log(response.statusCode, await textOf(response)); await close(server)",
    ],
    [
      'a server that does not listen for upgrades',
      "const server = await open(); const [response] = await once(begin(server, { path: '/p' }), 'response'); log(response.statusCode, await textOf(response)); await close(server)",
    ],
    [
      'a socket destroyed in the place of an answer',
      "const server = await open((request, socket) => socket.destroy()); const [error] = await once(begin(server), 'error'); log(error.code, error.message); await close(server)",
    ],
    [
      'an answer that is none',
      "const server = await open((request, socket) => socket.end('what?\\r\\n\\r\\n')); const [error] = await once(begin(server), 'error'); log(error.code, error.message.startsWith('Parse Error')); await close(server)",
    ],
    [
      'a client that goes',
      "let gone; const server = await open((request, socket) => { gone = once(socket, 'close'); socket.write(accept); socket.on('end', () => socket.end()); socket.resume(); }); const [, socket] = await once(begin(server), 'upgrade'); socket.destroy(); await close(server); await gone; log('gone')",
    ],
    [
      'an upgrade that nobody waits for at the client',
      "const server = await open((request, socket) => { socket.write(accept); socket.on('end', () => socket.end()); socket.resume(); }); const request = begin(server); await once(request, 'close'); log(request.destroyed); await close(server)",
    ],
    [
      'large bodies, with backpressure',
      "const { pipeline } = require('node:stream/promises'); const { Readable } = require('node:stream'); const server = await open((request, socket) => { socket.write(accept); socket.pipe(socket); }); const [, socket] = await once(begin(server), 'upgrade'); const received = textOf(socket); await pipeline(Readable.from(Array(20).fill('x'.repeat(70_000))), socket); log((await received).length); await close(server)",
    ],
    [
      'bytes that the reader changes in place',
      "const server = await open((request, socket) => { socket.write(accept); socket.on('data', (piece) => { piece.fill('x'); socket.end(piece); }); }); const [, socket] = await once(begin(server), 'upgrade'); const bytes = Buffer.from('kept'); socket.write(bytes); log(await textOf(socket), String(bytes)); await close(server)",
    ],
    [
      'CONNECT',
      "const server = await open(); server.on('connect', (request, socket, head) => { log(request.method, request.url); socket.write('HTTP/1.1 200 Connection Established\\r\\n\\r\\n'); socket.on('data', (piece) => socket.end('through ' + piece)); }); const request = begin(server, { method: 'CONNECT', path: 'example.com:80', headers: {} }); const [response, socket] = await once(request, 'connect'); log(response.statusCode); socket.write('it'); log(await textOf(socket)); await close(server)",
    ],
    [
      'a server that does not listen for CONNECT',
      "const server = await open(); const request = begin(server, { method: 'CONNECT', path: 'a:1', headers: {} }); const [error] = await once(request, 'error'); log(error.code); await close(server)",
    ],
    [
      'a port where nobody listens',
      "const server = await open(); const { port } = server.address(); await close(server); const request = http.request({ port, host: '127.0.0.1', headers }); request.end(); const [error] = await once(request, 'error'); log(error.code, error.message.replace(String(port), 'port'))",
    ],
    [
      'a close that waits for what was upgraded',
      "let theirs; const server = await open((request, socket) => { theirs = socket; socket.write(accept); }); const [, socket] = await once(begin(server), 'upgrade'); const order = []; const closed = close(server).then(() => order.push('server')); socket.on('close', () => order.push('socket')); server.closeAllConnections(); await new Promise((resolve) => setTimeout(resolve, 5)); log(order, socket.destroyed); theirs.end(); socket.resume(); await closed; log(order.includes('server'))",
    ],
  ])('%s', async (_name, code) => {
    const program = start + code;
    const told = await tellInCell(program);
    expect(told).toEqual(await tellInNode(program));
    expect(told.length).toBeGreaterThan(0);
  });
});

it('says that an upgrade reaches only servers of cells', async () => {
  const repl = await openRepl({});
  const { stdout } = await repl.run(`
    const request = require('http').request('http://example.com/', { headers: { Connection: 'Upgrade', Upgrade: 'websocket' } });
    request.end();
    const [error] = await new Promise((resolve) => request.once('error', (...all) => resolve(all)));
    console.log(error.code, error.message);`);
  expect(stdout.trim()).toBe(
    'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM There are no sockets in this sandbox, so an upgrade, such as a WebSocket, ' +
      'reaches only a server that a cell has started, and not http://example.com.',
  );
});

it.each([false, true])('runs ws, as server and as client, compressed: %s', async (isCompressed) => {
  const folder = fileURLToPath(new URL('../../../node_modules/ws/', import.meta.url));
  const names = globSync('{package.json,index.js,lib/*.js}', { cwd: folder });
  const repl = await openRepl(
    Object.fromEntries(
      names.map((name) => [`node_modules/ws/${name}`, readFileSync(folder + name, 'utf8')]),
    ),
  );
  const { stdout, error } = await repl.run(`
    const { WebSocketServer, WebSocket } = require('ws');
    const { once } = require('events');
    const server = require('http').createServer().listen(3000);
    const sockets = new WebSocketServer({ server, perMessageDeflate: ${isCompressed} && { threshold: 4 } });
    sockets.on('connection', (socket, { url }) => {
      socket.on('message', (data, isBinary) => socket.send(isBinary ? data : url + ' ' + data));
      socket.on('close', (code, reason) => console.log('server', code, String(reason)));
    });
    const client = new WebSocket('ws://localhost:3000/chat');
    await once(client, 'open');
    for (const data of ['text', Buffer.from([1, 2]), 'x'.repeat(70_000)]) {
      client.send(data);
      const [answer, isBinary] = await once(client, 'message');
      console.log(isBinary, isBinary ? [...answer] : String(answer).length);
    }
    console.log(client.extensions === 'permessage-deflate');
    client.ping('p');
    console.log(String((await once(client, 'pong'))[0]));
    client.close(1000, 'bye');
    const [code, reason] = await once(client, 'close');
    console.log('client', code, String(reason));
    sockets.close();
    await new Promise((resolve) => server.close(resolve));`);
  expect(error).toBeUndefined();
  expect(stdout.trim().split('\n')).toEqual([
    'false 10',
    'true [ 1, 2 ]',
    'false 70006',
    String(isCompressed),
    'p',
    'server 1000 bye',
    'client 1000 bye',
  ]);
});
