// What vitest offers a test that changes the world around it, and how far that reaches.
import { expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

it('cleans up after a test that throws before it awaits anything', async () => {
  const repl = await openRepl({
    'a.test.ts': `import { expect, it } from 'vitest'; import test from 'node:test';
      const told: string[] = [];
      it('fails', ({ onTestFinished }) => {
        onTestFinished(() => { told.push('vitest') });
        throw new Error('on purpose');
      });
      test('fails too', (t) => {
        t.after(() => { told.push('node') });
        throw new Error('on purpose');
      });
      it('comes after', () => expect(told).toEqual(['vitest', 'node']));`,
  });
  expect(await repl.value('const { passed, failed } = await runTests(); [passed, failed]')).toBe(
    '[ 1, 2 ]',
  );
});

it('stubs the environment and globals until they are asked back, and no further than the file', async () => {
  const repl = await openRepl({
    'a.test.ts': `import { expect, it, vi } from 'vitest';
      it('stubs', () => {
        process.env.KEPT = 'before';
        vi.stubEnv('KEPT', 'stubbed').stubEnv('NEW', 'made').stubGlobal('fetch', vi.fn(() => 'answer'));
        expect([process.env.KEPT, process.env.NEW, fetch('x')]).toEqual(['stubbed', 'made', 'answer']);
        vi.stubEnv('KEPT', undefined);
        expect('KEPT' in process.env).toBe(false);
        vi.unstubAllEnvs();
        expect([process.env.KEPT, 'NEW' in process.env]).toEqual(['before', false]);
        vi.stubEnv('LEFT', 'behind');
      });`,
    'b.test.ts': `import { expect, it } from 'vitest';
      it('is clean', () => expect(['LEFT' in process.env, typeof fetch]).toEqual([false, 'function']));`,
  });
  expect(await repl.value('const { passed, failed } = await runTests(); [passed, failed]')).toBe(
    '[ 2, 0 ]',
  );
});

it('cleans up after a test by onTestFinished, and waits by waitUntil', async () => {
  const repl = await openRepl({
    'a.test.ts': `import { expect, it, onTestFinished, vi } from 'vitest';
      const told: string[] = [];
      it('fails', () => {
        onTestFinished(() => { told.push('cleaned') });
        throw new Error('on purpose');
      });
      it('comes after', async () => {
        expect(told).toEqual(['cleaned']);
        let count = 0;
        expect(await vi.waitUntil(() => (count += 1) > 2 && count, { interval: 1 })).toBe(3);
        await expect(vi.waitUntil(() => false, { timeout: 2, interval: 1 })).rejects.toThrow('not so in time');
      });`,
  });
  expect(
    await repl.value('const { passed, failures } = await runTests(); [passed, failures.length]'),
  ).toBe('[ 1, 1 ]');
  const { error } = await repl.run(
    "import { onTestFinished } from 'vitest'; onTestFinished(() => {})",
  );
  expect(error?.message).toBe('onTestFinished is for a test that runs: call it in one.');
});

it('asks again by expect.poll, until the matcher holds or its time is up', async () => {
  const repl = await openRepl({
    'a.test.ts': `import { expect, it } from 'vitest';
      it('holds in the end', async () => {
        expect.assertions(2);
        let count = 0;
        await expect.poll(() => (count += 1), { interval: 1 }).toBeGreaterThan(3);
        await expect.poll(async () => (count += 1), { interval: 1 }).not.toBeLessThan(8);
      });
      it('fails', () => expect.poll(() => 'as before', { timeout: 2, interval: 1 }).toBe('new'));`,
  });
  const { value } = await repl.run(
    'const { passed, failures } = await runTests(); [passed, failures[0].message]',
  );
  expect(value).toEqual([1, expect.stringContaining("expected 'as before' to be 'new'")]);
});
