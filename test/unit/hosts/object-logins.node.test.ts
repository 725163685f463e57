// A login at an MCP server by the class of a session's object, which sleeps while the person is asked.
import { loadQuickjsWasm } from '#quickjs-wasm';
import { expect, it, onTestFinished } from 'vitest';
import { createSessionObject } from '../../../src/hosts/edge/object/create-session-object.ts';
import { openSqliteStorage } from '../../../src/hosts/server/open-sqlite-storage.ts';
import { createMemoryLoginStore } from '../../../src/mcp/client/login/login-records.ts';
import { ringByHand } from '../../support/edge/hand-rung.ts';
import { startLoginServer } from '../../support/mcp/login-server.ts';
import { createWireModel } from '../../support/wire/wire-model.ts';

it('is begun, completed after a sleep, outlives the next one, and is taken back', async () => {
  const there = await startLoginServer();
  onTestFinished(() => there[Symbol.asyncDispose]());
  const file = await openSqliteStorage(':memory:');
  onTestFinished(() => file[Symbol.dispose]());
  const login = { redirectUrl: 'https://app.example/logged-in', store: createMemoryLoginStore() };
  const id = { toString: () => 'session' };
  const rung = ringByHand({ id, storage: { ...file, sync: async () => undefined } });
  const object = createSessionObject(rung.ctx, {
    wasm: await loadQuickjsWasm(),
    model: createWireModel(),
    host: { mcp: { login } },
    options: { mcpServers: { there: { type: 'http', url: there.mcp.url, alwaysLoad: true } } },
  });
  onTestFinished(() => object.release());
  const session = await object.session();
  const status = async () => (await session.mcpServerStatus())[0]?.status;
  expect(await status()).toBe('needs-auth');
  const { url = '' } = await session.loginMcpServer('there');
  await object.release();
  await session.completeMcpLogin(there.approve(url));
  expect(await status()).toBe('connected');
  await object.release();
  expect(await status()).toBe('connected');
  await session.reconnectMcpServer('there');
  expect(await status()).toBe('connected');
  await session.logoutMcpServer('there');
  expect(await status()).toBe('needs-auth');
});
