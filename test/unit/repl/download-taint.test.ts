// What a session may still run as code once text from outside has come into it.
import { describe, expect, it } from 'vitest';
import { createServerFetch } from '../../../src/core/host-ports/fetch-port.ts';
import type { CellRequest } from '../../../src/repl/cell/cell-request.ts';
import { openRepl, type ReplBench } from '../../support/repl/repl.ts';

const mark = 'globalThis.ran = true;';

const network = { hosts: ['a.net'] };

async function openOnline(files: Readonly<Record<string, string>> = {}): Promise<ReplBench> {
  const port = createServerFetch(async () => new Response(mark));
  const repl = await openRepl(files, { network: port });
  return {
    ...repl,
    run: (code, changes: Partial<CellRequest> = {}) => repl.run(code, { network, ...changes }),
  };
}

const download = "const text = await (await fetch('https://a.net/x')).text();";

const refusal = expect.stringMatching(/text from outside/u);

/** Each may have been written by somebody who knows of none of the others. */
const spellings = [
  'eval(text)',
  '(0, eval)(text)',
  'globalThis.eval(text)',
  'globalThis["ev" + "al"](text)',
  'Reflect.apply(eval, undefined, [text])',
  '[text].map(eval)',
  'eval?.(text)',
  'eval(text) as number',
  'const source: string = text; eval(source)',
  'Function(text)()',
  'new Function(text)()',
  'new globalThis.Function("a", text)()',
  '(() => {}).constructor(text)()',
  'Object.getPrototypeOf(Function.prototype.call).constructor(text)()',
  'Reflect.construct(Function, [text])()',
  'await (async () => {}).constructor(text)()',
  '(function* () {}).constructor(text)().next()',
  'await (async function* () {}).constructor(text)().next()',
  'new (class extends Function {})(text)()',
  'Function.bind(null, text)()()',
  'Array.from({ length: 1 }, (0, Function).bind(null, text))[0]()',
  'require("vm").runInNewContext(text, { globalThis })',
  'new (require("vm").Script)(text).runInThisContext()',
  'require("vm").compileFunction(text)()',
  'await import("data:text/javascript," + text)',
  'fs.writeFileSync("m.mjs", text); await import("./m.mjs")',
  'fs.writeFileSync("m.cjs", text); require("./m.cjs")',
  'fs.writeFileSync("m.mjs", text); fs.symlinkSync("m.mjs", "n.mjs"); await import("./n.mjs")',
  'fs.writeFileSync("m.mjs", text); await import("./m.mjs?again")',
  'new (require("module"))("m")._compile(text, "/work/m.cjs")',
  'fs.writeFileSync("m.cjs", text); const Module = require("module"); Module._extensions[".js"](new Module("m"), "/work/m.cjs")',
  'fs.writeFileSync("a.test.js", text); const { failed } = await runTests("a.test.js"); if (failed) throw new Error()',
] as const;

describe('a session into which a fetch has brought text', () => {
  it.each(spellings)('runs none of it in the same cell: %s', async (code) => {
    const repl = await openOnline();
    // What syntax sees beforehand is refused before a session hears of it; here it isn't asked.
    const result = await repl.run(`${download}\n${code}`);
    expect(result.error).toBeDefined();
    expect(await repl.value('typeof ran')).toBe("'undefined'");
  });

  it.each(spellings)('runs none of it in a later one: %s', async (code) => {
    const repl = await openOnline();
    expect((await repl.run(download)).error).toBeUndefined();
    const result = await repl.run(code);
    expect(result.error).toBeDefined();
    expect(await repl.value('typeof ran')).toBe("'undefined'");
  });

  it.each([
    ['jsxFactory', `((${mark}), (...parts) => parts)`.replace(';', '')],
    ['jsxFragmentFactory', `(${mark})`.replace(';', '')],
    ['jsxImportSource', `x"; ${mark} import "y`],
  ])('runs none of it as what a tsconfig.json says of JSX: %s', async (name, value) => {
    const jsxFactory = name === 'jsxImportSource' ? undefined : 'String';
    const compilerOptions = { jsxFactory, [name]: value };
    const repl = await openOnline({
      'm.jsx': 'export default <></>;',
      'x/jsx-runtime.js': 'export const jsx = String, Fragment = 1;',
      'mine.json': JSON.stringify({ compilerOptions }),
    });
    expect((await repl.run(download)).error).toBeUndefined();
    const code = "fs.renameSync('mine.json', 'tsconfig.json'); await import('./m.jsx')";
    expect(await repl.run(code)).toMatchObject({
      error: { name: 'SyntaxError', message: expect.stringContaining(`${name} is no name`) },
    });
    expect(await repl.value('typeof ran')).toBe("'undefined'");
  });

  it.each([
    ['eval(text)', 'eval'],
    ['(0, eval)(text)', 'eval'],
    ['new Function(text)', 'Function'],
    ['(async () => {}).constructor(text)', 'AsyncFunction'],
    ['(function* () {}).constructor(text)', 'GeneratorFunction'],
    ['fs.writeFileSync("m.mjs", text); await import("./m.mjs")', 'import'],
  ])('throws PermissionDenied with the reason, which may be caught: %s', async (code) => {
    const repl = await openOnline();
    const thrown = await repl.run(`${download}\n${code}`);
    expect(thrown).toMatchObject({
      rolledBack: true,
      error: { name: 'PermissionDenied', message: refusal, line: 2 },
    });
    const caught = await repl.run(
      `${download}\nlet caught; try { ${code} } catch (error) { caught = error; } [caught.name, caught.code]`,
    );
    expect(caught.value).toEqual(['PermissionDenied', 'ERR_ACCESS_DENIED']);
  });

  it.each([
    ['eval', 'const kept = eval;', 'kept(text)'],
    ['Function', 'const kept = Function;', 'kept(text)()'],
    ['a subclass', 'class Kept extends Function {}', 'new Kept(text)()'],
    ['a bound one', 'const kept = Function.bind(null);', 'kept(text)()'],
    ['a closure of eval’s', 'const kept = eval("(source) => eval(source)");', 'kept(text)'],
    [
      'frozen ones',
      'Object.freeze(Function.prototype); Object.defineProperty(globalThis, "eval", { writable: false, configurable: false });',
      '(() => {}).constructor(text)(); eval(text)',
    ],
    [
      'a getter in its place',
      'const kept = eval; Object.defineProperty(globalThis, "eval", { get: () => kept });',
      'eval(text)',
    ],
  ])('compiles nothing for what it has kept from before: %s', async (_name, before, code) => {
    const repl = await openOnline();
    await repl.value(`${before} 0`);
    await repl.run(
      `var text; await (async () => { text = await (await fetch('https://a.net/x')).text(); })()`,
    );
    const { error } = await repl.run(code);
    expect(error).toMatchObject({ name: 'PermissionDenied', message: refusal });
    expect(await repl.value('typeof ran')).toBe("'undefined'");
  });

  it('leaves eval direct until then', async () => {
    const repl = await openOnline();
    const code = '(() => { const local = 7; return eval("local"); })()';
    expect(await repl.value(code)).toBe('7');
    const { error } = await repl.run(`${download} ${code}`);
    expect(error).toMatchObject({ name: 'PermissionDenied' });
  });

  it('is tainted by the response, not by the request', async () => {
    const repl = await openOnline();
    const { value } = await repl.run(
      `const response = fetch('https://a.net/x'); const before = eval('1'); await response;
       let after; try { after = eval('2'); } catch (error) { after = error.name; } [before, after]`,
    );
    expect(value).toEqual([1, 'PermissionDenied']);
  });

  it('is not tainted by a request that was refused or failed', async () => {
    const repl = await openOnline();
    const { value } = await repl.run(`await fetch('https://b.net/x').catch(() => {}); eval('1')`);
    expect(value).toBe(1);
  });

  it('loads what was in the workspace before, under whatever name', async () => {
    const repl = await openOnline({
      'old.mjs': 'export const a = 1;',
      'old.test.js': "import { test } from 'node:test'; test('t', () => {});",
    });
    await repl.run(download);
    expect(await repl.value("(await import('./old.mjs')).a")).toBe('1');
    await repl.value("fs.renameSync('old.mjs', 'new.mjs'); fs.copyFileSync('new.mjs', 'copy.mjs')");
    expect(await repl.value("(await import('./new.mjs')).a + (await import('./copy.mjs')).a")).toBe(
      '2',
    );
    expect((await repl.run("(await runTests('old.test.js')).passed")).error).toBeUndefined();
  });

  it('reads JSON that was written since', async () => {
    const repl = await openOnline();
    await repl.run(`${download} fs.writeFileSync('d.json', JSON.stringify({ text }))`);
    expect(await repl.value("require('./d.json').text.length")).toBe(String(mark.length));
  });

  it.each([
    ['overwrites', "fs.writeFileSync('old.mjs', text)"],
    ['appends to', "fs.appendFileSync('old.mjs', text)"],
    ['moves its file over', "fs.writeFileSync('t', text); fs.renameSync('t', 'old.mjs')"],
  ])('loads no module that a cell then %s', async (_name, write) => {
    const repl = await openOnline({ 'old.mjs': '0;' });
    await repl.run(`${download} ${write}`);
    const { error } = await repl.run("await import('./old.mjs')");
    expect(error).toMatchObject({ name: 'PermissionDenied', message: refusal });
  });

  it('stays tainted where the cell that fetched was rolled back', async () => {
    const repl = await openOnline();
    const failed = await repl.run(`${download} throw new Error('no')`);
    expect(failed.rolledBack).toBe(true);
    expect((await repl.run('eval("1")')).error).toMatchObject({ name: 'PermissionDenied' });
    // And where a later one was.
    expect((await repl.run('throw new Error("no")')).rolledBack).toBe(true);
    expect((await repl.run('eval("1")')).error).toMatchObject({ name: 'PermissionDenied' });
  });

  it('stays tainted in another worker, and on a copy', async () => {
    const repl = await openOnline();
    await repl.run(`${download} fs.writeFileSync('m.mjs', text)`);
    const savedState = repl.savedState();
    for (const code of ['eval("1")', "await import('./m.mjs')"]) {
      for (const isAlone of [false, true]) {
        const { error } = await repl.successor().run(code, { savedState, isAlone });
        expect(error).toMatchObject({ name: 'PermissionDenied', message: refusal });
      }
    }
  });

  it('is tainted from where its host says so', async () => {
    const repl = await openOnline({ 'old.mjs': 'export default 1;' });
    const downloadedAt = repl.workspace.seq();
    await repl.workspace.fs.writeFile('/work/new.mjs', 'export default 2;');
    const results = [];
    for (const code of ["await import('./old.mjs')", "await import('./new.mjs')", 'eval("1")']) {
      results.push((await repl.run(`${code}; 0`, { downloadedAt })).error?.name);
    }
    expect(results).toEqual([undefined, 'PermissionDenied', 'PermissionDenied']);
  });

  it('is tainted by a remote tool, as soon as that has answered', async () => {
    const repl = await openOnline();
    const tools = {
      names: ['Remote', 'Own'],
      call: (name: string, _input: unknown, { onDownload }: { onDownload?(): void }) => {
        if (name === 'Remote') onDownload?.();
        return Promise.resolve(mark);
      },
    };
    expect((await repl.run('await tools.Own(); eval("1")', { tools })).value).toBe(1);
    const { error } = await repl.run('eval(await tools.Remote())', { tools });
    expect(error).toMatchObject({ name: 'PermissionDenied', message: refusal });
  });

  it('goes on with plain cells, also with broken built-ins', async () => {
    const repl = await openOnline();
    await repl.value(
      'Array.prototype[Symbol.iterator] = () => { throw 1 }; Object.defineProperty = 1; TypeError.prototype.name = 2; 0',
    );
    const downloadedAt = repl.workspace.seq();
    expect((await repl.run('1 + 1', { downloadedAt })).value).toBe(2);
    expect((await repl.run('2 + 2')).value).toBe(4);
    expect((await repl.run('eval("1")')).error).toBeDefined();
  });
});
