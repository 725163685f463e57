// Two who answer one question at the same time: the second one hears that it came too late.
import { expect, it } from 'vitest';
import { createAnswerDesk } from '../../../../src/agent/permissions/answer-desk.ts';

it('takes the first answer, and tells the second that there was one', async () => {
  const desk = createAnswerDesk(undefined);
  const waiting = desk.wait('q1', new AbortController().signal);
  desk.answer('q1', { behavior: 'deny', message: 'No.' });
  expect(() => desk.answer('q1', { behavior: 'allow' })).toThrow('it was answered, or withdrawn');
  expect(await waiting).toEqual({ behavior: 'deny', message: 'No.' });
});
