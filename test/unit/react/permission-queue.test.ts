import { describe, expect, it } from 'vitest';
import type { PermissionUpdate } from '../../../src/core/permissions/permission.ts';
import { createPermissionQueue } from '../../../src/react/permission-queue.ts';

const suggestions: readonly PermissionUpdate[] = [
  {
    type: 'addRules',
    rules: [{ toolName: 'Edit', ruleContent: 'src/**' }],
    behavior: 'allow',
    destination: 'projectSettings',
  },
];

function ask(queue: ReturnType<typeof createPermissionQueue>, id: string, more = {}) {
  const controller = new AbortController();
  const answer = queue.canUseTool(
    'Edit',
    { file_path: 'a.ts' },
    { signal: controller.signal, toolUseID: `call-${id}`, requestId: id, ...more },
  );
  return { answer, controller };
}

describe('permission queue', () => {
  it('holds questions in the order in which they came, until each is answered', async () => {
    const queue = createPermissionQueue();
    const first = ask(queue, 'q1', { title: 'Edit a.ts', decisionReason: 'It writes.' });
    const second = ask(queue, 'q2');
    expect(queue.getSnapshot().map((question) => [question.id, question.title])).toEqual([
      ['q1', 'Edit a.ts'],
      ['q2', 'Edit'],
    ]);
    queue.answer('q2', { type: 'allow-once' });
    expect(await second.answer).toEqual({ behavior: 'allow' });
    queue.answer('q1', { type: 'deny' });
    expect(await first.answer).toMatchObject({ behavior: 'deny' });
    expect(queue.getSnapshot()).toEqual([]);
  });

  it('sets the suggested rules for the session only, whatever destination they name', async () => {
    const queue = createPermissionQueue();
    const { answer } = ask(queue, 'q1', { suggestions });
    queue.answer('q1', { type: 'allow-session' });
    expect(await answer).toEqual({
      behavior: 'allow',
      updatedPermissions: [{ ...suggestions[0], destination: 'session' }],
    });
  });

  it('refuses to allow for the session where no rule is suggested, and stays open', () => {
    const queue = createPermissionQueue();
    ask(queue, 'q1');
    expect(() => queue.answer('q1', { type: 'allow-session' })).toThrow(
      expect.objectContaining({ code: 'bad-usage' }),
    );
    expect(queue.getSnapshot()).toHaveLength(1);
  });

  it('withdraws a question whose call was cut, and ignores a late answer', async () => {
    const queue = createPermissionQueue();
    const events: string[] = [];
    queue.onEvent((event) => events.push(event.type));
    const { answer, controller } = ask(queue, 'q1');
    controller.abort();
    await expect(answer).rejects.toMatchObject({ code: 'aborted' });
    queue.answer('q1', { type: 'allow-once' });
    expect(events).toEqual(['asked', 'withdrawn']);
    expect(queue.getSnapshot()).toEqual([]);
  });

  it('asks nothing for a call that is cut already', async () => {
    const queue = createPermissionQueue();
    const answer = queue.canUseTool(
      'Edit',
      {},
      { signal: AbortSignal.abort(), toolUseID: 'call', requestId: 'q1' },
    );
    await expect(answer).rejects.toMatchObject({ code: 'aborted' });
    expect(queue.getSnapshot()).toEqual([]);
  });
});
