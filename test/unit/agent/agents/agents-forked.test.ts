// Agents of a session that is forked: what was under way goes on there, and not in the fork.
import { expect, it, onTestFinished } from 'vitest';
import type { AgentSession } from '../../../../src/agent/agent-session.ts';
import type { Host } from '../../../../src/agent/host.ts';
import { openSession } from '../../../../src/agent/open-session.ts';
import { forkSession } from '../../../../src/agent/stored-sessions/manage-sessions.ts';
import type { Model } from '../../../../src/model/model.ts';
import { createMemoryMedium } from '../../../../src/workspace/drivers/memory.ts';
import { letter, task, waited } from '../../../support/turns/agents-at-once.ts';
import { createAgentsModel, createHeldModel } from '../../../support/models/agents-model.ts';
import {
  isResult,
  openHost,
  quickHost,
  readUntil,
} from '../../../support/sessions/open-sessions.ts';
import { say } from '../../../support/turns/run-hooked.ts';

interface Opening {
  readonly host: Host;
  readonly model: Model;
  readonly resume?: string;
  readonly forkSession?: boolean;
}

async function open(options: Opening): Promise<AgentSession> {
  const mode = { toolSearch: false, permissionMode: 'bypassPermissions' } as const;
  const session = await openSession({ ...options, ...mode });
  onTestFinished(() => session.close());
  return session;
}

async function play(session: AgentSession, prompt: string): Promise<void> {
  const { n } = await session.send(prompt);
  await readUntil(session, isResult, n);
}

const look = 'Look.';
const belongs = 'it was stopped. It belongs to the session that this one is a fork of.';

it.each([
  ['its option', async ({ id }: AgentSession) => ({ resume: id, forkSession: true })],
  ['fork()', async (session: AgentSession) => ({ resume: (await session.fork()).sessionId })],
  [
    'forkSession()',
    async ({ id }: AgentSession, host: Host) => ({
      resume: (await forkSession(id, { host })).sessionId,
    }),
  ],
])('an agent that runs is not run by a fork that was made by %s', async (_, toChoice) => {
  const host = await quickHost();
  const scripts = {
    main: [task(look), say('It runs.'), say('Done.')],
    [look]: [say('Seen.')],
  };
  const { model, isHeld } = createHeldModel(scripts, look);
  const session = await open({ host, model });
  await play(session, 'Go.');
  await isHeld;
  const forks = createAgentsModel(scripts);
  const fork = await open({ host, model: forks, ...(await toChoice(session, host)) });
  await play(fork, 'And?');
  await fork.close();
  expect(forks.requests.map(({ who }) => who)).toEqual(['main']);
  expect(JSON.stringify(forks.requests[0]?.request.messages)).toContain(belongs);
});

it('an agent that a fork has written to goes on there after a kill', async () => {
  const medium = createMemoryMedium();
  const scripts = {
    main: [
      task(look, { name: 'looker', ...waited }),
      say('Done.'),
      letter('looker', 'Look again.'),
      say('Sent.'),
      say('All is known.'),
    ],
    [look]: [say('Seen.'), say('Seen more.')],
  };
  const first = await openHost(medium);
  const session = await open({ host: first, model: createAgentsModel(scripts) });
  await play(session, 'Go.');
  const { sessionId } = await session.fork();
  const { model, isHeld } = createHeldModel(scripts, look);
  const killed = await open({ host: first, model, resume: sessionId });
  await play(killed, 'Again.');
  await isHeld;

  const host = await openHost(medium);
  onTestFinished(() => host[Symbol.asyncDispose]());
  const forks = createAgentsModel(scripts);
  const fork = await open({ host, model: forks, resume: sessionId });
  await readUntil(fork, (one) => isResult(one) && JSON.stringify(one).includes('All is known.'));
  expect(JSON.stringify(forks.requests.at(-1)?.request.messages)).toContain('Seen more.');
});
