import { describe, expect, it } from 'vitest';
import type { QueryOptions } from '../../src/agent/query-options.ts';
import { taskListTool } from '../../src/tools/task-list/tool.ts';
import { create, listTasks, playTasks } from '../support/turns/play-tasks.ts';

const listNames = ['TaskCreate', 'TaskGet', 'TaskList', 'TaskUpdate', 'TodoWrite'];

describe('TaskList', () => {
  it('says when the list is empty', async () => {
    const { outputs, texts } = await playTasks([listTasks]);
    expect({ outputs, texts }).toEqual({
      outputs: [{ tasks: [] }],
      texts: ['The task list is empty.'],
    });
  });

  it('only reads, beside others', () => {
    expect([
      taskListTool.isReadOnly(),
      taskListTool.isConcurrencySafe(),
      taskListTool.shouldDefer,
    ]).toEqual([true, true, true]);
  });

  it('is seen by a cell too, as each tool of the list', async () => {
    const code = `await tools.TaskUpdate({ taskId: '1', status: 'completed' }); (await tools.TaskList({})).tasks[0].status`;
    const { texts } = await playTasks([create('a'), ['Repl', { code }], listTasks]);
    expect(texts[1]).toContain('completed');
    expect(texts[2]).toBe('1. a (completed)');
  });
});

describe('of the two lists a query', () => {
  it.each<[Partial<QueryOptions>, string[]]>([
    [{}, ['TodoWrite']],
    [{ tasksV2: false }, ['TodoWrite']],
    [{ tasksV2: true }, ['TaskCreate', 'TaskGet', 'TaskList', 'TaskUpdate']],
    [{ tasksV2: true, simple: true }, []],
  ])('has one: %j', async (options, wanted) => {
    const { messages } = await playTasks([], options);
    const { tools } = messages[0] as unknown as { readonly tools: readonly string[] };
    expect(tools.filter((name) => listNames.includes(name))).toEqual(wanted);
    expect(tools).not.toContain('TaskOutput');
  });
});
