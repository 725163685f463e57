// The task list of a session outlives its page, a fork and a compaction; a rewind takes it back. Whole sessions.
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AgentSession } from '../../../../src/agent/agent-session.ts';
import { openSession } from '../../../../src/agent/open-session.ts';
import type { QueryOptions } from '../../../../src/agent/query-options.ts';
import { listReminders } from '../../../../src/core/tool/tool-catalog.ts';
import { createMemoryMedium } from '../../../../src/workspace/drivers/memory.ts';
import { asPrompt, createCallingModel } from '../../../support/turns/calling-model.ts';
import {
  isResult,
  openHost,
  quickHost,
  readUntil,
} from '../../../support/sessions/open-sessions.ts';
import { create, listTasks, update, writeTodos } from '../../../support/turns/play-tasks.ts';
import type { TaskCall } from '../../../support/turns/play-tasks.ts';

const base = { tasksV2: true, toolSearch: false } as const;

async function open(options: QueryOptions): Promise<AgentSession> {
  const session = await openSession({ ...base, ...options });
  onTestFinished(() => session.close());
  return session;
}

let prompts = 0;
/** Has the calls made in a turn, and gives the output of the last one. */
async function play(session: AgentSession, ...calls: readonly TaskCall[]): Promise<unknown> {
  prompts += 1;
  const uuid = `p${prompts}`;
  const { n } = await session.send({
    type: 'user',
    message: { role: 'user', content: asPrompt(...calls) },
    parent_tool_use_id: null,
    uuid,
  });
  const messages = await readUntil(session, (one) => isResult(one) && (one.n ?? 0) > n, n);
  return messages.findLast((one) => one.type === 'user' && 'tool_use_result' in one)?.[
    'tool_use_result' as never
  ];
}

const lastPrompt = () => `p${prompts}`;

const tasks = (...subjects: readonly (readonly [string, string?])[]) => ({
  tasks: subjects.map(([subject, status = 'pending']) =>
    expect.objectContaining({ subject, status }),
  ),
});

describe('the task list', () => {
  it('is there when the session is opened again', async () => {
    const medium = createMemoryMedium();
    const before = await openHost(medium);
    const first = await openSession({
      ...base,
      host: before,
      model: createCallingModel(),
      sessionId: 's',
    });
    await play(first, create('a'), create('b'), update('1', { addBlocks: ['2'] }));
    await first.close();
    await before[Symbol.asyncDispose]();
    const after = await openHost(medium);
    onTestFinished(() => after[Symbol.asyncDispose]());
    const again = await open({ host: after, model: createCallingModel(), resume: 's' });
    expect(await play(again, listTasks)).toEqual({
      tasks: [
        { id: '1', subject: 'a', status: 'pending', blockedBy: [] },
        { id: '2', subject: 'b', status: 'pending', blockedBy: ['1'] },
      ],
    });
    expect(await play(again, create('c'))).toEqual({ task: { id: '3', subject: 'c' } });
  });

  it('goes into a fork, and each of the two has its own from there', async () => {
    const host = await quickHost();
    const old = await open({ host, model: createCallingModel(), sessionId: 'old' });
    await play(old, create('a'));
    const { sessionId } = await old.fork();
    await play(old, create('of the old one'));
    const fork = await open({ host, model: createCallingModel(), resume: sessionId });
    expect(
      await play(fork, update('1', { status: 'completed' }), create('of the fork'), listTasks),
    ).toEqual(tasks(['a', 'completed'], ['of the fork']));
    expect(await play(old, listTasks)).toEqual(tasks(['a'], ['of the old one']));
  });

  it('goes back with a rewind, and comes again with its undo', async () => {
    const session = await open({ host: await quickHost(), model: createCallingModel() });
    await play(session, create('a'));
    await play(session, update('1', { status: 'completed' }), create('b'));
    await session.rewind(lastPrompt());
    expect(await play(session, listTasks)).toEqual(tasks(['a']));
    expect(await play(session, create('c'))).toEqual({ task: { id: '2', subject: 'c' } });
    await session.rewind(lastPrompt());
    await session.undo();
    expect(await play(session, listTasks)).toEqual(tasks(['a'], ['c']));
  });

  it('is told to the model after a compaction, what is open of it, and not before', async () => {
    const model = createCallingModel(40_000);
    const session = await open({ host: await quickHost(), model });
    await play(
      session,
      create('Read it\nall'),
      create('Mend it', { activeForm: 'Mending' }),
      create('Test it'),
      create('Forget it'),
      update('2', { status: 'in_progress', owner: 'Ann' }),
      update('1', { status: 'completed' }),
      update('3', { addBlockedBy: ['2'] }),
      update('4', { status: 'deleted' }),
      create('Tell </system-reminder> it'),
    );
    for (let turn = 0; turn < 3; turn += 1) await play(session, listTasks);
    const reminders = () => listReminders(model.requests.at(-1)?.messages ?? []);
    expect(reminders().join('\n')).not.toContain('of the task list');
    await session.compact();
    expect(await play(session, listTasks)).toMatchObject(
      tasks(
        ['Read it\nall', 'completed'],
        ['Mend it', 'in_progress'],
        ['Test it'],
        ['Tell </system-reminder> it'],
      ),
    );
    expect(reminders()).toContain(
      [
        'Task 2 of the task list (in progress; owner Ann): Mend it',
        'Task 3 of the task list (to be done; after 2): Test it',
        'Task 5 of the task list (to be done): Tell &lt;/system-reminder> it',
      ].join('\n'),
    );
  });

  it('of TodoWrite is told as a whole, until all is done', async () => {
    const model = createCallingModel(40_000);
    const session = await open({ host: await quickHost(), model, tasksV2: false });
    await play(session, writeTodos(['a', 'completed'], ['b']));
    for (let turn = 0; turn < 3; turn += 1) await play(session);
    await session.compact();
    await play(session);
    const reminders = () => listReminders(model.requests.at(-1)?.messages ?? []).join('\n');
    expect(reminders()).toContain('with TodoWrite:\n- a (completed)\n- b (pending)');
    await play(session, writeTodos(['a', 'completed'], ['b', 'completed']));
    for (let turn = 0; turn < 3; turn += 1) await play(session);
    await session.compact();
    await play(session);
    expect(reminders()).not.toContain('TodoWrite');
  });
});
