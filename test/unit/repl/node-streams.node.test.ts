// Streams, readline and zlib of a cell do what Node's own do: each program runs in both, and tells the same.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tellInCell, tellInNode } from '../../support/repl/same-program.ts';

const lines = Array.from({ length: 5000 }, (_, index) => `line ${index} é`).join('\n');
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'streams-'));
  await writeFile(join(folder, 'lines.txt'), lines);
});
afterAll(() => rm(folder, { recursive: true }));

const start =
  "const { Readable, Writable, Duplex, Transform, PassThrough, pipeline, finished, addAbortSignal } = require('node:stream'); const promises = require('stream/promises'); const ended = (stream) => new Promise((resolve) => stream.on('close', resolve)); const hear = (stream, ...names) => { for (const name of names) stream.on(name, (value) => log(name, value instanceof Error ? [value.code, value.message] : Buffer.isBuffer(value) ? String(value) : typeof value === 'object' && value?.pipe ? 'stream' : value)); };";

describe('tells what Node tells', () => {
  it.each([
    [
      'flowing',
      "const r = new Readable({ read() {} }); hear(r, 'data', 'end', 'close', 'resume', 'pause'); r.push('a'); r.push(Buffer.from('b')); r.push(null); await ended(r); log(r.readableEnded, r.destroyed, r.readable)",
    ],
    [
      'pulled',
      "let n = 0; const r = new Readable({ highWaterMark: 4, read(size) { log('read', size); this.push(n < 5 ? 'x' + n++ : null); } }); r.on('readable', () => { let c; while ((c = r.read(3)) !== null) log(String(c)); }); hear(r, 'end'); await ended(r)",
    ],
    [
      'listeners that hear once, by a method of its own',
      "const r = new Readable({ read() {} }); r.push('a'); r.once('data', (piece) => log('once', String(piece))); await new Promise((resolve) => setTimeout(resolve, 5)); r.push('b'); r.on('data', (piece) => log(String(piece))); await new Promise((resolve) => setTimeout(resolve, 5)); const { EventEmitter } = require('events'); const e = new EventEmitter(); e.on('newListener', (name, f) => log('new', name, f.name)); e.on('removeListener', (name) => log('gone', name)); function first() { log('first'); } e.once('x', first); log(e.listeners('x')[0] === first, e.rawListeners('x')[0] === first, e.rawListeners('x')[0].listener === first); e.prependOnceListener('x', function second() { log('second'); }); e.emit('x'); e.emit('x'); e.once('x', first); e.off('x', first); log(e.listenerCount('x'), e.emit('x'))",
    ],
    [
      'what is destroyed before its data or its end were told',
      "const r = new Readable({ read() {} }); hear(r, 'data', 'error', 'close'); r.push('q'); r.destroy(new Error('end')); await new Promise((done) => setTimeout(done, 5)); const d = new Duplex({ read() {}, autoDestroy: false, write(c, e, done) { done(); }, final(done) { done(); this.destroy(); } }); hear(d, 'finish', 'close'); d.end('x'); await new Promise((done) => setTimeout(done, 5)); const z = require('node:zlib').createInflateRaw(); hear(z, 'close'); z.on('error', (error) => log(error.code)); z.write(Buffer.from('ffff', 'hex')); z.flush(() => log('never')); await new Promise((done) => setTimeout(done, 20))",
    ],
    [
      'objects',
      "const r = Readable.from([1, { a: 2 }, 'three']); for await (const value of r) log(value); log(r.destroyed)",
    ],
    [
      'from generator that fails',
      "const r = Readable.from((async function* () { yield 1; throw new Error('no'); })()); try { for await (const value of r) log(value); } catch (error) { log(error.message); } log(r.destroyed)",
    ],
    [
      'a loop that leaves',
      'let closed = false; const r = Readable.from((function* () { try { yield 1; yield 2; } finally { closed = true; } })()); for await (const value of r) { log(value); break; } await null; log(r.destroyed); await new Promise((resolve) => setTimeout(resolve, 5)); log(closed)',
    ],
    [
      'encoding',
      "const r = new Readable({ read() {} }); r.setEncoding('utf8'); hear(r, 'data', 'end'); const b = Buffer.from('é€'); r.push(b.subarray(0, 1)); r.push(b.subarray(1, 3)); r.push(b.subarray(3)); r.push(null); await ended(r)",
    ],
    [
      'unshift',
      "const r = new Readable({ read() {} }); r.push('world'); r.unshift('hello '); r.push(null); log(String(r.read())); log(r.read())",
    ],
    [
      'push after the end',
      "const r = new Readable({ read() {} }); hear(r, 'error', 'close'); r.push(null); r.push('x'); await ended(r)",
    ],
    [
      'destroyed',
      "const r = new Readable({ read() {}, destroy(error, done) { log('destroy', error?.message); done(error); } }); hear(r, 'error', 'close', 'end'); r.destroy(new Error('gone')); r.destroy(new Error('twice')); await ended(r); log(r.errored.message, r.closed, r.readableAborted)",
    ],
    [
      'a read that throws',
      "const r = new Readable({ read() { throw new TypeError('bad'); } }); hear(r, 'error', 'close'); r.resume(); await ended(r)",
    ],
    [
      'paused',
      "const r = Readable.from(['a', 'b', 'c']); r.on('data', (value) => { log(value); r.pause(); setTimeout(() => r.resume(), 1); }); hear(r, 'end', 'pause'); await ended(r); log(r.isPaused(), r.readableFlowing)",
    ],
    [
      'written',
      "const w = new Writable({ highWaterMark: 3, write(chunk, encoding, done) { log('write', String(chunk), encoding); setTimeout(done, 1); }, final(done) { log('final'); done(); } }); hear(w, 'drain', 'finish', 'close'); log(w.write('ab'), w.write('cd', (error) => log('cb', error)), w.writableLength, w.writableNeedDrain); w.end('e', () => log('ended')); await ended(w); log(w.writableFinished, w.writableEnded, w.writable)",
    ],
    [
      'written before it is opened, and right after',
      "const { createWriteStream, readFileSync } = require('fs'); const w = createWriteStream(folder + '/order.txt'); w.write('a'); w.write('b'); w.on('open', () => process.nextTick(() => w.end('c'))); await ended(w); log(readFileSync(folder + '/order.txt', 'utf8'))",
    ],
    [
      'strings kept',
      "const w = new Writable({ decodeStrings: false, write(chunk, encoding, done) { log(typeof chunk, encoding); done(); } }); w.write('a', 'latin1'); w.write(Buffer.from('b')); w.end(); await ended(w)",
    ],
    [
      'corked',
      "const w = new Writable({ writev(chunks, done) { log(chunks.map((c) => String(c.chunk))); done(); } }); w.cork(); w.write('a'); w.write('b'); w.uncork(); w.write('c'); w.end(); await ended(w)",
    ],
    [
      'a write that fails',
      "const w = new Writable({ write(chunk, encoding, done) { done(new Error('full')); } }); hear(w, 'error', 'finish', 'close'); w.write('a', (error) => log('cb', error?.message)); w.write('b', (error) => log('cb2', error?.message)); await ended(w); log(w.errored.message)",
    ],
    [
      'written after the end',
      "const w = new Writable({ write(c, e, done) { done(); } }); hear(w, 'error', 'finish', 'close'); w.end(); w.write('x', (error) => log('cb', error.code)); await ended(w)",
    ],
    [
      'wrong values',
      'const w = new Writable({ write(c, e, done) { done(); } }); for (const value of [null, 5, {}]) try { w.write(value); } catch (error) { log(error.code, error.message); }',
    ],
    [
      'ended twice',
      'const w = new Writable({ write(c, e, done) { done(); } }); w.end(); await ended(w); w.end((error) => log(error?.code)); await new Promise((resolve) => setTimeout(resolve, 1))',
    ],
    [
      'constructed',
      "const w = new Writable({ construct(done) { log('construct'); setTimeout(done, 1); }, write(c, e, done) { log('write'); done(); }, final(done) { log('final'); done(); } }); w.end('a'); hear(w, 'finish', 'close'); await ended(w)",
    ],
    [
      'transformed',
      "const t = new Transform({ transform(chunk, e, done) { done(null, String(chunk).toUpperCase()); }, flush(done) { done(null, '!'); } }); hear(t, 'data', 'end', 'finish', 'close', 'prefinish'); t.write('a'); t.end('b'); await ended(t)",
    ],
    [
      'a transform that fails',
      "const t = new Transform({ transform(chunk, e, done) { done(new Error('no')); } }); hear(t, 'error', 'end', 'finish', 'close'); t.write('a'); await ended(t)",
    ],
    [
      'through many',
      "const t = new PassThrough({ highWaterMark: 2 }); log(t.write('abc'), t.writableNeedDrain); hear(t, 'drain', 'data', 'end'); t.end(); await ended(t)",
    ],
    [
      'piped',
      "const out = []; const w = new Writable({ highWaterMark: 2, write(chunk, e, done) { out.push(String(chunk)); setTimeout(done, 0); } }); hear(w, 'pipe', 'unpipe', 'finish'); Readable.from(['aa', 'bb', 'cc']).pipe(new PassThrough()).pipe(w); await ended(w); log(out.join(''))",
    ],
    [
      'piped to two, left by one',
      "const a = new PassThrough(); const one = new PassThrough(); const two = new PassThrough(); a.pipe(one); a.pipe(two); hear(one, 'data', 'unpipe'); hear(two, 'data', 'end'); a.write('x'); await new Promise((resolve) => setTimeout(resolve, 2)); a.unpipe(one); a.end('y'); await ended(a)",
    ],
    [
      'old classes',
      "const util = require('util'); function Up(options) { if (!(this instanceof Up)) return new Up(options); Transform.call(this, options); } util.inherits(Up, Transform); Up.prototype._transform = function (c, e, done) { this.push(String(c) + '+'); done(); }; const u = Up(); hear(u, 'data', 'end'); u.end('a'); await ended(u); log(u instanceof Transform, u instanceof Duplex, u instanceof Writable, u instanceof Readable, u instanceof require('stream'), u instanceof require('events'))",
    ],
    [
      'classes',
      "class Count extends Writable { n = 0; _write(c, e, done) { this.n += c.length; done(); } } const c = new Count(); Readable.from(['ab', 'c']).pipe(c); await ended(c); log(c.n)",
    ],
    [
      'not implemented',
      "for (const make of [() => new Writable().write('a'), () => new Transform().write('a')]) try { make(); } catch (error) { log(error.code, error.message); } const r = new Readable(); hear(r, 'error'); r.resume(); await ended(r)",
    ],
    [
      'pipeline',
      "await new Promise((resolve) => pipeline(Readable.from(['a', 'b']), new Transform({ transform(c, e, done) { done(null, c + '1'); } }), new Writable({ write(c, e, done) { log(String(c)); done(); } }), (error) => { log(error === undefined); resolve(); }))",
    ],
    [
      'pipeline fails',
      "const w = new Writable({ write(c, e, done) { done(new Error('disk')); } }); const r = Readable.from(['a', 'b']); await new Promise((resolve) => pipeline(r, w, (error) => { log(error.message, r.destroyed, w.destroyed); resolve(); }))",
    ],
    [
      'pipeline of generators',
      "log(await promises.pipeline(['a', 'b'], async function* (source) { for await (const c of source) yield String(c).toUpperCase(); }, async (source) => { let all = ''; for await (const c of source) all += c; return all; }))",
    ],
    [
      'pipeline is aborted',
      'const control = new AbortController(); const r = new Readable({ read() {} }); const going = promises.pipeline(r, new PassThrough(), { signal: control.signal }); control.abort(); try { await going; } catch (error) { log(error.name, error.code, r.destroyed); }',
    ],
    [
      'pipeline without steps',
      'try { pipeline(Readable.from([]), () => {}); } catch (error) { log(error.code); } try { pipeline(Readable.from([]), new PassThrough()); } catch (error) { log(error.code); }',
    ],
    [
      'finished',
      "const r = Readable.from(['a']); r.resume(); await promises.finished(r); log('ok'); const w = new Writable({ write(c, e, done) { done(); } }); finished(w, (error) => log(error?.code)); w.destroy(); await ended(w); await new Promise((resolve) => setTimeout(resolve, 1))",
    ],
    [
      'finished and closed',
      "for (const stream of [new Writable({ write(c, e, done) { done(); } }), new PassThrough(), Readable.from(['a'])]) { stream.on('close', () => log('close')); stream.resume?.(); stream.end?.('x'); await promises.finished(stream); log('finished'); } const w = new Writable({ write(c, e, done) { done(); } }); w.on('close', () => log('close')); await promises.pipeline(Readable.from(['a']), w); log('piped'); const late = new Writable({ autoDestroy: false, write(c, e, done) { done(); } }); late.end(); await promises.finished(late); log(late.destroyed); const half = new PassThrough(); half.on('close', () => log('half')); half.end('x'); await promises.finished(half, { readable: false }); log('written'); half.resume(); await ended(half)",
    ],
    [
      'finished late',
      "const r = Readable.from(['a']); r.resume(); await ended(r); await new Promise((resolve) => finished(r, (error) => { log(error === undefined); resolve(); }))",
    ],
    [
      'an abort signal',
      "const control = new AbortController(); const r = addAbortSignal(control.signal, new Readable({ read() {} })); hear(r, 'error', 'close'); control.abort(); await ended(r)",
    ],
    [
      'array methods',
      'const r = () => Readable.from([1, 2, 3, 4]); log(await r().map((x) => x * 2).filter((x) => x > 2).toArray(), await r().reduce((a, b) => a + b), await r().some((x) => x > 3), await r().every((x) => x > 3), await r().find((x) => x > 1), await r().take(2).toArray(), await r().drop(3).toArray(), await r().flatMap((x) => [x, x]).take(3).toArray())',
    ],
    [
      'two sides',
      "const d = new Duplex({ read() { this.push('in'); this.push(null); }, write(c, e, done) { log('out', String(c)); done(); } }); hear(d, 'data', 'end', 'finish', 'close'); d.end('x'); await ended(d); log(d.allowHalfOpen)",
    ],
    [
      'no half',
      "const d = new Duplex({ allowHalfOpen: false, read() { this.push(null); }, write(c, e, done) { done(); } }); hear(d, 'end', 'finish', 'close'); d.resume(); await ended(d)",
    ],
    [
      'a duplex that ends before the other side does',
      "const d = new Duplex({ allowHalfOpen: false, read() {}, write(c, e, done) { done(); } }); hear(d, 'end', 'finish', 'close'); d.resume(); d.end(); d.once('finish', () => d.push(null)); await ended(d); log(d.destroyed)",
    ],
    [
      'the methods of an emitter, by name',
      "log(Object.keys(require('node:events').prototype).filter((name) => !name.startsWith('_')).sort())",
    ],
    [
      'marks',
      'log(new Readable().readableHighWaterMark > 1000, new Readable({ objectMode: true }).readableHighWaterMark, new Duplex({ readableObjectMode: true, writableHighWaterMark: 7 }).writableHighWaterMark, new Duplex({ readableObjectMode: true }).readableObjectMode, new Writable().writableObjectMode)',
    ],
    [
      'a file read',
      "const fs = require('fs'); let size = 0; const r = fs.createReadStream(folder + '/lines.txt', { highWaterMark: 1000 }); for await (const chunk of r) size += chunk.length; log(size, r.bytesRead); let part = ''; for await (const chunk of fs.createReadStream(folder + '/lines.txt', { encoding: 'utf8', start: 3, end: 9 })) part += chunk; log(part); const no = fs.createReadStream(folder + '/no.txt'); no.on('error', (error) => log(error.code)); await ended(no)",
    ],
    [
      'a file written',
      "const fs = require('fs'); const w = fs.createWriteStream(folder + '/out.txt'); w.write('one '); w.end('two'); await promises.finished(w); log(fs.readFileSync(folder + '/out.txt', 'utf8'), w.bytesWritten); await promises.pipeline(fs.createReadStream(folder + '/out.txt'), fs.createWriteStream(folder + '/out.txt.2', { flags: 'a' })); log(fs.readFileSync(folder + '/out.txt.2', 'utf8'))",
    ],
    [
      'lines',
      "const { createInterface } = require('readline'); const fs = require('fs'); const rl = createInterface({ input: fs.createReadStream(folder + '/lines.txt'), crlfDelay: Infinity }); let n = 0; let last; for await (const line of rl) { n += 1; last = line; } log(n, last); const two = createInterface({ input: Readable.from(['a\\r', '\\nb\\n\\nc']) }); two.on('line', (line) => log(line)); await new Promise((resolve) => two.on('close', resolve))",
    ],
    [
      'readline asks a stream',
      "const input = new PassThrough(); const output = new PassThrough(); const rl = require('readline').createInterface({ input, output }); rl.question('Who? ', (name) => { log(name); rl.setPrompt('next> '); log(rl.getPrompt()); rl.prompt(); rl.once('line', (line) => { log(line); rl.close(); }); input.write('second\\n'); }); const closed = new Promise((resolve) => rl.on('close', resolve)); input.write('me\\n'); await closed; log(String(output.read())); const lines = new PassThrough(); const asks = require('readline/promises').createInterface({ input: lines }); setTimeout(() => lines.write('yes\\n')); log(await asks.question('Sure? ')); asks.close(); log(await asks.question('?').catch(({ code }) => code))",
    ],
    [
      'compressed',
      "const zlib = require('zlib'); const data = Buffer.from('hello '.repeat(1000)); for (const [pack, unpack] of [['gzip', 'gunzip'], ['deflate', 'inflate'], ['deflateRaw', 'inflateRaw'], ['gzip', 'unzip'], ['deflate', 'unzip']]) { const packed = zlib[pack + 'Sync'](data); log(packed.length < 100, zlib[unpack + 'Sync'](packed).equals(data)); } log(await new Promise((resolve) => zlib.gzip('x', (error, out) => zlib.gunzip(out, (failure, back) => resolve(String(back)))))); for (const bad of ['gunzipSync', 'inflateSync']) try { zlib[bad](Buffer.from('no data at all')); } catch (error) { log(error.code, error.message); } for (const [pack, unpack, at] of [['gzip', 'gunzip', -8], ['deflate', 'inflate', -4]]) { const packed = zlib[pack + 'Sync']('text'); packed[packed.length + at] ^= 1; try { log(String(zlib[unpack + 'Sync'](packed))); } catch (error) { log(error.code, error.errno, error.message); } } const two = Buffer.concat([zlib.gzipSync('one'), zlib.gzipSync('two')]); log(String(zlib.gunzipSync(two))); two[zlib.gzipSync('one').length - 8] ^= 1; try { log(String(zlib.gunzipSync(two))); } catch (error) { log(error.message); } try { zlib.gunzipSync(zlib.gzipSync('long text, long text').subarray(0, 15)); } catch (error) { log(error.code, error.message); } log(zlib.crc32?.('hello') ?? 907060870, zlib.constants.Z_BEST_COMPRESSION)",
    ],
    [
      'compressed streams',
      "const zlib = require('zlib'); let text = ''; await promises.pipeline(Readable.from(['a'.repeat(50), 'b']), zlib.createGzip(), zlib.createGunzip(), async (source) => { for await (const chunk of source) text += chunk; }); log(text)",
    ],
    [
      'compressed streams that are flushed',
      "const zlib = require('zlib'); const flushed = (stream, kind) => new Promise((resolve) => stream.flush(kind, resolve)); const collect = (stream) => { const got = []; stream.on('data', (piece) => got.push(piece)); return () => Buffer.concat(got.splice(0)); }; for (const [Pack, Unpack] of [['Gzip', 'Gunzip'], ['Deflate', 'Inflate'], ['DeflateRaw', 'InflateRaw'], ['Gzip', 'Unzip']]) { const pack = zlib['create' + Pack](), unpack = zlib['create' + Unpack](), [packed, unpacked] = [collect(pack), collect(unpack)]; const all = []; for (const text of ['one '.repeat(30000), 'two', 'one again']) { pack.write(text); await flushed(pack, zlib.constants.Z_SYNC_FLUSH); const piece = packed(); all.push(piece); log(piece.subarray(-4).toString('hex')); unpack.write(piece); await flushed(unpack); const back = String(unpacked()); log(back.length, back === text); } await new Promise((resolve) => pack.params(9, 0, resolve)); pack.end('the end'); await promises.finished(pack); all.push(packed()); unpack.end(all.at(-1)); await promises.finished(unpack); log(String(unpacked()), pack.bytesWritten); log(zlib[Unpack[0].toLowerCase() + Unpack.slice(1) + 'Sync'](Buffer.concat(all)).length); }",
    ],
    [
      'compressed streams that begin again',
      "const zlib = require('zlib'); const pack = zlib.createDeflateRaw(), got = []; pack.on('data', (piece) => got.push(piece)); const said = []; for (const text of ['first', 'first']) { pack.write(text); await new Promise((resolve) => pack.flush(zlib.constants.Z_SYNC_FLUSH, resolve)); said.push(String(zlib.inflateRawSync(Buffer.concat([...got.splice(0), Buffer.from([3, 0])])))); pack.reset(); } log(said); const end = zlib.createGzip(); end.end(); end.resume(); await promises.finished(end); log(await new Promise((resolve) => end.flush(() => resolve('called')))); const bad = zlib.createInflateRaw(); const failure = new Promise((resolve) => bad.on('error', resolve)); bad.write(Buffer.from([255, 255, 255, 255])); bad.flush(); log((await failure).code)",
    ],
    [
      'channels',
      "const channel = require('diagnostics_channel').channel('a'); log(channel.hasSubscribers); const hear2 = (message, name) => log(message, name); channel.subscribe(hear2); channel.publish({ x: 1 }); log(channel.unsubscribe(hear2), channel.hasSubscribers)",
    ],
    [
      'read by the web',
      "const r = new ReadableStream({ start(c) { c.enqueue('a'); c.enqueue('b'); log(c.desiredSize); c.close(); } }); const reader = r.getReader(); log(r.locked, await reader.read(), await reader.read(), await reader.read()); await reader.closed; reader.releaseLock(); log(r.locked); let all = ''; for await (const value of ReadableStream.from(['x', Promise.resolve('y')])) all += value; log(all)",
    ],
    [
      'pulled by the web',
      "let n = 0; const r = new ReadableStream({ pull(c) { n += 1; c.enqueue(n); if (n === 3) c.close(); }, cancel(why) { log('cancel', why); } }, { highWaterMark: 0 }); const reader = r.getReader(); log(n, await reader.read(), n); await reader.cancel('enough'); log(await reader.read()); try { r.getReader(); } catch (error) { log(error.name); }",
    ],
    [
      'a web stream that fails',
      "const r = new ReadableStream({ pull() { throw new Error('no'); } }); try { for await (const value of r) log(value); } catch (error) { log(error.message); } const w = new WritableStream({ write() { throw new Error('full'); } }); const writer = w.getWriter(); let closed; writer.closed.catch((error) => { closed = error.message; }); try { await writer.write(1); } catch (error) { log(error.message); } try { await writer.write(2); } catch (error) { log(error.message); } log(closed)",
    ],
    [
      'written by the web',
      "const w = new WritableStream({ start() { log('start'); }, async write(chunk) { await null; log('write', chunk); }, close() { log('close'); } }, { highWaterMark: 2 }); const writer = w.getWriter(); log(writer.desiredSize); writer.write('a'); writer.write('b'); log(writer.desiredSize); await writer.ready; log(writer.desiredSize > 0); await writer.close(); await writer.closed; const a = new WritableStream({ abort(why) { log('abort', why); } }); await a.abort('why')",
    ],
    [
      'piped by the web',
      "const up = new TransformStream({ transform(chunk, c) { c.enqueue(chunk.toUpperCase()); }, flush(c) { c.enqueue('!'); } }); const out = []; await ReadableStream.from(['a', 'b']).pipeThrough(up).pipeTo(new WritableStream({ write(chunk) { out.push(chunk); }, close() { out.push('end'); } })); log(out); const source = new ReadableStream({ pull(c) { c.enqueue(1); }, cancel(why) { log('cancelled', why.message); } }); try { await source.pipeTo(new WritableStream({ write() { throw new Error('full'); } })); } catch (error) { log(error.message); } const sink = new WritableStream({ abort(why) { log('aborted', why.message); } }); try { await new ReadableStream({ pull() { throw new Error('dry'); } }).pipeTo(sink); } catch (error) { log(error.message, sink.locked); }",
    ],
    [
      'split by the web',
      'const [a, b] = ReadableStream.from([1, 2]).tee(); const list = async (r) => { const all = []; for await (const value of r) all.push(value); return all; }; log(await Promise.all([list(a), list(b)]))',
    ],
    [
      'text and compression by the web',
      "let text = ''; for await (const part of ReadableStream.from(['é', '€']).pipeThrough(new TextEncoderStream()).pipeThrough(new CompressionStream('gzip')).pipeThrough(new DecompressionStream('gzip')).pipeThrough(new TextDecoderStream())) text += part; log(text); const { text: read, json } = require('stream/consumers'); log(await read(Readable.from(['a', 'b'])), await json(ReadableStream.from(['[1', ',2]'])))",
    ],
    [
      'of a response',
      "log(new Response(null).body, new Response('x').body instanceof ReadableStream); let text = ''; for await (const chunk of new Response('hello').body) text += Buffer.from(chunk); log(text); log(await new Response(ReadableStream.from([new TextEncoder().encode('a'), new TextEncoder().encode('b')])).text()); const used = new Response('y'); await used.body.getReader().read(); log(used.bodyUsed)",
    ],
    [
      'read from the web',
      "const r = Readable.fromWeb(new Blob(['é', 'b']).stream()); const pieces = []; for await (const piece of r) pieces.push(piece); log(Buffer.isBuffer(pieces[0]), Buffer.concat(pieces).toString(), r.destroyed); const objects = []; for await (const o of Readable.fromWeb(ReadableStream.from([{ a: 1 }, 2]), { objectMode: true })) objects.push(o); log(objects); let why = 'none'; const left = Readable.fromWeb(new ReadableStream({ pull(c) { c.enqueue('x'); }, cancel() { why = 'cancelled'; } })); for await (const piece of left) { log(String(piece)[0]); break; } await new Promise((resolve) => setTimeout(resolve, 5)); log(why); try { for await (const piece of Readable.fromWeb(new ReadableStream({ pull() { throw new Error('dry'); } }))) log(piece); } catch (error) { log(error.message); } try { Readable.fromWeb({}); } catch (error) { log(error.code); }",
    ],
    [
      'read by the web',
      "let text = ''; for await (const piece of Readable.toWeb(Readable.from([Buffer.from('é'), Buffer.from('b')], { objectMode: false }))) { log(piece.constructor.name); text += new TextDecoder().decode(piece); } log(text); const objects = []; for await (const o of Readable.toWeb(Readable.from([{ a: 1 }, 2]))) objects.push(o); log(objects); const endless = new Readable({ highWaterMark: 64, read() { this.push('x'); } }); const reader = Readable.toWeb(endless).getReader(); log((await reader.read()).value.length); await reader.cancel(); log(endless.destroyed); const broken = Readable.toWeb(new Readable({ read() { this.destroy(new Error('gone')); } })); try { await broken.getReader().read(); } catch (error) { log(error.message); }",
    ],
    [
      'written to the web',
      "const out = []; const sink = () => new WritableStream({ async write(piece) { await null; out.push(String(piece)); }, close() { out.push('close'); }, abort(why) { out.push(why?.message ?? 'abort'); } }); await promises.pipeline(Readable.from(['a', 'b']), Writable.fromWeb(sink())); log(out); const w = Writable.fromWeb(sink()); hear(w, 'error', 'close'); w.write('c'); await new Promise((resolve) => setTimeout(resolve, 5)); w.destroy(new Error('stop')); await ended(w); log(out); const full = Writable.fromWeb(new WritableStream({ write() { throw new Error('full'); } })); hear(full, 'error'); full.write('x'); await ended(full)",
    ],
    [
      'written by the web to a stream',
      "const out = []; const w = new Writable({ highWaterMark: 2, write(piece, _, done) { setTimeout(() => { out.push(String(piece)); done(); }, 1); }, final(done) { out.push('final'); done(); } }); await ReadableStream.from(['abc', 'd']).pipeTo(Writable.toWeb(w)); log(out, w.writableFinished); const failing = new Writable({ write(piece, _, done) { done(new Error('disk')); } }); failing.on('error', () => {}); try { await ReadableStream.from(['a']).pipeTo(Writable.toWeb(failing)); } catch (error) { log(error.message); } const zipped = Readable.from([Buffer.from('zip')], { objectMode: false }).pipe(Duplex.fromWeb(new CompressionStream('gzip'))); const pieces = []; for await (const piece of zipped) pieces.push(piece); log(require('zlib').gunzipSync(Buffer.concat(pieces)).toString()); const { readable, writable } = Duplex.toWeb(new PassThrough()); const writer = writable.getWriter(); writer.write(Buffer.from('q')); writer.close(); for await (const piece of readable) log(new TextDecoder().decode(piece))",
    ],
    [
      'streams of before Node 0.10',
      "const Stream = require('stream'); class Numbers extends Stream { readable = true; start() { for (const n of [1, 2, 3]) this.emit('data', n); this.emit('end'); } } const to = new Stream(); to.writable = true; let sum = 0; to.write = (n) => { sum += n; return true; }; to.end = () => log(sum); const from = new Numbers(); from.pipe(to); from.start()",
    ],
  ])('%s', async (_what, code) => {
    const told = await tellInNode(start + code, folder);
    expect(told.length).toBeGreaterThan(0);
    expect(await tellInCell(start + code, { 'lines.txt': lines })).toEqual(told);
  });
});
