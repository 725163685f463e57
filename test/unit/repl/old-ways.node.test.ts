// Packages build on Node's classes in ways of old: each program runs in Node and in a cell, and tells the same.
import { describe, expect, it } from 'vitest';
import { tellInCell, tellInNode } from '../../support/repl/same-program.ts';

describe('tells what Node tells', () => {
  it.each([
    [
      'streams of zlib that are extended by a class',
      "const zlib = require('zlib'); class Counted extends zlib.Gunzip { count = 0; _transform(piece, encoding, done) { this.count += piece.length; super._transform(piece, encoding, done); } total() { return this.count; } } const stream = new Counted(); const bytes = zlib.gzipSync('hello'); let text = ''; stream.on('data', (piece) => { text += piece; }); stream.end(bytes); await new Promise((resolve) => stream.on('end', resolve)); log(text, stream.total() === bytes.length, stream.bytesWritten === bytes.length, stream instanceof zlib.Gunzip, stream instanceof require('stream').Transform, zlib.createGzip() instanceof zlib.Gzip, zlib.Deflate() instanceof zlib.Deflate)",
    ],
    [
      'streams of zlib that a function inherits',
      "const zlib = require('zlib'); function Old(options) { zlib.Inflate.call(this, options); } require('util').inherits(Old, zlib.Inflate); const stream = new Old(); let text = ''; stream.on('data', (piece) => { text += piece; }); stream.end(zlib.deflateSync('old')); await new Promise((resolve) => stream.on('end', resolve)); log(text)",
    ],
    [
      "zlib's inner side, by which pictures are read at once",
      "const zlib = require('zlib'); const { _handle, _writeState, _outBuffer, _outOffset, _chunkSize } = new zlib.InflateRaw({ chunkSize: 64 }); const raw = zlib.deflateRawSync(Buffer.alloc(100, 'ab')); const all = []; let [at, left, room] = [0, raw.length, 0]; do { _handle.writeSync(4, raw, at, left, _outBuffer, _outOffset, _chunkSize); room = _writeState[0]; at += left - _writeState[1]; left = _writeState[1]; all.push(_outBuffer.toString('latin1', 0, _chunkSize - room)); } while (room === 0); log(all)",
    ],
    [
      'emitters that capture what asynchronous listeners throw',
      "const { EventEmitter, captureRejectionSymbol } = require('events'); const turn = () => new Promise((resolve) => setTimeout(resolve, 1)); const emitter = new EventEmitter({ captureRejections: true }); emitter.on('error', (error) => log('error', error.message)); emitter.on('a', async () => { throw new Error('from a'); }); emitter.on('a', async () => log('goes on')); log(emitter.emit('a')); await turn(); class Own extends EventEmitter { constructor() { super({ captureRejections: true }); } [captureRejectionSymbol](error, name, ...args) { log('own', error.message, name, args); } } const own = new Own(); own.on('b', async (value) => { throw new Error('from b ' + value); }); own.emit('b', 1); await turn(); EventEmitter.captureRejections = true; const later = new EventEmitter(); EventEmitter.captureRejections = false; later.once('error', (error) => log('later', error.message)); later.on('c', () => Promise.reject(new Error('from c'))); later.emit('c'); await turn(); log(new EventEmitter().on('d', async () => 1).emit('d'))",
    ],
    [
      'buffers that are made by a call, and by new',
      "const text = (buffer) => buffer.toString(); log([new Buffer('abc'), Buffer('abc'), new Buffer('aGk=', 'base64'), new Buffer([97]), new Buffer.from('ab')].map(text), Buffer(3).length, new Buffer(2).length, new Buffer.allocUnsafeSlow(4).length); class Own extends Buffer {} log(new Own(3).length, Buffer.from('abc').subarray(1) instanceof Buffer, Buffer.from([1]).map((byte) => byte + 1) instanceof Buffer, Buffer.from('a').constructor === Buffer, Buffer.name, Buffer.copyBytesFrom(new Uint16Array([1, 2, 3]), 1, 1))",
    ],
    [
      'ports of messages that are heard in the way of Node',
      "const { port1, port2 } = new MessageChannel(); const gone = () => log('never'); port2.on('message', gone).off('message', gone); port2.once('message', (value) => log('once', value)); port2.on('message', (value) => { log(value); if (value === 2) port2.close(); }); port1.postMessage({ a: 1 }); port1.postMessage(2); await new Promise((resolve) => port1.on('close', () => resolve(log('closed'))))",
    ],
    [
      'errors that callbacks are given, as assert.ifError tells them',
      "const assert = require('assert'); assert.ifError(null); for (const value of [new TypeError('bad'), new RangeError(''), 'text', 0, { a: 1 }]) try { assert.ifError(value); } catch ({ name, code, message, actual, operator, generatedMessage }) { log(name, code, message, actual === value, operator); }",
    ],
    [
      'nesting, to the depth of Node',
      "const { inspect, format, formatWithOptions } = require('util'); const deep = { a: { b: { c: { d: { e: { f: 1 } } } } } }; const { depth } = inspect.defaultOptions; log(inspect(deep), format(deep), format('%O', deep), format('%j', deep), inspect(deep.a.b.c, { depth: 3 }), inspect(deep.a.b.c.d, false, null), inspect(deep, false, 0), formatWithOptions({ depth: 0 }, deep), inspect([[[[1]]]])); inspect.defaultOptions = { depth: 0 }; log(inspect(deep)); inspect.defaultOptions.depth = depth",
    ],
    [
      "a terminal's styles by their names, and options for all that is shown",
      "const { inspect, format } = require('util'); log(['reset', 'bold', 'dim', 'blink', 'inverse', 'strikethrough', 'black', 'white', 'gray', 'redBright', 'bgCyan', 'bgGray', 'bgWhiteBright', 'grey'].map((name) => inspect.colors[name])); const deep = { a: { b: { c: { d: { e: { f: 1 } } } } } }; const { depth } = inspect.defaultOptions; inspect.defaultOptions.depth = 1; log(inspect(deep), format('%O', deep).length > 30, inspect(deep, { depth: 0 }), format('', deep)); inspect.defaultOptions.depth = depth",
    ],
    [
      'events that are no longer awaited',
      "const { EventEmitter, once, on } = require('events'); const tell = ({ name, code, message, cause }) => log(name, code, message, cause.message); const emitter = new EventEmitter(); const stop = new AbortController(); const both = [once(emitter, 'x', { signal: stop.signal }).catch(tell), on(emitter, 'x', { signal: stop.signal }).next().catch(tell)]; stop.abort(new Error('enough')); await Promise.all(both); await once(emitter, 'x', { signal: stop.signal }).catch(tell); log(emitter.listenerCount('x'))",
    ],
    [
      'paths of Windows, made of all that means something in one',
      String.raw`const { win32 } = require('path'); let seed = 7;
        const draw = (list) => { seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0; return list[(seed >>> 9) % list.length]; };
        const starts = ['', '', '/', '\\', 'C:', 'c:\\', '\\\\srv\\share', '//srv/share/', '\\\\?\\', '\\\\.\\', '...'];
        const names = ['a', 'B', 'c.txt', '..', '.', '', 'dd:', '.git', 'x.y.z', 'a b', 'é', '?', 'ab:c'];
        const separators = ['\\', '/', '\\\\', '//', '\\/'];
        const make = () => draw(starts) + [1, 2, 3].map(() => draw(names) + draw(separators)).join('') + draw(names);
        for (let count = 0; count < 100; count += 1) {
          const [one, other] = [make(), make()];
          const base = win32.resolve('C:\\base', one);
          log(one, win32.normalize(one), win32.dirname(one), win32.basename(one), win32.basename('x' + one, '.txt'), win32.extname(one), win32.isAbsolute(one), win32.parse(one), win32.format(win32.parse(one)));
          log(win32.join(one, other), base, win32.resolve('C:\\base', other, 'C:\\mid', one), win32.relative(base, win32.resolve('c:\\Base', other)), win32.toNamespacedPath(base));
        }
        log(win32.sep, win32.delimiter, win32.posix === require('path'), require('path/win32') === win32, win32.join(), win32.normalize(''), win32.toNamespacedPath(5));`,
    ],
  ])('%s', async (_name, code) => {
    expect(await tellInCell(code)).toEqual(await tellInNode(code));
  });
});
