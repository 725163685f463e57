// What becomes of a session whose memory is full, and what is said of it.
import { describe, expect, it } from 'vitest';
import { largeStateBytes } from '../../../src/core/tool/handler.ts';
import { openRepl } from '../../support/repl/repl.ts';

const megabyte = 1024 * 1024;
const small = { maxMemoryBytes: 16 * megabyte };

describe('a session that is full', () => {
  it.each([
    ['objects', '{ n: kept.length, text: "t" + kept.length }'],
    ['bytes', 'new Uint8Array(1e5)'],
    ['strings', '"x".repeat(1e5) + kept.length'],
  ])('is left by no cell, also if it caught the end of memory itself: %s', async (_what, item) => {
    const repl = await openRepl();
    await repl.run('let n = 1', small);
    const fill = `n = 2; const kept = []; try { for (;;) kept.push(${item}) } catch { 'full' }`;
    const { rolledBack, error, display } = await repl.run(fill, small);
    // What could still be allocated when the last item couldn't is enough, or the cell is undone. By how
    // much was left there, it is its own end that had none, or the next cell's beginning.
    expect(rolledBack ? error?.message : display).toMatch(
      /^(?:'full'|The cell (?:would have left no memory for a next one|needed more memory than the sandbox has) \((?:the sandbox has )?16 MB .*\)\. The largest variables were then kept \(about 1\d MB\)\.)/u,
    );
    expect(await repl.run('1 + 1', small)).toMatchObject({ display: '2', rolledBack: false });
    expect(await repl.run('n', small)).toMatchObject({ display: rolledBack ? '1' : '2' });
  });

  it('rolls back the cell that filled it with what it caught', async () => {
    const repl = await openRepl();
    const fill = 'const kept = []; try { for (;;) kept.push({ n: kept.length }) } catch {} 1';
    expect(await repl.run(fill, small)).toMatchObject({
      rolledBack: true,
      error: {
        name: 'OutOfMemoryError',
        message: expect.stringMatching(/^The cell would have left no memory for a next one/u),
      },
    });
  });

  it('names its large variables with about their sizes, the largest first', async () => {
    const repl = await openRepl();
    await repl.run(
      `const bytes = new Uint8Array(3 * 2 ** 20), tiny = [1, 2, 3];
       const map = new Map(Array.from({ length: 8000 }, (_, n) => [n, { n, text: 'row ' + n }]));
       const getter = { get large() { throw new Error('was asked'); } };`,
      small,
    );
    const { error } = await repl.run('const more = []; for (;;) more.push("x".repeat(1e5))', small);
    expect(error?.message).toMatch(
      /then more \(about \d+(?:\.\d)? MB\), bytes \(about 3 MB\), map \(about 1(?:\.\d)? MB\)\. Keep less/u,
    );
  });

  it('says that its variables are not what fills it, where that is so', async () => {
    const repl = await openRepl();
    const { error } = await repl.run(
      '{ const own = []; for (;;) own.push({ n: own.length }) }',
      small,
    );
    expect(error?.message).toBe(
      "The cell needed more memory than the sandbox has (16 MB for all of the session's variables). " +
        "None of the session's variables is large: the cell's own work is. Do it in smaller pieces.",
    );
  });
});

describe('a large session', () => {
  const fill = `const kept = new Uint8Array(${largeStateBytes}).fill(7); let n = 1`;

  it('is kept by whom it was given to, and comes back from there after a cell that failed', async () => {
    let spent = 0;
    const repl = await openRepl({}, { onSpent: () => void (spent += 1) });
    await repl.run(fill);
    expect(spent).toBe(0);
    expect(await repl.run("n = 2; throw new Error('no')")).toMatchObject({ rolledBack: true });
    expect(spent).toBe(1);
    expect(await repl.value('[n, kept[5]].join()')).toBe("'1,7'");
  });

  it('is never begun anew without a word where nobody brings it back', async () => {
    const repl = await openRepl();
    await repl.run(fill);
    await repl.run("throw new Error('no')");
    await expect(repl.run('n', { savedState: undefined })).rejects.toMatchObject({
      code: 'worker-lost',
    });
  });
});
