// The MCP servers of a session that /clear leaves, as they were changed while it was open.
import { expect, it } from 'vitest';
import { openSession } from '../../../../src/agent/open-session.ts';
import { query } from '../../../../src/agent/query.ts';
import type { Query } from '../../../../src/agent/query.ts';
import type { SDKUserMessage } from '../../../../src/core/messages/sdk-message.ts';
import { createSdkMcpServer } from '../../../../src/mcp/create-sdk-mcp-server.ts';
import { isResult, quickHost, readUntil } from '../../../support/sessions/open-sessions.ts';
import { listModel, says } from '../../../support/turns/play-turns.ts';

const serve = (name: string) => createSdkMcpServer({ name, tools: [] });

type Statuses = Awaited<ReturnType<Query['mcpServerStatus']>>;
const shown = (all: Statuses) => all.map(({ name, status }) => `${name}: ${status}`);

it('are as they were in the session of its place, which may change them again', async () => {
  const host = await quickHost();
  const model = listModel('m', [says('Yes.')]);
  const mcpServers = { given: serve('given'), other: serve('other') };
  const session = await openSession({ host, model, mcpServers });
  const left = session.id;
  await session.setMcpServers({ added: serve('added'), off: serve('off') });
  await session.toggleMcpServer('given', false);
  await session.toggleMcpServer('off', false);
  await session.send('/clear');
  await readUntil(session, ({ type, session_id }) => type === 'system' && session_id !== left);
  expect(shown(await session.mcpServerStatus())).toEqual([
    ...['given: disabled', 'other: connected', 'added: connected', 'off: disabled'],
  ]);
  await session.setMcpServers({});
  await session.setMcpServers({ off: serve('off') });
  await session.toggleMcpServer('given', true);
  expect(shown(await session.mcpServerStatus())).toEqual([
    ...['given: connected', 'other: connected', 'off: connected'],
  ]);
  await session.close();
});

it('are as they were in a query that had none by its options', async () => {
  const host = await quickHost();
  const say = (content: string): SDKUserMessage => ({
    ...{ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null },
  });
  async function* prompts() {
    yield say('One.');
    await talk.setMcpServers({ added: serve('added') });
    yield say('/clear');
    yield say('Two.');
  }
  const model = listModel('m', [says('One.'), says('Two.')]);
  const talk: Query = query({ prompt: prompts(), options: { host, model } });
  let results = 0;
  for await (const message of talk) if (isResult(message)) results += 1;
  expect(results).toBe(3);
  expect(shown(await talk.mcpServerStatus())).toEqual(['added: connected']);
});
