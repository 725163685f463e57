// The task list is the session's: its agents read and write the same one, also at the same time. TodoWrite's is each
// agent's own.
import { expect, it } from 'vitest';
import { query } from '../../../../src/agent/query.ts';
import type { HookCallback } from '../../../../src/agent/hooks/hooks.ts';
import { nextTask } from '../../../../src/core/async/next-task.ts';
import { createTranscriptStore } from '../../../../src/react/transcript-store.ts';
import { readSessionTasks } from '../../../../src/react/session-task-list.ts';
import { taskListReaders } from '../../../../src/tools/task-list-readers.ts';
import { createAgentsModel } from '../../../support/models/agents-model.ts';
import { callTool, openHost, readAll, say } from '../../../support/turns/run-hooked.ts';

const add = (subject: string) => callTool('TaskCreate', { subject, description: '' }, subject);

it('is one list for all agents of a session, and no task of theirs is lost', async () => {
  await using host = await openHost();
  const names = ['a', 'b', 'c'];
  const model = createAgentsModel({
    main: [
      add('main'),
      {
        blocks: names.map((name) => ({
          ...{ type: 'tool_use', id: `agent-${name}`, name: 'Agent' },
          input: { description: name, prompt: name },
        })),
      },
      // How often it is woken by reports is none of this test's business.
      ...Array.from({ length: 5 }, () => say('Done.')),
    ],
    ...Object.fromEntries(
      names.map((name) => [
        name,
        [
          add(`${name} 1`),
          callTool('TaskUpdate', { taskId: '1', addBlocks: [] }, `${name} nothing`),
          add(`${name} 2`),
          say('Added.'),
        ],
      ]),
    ),
  });
  // Each waits between reading the list and adding to it.
  const slow: HookCallback = async () => {
    for (let step = 0; step < 50; step += 1) await nextTask();
    return {};
  };
  const messages = await readAll(
    query({
      prompt: 'Go.',
      options: {
        ...{ host, model, tasksV2: true, toolSearch: false },
        hooks: { TaskCreated: [{ hooks: [slow] }] },
      },
    }),
  );
  const made = messages.flatMap((one): [string, string][] => {
    const { task } = (one as { readonly tool_use_result?: { readonly task?: Made } })
      .tool_use_result ?? { task: undefined };
    return task ? [[task.id, task.subject]] : [];
  });
  expect(made.map(([id]) => id).toSorted()).toEqual(['1', '2', '3', '4', '5', '6', '7']);
  expect(made.map(([, subject]) => subject).toSorted()).toEqual(
    ['main', ...names.flatMap((name) => [`${name} 1`, `${name} 2`])].toSorted(),
  );
});

interface Made {
  readonly id: string;
  readonly subject: string;
}

it('is each agent’s own where TodoWrite keeps it, which replaces the whole', async () => {
  await using host = await openHost();
  const list = (...contents: readonly string[]) =>
    contents.map((content) => ({ content, status: 'pending', activeForm: content }));
  const write = (id: string, ...contents: readonly string[]) =>
    callTool('TodoWrite', { todos: list(...contents) }, id);
  const input = { description: 'Help', prompt: 'Help.', run_in_background: false };
  const model = createAgentsModel({
    main: [
      write('main 1', 'plan', 'build'),
      callTool('Agent', input, 'agent'),
      write('main 2', 'build'),
      say('Done.'),
    ],
    'Help.': [write('agent 1', 'look'), write('agent 2', 'report'), say('Helped.')],
  });
  const messages = await readAll(
    query({ prompt: 'Go.', options: { host, model, toolSearch: false } }),
  );
  const before = messages.flatMap((one) => {
    const { oldTodos } = (one as { readonly tool_use_result?: { readonly oldTodos?: unknown } })
      .tool_use_result ?? { oldTodos: undefined };
    return oldTodos === undefined ? [] : [oldTodos];
  });
  expect(before).toEqual([[], [], list('look'), list('plan', 'build')]);
  const store = createTranscriptStore();
  const end = messages.findIndex((one) => JSON.stringify(one).includes('"main 2"'));
  for (const message of messages.slice(0, end)) store.apply(message);
  const subjects = readSessionTasks(store.getSnapshot().turns, taskListReaders);
  expect(subjects.map(({ subject }) => subject)).toEqual(['plan', 'build']);
});
