// What vitest offers a test that changes the world around it, and how far that reaches.
import { expect, it } from 'vitest';
import { openRepl } from '../../support/repl.ts';

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
