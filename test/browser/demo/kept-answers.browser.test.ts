import { afterEach, expect, it } from 'vitest';
import { keepAnswers } from '../../../demo/agent/kept-answers.ts';
import { createPermissionQueue } from '../../../src/react/permission-queue.ts';

afterEach(() => sessionStorage.clear());

const draft = { drafts: ['half'] };

/** A conversation with two open questions. */
function open() {
  const permissions = createPermissionQueue();
  const calls = new AbortController();
  for (const requestId of ['one', 'two']) {
    const options = { signal: calls.signal, toolUseID: requestId, requestId };
    permissions.canUseTool('AskUserQuestion', {}, options).catch(() => undefined);
  }
  return { permissions, calls };
}

it('has what was entered again after a reload, by conversation and question', () => {
  keepAnswers('a', open()).keep('one', draft);
  const reloaded = keepAnswers('a', open());
  expect([reloaded.read('one'), reloaded.read('two')]).toEqual([draft, undefined]);
  expect(keepAnswers('b', open()).read('one')).toBeUndefined();
});

it('keeps nothing of a question that was answered or withdrawn', () => {
  const { permissions, calls } = open();
  const answers = keepAnswers('a', { permissions });
  answers.keep('one', draft);
  answers.keep('two', draft);
  permissions.answer('one', { type: 'deny' });
  expect([answers.read('one'), answers.read('two')]).toEqual([undefined, draft]);
  calls.abort();
  expect(keepAnswers('a', open()).read('two')).toBeUndefined();
  expect(sessionStorage.length).toBe(0);
});

it('keeps what a conversation that is closed withdraws: it is asked again', () => {
  const { permissions, calls } = open();
  const answers = keepAnswers('a', { permissions });
  answers.keep('one', draft);
  answers[Symbol.dispose]();
  calls.abort();
  expect(keepAnswers('a', open()).read('one')).toEqual(draft);
});
