// Whoever knows the Claude Agent SDK calls these without a host.
import { expect, it } from 'vitest';
import {
  deleteSession,
  forkSession,
  renameSession,
} from '../../../../src/agent/stored-sessions/manage-sessions.ts';
import {
  exportSession,
  importSession,
} from '../../../../src/agent/stored-sessions/session-file.ts';
import {
  getSessionInfo,
  listSessions,
} from '../../../../src/agent/stored-sessions/session-info.ts';
import { getSessionMessages } from '../../../../src/agent/stored-sessions/session-messages.ts';
import {
  getSubagentMessages,
  listSubagents,
} from '../../../../src/agent/stored-sessions/subagent-messages.ts';

const nothing = undefined as never;

it.each<[string, () => Promise<unknown>]>([
  ['listSessions()', () => listSessions(nothing)],
  ['listSessions({ dir })', () => listSessions({ dir: '/workspace' } as never)],
  ['getSessionInfo', () => getSessionInfo('a', nothing)],
  ['getSessionMessages', () => getSessionMessages('a', nothing)],
  ['listSubagents', () => listSubagents('a', nothing)],
  ['getSubagentMessages', () => getSubagentMessages('a', 'b', nothing)],
  ['renameSession', () => renameSession('a', 'Title', nothing)],
  ['deleteSession', () => deleteSession('a', nothing)],
  ['forkSession', () => forkSession('a', nothing)],
  ['exportSession', () => exportSession('a', nothing)],
  ['importSession', () => importSession(new Uint8Array(), nothing)],
])('%s says that it needs a host, and how to make one', async (_, call) => {
  await expect(call()).rejects.toMatchObject({
    code: 'bad-usage',
    message: expect.stringMatching(
      /^options\.host is missing: it says in whose workspace the sessions are\. Make a host: /u,
    ),
  });
});

it('a host that was not awaited is named', async () => {
  const host = Promise.resolve() as never;
  await expect(listSessions({ host })).rejects.toThrow(
    'options.host is a promise. Write host: await',
  );
});
