// What Node 20 says to the same, for small modules of Node's that programs ask for by the way.
import { expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

it.each([
  [
    // What older packages take for granted.
    "(() => { const own = {}; for (const name in Buffer) own[name] = Buffer[name]; function Old() { StringDecoder.call(this, 'utf8'); } const { StringDecoder } = require('string_decoder'); Old.prototype = StringDecoder.prototype; return [typeof own.isBuffer, Buffer.from('aé', null).latin1Slice(1, 3), Buffer.alloc(3).fill(97).utf8Write('b', 1), new Old().write(Buffer.from([0xc3, 0xa9])), require('util')._extend({ a: 1 }, { b: 2 }), new MessageEvent('message', { data: 5 }).data, ['/a', 'C:\\\\a', 'c:a', 'a'].map((text) => path.win32.isAbsolute(text)), performance.eventLoopUtilization().utilization]; })()",
    ['function', '\u00c3\u00a9', 1, 'é', { a: 1, b: 2 }, 5, [true, true, false, false], 0],
  ],
  [
    "({ ...require('url').parse('http://a:b@Host.com:80/p/a?x=1&y=2#h') })",
    {
      ...{ protocol: 'http:', slashes: true, auth: 'a:b', host: 'host.com:80', port: '80' },
      ...{ hostname: 'host.com', hash: '#h', search: '?x=1&y=2', query: 'x=1&y=2' },
      ...{ pathname: '/p/a', path: '/p/a?x=1&y=2', href: 'http://a:b@host.com:80/p/a?x=1&y=2#h' },
    },
  ],
  [
    "[require('url').parse('/a b?c=d&c=e', true).query, require('url').parse('mailto:a@b.c').host, require('url').parse('//h/p', false, true).host]",
    [{ c: ['d', 'e'] }, 'b.c', 'h'],
  ],
  [
    `["https://a@b.c'.d/1", 'http://b.c:8;d/', 'http://b.c|d'].map((text) => { const { host, path } = require('url').parse(text); return [host, path]; })`,
    [
      ['b.c', '%27.d/1'],
      ['b.c:8', ';d/'],
      ['b.c', '%7Cd'],
    ],
  ],
  [
    "[require('url').format({ protocol: 'https', hostname: 'a.b', port: 8080, pathname: 'x', query: { a: 1, b: [2, 'c d'] }, hash: 'z' }), require('url').resolve('/one/two', 'three?x'), require('url').format(new URL('http://a/b'))]",
    ['https://a.b:8080/x?a=1&b=2&b=c%20d#z', '/one/three?x', 'http://a/b'],
  ],
  [
    `require('querystring').stringify({ a: 1, b: [1, 'x y', null], c: null, d: undefined, f: NaN, g: {}, h: "it's (ok)!" })`,
    "a=1&b=1&b=x%20y&b=&c=&d=&f=&g=&h=it's%20(ok)!",
  ],
  [
    "[require('querystring').parse('a:1;b:2;a:3', ';', ':'), require('querystring').parse('a=%zz&b+c=d+e&f'), require('querystring').stringify({ a: 1, b: 2 }, ';', ':')]",
    [{ a: ['1', '3'], b: '2' }, { a: '%zz', 'b c': 'd e', f: '' }, 'a:1;b:2'],
  ],
  [
    "(({ StringDecoder }) => { const utf8 = new StringDecoder(); const base64 = new StringDecoder('base64'); return [[...Buffer.from('a€😀')].map((byte) => utf8.write(Buffer.from([byte]))), utf8.end(Buffer.from([0xe2, 0x82])), base64.write(Buffer.from('abcd')), base64.end()] })(require('node:string_decoder'))",
    [['a', '', '', '€', '', '', '', '😀'], '\ufffd', 'YWJj', 'ZA=='],
  ],
  [
    "[require('util/types').isDate(new Date()), require('node:tty').isatty(1), util.formatWithOptions({ depth: 0 }, '%s', 'a', { b: { c: 1 } })]",
    [true, false, 'a { b: [Object] }'],
  ],
])('does: %s', async (code, expected) => {
  const repl = await openRepl();
  const result = await repl.run(`JSON.stringify(${code})`);
  expect(JSON.parse(String(result.value))).toEqual(expected);
});

it('says what to do without createHook', async () => {
  const repl = await openRepl();
  const { error } = await repl.run("require('async_hooks').createHook({})");
  expect(error?.message).toBe(
    "async_hooks.createHook was called. It isn't available in this sandbox: follow code by an AsyncLocalStorage",
  );
});

it('warns once of an event with more listeners than its emitter may have', async () => {
  const repl = await openRepl();
  const { display, stderr } = await repl.run(`
    const { EventEmitter } = require('events');
    class Own extends EventEmitter {}
    const own = new Own();
    for (let i = 0; i < 13; i++) own.on('x', () => {});
    own.setMaxListeners(0).on('x', () => {}).on('y', () => {});
    process.emitWarning('old', 'DeprecationWarning', 'DEP1');
    EventEmitter.defaultMaxListeners = 3;
    [own.getMaxListeners(), new Own().getMaxListeners()]`);
  expect(display).toBe('[ 0, 3 ]');
  expect(stderr).toBe(
    'MaxListenersExceededWarning: Possible EventEmitter memory leak detected. 11 x listeners added to [Own]. MaxListeners is 10. Use emitter.setMaxListeners() to increase limit\n' +
      '[DEP1] DeprecationWarning: old\n',
  );
});

it('takes a path of Windows apart as Node does', async () => {
  const repl = await openRepl();
  const paths = [
    'C:\\a\\b.txt',
    'C:',
    'c:x',
    '\\\\host\\share\\a/b',
    '//host/share',
    '/a/',
    'a\\..',
    '.x',
    '',
  ];
  const { value } = await repl.run(
    `JSON.stringify(${JSON.stringify(paths)}.map((given) => path.win32.parse(given)))`,
  );
  expect(JSON.parse(String(value))).toEqual(
    [
      ['C:\\', 'C:\\a', 'b.txt', '.txt', 'b'],
      ['C:', 'C:', '', '', ''],
      ['c:', 'c:', 'x', '', 'x'],
      ['\\\\host\\share\\', '\\\\host\\share\\a', 'b', '', 'b'],
      ['//host/share', '//host/share', '', '', ''],
      ['/', '/', 'a', '', 'a'],
      ['', 'a', '..', '', '..'],
      ['', '', '.x', '', '.x'],
      ['', '', '', '', ''],
    ].map(([root, dir, base, ext, name]) => ({ root, dir, base, ext, name })),
  );
});

it('marks what must not be cloned or handed over', async () => {
  const repl = await openRepl({
    'a.cjs':
      "const { markAsUncloneable, markAsUntransferable, isMarkedAsUntransferable, MessageChannel } = require('node:worker_threads'); const { createZstdDecompress } = require('node:zlib'); class Own { constructor() { markAsUncloneable(this); } } const buffer = new ArrayBuffer(1); markAsUntransferable(buffer); const said = (run) => { try { return run(); } catch (error) { return error.name + ' ' + error.code; } }; module.exports = [said(() => structuredClone({ own: new Own() })), said(() => structuredClone(buffer, { transfer: [buffer] })), structuredClone(buffer).byteLength, isMarkedAsUntransferable(buffer), MessageChannel === globalThis.MessageChannel, said(createZstdDecompress.bind(null, {}))];",
  });
  expect(await repl.value("JSON.stringify(require('./a.cjs'))")).toBe(
    `'["DataCloneError 25","DataCloneError 25",1,true,true,"Error ERR_FEATURE_UNAVAILABLE_ON_PLATFORM"]'`,
  );
});

it('has what tools ask of modules, files, signals and channels', async () => {
  const repl = await openRepl({
    '.env': 'A=1\nexport B="two\\nlines" # said\nC = plain # comment\nA2=\'$x\'\n',
    'lib/a.cjs': 'module.exports = module.constructor ? "a" : "";',
  });
  expect(
    await repl.value(`
      const Module = require('module'), { Console } = require('console'), fs = require('fs');
      const own = new Module('/work/lib/made.cjs');
      own._compile('module.exports = [require("./a.cjs"), __dirname]', '/work/lib/made.cjs');
      process.loadEnvFile();
      const printed = [], write = (text) => printed.push(text);
      const logger = new Console({ write }); logger.group('a'); logger.warn('%d', 1); console.Console === Console;
      const fd = fs.openSync('w', 'w+'); fs.writevSync(fd, [Buffer.from('ab'), Buffer.from('c')]);
      const into = [Buffer.alloc(2), Buffer.alloc(1)], read = fs.readvSync(fd, into, 0);
      const third = await new Promise((resolve) => fs.read(fd, Buffer.alloc(3), 0, 3, 1, (_error, count, buffer) => resolve([count, String(buffer.subarray(0, count))])));
      fs.futimesSync(fd, 5, 6); fs.closeSync(fd);
      const heard = new Promise((resolve) => { new BroadcastChannel('x').onmessage = ({ data }) => resolve(data); });
      new BroadcastChannel('y').postMessage(0); new BroadcastChannel('x').postMessage({ a: 1 });
      const stop = new AbortController(), stopped = require('util').aborted(stop.signal, {}); stop.abort(); await stopped;
      const found = [own.exports, Module._nodeModulePaths('/a/node_modules/b'), Module._resolveFilename('./a.cjs', { filename: '/work/lib/b.cjs' }),
        ['A', 'B', 'C', 'A2'].map((name) => process.env[name]), printed, read, into.map(String), third, fs.statSync('w').mtimeMs, await heard,
        require('path/win32').isAbsolute('C:/'), require('sys') === require('util'), require('_stream_readable') === require('stream').Readable];
      JSON.stringify(found)`),
  ).toBe(
    String.raw`'[["a","/work/lib"],["/a/node_modules/b/node_modules","/a/node_modules","/node_modules"],"/work/lib/a.cjs",["1","two\\nlines","plain","$x"],["a\\n","  1\\n"],3,["ab","c"],[2,"bc"],6000,{"a":1},true,true,true]'`,
  );
});
