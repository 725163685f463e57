// What a place of events (an object of the edge) is told while agents run in the background.
import { expect, it } from 'vitest';
import { openSession } from '../../../../src/agent/open-session.ts';
import type { SessionActivity, SessionSteps } from '../../../../src/agent/session-steps.ts';
import { createDeferred } from '../../../../src/core/async/deferred.ts';
import { createAgentsModel } from '../../../support/models/agents-model.ts';
import { callTool, openHost, say } from '../../../support/turns/run-hooked.ts';

it('a session is at work, not at rest, until its last agent in the background has ended', async () => {
  const told: SessionActivity[] = [];
  const steps: SessionSteps = {
    opening: 'woken',
    letGo: new AbortController().signal,
    next: () => Promise.resolve(),
    nextCall: () => Promise.resolve(),
    work: () => ({ [Symbol.dispose]: () => undefined }),
    wakeAt: () => undefined,
    admit: () => Promise.resolve(undefined),
    onFreed: () => undefined,
    tell: (activity) => void told.push(activity),
  };
  const { promise: held, resolve: goOn } = createDeferred();
  const model = createAgentsModel(
    {
      main: [
        callTool('Agent', { prompt: 'Look', description: 'It looks' }),
        say('Begun.'),
        say('Heard.'),
      ],
      Look: [say('Seen.')],
    },
    (who, signal) => {
      signal?.addEventListener('abort', () => goOn(), { once: true });
      return who === 'Look' ? held : undefined;
    },
  );
  await using host = await openHost();
  await using session = await openSession({ host: { ...host, steps }, model });
  await session.send('Go.');
  let idle = 0;
  for await (const message of session.messages()) {
    if (message.type !== 'system' || message.subtype !== 'session_state_changed') continue;
    if (message.state !== 'idle') continue;
    idle += 1;
    if (idle === 2) break;
    expect(told.at(-1)).toBe('runs');
    goOn();
  }
  expect(told.at(-1)).toBe('rests');
});
