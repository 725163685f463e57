// A session that is killed after any entry comes to the same task list, and each call to the same result.
import { describe, expect, it } from 'vitest';
import type { HooksOption } from '../../../../src/agent/hooks/hooks.ts';
import type { QueryOptions } from '../../../../src/agent/query-options.ts';
import {
  listTasks as listRecorded,
  readRecordedTasks,
} from '../../../../src/core/session/task-list.ts';
import { asPrompt, createCallingModel } from '../../../support/turns/calling-model.ts';
import { createDisk, playSession } from '../../../support/sessions/kept-session.ts';
import type { Disk } from '../../../support/sessions/kept-session.ts';
import { create, update, writeTodos } from '../../../support/turns/play-tasks.ts';

const base = { tasksV2: true, toolSearch: false } as const;

const killed = [
  asPrompt(create('a', { metadata: { x: 1 } }), update('1', { status: 'completed' })),
  asPrompt(update('1', { status: 'deleted' }), create('b')),
];

/** What the model was told of its calls, in order. */
const results = ({ messages }: { readonly messages: readonly unknown[] }) =>
  [
    ...JSON.stringify(messages).matchAll(/"type":"tool_result",.*?"content":("(?:\\.|[^"])*")/gu),
  ].map(([, text]) => text);

describe('a session with a task list that is killed after any entry', () => {
  it.each<[string, readonly string[], Partial<QueryOptions>]>([
    ['of the Task tools', killed, {}],
    [
      'of TodoWrite',
      [asPrompt(writeTodos(['a']), writeTodos(['a', 'completed'], ['b']))],
      { tasksV2: false },
    ],
  ])('comes to the same list %s, and each call to the same result', async (_what, all, options) => {
    /** By event and task, how often hooks were asked in one life of the session. */
    let asked: string[] = [];
    const hooks: HooksOption = {
      TaskCreated: [
        { hooks: [(input) => Promise.resolve(void asked.push(`new ${input.task_id}`) as never)] },
      ],
      TaskCompleted: [
        { hooks: [(input) => Promise.resolve(void asked.push(`done ${input.task_id}`) as never)] },
      ],
    };
    const run = (disk: Disk, freezeAfter = Infinity) =>
      playSession(disk, {
        ...{ ...base, hooks, ...options },
        ...{ prompts: all, freezeAfter, model: createCallingModel() },
      });
    const listOf = (fold: { readonly states: ReadonlyMap<string, unknown> }) => [
      listRecorded(readRecordedTasks(fold.states)),
      fold.states.get('todos'),
    ];
    const reference = await run(createDisk());
    const askedOnce = asked;
    for (const last of reference.boundaries.slice(0, -1)) {
      const disk = createDisk();
      asked = [];
      const before = await run(disk, last);
      expect(before.isFrozen).toBe(true);
      const again = await run(disk);
      expect([last, listOf(again.fold)]).toEqual([last, listOf(reference.fold)]);
      expect([last, results(again.fold)]).toEqual([last, results(reference.fold)]);
      // Whom nobody has heard may be asked again.
      expect(new Set(asked)).toEqual(new Set(askedOnce));
      const states = again.entries.filter(({ type }) => type === 'state').length;
      expect(states).toBe(reference.entries.filter(({ type }) => type === 'state').length);
    }
  });
});
