import { describe, expect, it } from 'vitest';
import { loadQuickjsWasm } from '#quickjs-wasm';
import type { ChangeSet } from '../../src/core/change-set.ts';
import type { WorkReply } from '../../src/core/tool/ports.ts';
import { createInlineExecutor } from '../../src/hosts/inline/inline-executor.ts';
import { replInputSchema, replOutputSchema, type ReplOutput } from '../../src/tools/repl/schema.ts';
import { replTool } from '../../src/tools/repl/tool.ts';
import { workers } from '../../src/tools/workers.ts';
import { createMemoryWorkspace } from '../../src/workspace/memory-workspace.ts';
import { openAccess } from '../support/files/workspaces.ts';

/** Calls of one session through the inline executor; each draft is kept unless told otherwise. */
async function openBench() {
  const workspace = await createMemoryWorkspace();
  await workspace.fs.mkdir('/work');
  const executor = createInlineExecutor({
    entries: workers,
    views: workspace,
    loadWasm: loadQuickjsWasm,
  });
  let calls = 0;
  const start = (
    code: string,
    onProgress: (progress: unknown) => void = () => {},
    timeout?: number,
    onClockStart: () => void = () => {},
  ) => {
    calls += 1;
    return executor.start(
      {
        callId: `call-${calls}`,
        toolName: 'Repl',
        input: { code, ...(timeout !== undefined && { timeout }) },
        sessionId: 'session-1',
        address: { root: 'main', minSeq: workspace.seq() },
        access: openAccess('/work'),
        cwd: '/work',
        limits: {
          timeoutMs: 20_000,
          maxFileBytes: 1e6,
          maxOutputChars: 30_000,
          maxMemoryBytes: 64 * 1024 * 1024,
        },
        knownVersions: [],
      },
      onProgress,
      { onClockStart },
    );
  };
  const settle = async (reply: WorkReply) => {
    if (reply.type !== 'done') throw new Error(JSON.stringify(reply));
    const changeSet: ChangeSet | null = reply.changeSet;
    if (changeSet) await workspace.commit(changeSet, { author: { kind: 'agent' } });
    return replOutputSchema().parse(reply.output);
  };
  const run = async (code: string, onProgress?: (progress: unknown) => void) =>
    settle(await start(code, onProgress).reply);
  return { workspace, start, run, settle };
}

function asModel(output: ReplOutput) {
  return replTool.mapToolResultToToolResultBlockParam(output, 'toolu_1');
}

describe('Repl', () => {
  it('runs cells of one session, one after the other, over the workspace', async () => {
    const { run, workspace } = await openBench();
    await run('const greet = (name: string) => `hello ${name}`;');
    const output = await run(
      'fs.writeFileSync("a.txt", greet("you") + "\\n"); console.log("written"); 42',
    );
    expect(output).toEqual({
      stdout: 'written\n',
      stderr: '',
      interrupted: false,
      value: 42,
      display: '42',
      rolledBack: false,
      changes: [
        {
          path: '/work/a.txt',
          type: 'create',
          additions: 1,
          deletions: 0,
          structuredPatch: [expect.objectContaining({ lines: ['+hello you'] })],
        },
      ],
    });
    expect(await workspace.fs.readFile('/work/a.txt', 'utf8')).toBe('hello you\n');
    expect(asModel(output)).toEqual({
      type: 'tool_result',
      tool_use_id: 'toolu_1',
      content: 'written\n=> 42\nChanged files:\ncreated /work/a.txt (+1 -0)',
    });
  });

  it('goes on from what a cell left that was started at the same time', async () => {
    const { run, start, settle } = await openBench();
    await run('const seen = []; const note = (x) => seen.push(x);');
    const replies = [
      '[1, 2].map(note)',
      'process.env.MARK = "set"',
      '[seen, process.env.MARK]',
    ].map((code) => start(code).reply);
    const outputs = [];
    for (const reply of replies) outputs.push(await settle(await reply));
    expect(outputs.map(({ display }) => display)).toEqual([
      '[ 1, 2 ]',
      "'set'",
      "[ [ 1, 2 ], 'set' ]",
    ]);
  });

  it('reports a failing cell as an error that changed nothing', async () => {
    const { run, workspace } = await openBench();
    const before = await workspace.treeHash();
    const output = await run(
      'console.error("careful");\nfs.writeFileSync("a", "x");\nthrow new TypeError("no")',
    );
    expect(asModel(output)).toEqual({
      type: 'tool_result',
      tool_use_id: 'toolu_1',
      is_error: true,
      content:
        '<stderr>\ncareful\n</stderr>\nTypeError: no (line 3 of the cell)\n    at <anonymous> (cell-1:3)\n' +
        '      3 | throw new TypeError("no")\n' +
        '(Rolled back: variables and files are as before this cell.)',
    });
    expect(await workspace.treeHash()).toBe(before);
  });

  it('says so when a cell has neither output nor value', async () => {
    const { run } = await openBench();
    expect(asModel(await run('let quiet = 1')).content).toBe(
      '(The cell ran; it has no output and no value.)',
    );
  });

  it('shows output while the cell runs', async () => {
    const { run } = await openBench();
    const progress: unknown[] = [];
    await run('console.log("a"); await 0; console.error("b")', (piece) => progress.push(piece));
    expect(progress).toEqual([{ stdout: 'a\n' }, { stderr: 'b\n' }]);
  });

  it('is cut at its own timeout, before the dispatcher would cut it', async () => {
    const { start, settle } = await openBench();
    const output = await settle(await start('for (;;) {}', undefined, 50).reply);
    expect(output).toMatchObject({ timedOutAfterMs: 50, rolledBack: true });
    const { getTimeoutMs, keepsOwnTime } = replTool;
    expect([getTimeoutMs({ code: '', timeout: 50 }), getTimeoutMs({ code: '' })]).toEqual([
      50, 120_000,
    ]);
    expect(keepsOwnTime).toBe(true);
  });

  it('says that its time begins when all is loaded and the cells before it are over', async () => {
    const { start, run } = await openBench();
    const order: string[] = [];
    const first = start('1', undefined, 50, () => order.push('first begins'));
    const second = start('2', undefined, 50, () => order.push('second begins'));
    await Promise.all([
      first.reply.then(() => order.push('first is over')),
      second.reply.then(() => order.push('second is over')),
    ]);
    expect(order).toEqual(['first begins', 'first is over', 'second begins', 'second is over']);
    expect((await run('3')).display).toBe('3');
  });

  it('has its variables back after a worker had to be killed', async () => {
    const { start, run } = await openBench();
    await run('const kept = new Map([["n", 1]]); function read() { return kept.get("n") }');
    const work = start('kept.set("n", 2); await new Promise((done) => setTimeout(done, 1e8))', () =>
      work.kill('The test kills it.'),
    );
    work.kill('The test kills it.');
    expect(await work.reply).toEqual({ type: 'lost', message: 'The test kills it.' });
    expect((await run('read()')).display).toBe('1');
  });

  it('runs the tests of a project before and after they are mended', async () => {
    const { run, workspace } = await openBench();
    await workspace.fs.mkdir('/work/src');
    await workspace.fs.writeFile(
      '/work/src/sum.ts',
      'export const sum = (list: number[]) => list.reduce((a, b) => a - b, 0);\n',
    );
    await workspace.fs.writeFile(
      '/work/src/sum.test.ts',
      "import { expect, test } from 'vitest';\nimport { sum } from './sum.ts';\ntest('sums', () => {\n  expect(sum([1, 2])).toBe(3);\n});\n",
    );
    const red = await run('await runTests()');
    expect(red).toMatchObject({ returnCodeInterpretation: '1 test failed', rolledBack: false });
    expect(asModel(red).is_error).toBeUndefined();
    await run(
      "fs.writeFileSync('src/sum.ts', fs.readFileSync('src/sum.ts', 'utf8').replace('a - b', 'a + b'))",
    );
    const green = await run('const { passed, failed } = await runTests(); [passed, failed]');
    expect(green.display).toBe('[ 1, 0 ]');
  });
});

describe('the value of a cell', () => {
  it.each([
    ['({ a: [1, "two", null, true], b: { c: 0 } })', { a: [1, 'two', null, true], b: { c: 0 } }],
    ['Object.create(null)', {}],
    ['({ a: undefined })', undefined],
    ['[undefined]', undefined],
    ['[1, , 2]', undefined],
    ['Array(3)', undefined],
    ['Object.assign([1, , 2], { x: 1 })', undefined],
    ['-0', undefined],
    ['[-0]', undefined],
    ['"ab".match(/b/)', undefined],
    ['({ [Symbol("a")]: 1 })', undefined],
    ['new Map([[1, 2]])', undefined],
    ['[() => 1]', undefined],
    ['({ at: new Date(0) })', undefined],
    ['0 / 0', undefined],
    ['10n', undefined],
    ['({ toJSON: () => 1 })', undefined],
    ['const ring = {}; ring.self = ring; ring', undefined],
    ['"x".repeat(60_000)', undefined],
    ['Array(60_000).fill(0)', undefined],
  ])('of %s is data where JSON says the same', async (code, value) => {
    const { run } = await openBench();
    const output = await run(code);
    expect(output.error).toBeUndefined();
    expect(output.display).toBeDefined();
    expect(output.value).toEqual(value);
  });
});

describe("Repl's definition", () => {
  it.each([
    [{ code: '1' }, true],
    [{ code: '1', timeout: 600_000, description: 'Adds', run_in_background: false }, true],
    [{}, false],
    [{ code: 1 }, false],
    [{ code: '1', timeout: 0 }, false],
    [{ code: '1', timeout: 7_200_000, run_in_background: true }, true],
    [{ code: '1', timeout: 7_200_001, run_in_background: true }, false],
    [{ code: '1', command: 'ls' }, false],
  ])('takes the input %j: %s', (input, isValid) => {
    expect(replInputSchema().safeParse(input).success).toBe(isValid);
  });

  it.each([
    [{ code: '1', timeout: 600_001 }, /^A cell may run for 600000 ms while you wait\./u],
    [{ code: ' \n ' }, /^code is empty/u],
  ])('refuses %j with a sentence', async (input, message) => {
    expect(await replTool.validateInput(input)).toMatchObject({
      result: false,
      message: expect.stringMatching(message) as string,
    });
  });

  it.each([
    ['fs.readFileSync("a")', 'allow'],
    ['fs.writeFileSync("a", "")', 'allow'],
    ['fs.rmSync("a", { recursive: true })', 'allow'],
    ['await fetch("https://example.com")', 'passthrough'],
    ['import "https://example.com/x.js"', 'deny'],
    ['eval(await (await fetch(x)).text())', 'deny'],
  ])('has an opinion on %s: %s', async (code, behavior) => {
    await replTool.validateInput({ code });
    expect(await replTool.checkPermissions({ code })).toMatchObject({ behavior });
  });

  it('leaves the permission for its changes to the commit', () => {
    expect(replTool.authorizesChangesAt).toBe('commit');
    const changes = [
      { path: '/a', type: 'delete', additions: 0, deletions: 1, structuredPatch: [] },
    ] as const;
    const output = { stdout: '', stderr: '', interrupted: false, changes, rolledBack: false };
    expect(replTool.getFileChanges(output)).toBe(changes);
  });

  it.each([
    ['[1].map(String)', { readOnly: true, safe: true, destructive: false }],
    ['const x = fs.readFileSync("a")', { readOnly: true, safe: false, destructive: false }],
    ['fs.writeFileSync("a", "")', { readOnly: false, safe: false, destructive: false }],
    ['fs.rmSync("a")', { readOnly: false, safe: false, destructive: true }],
    ['not JavaScript at all', { readOnly: false, safe: false, destructive: false }],
  ])('classifies %s', async (code, expected) => {
    const input = { code };
    // Loads what classifies.
    await replTool.validateInput(input);
    expect({
      readOnly: replTool.isReadOnly(input),
      safe: replTool.isConcurrencySafe(input),
      destructive: replTool.isDestructive(input),
    }).toEqual(expected);
  });

  it('shows the classifier of auto mode the code, and people what it does', async () => {
    const input = { code: 'await runTests()', description: 'Run the tests' };
    expect(replTool.toAutoClassifierInput(input)).toBe('await runTests()');
    expect(replTool.getToolUseSummary(input)).toBe('Run the tests');
    expect(replTool.getActivityDescription(input)).toBe('Run the tests');
    expect(await replTool.description(input)).toBe('Run a cell: Run the tests');
    expect(await replTool.description({ code: 'a\n  .b()' })).toBe('Run: a .b()');
  });
});
