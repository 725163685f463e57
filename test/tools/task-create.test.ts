import { describe, expect, it } from 'vitest';
import { maxListedTasks, recordTask } from '../../src/core/session/task-list.ts';
import type { RecordedTask } from '../../src/core/session/task-list.ts';
import type { CallContext } from '../../src/core/tool/context.ts';
import { taskCreateTool } from '../../src/tools/task-create/tool.ts';
import { create, listTasks, playTasks, update } from '../support/turns/play-tasks.ts';
import { createTestSession, testContext } from '../support/stages/test-session.ts';

describe('TaskCreate', () => {
  it('puts tasks on the list, with ids that count', async () => {
    const { outputs, texts } = await playTasks([
      create('Mend the parser', { description: 'It fails at tabs.' }),
      create('Test it'),
      listTasks,
    ]);
    expect(outputs).toEqual([
      { task: { id: '1', subject: 'Mend the parser', description: 'It fails at tabs.' } },
      { task: { id: '2', subject: 'Test it' } },
      {
        tasks: [
          { id: '1', subject: 'Mend the parser', status: 'pending', blockedBy: [] },
          { id: '2', subject: 'Test it', status: 'pending', blockedBy: [] },
        ],
      },
    ]);
    expect(texts).toEqual([
      'Task 1 is on the list: Mend the parser',
      'Task 2 is on the list: Test it',
      '1. Mend the parser (pending)\n2. Test it (pending)',
    ]);
  });

  it('makes several of one reply in their order', async () => {
    const { outputs } = await playTasks([[create('a'), create('b'), create('c')], listTasks]);
    expect(outputs.at(-1)).toMatchObject({
      tasks: [
        { id: '1', subject: 'a' },
        { id: '2', subject: 'b' },
        { id: '3', subject: 'c' },
      ],
    });
  });

  it('never gives the id of a deleted one again', async () => {
    const { outputs } = await playTasks([
      create('a'),
      update('1', { status: 'deleted' }),
      create('b'),
    ]);
    expect(outputs.at(-1)).toEqual({ task: { id: '2', subject: 'b' } });
  });

  it.each<[string, Record<string, unknown>]>([
    ['The subject is empty: say in a line what is to be done.', { subject: ' \n' }],
    ['subject has 201 characters, and 200 are the most', { subject: 'x'.repeat(201) }],
    [
      'description has 10001 characters, and 10000 are the most',
      { description: 'x'.repeat(10_001) },
    ],
    ['metadata has 10008 characters as JSON', { metadata: { a: 'x'.repeat(10_000) } }],
  ])('says what is wrong: %s', async (sentence, wrong) => {
    const { texts } = await playTasks([create('a', wrong), listTasks]);
    expect(texts[0]).toContain(sentence);
    expect(texts[1]).toBe('The task list is empty.');
  });

  it('says when the list is full, until a task is deleted', async () => {
    const session = await createTestSession();
    const full = Array.from({ length: maxListedTasks }, (_, at): RecordedTask => {
      const rest = { subject: 'a', description: '', status: 'pending', madeBy: '' } as const;
      return { id: String(at + 1), ...rest, blocks: [], blockedBy: [] };
    });
    for (const task of full) await recordTask(session.states, task);
    const context = { ...testContext(session), toolUseID: 'call-1' } as CallContext;
    const add = () => taskCreateTool.call({ subject: 'One more', description: '' }, context);
    await expect(add()).rejects.toThrow(
      `The task list has ${maxListedTasks} tasks, as many as it may: delete those that are done (TaskUpdate, status "deleted"), or make one task of several.`,
    );
    await recordTask(session.states, { ...(full[6] as RecordedTask), status: 'deleted' });
    expect(await add()).toEqual({
      data: { task: { id: `${maxListedTasks + 1}`, subject: 'One more' } },
    });
  });

  it.each(['default', 'plan', 'dontAsk', 'bypassPermissions'] as const)(
    'needs no question in mode %s, and a deny rule holds',
    async (permissionMode) => {
      const free = await playTasks([create('a')], { tasksV2: true, permissionMode });
      expect(free.texts).toEqual(['Task 1 is on the list: a']);
      const denied = await playTasks([create('a')], {
        ...{ tasksV2: true, permissionMode },
        disallowedTools: ['TaskCreate'],
      });
      expect(denied.texts[0]).toContain('TaskCreate');
      expect(denied.outputs[0]).toBeUndefined();
    },
  );

  it('changes the session alone, and nothing runs beside it', () => {
    const input = { subject: 'a', description: '' };
    expect([
      taskCreateTool.isReadOnly(),
      taskCreateTool.isConcurrencySafe(),
      taskCreateTool.changesOnlySession(),
      taskCreateTool.shouldDefer,
    ]).toEqual([false, false, true, true]);
    expect(taskCreateTool.toAutoClassifierInput(input)).toBe('add to the task list: a');
  });
});
