import { describe, expect, it } from 'vitest';
import { taskGetTool } from '../../src/tools/task-get/tool.ts';
import { create, playTasks, update } from '../support/turns/play-tasks.ts';

describe('TaskGet', () => {
  it('shows one task whole, or says that there is none', async () => {
    const { outputs, texts } = await playTasks([
      create('a', { description: 'All of it.' }),
      create('b'),
      update('1', { addBlocks: ['2'] }),
      ['TaskGet', { taskId: '1' }],
      ['TaskGet', { taskId: '3' }],
    ]);
    expect(outputs.slice(3)).toEqual([
      {
        task: {
          ...{ id: '1', subject: 'a', description: 'All of it.', status: 'pending' },
          ...{ blocks: ['2'], blockedBy: [] },
        },
      },
      { task: null },
    ]);
    expect(texts.slice(3)).toEqual([
      'Task 1 (pending): a\nHolds up: 2\n\nAll of it.',
      'There is no such task. TaskList shows those that there are.',
    ]);
  });

  it('only reads, beside others', () => {
    expect([
      taskGetTool.isReadOnly(),
      taskGetTool.isConcurrencySafe(),
      taskGetTool.shouldDefer,
    ]).toEqual([true, true, true]);
  });
});
