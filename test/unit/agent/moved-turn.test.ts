// A command that has left its session for a new one, and whose page went before it could say so.
import { expect, it } from 'vitest';
import { resumeTurn } from '../../../src/agent/turn/resume-turn.ts';
import { createTestSession } from '../../support/stages/test-session.ts';

it('says in which session the conversation goes on', async () => {
  const session = await createTestSession();
  const message = { role: 'user', content: '/clear' } as const;
  await session.journal.record(
    { type: 'prompt', uuid: 'p1', message },
    { type: 'turn', prompt: 'p1', isBlocked: true, command: 'clear' },
    { type: 'moved', to: 's2', prompts: [], mode: 'default' },
  );
  const { signal } = new AbortController();
  const result = await resumeTurn(session, { includePartialMessages: false, signal });
  expect(result?.end).toEqual({
    type: 'command',
    command: 'clear',
    text: '/clear has left this session. The conversation goes on in the session s2.',
    isError: false,
  });
});
