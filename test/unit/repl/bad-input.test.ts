import { describe, expect, it } from 'vitest';
import type { SyncFileSystem } from '../../../src/workspace/files/file-system.ts';
import { openRepl, replLimits, type ReplBench } from '../../support/repl/repl.ts';

/** A session with a variable, which every cell below must leave as it is. */
async function openWithVariable(): Promise<ReplBench> {
  const repl = await openRepl();
  await repl.run('let n = 1');
  return repl;
}

describe('a promise that never settles', () => {
  it.each([
    ['awaited', 'await new Promise(() => {})'],
    ['as the value', 'new Promise(() => {})'],
    ['in a loop over promises', 'for await (const x of [1, new Promise(() => {})]) x'],
    [
      'of an iterator',
      'for await (const x of { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }) x',
    ],
    ['of a thenable', 'await { then() {} }'],
    ['of several', 'await Promise.all([1, new Promise(() => {})])'],
    ['in a function', 'const wait = async () => { await new Promise(() => {}) }; await wait()'],
    [
      'that holds a resource',
      'await using r = { [Symbol.asyncDispose]: () => new Promise(() => {}) }; 1',
    ],
  ])('ends its cell at once, with the reason: %s', async (_where, code) => {
    const repl = await openWithVariable();
    expect(await repl.run(`n = 2; ${code}`)).toMatchObject({
      rolledBack: true,
      error: {
        message: expect.stringMatching(/^The cell awaits a promise that nothing can settle/u),
      },
    });
    expect(await repl.value('n')).toBe('1');
  });

  it('is waited for while a timer could still settle it, up to the timeout', async () => {
    const repl = await openWithVariable();
    const code = 'n = 2; setInterval(() => {}, 1); await new Promise(() => {})';
    expect(await repl.run(code, { timeoutMs: 50 })).toMatchObject({ timedOutAfterMs: 50 });
    expect(await repl.value('n')).toBe('1');
  });

  it('does no harm where nobody waits for it', async () => {
    const repl = await openWithVariable();
    expect(await repl.value('const never = new Promise(() => {}); n')).toBe('1');
    expect((await repl.run('await never')).error?.message).toMatch(/^The cell awaits a promise/u);
    expect(await repl.value('n')).toBe('1');
  });
});

describe('100 MB of output', () => {
  const sizes = { ...replLimits, maxOutputChars: 1000, timeoutMs: 60_000 };

  it('is cut to its cap, live as in the result, and the session goes on', async () => {
    const repl = await openWithVariable();
    let live = 0;
    const code = 'const mb = "x".repeat(1e6 - 1); for (let i = 0; i < 100; i++) console.log(mb); n';
    const result = await repl.run(code, {
      ...sizes,
      onOutput: ({ stdout = '' }) => void (live += stdout.length),
    });
    expect(result).toMatchObject({ display: '1', rolledBack: false });
    expect(result.stdout).toBe(
      `${'x'.repeat(500)}\n... [${1e8 - 1000} characters left out] ...\n${'x'.repeat(499)}\n`,
    );
    expect(live).toBe(1000 + '\n... [more output follows]\n'.length);
    expect(await repl.value('n')).toBe('1');
  });

  it('in one text is more than the sandbox has memory for', async () => {
    const repl = await openWithVariable();
    expect((await repl.run('n = 2; console.log("x".repeat(1e8))', sizes)).error?.name).toBe(
      'OutOfMemoryError',
    );
    expect(await repl.value('n')).toBe('1');
  });

  it('as a value is shown from its start', async () => {
    const repl = await openWithVariable();
    const { display: result } = await repl.run('Array(1e5).fill("y".repeat(1000))', sizes);
    expect(result).toMatch(/^\[\n {2}'y{900}/u);
    expect(result).toMatch(/\.\.\. \[\d+ characters left out\]$/u);
    expect(await repl.value('n')).toBe('1');
  });
});

describe('a host call that throws', () => {
  function failing(thrown: unknown): Partial<SyncFileSystem> {
    return {
      viewFileSync: () => {
        throw thrown;
      },
    };
  }

  it.each([
    ['an error', new Error('disk on fire'), 'Error: disk on fire'],
    ['an error of a kind', new TypeError('not like this'), 'TypeError: not like this'],
    [
      'a RangeError that is no stack overflow',
      new RangeError('Invalid length'),
      'RangeError: Invalid length',
    ],
    ['no error', 'plain text', 'Error: plain text'],
    ['nothing', undefined, 'Error: undefined'],
  ])('throws in the cell, which may catch it: %s', async (_what, thrown, shown) => {
    const repl = await openWithVariable();
    const fs = failing(thrown) as SyncFileSystem;
    const [name, message] = shown.split(': ');
    expect(await repl.run('n = 2;\nfs.readFileSync("a")', { fs })).toMatchObject({
      rolledBack: true,
      error: { name, message, line: 2 },
    });
    const code = 'try { fs.readFileSync("a") } catch (e) { String(e) }';
    expect(await repl.run(code, { fs })).toMatchObject({ display: `'${shown}'` });
    expect(await repl.value('n')).toBe('1');
  });

  it("tells the guest nothing of the host's own code", async () => {
    const repl = await openWithVariable();
    const fs = failing(new Error('inside')) as SyncFileSystem;
    const { display: result } = await repl.run(
      'try { fs.readFileSync("a") } catch (e) { [e.stack, Object.keys(e)] }',
      { fs },
    );
    expect(result).not.toMatch(/\.test\.ts|node_modules|src\/repl/u);
  });

  it('fails the cell where it was to tell what changed', async () => {
    const repl = await openWithVariable();
    const fileChanges = () => Promise.reject(new Error('no diff today'));
    await expect(repl.run('n = 2', { fileChanges })).rejects.toThrow('no diff today');
    expect(await repl.value('n')).toBe('1');
  });
});

describe('code of any kind', () => {
  it.each([
    ['empty', ''],
    ['blank', ' \n\t\r\n '],
    ['a byte order mark', '\uFEFF1'],
    ['a hashbang', '#!/usr/bin/env node\n1'],
    ['a lone surrogate', '"\ud800"; 1'],
    ['a null character', '"\0"; 1'],
    ['line separators', '1;\u2028// c\u20291'],
    ['a long line', `${'1;'.repeat(50_000)}1`],
    ['many lines', `${'1\n'.repeat(50_000)}1`],
    ['many names', `${Array.from({ length: 3000 }, (_, at) => `let v${at} = ${at};`).join('\n')}1`],
  ])('runs, or is refused with a reason: %s', async (_what, code) => {
    const repl = await openWithVariable();
    const result = await repl.run(code);
    expect(result.error).toBeUndefined();
    expect(await repl.value('n')).toBe('1');
  });

  it('is no code at all', async () => {
    const repl = await openWithVariable();
    for (const code of [
      'hello world',
      '\u0000',
      '}}}}',
      '((((',
      '\\',
      '@',
      '<?php 1',
      '💥'.repeat(100),
    ]) {
      expect(await repl.run(code)).toMatchObject({ error: { name: 'SyntaxError', line: 1 } });
    }
    expect(await repl.value('n')).toBe('1');
  });
});
