import { describe, expect, it } from 'vitest';
import { decodeSavedSession } from '../../../src/repl/session/saved-state.ts';
import { toSavedState } from '../../support/repl/saved-session.ts';
import { openRepl, replLimits } from '../../support/repl/repl.ts';

describe('a cell that fails', () => {
  it('leaves files and variables as they were', async () => {
    const repl = await openRepl({ 'kept.txt': 'old' });
    await repl.run('let n = 1; const list = [1]');
    const before = await repl.workspace.treeHash();
    const result = await repl.run(`
      const fs = require('fs');
      fs.writeFileSync('kept.txt', 'new'); fs.writeFileSync('fresh.txt', 'x');
      n = 2; list.push(2); globalThis.extra = 1;
      throw new Error('no');`);
    expect(result).toMatchObject({
      rolledBack: true,
      changes: [],
      error: { name: 'Error', message: 'no', line: 5 },
    });
    expect(await repl.workspace.treeHash()).toBe(before);
    expect(await repl.value('[n, list, typeof extra]')).toBe("[ 1, [ 1 ], 'undefined' ]");
  });

  it.each([
    ['a loop', 'for (;;) {}'],
    ['a loop that catches', 'for (;;) { try { for (;;) {} } catch {} }'],
    [
      'a loop in a promise that swallows the cut',
      'new Promise(() => { for (;;) {} }).catch(() => {})',
    ],
    ['a storm of promise jobs', 'async function storm() { for (;;) await 0 }\nawait storm()'],
    ['a regular expression', '/(a+)+$/.test("a".repeat(40) + "b")'],
    ['a timer that never comes', 'await new Promise((done) => setTimeout(done, 1e8))'],
    ['a getter in its value', '({ get [Symbol.toStringTag]() { for (;;) {} } })'],
  ])('is cut at its timeout, and the session goes on: %s', async (_what, code) => {
    const repl = await openRepl();
    await repl.run('let n = 1');
    const result = await repl.run(`n = 2; ${code}`, { timeoutMs: 60 });
    expect(result).toMatchObject({
      rolledBack: true,
      timedOutAfterMs: 60,
      error: {
        name: 'TimeoutError',
        message: 'The cell was cut after 60 ms. Give it a larger timeout, or less to do.',
      },
    });
    expect(await repl.value('n')).toBe('1');
  });

  it('is cut by the number of questions where the clock stands still', async () => {
    const repl = await openRepl({}, { now: () => 1_700_000_000_000 });
    expect(await repl.run('for (;;) {}', { timeoutMs: 60 })).toMatchObject({ timedOutAfterMs: 60 });
    expect(await repl.value('1')).toBe('1');
  });

  it('is stopped by its signal while it waits', async () => {
    const repl = await openRepl();
    const controller = new AbortController();
    const cell = repl.run('console.log("up"); await new Promise((done) => setTimeout(done, 1e8))', {
      signal: controller.signal,
      onOutput: () => controller.abort(),
    });
    expect(await cell).toMatchObject({
      interrupted: true,
      rolledBack: true,
      stdout: 'up\n',
      error: { name: 'AbortError' },
    });
    expect(await repl.value('1')).toBe('1');
  });

  it('is stopped by its signal while it computes', async () => {
    const repl = await openRepl();
    const controller = new AbortController();
    const result = await repl.run('console.log("up"); for (;;) {}', {
      signal: controller.signal,
      onOutput: () => controller.abort(),
    });
    expect(result).toMatchObject({ interrupted: true, rolledBack: true });
  });

  it.each([
    [
      'array buffers',
      'const all = []; for (let i = 0; i < 40; i++) all.push(new ArrayBuffer(16e6))',
    ],
    ['objects', 'const all = []; for (;;) all.push({ i: all.length })'],
    ['strings', 'const all = []; for (;;) all.push("x".repeat(1e6) + all.length)'],
  ])('gets no more memory than the cap, and the session goes on: %s', async (_what, code) => {
    const repl = await openRepl();
    await repl.run('let n = 1');
    const result = await repl.run(`n = 2; ${code}`);
    expect(result).toMatchObject({
      rolledBack: true,
      error: {
        name: 'OutOfMemoryError',
        message: expect.stringMatching(
          /^The cell needed more memory than the sandbox has \(64 MB for all of the session's variables\)\. The largest variables were then all \(about \d\d MB\)\. /u,
        ),
      },
    });
    expect(await repl.value('n')).toBe('1');
  });

  it.each([
    ['calls', 'function down() { return 1 + down() }\ndown()'],
    ['JSON', 'let deep = []; for (let i = 0; i < 1e5; i++) deep = [deep];\nJSON.stringify(deep)'],
    ['getters', 'const o = { get x() { return this.x } }; o.x'],
  ])('may recurse without end, again and again: %s', async (_what, code) => {
    const repl = await openRepl();
    await repl.run('let n = 1');
    for (let round = 0; round < 5; round += 1) {
      const { error } = await repl.run(code);
      expect(error?.message).toMatch(/call stack|too deeply/iu);
    }
    expect(await repl.value('n')).toBe('1');
  });

  it('that waits for nothing is told so at once', async () => {
    const repl = await openRepl();
    expect(await repl.run('await new Promise(() => {})')).toMatchObject({
      rolledBack: true,
      error: {
        message: expect.stringMatching(/^The cell awaits a promise that nothing can settle/u),
      },
    });
  });
});

describe('the saved state of a session', () => {
  it('brings the variables back in another worker', async () => {
    const repl = await openRepl();
    await repl.run('const m = new Map([["a", { n: 1 }]]); function get() { return m.get("a").n }');
    const saved = repl.savedState();
    await repl.run('m.get("a").n = 2', { saveState: () => undefined });
    const successor = repl.successor();
    expect(await successor.run('get()', { savedState: saved })).toMatchObject({ display: '1' });
    expect(await successor.run('throw 1', { savedState: saved })).toMatchObject({
      rolledBack: true,
    });
    expect(await successor.run('get()', { savedState: saved })).toMatchObject({ display: '1' });
  });

  it('wins over what the worker holds: so a refused cell is undone', async () => {
    const repl = await openRepl();
    await repl.run('let n = 1');
    const accepted = repl.savedState();
    await repl.run('n = 2');
    expect(await repl.run('n', { savedState: accepted })).toMatchObject({ display: '1' });
  });

  it.each(['engine', 'world'] as const)(
    'is dropped with a note when another version of the %s took it',
    async (part) => {
      const repl = await openRepl();
      await repl.run('let n = 1');
      const saved = decodeSavedSession(repl.savedState()!)!;
      const foreign = toSavedState({ ...saved, [part]: `${saved[part]}x` });
      const successor = repl.successor();
      const result = await successor.run('typeof n', { savedState: foreign });
      expect(result).toMatchObject({
        display: "'undefined'",
        stderr:
          'The variables of this session were saved by another version of the sandbox, which this ' +
          "one can't read: they are gone. Files are not affected.\n",
      });
      // Once: what the session goes on from is its own.
      expect(await successor.run('1', { savedState: successor.savedState() })).toMatchObject({
        stderr: '',
      });
    },
  );

  it('that is broken is dropped with the same note', async () => {
    const repl = await openRepl();
    const result = await repl.run('1', { savedState: new Uint8Array([255, 255, 255, 255, 1]) });
    expect(result.stderr).toMatch(/^The variables of this session were saved by another version/u);
    expect(result.display).toBe('1');
  });
});

describe('the output of a cell', () => {
  it('comes while it runs, in order', async () => {
    // What is printed soon after something else waits to go with it: by this clock, not the machine's.
    let time = 1_700_000_000_000;
    const sleep = async (milliseconds: number) => void (time += milliseconds);
    const repl = await openRepl({}, { now: () => time, sleep });
    const pieces: unknown[] = [];
    await repl.run(
      'console.log(1); await new Promise((done) => setTimeout(done, 1)); console.error(2); console.log(3)',
      { onOutput: (piece) => pieces.push(piece) },
    );
    expect(pieces).toEqual([{ stdout: '1\n' }, { stdout: '3\n', stderr: '2\n' }]);
  });

  it('is kept within its cap, from its start and its end, and says what is missing', async () => {
    const repl = await openRepl();
    const { stdout } = await repl.run('for (let i = 0; i < 20000; i++) console.log("line", i)', {
      ...replLimits,
      maxOutputChars: 100,
    });
    expect(stdout).toBe(
      'line 0\nline 1\nline 2\nline 3\nline 4\nline 5\nline 6\nl' +
        '\n... [208790 characters left out] ...\n' +
        'ine 19995\nline 19996\nline 19997\nline 19998\nline 19999\n'.slice(-50),
    );
  });
});
