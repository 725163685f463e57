// Packages build on Node's classes in ways of old: each program runs in Node and in a cell, and tells the same.
import { describe, expect, it } from 'vitest';
import { tellInCell, tellInNode } from '../../support/same-program.ts';

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
      'buffers that are made by a call, and by new',
      "const text = (buffer) => buffer.toString(); log([new Buffer('abc'), Buffer('abc'), new Buffer('aGk=', 'base64'), new Buffer([97]), new Buffer.from('ab')].map(text), Buffer(3).length, new Buffer(2).length, new Buffer.allocUnsafeSlow(4).length); class Own extends Buffer {} log(new Own(3).length, Buffer.from('abc').subarray(1) instanceof Buffer, Buffer.from([1]).map((byte) => byte + 1) instanceof Buffer, Buffer.from('a').constructor === Buffer, Buffer.name, Buffer.copyBytesFrom(new Uint16Array([1, 2, 3]), 1, 1))",
    ],
  ])('%s', async (_name, code) => {
    expect(await tellInCell(code)).toEqual(await tellInNode(code));
  });
});
