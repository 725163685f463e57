import { describe, expect, it } from 'vitest';
import { todoWriteTool } from '../../src/tools/todo-write/tool.ts';
import { playTasks, writeTodos } from '../support/turns/play-tasks.ts';

const todo = (content: string, status: string) => ({
  ...{ content, status, activeForm: `${content} …` },
});

describe('TodoWrite', () => {
  it('replaces the whole list, and gives the one before', async () => {
    const { outputs, texts } = await playTasks(
      [writeTodos(['a', 'in_progress'], ['b']), writeTodos(['a', 'completed']), writeTodos()],
      {},
    );
    expect(outputs).toEqual([
      { oldTodos: [], newTodos: [todo('a', 'in_progress'), todo('b', 'pending')] },
      {
        oldTodos: [todo('a', 'in_progress'), todo('b', 'pending')],
        newTodos: [todo('a', 'completed')],
      },
      { oldTodos: [todo('a', 'completed')], newTodos: [] },
    ]);
    expect(texts).toEqual([
      'The list is written: 0 of 2 done, 1 in progress.',
      'The list is written: 1 of 1 done, 0 in progress.',
      'The list is empty now.',
    ]);
  });

  it.each<[string, ReturnType<typeof writeTodos>]>([
    ['Entry 2 has no content: say what is to be done.', writeTodos(['a'], [' '])],
    ['Entry 1 has 1204 characters, and 1000 are the most', writeTodos(['x'.repeat(601)])],
    [
      'The list has 10000 entries, and 500 are the most: make one entry of several.',
      writeTodos(...Array.from({ length: 10_000 }, (_, at) => [`${at}`] as const)),
    ],
    ['todos.0.status', writeTodos(['a', 'begun'])],
  ])('says what is wrong, and leaves the list: %s', async (sentence, call) => {
    const { texts, outputs } = await playTasks([writeTodos(['a']), call, writeTodos()], {});
    expect(texts[1]).toContain(sentence);
    expect(outputs[2]).toEqual({ oldTodos: [todo('a', 'pending')], newTodos: [] });
  });

  it('needs no question while the agent plans', async () => {
    const { texts } = await playTasks([writeTodos(['a'])], { permissionMode: 'plan' });
    expect(texts).toEqual(['The list is written: 0 of 1 done, 0 in progress.']);
  });

  it('changes the session alone, and nothing runs beside it', () => {
    expect([
      todoWriteTool.isReadOnly(),
      todoWriteTool.isConcurrencySafe(),
      todoWriteTool.changesOnlySession(),
      todoWriteTool.shouldDefer,
    ]).toEqual([false, false, true, true]);
    expect(todoWriteTool.getToolUseSummary({})).toBeNull();
  });
});
