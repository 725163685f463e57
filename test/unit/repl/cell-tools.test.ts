import { describe, expect, it } from 'vitest';
import { SdkError } from '../../../src/core/errors.ts';
import type { ToolAccess } from '../../../src/repl/cell/cell-tools.ts';
import { openRepl } from '../../support/repl/repl.ts';

const access = (names: string[], call: ToolAccess['call']): { tools: ToolAccess } => ({
  tools: { names, call },
});

/** Answers with what it was asked. */
const echo = access(['Echo'], (name, input) => Promise.resolve({ name, input }));

describe('tools', () => {
  it('take an input and give an output, as JSON has them', async () => {
    const repl = await openRepl();
    const { display: result } = await repl.run(
      `[await tools.Echo({ a: [1, undefined], b: new Date(0), c: () => {} }), await tools.Echo(), tools.Echo.name]`,
      echo,
    );
    expect(result).toBe(
      `[\n  { name: 'Echo', input: { a: [ 1, null ], b: '1970-01-01T00:00:00.000Z' } },\n  { name: 'Echo', input: {} },\n  'Echo'\n]`,
    );
  });

  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    ['text', "'text'"],
  ])('give %j', async (output, shown) => {
    const repl = await openRepl();
    const tools = access(['Say'], () => Promise.resolve(output));
    expect((await repl.run(`[await tools.Say()]`, tools)).display).toBe(`[ ${shown} ]`);
  });

  it('are those of the cell that runs, and no others can be put in', async () => {
    const repl = await openRepl();
    await repl.run('var mine = tools', echo);
    const look = `[Object.keys(mine), 'Echo' in mine, typeof mine.Echo, typeof mine.then, Reflect.set(mine, 'Echo', 1), Reflect.deleteProperty(mine, 'Echo')]`;
    expect((await repl.run(look, echo)).display).toBe(
      `[ [ 'Echo' ], true, 'function', 'undefined', false, false ]`,
    );
    expect((await repl.run(look)).display).toBe(
      `[ [], false, 'undefined', 'undefined', false, false ]`,
    );
  });

  it('can’t be called by a name that the cell wasn’t given', async () => {
    const repl = await openRepl();
    await repl.run('var call = tools.Echo', echo);
    const { error } = await repl.run('await call()');
    expect(error).toMatchObject({ name: 'PermissionDenied' });
  });

  it.each([
    ['permission-denied', 'PermissionDenied', 'ERR_ACCESS_DENIED'],
    ['ECONFLICT', 'ToolError', 'ECONFLICT'],
    ['tool-failed', 'ToolError', 'tool-failed'],
  ] as const)('that fail with %s reject with a %s', async (code, name, shown) => {
    const repl = await openRepl();
    const tools = access(['Fail'], () => Promise.reject(new SdkError(code, 'It says why.')));
    const { display: result, error } = await repl.run(
      `var e = await tools.Fail().catch((error) => error); [e instanceof Error, e.name, e.code, e.message]`,
      tools,
    );
    expect(error).toBeUndefined();
    expect(result).toBe(`[ true, '${name}', '${shown}', 'It says why.' ]`);
    const { error: uncaught } = await repl.run(`1;\nawait tools.Fail()`, tools);
    expect(uncaught).toMatchObject({ name, message: 'It says why.', line: 2 });
  });

  it('are told what the cell has read since the last call, where it really is', async () => {
    const repl = await openRepl({ 'a.txt': 'a', 'b.txt': 'b', 'm.mjs': 'export default 1' });
    const told: string[][] = [];
    const tools = access(['Note'], (_name, _input, { readPaths }) => {
      told.push([...readPaths]);
      return Promise.resolve(null);
    });
    await repl.run(
      `fs.readFileSync('a.txt'); fs.symlinkSync('b.txt', 'link'); fs.readFileSync('link', 'utf8');
       fs.writeFileSync('gone', ''); fs.readFileSync('gone'); fs.rmSync('gone'); await import('./m.mjs');
       await tools.Note(); await tools.Note(); fs.statSync('a.txt'); await tools.Note()`,
      tools,
    );
    expect(told).toEqual([['/work/a.txt', '/work/b.txt'], [], []]);
  });
});

describe('tools.search', () => {
  it('is a call of ToolSearch, and gives what it found', async () => {
    const repl = await openRepl();
    const asked: unknown[] = [];
    const tools = access(['ToolSearch'], (name, input) => {
      asked.push([name, input]);
      return Promise.resolve({ matches: [{ name: 'NotebookEdit' }], unknown: [] });
    });
    const { display: result } = await repl.run(
      `[await tools.search('jupyter'), (await tools.search('x', 2)).length, 'search' in tools, Object.keys(tools)]`,
      tools,
    );
    expect(result).toBe(`[ [ { name: 'NotebookEdit' } ], 1, true, [ 'ToolSearch' ] ]`);
    expect(asked).toEqual([
      ['ToolSearch', { query: 'jupyter' }],
      ['ToolSearch', { query: 'x', max_results: 2 }],
    ]);
  });

  it('is there only where ToolSearch is, and gives way to a tool of that name', async () => {
    const repl = await openRepl();
    const look = `[typeof tools.search, 'search' in tools]`;
    expect((await repl.run(look, echo)).display).toBe(`[ 'undefined', false ]`);
    const own = access(['search', 'ToolSearch'], (name, input) => Promise.resolve({ name, input }));
    expect((await repl.run(`await tools.search({ a: 1 })`, own)).display).toBe(
      `{ name: 'search', input: { a: 1 } }`,
    );
  });

  it('rejects as ToolSearch does', async () => {
    const repl = await openRepl();
    const tools = access(['ToolSearch'], () =>
      Promise.reject(new SdkError('permission-denied', 'Not now.')),
    );
    const { error } = await repl.run(`1;\nawait tools.search('x')`, tools);
    expect(error).toMatchObject({ name: 'PermissionDenied', message: 'Not now.' });
  });
});

describe('a cell that awaits a tool', () => {
  it('has its time standing still, and as much left afterwards as before', async () => {
    let time = 0;
    const repl = await openRepl({}, { now: () => time });
    const tools = access(['Ask', 'Idle'], async (name) => {
      time += name === 'Ask' ? 30_000 : 0;
    });
    const patient = await repl.run('await tools.Ask(); await tools.Ask(); 1', tools);
    expect(patient.display).toBe('1');
    const { timedOutAfterMs } = await repl.run(
      'await tools.Ask(); fs.existsSync("."); for (;;) {}',
      { ...tools, timeoutMs: 50 },
    );
    expect(timedOutAfterMs).toBe(50);
  });

  it('lets go of it when it fails: the tool is told, and no later cell gets the answer', async () => {
    const repl = await openRepl();
    let signal: AbortSignal | undefined;
    let answer: (value: unknown) => void = () => {};
    const tools = access(['Ask'], (_name, _input, options) => {
      ({ signal } = options);
      return new Promise((resolve) => void (answer = resolve));
    });
    const { rolledBack } = await repl.run(
      `var late = tools.Ask(); await new Promise((done) => setTimeout(done)); throw new Error('no')`,
      tools,
    );
    expect([rolledBack, signal?.aborted]).toEqual([true, true]);
    answer('late');
    expect(await repl.value('typeof late')).toBe("'undefined'");
  });
});
