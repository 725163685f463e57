import { describe, expect, it } from 'vitest';
import { create, listTasks, playTasks, update } from '../support/turns/play-tasks.ts';

const two = [create('a'), create('b')];

describe('TaskUpdate', () => {
  it('changes what it names, and says what is different', async () => {
    const { outputs, texts } = await playTasks([
      create('a', { activeForm: 'Doing a', metadata: { x: 1, y: 2 } }),
      update('1', { status: 'in_progress', owner: 'Ann', metadata: { x: null, z: 3 } }),
      update('1', { status: 'in_progress' }),
      update('1', { subject: 'A', description: 'More.', owner: '', status: 'completed' }),
      ['TaskGet', { taskId: '1' }],
      listTasks,
    ]);
    const change = (updatedFields: string[], from?: string, to?: string) => ({
      ...{ success: true, taskId: '1', updatedFields },
      ...(from !== undefined && { statusChange: { from, to } }),
    });
    expect(outputs.slice(1)).toEqual([
      change(['status', 'owner', 'metadata'], 'pending', 'in_progress'),
      change([]),
      change(['subject', 'description', 'status', 'owner'], 'in_progress', 'completed'),
      {
        task: {
          ...{ id: '1', subject: 'A', description: 'More.', status: 'completed' },
          ...{ blocks: [], blockedBy: [] },
        },
      },
      { tasks: [{ id: '1', subject: 'A', status: 'completed', blockedBy: [] }] },
    ]);
    expect(texts.slice(1)).toEqual([
      'Task 1 is changed: status (now in_progress), owner, metadata.',
      'Task 1 is as it was: it had all that already.',
      'Task 1 is changed: subject, description, status (now completed), owner.',
      'Task 1 (completed): A\n\nMore.',
      '1. A (completed)',
    ]);
  });

  it('relates tasks at both of their ends, and lets one go that waits for nothing any more', async () => {
    const { outputs, texts } = await playTasks([
      ...two,
      create('c'),
      update('1', { addBlocks: ['2'] }),
      update('3', { addBlockedBy: ['1', '2'], owner: 'Ann' }),
      ['TaskGet', { taskId: '1' }],
      ['TaskGet', { taskId: '3' }],
      listTasks,
      update('1', { status: 'completed' }),
      update('2', { status: 'deleted' }),
      listTasks,
    ]);
    expect(outputs[5]).toMatchObject({ task: { blocks: ['2', '3'], blockedBy: [] } });
    expect(outputs[6]).toMatchObject({ task: { blocks: [], blockedBy: ['1', '2'] } });
    expect(texts[7]).toBe(
      '1. a (pending)\n2. b (pending; waits for 1)\n3. c (pending; owner Ann; waits for 1, 2)',
    );
    expect(texts[9]).toBe('Task 2 is off the list.');
    expect(texts[10]).toBe('1. a (completed)\n3. c (pending; owner Ann)');
    expect(outputs[10]).toMatchObject({ tasks: [{ id: '1' }, { id: '3', blockedBy: ['1'] }] });
  });

  it.each<[string, Record<string, unknown>]>([
    [
      'Nothing was changed: task 2 would wait for itself. Each of these would wait for the one before it: 1, 2, 1.',
      { taskId: '2', addBlocks: ['1'] },
    ],
    [
      'Nothing was changed: task 1 would wait for itself. Each of these would wait for the one before it: 1, 1.',
      { taskId: '1', addBlockedBy: ['1'] },
    ],
    ['There is no task 9. There are 1, 2: TaskList shows them.', { taskId: '9' }],
    ['There is no task 01. There are 1, 2: TaskList shows them.', { taskId: '01' }],
    ['There is no task 3. There are 1, 2: TaskList shows them.', { taskId: '1', addBlocks: ['3'] }],
    ['The subject is empty: say in a line what is to be done.', { taskId: '1', subject: '' }],
    ['owner has 201 characters', { taskId: '1', owner: 'x'.repeat(201) }],
  ])('changes nothing, and says why: %s', async (sentence, input) => {
    const { texts, messages } = await playTasks([
      ...two,
      update('1', { addBlocks: ['2'] }),
      ['TaskUpdate', input],
      listTasks,
    ]);
    expect(texts[3]).toContain(sentence);
    expect(JSON.stringify(messages)).toContain('"is_error":true');
    expect(texts[4]).toBe('1. a (pending)\n2. b (pending; waits for 1)');
  });

  it('says so where the list is empty', async () => {
    const { texts } = await playTasks([update('1', { status: 'completed' })]);
    expect(texts).toEqual(['There is no task 1: the task list is empty.']);
  });

  it('has metadata grow no further than one call may', async () => {
    const half = { a: 'x'.repeat(6_000) };
    const { texts } = await playTasks([
      create('a', { metadata: half }),
      update('1', { metadata: { b: half.a } }),
    ]);
    expect(texts[1]).toContain('metadata has 12015 characters as JSON, and 10000 are the most');
  });
});
