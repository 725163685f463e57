// TaskCreated and TaskCompleted in the whole agent.
import { describe, expect, it, onTestFinished } from 'vitest';
import type { HookCallback, HooksOption } from '../../../../src/agent/hooks/hooks.ts';
import type { HookJSONOutput } from '../../../../src/agent/hooks/read-answer.ts';
import { openSession } from '../../../../src/agent/open-session.ts';
import { createDeferred } from '../../../../src/core/async/deferred.ts';
import { asPrompt, createCallingModel } from '../../../support/turns/calling-model.ts';
import { isResult, readUntil } from '../../../support/sessions/open-sessions.ts';
import {
  create,
  listTasks,
  playTasks,
  update,
  writeTodos,
} from '../../../support/turns/play-tasks.ts';
import { openHost, toResults } from '../../../support/turns/run-hooked.ts';

const says =
  (output: HookJSONOutput): HookCallback =>
  () =>
    Promise.resolve(output);
const on = (event: keyof HooksOption, hook: HookCallback, onFailure?: 'block') => ({
  tasksV2: true,
  hooks: { [event]: [{ hooks: [hook], ...(onFailure && { onFailure }) }] } as HooksOption,
});
/** Records what it is told, and has no opinion. */
const listen = (seen: unknown[]): HookCallback => {
  return (input) => Promise.resolve(void seen.push(input) as never);
};

describe('a TaskCreated hook', () => {
  it('is told of each task before it is on the list', async () => {
    const seen: unknown[] = [];
    await playTasks(
      [create('a', { description: 'All of it.' }), create('b')],
      on('TaskCreated', listen(seen)),
    );
    const base = {
      session_id: expect.any(String),
      transcript_path: '',
      cwd: '/workspace',
      prompt_id: expect.any(String),
      permission_mode: 'default',
      hook_event_name: 'TaskCreated',
    };
    expect(seen).toEqual([
      { ...base, task_id: '1', task_subject: 'a', task_description: 'All of it.' },
      { ...base, task_id: '2', task_subject: 'b' },
    ]);
  });

  it('keeps a task off the list, and its id is the next one’s', async () => {
    const hook: HookCallback = (input) =>
      Promise.resolve(
        input.hook_event_name === 'TaskCreated' && input.task_subject === 'a'
          ? { decision: 'block', reason: 'Name a ticket.' }
          : {},
      );
    const { texts } = await playTasks(
      [create('a'), create('b'), listTasks],
      on('TaskCreated', hook),
    );
    expect(texts).toEqual([
      'The task was not added: Name a ticket.',
      'Task 1 is on the list: b',
      '1. b (pending)',
    ]);
  });

  it.each<[string, string, HookCallback, 'block' | undefined]>([
    [
      'that gives no reason',
      'a TaskCreated hook refused it.',
      says({ decision: 'block' }),
      undefined,
    ],
    [
      'that fails and must agree',
      'A hook that has to agree failed: No.',
      () => Promise.reject(new Error('No')),
      'block',
    ],
    [
      'that nobody understands',
      "A hook's answer can't be understood",
      says({ decision: 'no' } as never),
      undefined,
    ],
  ])('refuses where it is one %s', async (_what, sentence, hook, onFailure) => {
    const { texts } = await playTasks([create('a'), listTasks], on('TaskCreated', hook, onFailure));
    expect(texts[0]).toContain(`The task was not added: ${sentence}`);
    expect(texts[1]).toBe('The task list is empty.');
  });

  it('that fails otherwise is passed over', async () => {
    const { texts } = await playTasks(
      [create('a')],
      on('TaskCreated', () => Promise.reject(new Error('No'))),
    );
    expect(texts).toEqual(['Task 1 is on the list: a']);
  });

  it('may stop the turn, and the task with it', async () => {
    const { result, texts } = await playTasks(
      [create('a'), listTasks],
      on('TaskCreated', says({ continue: false, stopReason: 'Enough.' })),
    );
    expect(result).toMatchObject({ subtype: 'success', terminal_reason: 'hook_stopped' });
    expect(texts).toHaveLength(1);
    expect(texts[0]).not.toContain('is on the list');
  });

  it('hears nothing of TodoWrite', async () => {
    const seen: unknown[] = [];
    const { texts } = await playTasks([writeTodos(['a', 'completed'])], {
      hooks: {
        TaskCreated: [{ hooks: [listen(seen)] }],
        TaskCompleted: [{ hooks: [listen(seen)] }],
      },
    });
    expect([seen, texts.length]).toEqual([[], 1]);
  });
});

describe('a TaskCompleted hook', () => {
  it('is asked when a task is about to be completed, and only then', async () => {
    const seen: unknown[] = [];
    await playTasks(
      [
        create('a'),
        update('1', { status: 'in_progress' }),
        update('1', { status: 'completed', subject: 'A' }),
        update('1', { status: 'completed', owner: 'Ann' }),
        update('1', { status: 'deleted' }),
      ],
      on('TaskCompleted', listen(seen)),
    );
    expect(seen).toEqual([
      expect.objectContaining({
        task_id: '1',
        task_subject: 'A',
        hook_event_name: 'TaskCompleted',
      }),
    ]);
  });

  it('leaves the task as it was', async () => {
    const { texts, outputs } = await playTasks(
      [create('a'), update('1', { status: 'completed', owner: 'Ann' }), listTasks],
      on('TaskCompleted', says({ decision: 'block', reason: 'A test fails.' })),
    );
    expect(texts.slice(1)).toEqual(['Task 1 was not changed: A test fails.', '1. a (pending)']);
    expect(outputs[2]).toMatchObject({ tasks: [{ id: '1', status: 'pending' }] });
  });
});

describe('a turn that is stopped while a task hook thinks', () => {
  it('leaves the list as it was, and the next call isn’t kept waiting', async () => {
    const host = await openHost();
    onTestFinished(() => host[Symbol.asyncDispose]());
    const { promise: asked, resolve: isAsked } = createDeferred();
    const hook: HookCallback = (input) => {
      if (input.hook_event_name === 'TaskCreated' && input.task_subject === 'b') {
        return Promise.resolve({});
      }
      isAsked();
      return new Promise(() => {});
    };
    const model = createCallingModel();
    const session = await openSession({
      ...{ host, model, toolSearch: false },
      ...on('TaskCreated', hook),
    });
    onTestFinished(() => session.close());
    const first = await session.send(asPrompt(create('a')));
    await asked;
    await session.interrupt();
    await readUntil(session, isResult, first.n);
    const { n } = await session.send(asPrompt(create('b'), listTasks));
    const messages = await readUntil(session, (one) => isResult(one) && (one.n ?? 0) > n, n);
    expect(toResults(messages)).toEqual(['Task 1 is on the list: b', '1. b (pending)']);
  });
});
