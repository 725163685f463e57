// The session's list beside the conversation: read from its calls, and shown.
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { TaskList } from '../../src/react/components/task-list.tsx';
import { createTranscriptStore } from '../../src/react/transcript-store.ts';
import { readSessionTasks } from '../../src/react/session-task-list.ts';
import { taskListReaders } from '../../src/tools/task-list-readers.ts';
import { create, listTasks, playTasks, update, writeTodos } from '../support/turns/play-tasks.ts';
import type { TaskCall } from '../support/turns/play-tasks.ts';

async function follow(calls: readonly TaskCall[], options?: Parameters<typeof playTasks>[1]) {
  const { messages, outputs } = await playTasks(calls, options);
  const store = createTranscriptStore();
  for (const message of messages) store.apply(message);
  return { turns: store.getSnapshot().turns, outputs };
}

const read = async (...args: Parameters<typeof follow>) =>
  readSessionTasks((await follow(...args)).turns, taskListReaders);

describe('readSessionTasks', () => {
  it('follows the calls of the task list, as TaskList gives it', async () => {
    const calls = [
      create('Read it'),
      create('Mend it', { activeForm: 'Mending it' }),
      create('Test it'),
      create('Forget it'),
      update('1', { status: 'completed' }),
      update('2', { status: 'in_progress', owner: 'Ann', addBlocks: ['3'] }),
      update('3', { subject: 'Test all of it', addBlockedBy: ['1'] }),
      update('4', { status: 'deleted' }),
      // Refused: nothing of them shows.
      update('9', { subject: 'None' }),
      update('2', { addBlockedBy: ['3'], owner: 'Bob' }),
      update('2', { subject: '' }),
    ];
    const wanted = [
      { id: '1', subject: 'Read it', status: 'completed', blockedBy: [] },
      {
        ...{ id: '2', subject: 'Mend it', status: 'in_progress', blockedBy: [] },
        ...{ activeForm: 'Mending it', owner: 'Ann' },
      },
      { id: '3', subject: 'Test all of it', status: 'pending', blockedBy: ['1', '2'] },
    ];
    const sorted = (await read(calls)).map((task) => ({
      ...task,
      blockedBy: task.blockedBy.toSorted(),
    }));
    expect(sorted).toEqual(wanted);
    expect(await read([...calls, listTasks])).toEqual(wanted);
    expect((await follow([...calls, listTasks])).outputs.at(-1)).toEqual({
      tasks: wanted.map((task) => {
        const { activeForm: _, ...told } = { activeForm: '', ...task };
        return told;
      }),
    });
  });

  it('reads what TodoWrite wrote last', async () => {
    const calls = [writeTodos(['a'], ['b']), writeTodos(['b', 'in_progress'])];
    expect(await read(calls, {})).toEqual([
      { id: '1', subject: 'b', status: 'in_progress', activeForm: 'b …', blockedBy: [] },
    ]);
  });

  it('shows the list that was written last, where a session has had both', async () => {
    const [todos, tasks] = [await follow([writeTodos(['a'])], {}), await follow([create('b')])];
    const subjects = (turns: typeof todos.turns) =>
      readSessionTasks(turns, taskListReaders).map(({ subject }) => subject);
    expect(subjects([...todos.turns, ...tasks.turns])).toEqual(['b']);
    expect(subjects([...tasks.turns, ...todos.turns])).toEqual(['a']);
  });
});

describe('TaskList', () => {
  it('says how far the session is, and shows each task', async () => {
    const { turns } = await follow([
      create('Read it'),
      create('Mend it', { activeForm: 'Mending it' }),
      create('Test it'),
      update('1', { status: 'completed' }),
      update('2', { status: 'in_progress', owner: 'Ann', addBlocks: ['3'] }),
    ]);
    const markup = renderToStaticMarkup(<TaskList turns={turns} readers={taskListReaders} />);
    expect(markup.replaceAll('><', '>\n<')).toMatchSnapshot();
  });

  it('is nothing where there is no list', async () => {
    const { turns } = await follow([]);
    expect(renderToStaticMarkup(<TaskList turns={turns} readers={taskListReaders} />)).toBe('');
  });
});
