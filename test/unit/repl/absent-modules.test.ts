// Packages import modules of Node's that aren't here, mostly for parts that nobody uses in a cell.
import { describe, expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

const instead = "It isn't available in this sandbox:";

describe('a file that imports a module which is not here', () => {
  it('runs, and who calls a function of it hears what to do instead', async () => {
    const repl = await openRepl({
      'run.mjs': [
        "import { execSync } from 'node:child_process';",
        "import { Worker } from 'worker_threads';",
        'export class Own extends Worker {}',
        'export const add = (a, b) => a + b;',
        "export const run = () => execSync('ls');",
      ].join('\n'),
      'old.cjs':
        'const { Socket } = require("net"); require("util").inherits(Old, Socket); function Old() { Socket.call(this); } module.exports = Old;',
    });
    expect(await repl.value("import { add } from './run.mjs'; add(1, 2)")).toBe('3');
    const said = async (code: string) => (await repl.run(code)).error?.message;
    expect(await said("import { run } from './run.mjs'; run()")).toBe(
      `child_process.execSync was called. ${instead} there are no processes; run code in the cell itself, and tests by runTests()`,
    );
    expect(await said("import { Own } from './run.mjs'; new Own()")).toBe(
      `worker_threads.Worker was called. ${instead} there are no threads; compute in the cell`,
    );
    expect(await said("new (require('./old.cjs'))()")).toBe(
      `net.Socket was called. ${instead} use fetch`,
    );
  });

  it('is told of a name that Node has none of', async () => {
    const repl = await openRepl({ 'a.mjs': "import { sparn } from 'child_process';" });
    expect((await repl.run("import './a.mjs'")).error?.message).toContain(
      "'child_process' has no export named 'sparn'",
    );
  });

  it('has what needs no socket and no thread', async () => {
    const repl = await openRepl({
      'a.cjs': [
        "const http = require('http'), { isIP } = require('net'), { isMainThread, parentPort } = require('worker_threads');",
        'exports.all = [http.STATUS_CODES[404], http.METHODS.includes("GET"), ["1.2.3.4", "::1", "1.2.3.400", "a"].map(isIP), isMainThread, parentPort];',
      ].join('\n'),
    });
    expect(await repl.value("JSON.stringify(require('./a.cjs').all)")).toBe(
      `'["Not Found",true,[4,6,0,0],true,null]'`,
    );
  });

  it('may build streams of its own on the old ones', async () => {
    const repl = await openRepl({
      'a.cjs': [
        "const Stream = require('stream');",
        'class Numbers extends Stream { readable = true; start() { for (const n of [1, 2, 3]) this.emit("data", n); this.emit("end"); } }',
        'function Sum() { Stream.call(this); this.writable = true; this.sum = 0; }',
        'require("util").inherits(Sum, Stream);',
        'Sum.prototype.write = function (n) { this.sum += n; return true; };',
        'Sum.prototype.end = function () { this.emit("done", this.sum); };',
        'exports.sum = () => { const from = new Numbers(), to = new Sum(); let said; to.on("done", (sum) => { said = sum; }); from.pipe(to); from.start(); return [said, from.listenerCount("data"), from instanceof require("events")]; };',
      ].join('\n'),
    });
    expect(await repl.value("require('./a.cjs').sum()")).toBe('[ 6, 0, true ]');
  });

  it('can be tested with the module replaced, by either of its names', async () => {
    const repl = await openRepl({
      'branch.mjs':
        "import { execSync } from 'node:child_process';\nexport const branch = () => String(execSync('git branch')).trim();",
      'a.test.mjs': [
        "import { expect, it, vi } from 'vitest';",
        "import { execSync } from 'child_process';",
        "import { branch } from './branch.mjs';",
        "vi.mock('child_process');",
        "it('asks', () => { execSync.mockReturnValue(' main '); expect(branch()).toBe('main'); expect(execSync).toHaveBeenCalledWith('git branch'); });",
      ].join('\n'),
    });
    expect((await repl.run('await runTests()')).stdout).toContain('1 passed');
  });
});

it('a cell that asks for such a module is told at once', async () => {
  const repl = await openRepl();
  for (const code of ["import { exec } from 'child_process'", "require('node:tls')"])
    expect((await repl.run(code)).error?.message).toContain(instead);
  // Of this one there is a part that needs no socket.
  expect(await repl.value("import { isIP, isIPv4 } from 'net'; [isIP('::1'), isIPv4('a')]")).toBe(
    '[ 6, false ]',
  );
  expect((await repl.run("require('net').connect(80)")).error?.message).toBe(
    `net.connect was called. ${instead} use fetch`,
  );
});

describe('what needs native code or WebAssembly', () => {
  const native =
    'Native code runs in no sandbox: use a package that is written in JavaScript, and runTests() for tests.';

  it('ends in what to do instead, in the words of whichever package', async () => {
    const repl = await openRepl({
      'absent.cjs': "require('../build/Release/fast.node');",
      'there.cjs': "require('./fast.node');",
      'fast.node': '\u007fELF',
      'thrown.cjs':
        'throw new Error(`Unsupported platform: ${process.platform} ${process.arch} LE`);',
      'wasm.mjs': 'export const run = () => new WebAssembly.Module(new Uint8Array());',
      'a.test.js': "import './thrown.cjs';",
    });
    const said = async (code: string) => (await repl.run(code)).error?.message;
    expect(await said("require('./absent.cjs')")).toBe(
      `Cannot find module '../build/Release/fast.node', imported from /work/absent.cjs. ${native}`,
    );
    expect(await said("require('./there.cjs')")).toBe(
      "/work/fast.node is no JavaScript, imported from /work/there.cjs. It can't run in this sandbox: use a package that is written in JavaScript",
    );
    expect(await said("require('./thrown.cjs')")).toBe(
      `Unsupported platform: rockpool wasm LE. ${native}`,
    );
    expect(await said("import { run } from './wasm.mjs'; run()")).toBe(
      'WebAssembly is not defined. There is no WebAssembly in this sandbox: use a build of the package in JavaScript alone, or another package (of msw version 2, of nock 14).',
    );
    expect(await said("new RegExp('(a)'.repeat(255))")).toBe(
      'too many captures. An expression has 254 groups at most here: write groups whose text is not read as (?:…).',
    );
    expect(await said("new URLPattern({ pathname: '/a/:b' })")).toBe(
      "URLPattern is not defined. Match the parts of a URL by regular expressions, or by a package of the project's such as path-to-regexp.",
    );
    expect(await said('Atomics.wait(new Int32Array(1), 0, 0, 5)')).toBe(
      'Atomics is not defined. There is one thread here: await a timer to wait, and keep data in an ArrayBuffer.',
    );
    expect(await said('__dirname')).toBe(
      '__dirname is not defined. Only CommonJS has it: use import.meta.dirname or import.meta.filename. In a cell they tell the working directory.',
    );
    expect((await repl.run('await runTests()')).stdout).toContain(native);
  });

  it('says where a DOM is to be had', async () => {
    const repl = await openRepl();
    // In two pieces, or this file itself would be run with a DOM.
    const comment = ['// @vitest', 'environment happy-dom'].join('-');
    expect((await repl.run("document.querySelector('p')")).error?.message).toBe(
      `document is not defined. There is no DOM in a cell. A test file has one with ${comment} in its first comment, where the project's node_modules has happy-dom or jsdom.`,
    );
  });
});
