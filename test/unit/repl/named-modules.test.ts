// Names of Node's modules that packages import at their top: what Node 20 says to the same.
import { expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

it.each([
  [
    "const { channel, subscribe, unsubscribe, hasSubscribers } = require('node:diagnostics_channel'); const heard = []; const hear = (message, name) => heard.push([message, name]); channel('a').publish(1); subscribe('a', hear); channel('a').publish(2); [heard, hasSubscribers('a'), unsubscribe('a', hear), unsubscribe('a', hear), channel('a') === channel('a'), channel('a').hasSubscribers]",
    [[[2, 'a']], true, true, false, true, false],
  ],
  [
    "const { tracingChannel } = require('diagnostics_channel'); const traced = tracingChannel('t'); const steps = []; const of = (name) => (message) => steps.push(name + (message.result ?? '') + (message.error?.message ?? '')); traced.subscribe({ start: of('start'), end: of('end'), asyncStart: of('asyncStart'), asyncEnd: of('asyncEnd'), error: of('error') }); traced.traceSync((a) => a + 1, {}, undefined, 1); try { traced.traceSync(() => { throw new Error('x') }) } catch {} await traced.tracePromise(async () => 5); traced.traceCallback((done) => done(null, 7), -1, {}, undefined, () => {}); steps",
    [
      ...['start', 'end2', 'start', 'errorx', 'endx', 'start', 'end', 'asyncStart5', 'asyncEnd5'],
      ...['start', 'asyncStart7', 'asyncEnd7', 'end7'],
    ],
  ],
  [
    "const { on } = require('events'); const e = new (require('events'))(); const all = on(e, 'x', { close: ['end'] }); e.emit('x', 1, 2); const later = Promise.all([all.next(), all.next(), all.next()]); e.emit('x', 3); e.emit('end'); e.emit('x', 4); [(await later).map((step) => (step.done ? 'end' : step.value)), e.eventNames()]",
    [[[1, 2], [3], 'end'], []],
  ],
  [
    "const { on } = require('events'); const e = new (require('events'))(); const all = on(e, 'x'); e.emit('x', 1); e.emit('error', new Error('bad')); const steps = [(await all.next()).value, await all.next().catch((error) => error.message), (await all.next()).done]; const t = new EventTarget(); const seen = on(t, 'x'); t.dispatchEvent(new Event('x')); [steps, (await seen.next()).value[0].type]",
    [[[1], 'bad', true], 'x'],
  ],
  [
    "const { on, once } = require('events'); const e = new (require('events'))(); const stop = new AbortController(); const { signal } = stop; const name = (error) => error.name; const ends = [on(e, 'x', { signal }).next(), once(e, 'x', { signal }), once(new EventTarget(), 'x', { signal })].map((end) => end.catch(name)); stop.abort(); [await Promise.all(ends), e.eventNames()]",
    [['AbortError', 'AbortError', 'AbortError'], []],
  ],
  [
    "const { parseArgs } = require('util'); const { tokens } = parseArgs({ args: ['-ab', '--c=d', '-fx', '-f', 'y', '--', '-z'], strict: false, tokens: true, options: { f: { type: 'string', short: 'f' } } }); tokens.map(({ kind, name, rawName, index, value, inlineValue }) => [kind, name ?? null, rawName ?? null, index, value ?? null, inlineValue ?? null])",
    [
      ['option', 'a', '-a', 0, null, null],
      ['option', 'b', '-b', 0, null, null],
      ['option', 'c', '--c', 1, 'd', true],
      ['option', 'f', '-f', 2, 'x', true],
      ['option', 'f', '-f', 3, 'y', false],
      ['option-terminator', null, null, 5, null, null],
      ['positional', null, null, 6, '-z', null],
    ],
  ],
  [
    "[['a/b.ts', '**/*.[jt]s'], ['b.mjs', '*.?(c|m)js'], ['a/b', 'a'], ['a/b', './a/{b,c}'], ['a.css', '*.@(js|ts)']].map(([name, glob]) => path.matchesGlob(name, glob))",
    [true, true, false, true, false],
  ],
  [
    "const zlib = require('zlib'); const packed = zlib.gzipSync('hello '.repeat(1000)); const cut = packed.subarray(0, -10); const code = (options) => { try { return zlib.gunzipSync(cut, options).toString().slice(0, 5); } catch (error) { return error.code; } }; let most; try { zlib.gunzipSync(packed, { maxOutputLength: 5999 }); } catch (error) { most = error.code; } [code(), code({ finishFlush: zlib.constants.Z_SYNC_FLUSH }), most, zlib.gunzipSync(packed, { maxOutputLength: 6000 }).length]",
    ['Z_BUF_ERROR', 'hello', 'ERR_BUFFER_TOO_LARGE', 6000],
  ],
  [
    "const { isBuiltin, builtinModules } = require('module'); ['fs', 'child_process', 'node:sqlite', 'vitest'].map((name) => [isBuiltin(name), builtinModules.includes(name)])",
    [
      [true, true],
      [true, true],
      [true, true],
      [false, false],
    ],
  ],
  [
    "const { blob } = require('stream/consumers'); const { Readable } = require('stream'); const made = await blob(Readable.from(['a', 'b'])); const shown = { [util.inspect.custom]: (_depth, options) => options.stylize('styled', 'special') }; [await made.text(), util.inspect(shown)]",
    ['ab', 'styled'],
  ],
  [
    "const os = require('os'); [os.constants.signals.SIGTERM, os.constants.signals.SIGKILL, os.constants.signals.SIGCHLD, os.constants.errno.ENOENT, os.devNull, os.endianness(), require('constants').O_CREAT, require('constants').SIGINT]",
    [15, 9, 17, 2, '/dev/null', 'LE', 64, 2],
  ],
  [
    "const url = require('url'); [url.domainToASCII('español.com'), url.domainToASCII('xn--iñvalid.com'), url.urlToHttpOptions(new URL('http://a%20b:c@[::1]:80/p?q=1#h')), url.urlToHttpOptions(new URL('https://a.b:8080/')).port]",
    [
      'xn--espaol-zwa.com',
      '',
      {
        ...{ protocol: 'http:', hostname: '::1', hash: '#h', search: '?q=1', pathname: '/p' },
        ...{ path: '/p?q=1', href: 'http://a%20b:c@[::1]/p?q=1#h', auth: 'a b:c' },
      },
      8080,
    ],
  ],
  [
    "const events = require('events'); const e = new events(); const all = []; e.on(events.errorMonitor, (error) => all.push('seen ' + error.message)); try { e.emit('error', new Error('a')) } catch (error) { all.push('thrown') } e.on('x', () => {}); [all, events.listenerCount(e, 'x'), events.getEventListeners(e, 'x').length, String(events.captureRejectionSymbol)]",
    [['seen a', 'thrown'], 1, 1, 'Symbol(nodejs.rejection)'],
  ],
  [
    "const { addAbortListener } = require('events'); const stop = new AbortController(); let n = 0; const one = addAbortListener(stop.signal, () => { n += 1 }); addAbortListener(stop.signal, () => { n += 10 }); one[Symbol.dispose](); stop.abort(); n",
    10,
  ],
  [
    "const { types } = require('util'); [types.isUint8ClampedArray(new Uint8ClampedArray()), types.isFloat64Array([]), types.isStringObject(Object('a')), types.isSharedArrayBuffer(new SharedArrayBuffer(1)), types.isNumberObject(1), types.isMapIterator(new Map().keys()), (function () { return types.isArgumentsObject(arguments) })()]",
    [true, false, true, true, false, true, true],
  ],
  [
    "const { isUtf8, isAscii } = require('buffer'); [isUtf8(Buffer.from('é')), isUtf8(Buffer.from([0xff])), isAscii(Buffer.from('a')), isAscii(Buffer.from('é')), fs.F_OK, fs.R_OK, require('module').isBuiltin('fs'), require('module').isBuiltin('node:nope'), process.getBuiltinModule('path') === path, process.listenerCount('exit')]",
    [true, false, true, false, 0, 4, true, false, true, 0],
  ],
])('does: %s', async (code, expected) => {
  const repl = await openRepl();
  const { value, error } = await repl.run(code);
  expect(error).toBeUndefined();
  expect(value).toEqual(expected);
});

it('lets a package take the classes of fs', async () => {
  const repl = await openRepl({
    'a.cjs':
      "const fs = require('fs'); function Own() {} Own.prototype = Object.create(fs.ReadStream.prototype); exports.own = () => new Own() instanceof fs.ReadStream; exports.open = async () => { let text = ''; for await (const piece of new fs.ReadStream('b.txt', 'utf8')) text += piece; return [text, fs.createReadStream('b.txt') instanceof fs.ReadStream]; };",
    'b.txt': 'read',
  });
  expect(await repl.value("require('./a.cjs').own()")).toBe('true');
  expect(await repl.value("await require('./a.cjs').open()")).toBe("[ 'read', true ]");
});
