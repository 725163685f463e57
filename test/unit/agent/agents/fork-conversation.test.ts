// What a fork knows of its caller's conversation: what the request was sent with whose reply has begun it.
import { expect, it } from 'vitest';
import { query } from '../../../../src/agent/query.ts';
import { SessionFold } from '../../../../src/agent/journal/fold.ts';
import { createDeferred } from '../../../../src/core/async/deferred.ts';
import type { AssistantMessage, MessageParam } from '../../../../src/core/messages/messages.ts';
import type { JournalRecord } from '../../../../src/core/session/journal.ts';
import { task, waited } from '../../../support/turns/agents-at-once.ts';
import { createAgentsModel } from '../../../support/models/agents-model.ts';
import { listBreaches } from '../../../support/models/api-rules.ts';
import { openHost, say } from '../../../support/turns/run-hooked.ts';

const note: MessageParam = { role: 'user', content: 'They were read.' };

/** `extra`: of the request, beside the conversation. */
function ask(step: number, extra = 0): JournalRecord[] {
  const content = [{ type: 'tool_use', id: `c${step}`, name: 'Read', input: {} }];
  const message = { role: 'assistant', content } as unknown as AssistantMessage;
  return [
    { type: 'request', step, model: 'm', hash: '', messages: 2 * step - 1 + extra },
    { type: 'reply', step, uuid: `r${step}`, end: 'whole', message },
  ];
}

const answer = (step: number): JournalRecord => ({
  ...{ type: 'results', step },
  message: {
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: `c${step}`, content: 'x' }],
  },
});

/** Entries 4 to 9: two calls with their results. Entries 10 and 11: what begins the fork. */
const work = (extra = 0): JournalRecord[] => [
  { type: 'session', format: 1, id: 's', seed: 'seed', cwd: '/workspace', version: '0' },
  { type: 'prompt', uuid: 'a', message: { role: 'user', content: 'Go.' } },
  { type: 'turn', prompt: 'a' },
  ...[...ask(1), answer(1), ...ask(2), answer(2), ...ask(3, extra)],
];
const toFork = (inherits: number): JournalRecord => ({
  ...{ type: 'agent', id: 'x', callId: 'c3', agentType: 'fork', description: 'd', model: 'm' },
  ...{ depth: 1, isBackground: false, inherits },
});

it.each<[string, JournalRecord[], number]>([
  ['all of it', [...work(), toFork(5)], 5],
  ['nothing that the request had besides', [...work(1), toFork(6)], 5],
  [
    'what is left of it where the same reply took a part out',
    [
      ...work(),
      {
        ...{ type: 'snipped', callId: 's', message: note },
        parts: [{ entries: [5, 6] }, { entries: [8, 9] }],
      } as unknown as JournalRecord,
      toFork(5),
    ],
    2,
  ],
])('is %s', (_, records, count) => {
  const fold = new SessionFold();
  records.forEach((record, at) => fold.apply({ ...record, n: at + 1, time: 0 }));
  const own = fold.foldOf('x')?.messages ?? [];
  expect(own).toEqual(fold.messages.slice(0, count));
  expect(listBreaches(own)).toEqual([]);
  expect(own.at(-1)?.role).toBe('user');
});

it('has no open call where a person allows the fork after the reply, and each request names tools', async () => {
  await using host = await openHost();
  const model = createAgentsModel({
    main: [task('Go on.', { subagent_type: 'fork', ...waited }), say('Done.')],
    'Go on.': [say('I went on.')],
  });
  const { promise: isTold, resolve: tell } = createDeferred();
  const running = query({
    prompt: 'Go.',
    options: {
      ...{ host, model, toolSearchDelta: false, settings: { permissions: { ask: ['Agent'] } } },
      canUseTool: async () => {
        await isTold;
        return { behavior: 'allow' };
      },
    },
  });
  for await (const { type } of running) if (type === 'assistant') tell();
  const [calling, forked] = model.requests.map(({ request }) => request.messages);
  expect(model.requests.map(({ who }) => who)).toEqual(['main', 'Go on.', 'main']);
  expect(forked?.slice(0, -1)).toEqual(calling);
  expect(listBreaches(forked ?? [])).toEqual([]);
});
