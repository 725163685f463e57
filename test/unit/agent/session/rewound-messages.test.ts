// What readers are told of a rewind and of an undo: live, and when the session is read again.
import { expect, it } from 'vitest';
import { openSession } from '../../../../src/agent/open-session.ts';
import { getSessionMessages } from '../../../../src/agent/stored-sessions/session-messages.ts';
import type { SDKMessage } from '../../../../src/core/messages/sdk-message.ts';
import { isResult, kept, quickHost, readUntil } from '../../../support/sessions/open-sessions.ts';
import { listModel, says } from '../../../support/turns/play-turns.ts';

const isRewound = (message: SDKMessage) =>
  message.type === 'system' && message.subtype === 'conversation_rewound';

it('is told where the conversation goes on, in the place of the journal', async () => {
  const host = await quickHost();
  const model = listModel('claude-test', [says('One.'), says('Two.')]);
  const session = await openSession({ host, model, sessionId: 's1' });
  const places: number[] = [];
  for (const [at, uuid] of ['p1', 'p2'].entries()) {
    const message = { role: 'user', content: `${uuid}?` } as const;
    await session.send({ type: 'user', uuid, message, parent_tool_use_id: null });
    let left = at + 1;
    const read = await readUntil(session, (one) => isResult(one) && (left -= 1) === 0);
    places.push(read.findLast(({ type }) => type === 'user')?.n ?? 0);
  }
  await session.rewind('p2');
  await session.undo();
  let left = 2;
  const live = await readUntil(session, (one) => isRewound(one) && (left -= 1) === 0);
  const [rewind, undo] = live.filter(isRewound);
  const { to, n = 0 } = rewind as SDKMessage & { readonly to: number };
  expect(to).toBeGreaterThan(places[0] ?? 0);
  expect(to).toBeLessThan(places[1] ?? 0);
  expect(undo).toMatchObject({ to: n - 1 });
  await session.close();
  expect(await getSessionMessages('s1', { host })).toEqual(kept(live));
});
