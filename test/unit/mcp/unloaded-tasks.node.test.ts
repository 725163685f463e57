// What follows tasks is fetched with the first call of a server that may answer by one: the network may be gone then.
import { expect, it, onTestFinished, vi } from 'vitest';
import { createServerFetch } from '../../../src/core/host-ports/fetch-port.ts';
import { defaultBounds } from '../../../src/mcp/client/bounds.ts';
import { connectServer } from '../../../src/mcp/client/connect-server.ts';
import { toListeners } from '../../support/mcp/mcp-listeners.ts';
import { startMcpServer } from '../../support/mcp/mcp-server.ts';
import { createTaskBoard } from '../../support/mcp/mcp-tasks.ts';

const network = vi.hoisted(() => ({ isGone: true }));
vi.mock('../../../src/mcp/client/server-tasks.ts', (load) => {
  if (network.isGone) throw new TypeError('Failed to fetch dynamically imported module.');
  return load();
});

it('a call fails for want of its code, and the next one fetches it again', async () => {
  const server = await startMcpServer(0, createTaskBoard().extend);
  onTestFinished(() => server[Symbol.asyncDispose]());
  const { signal } = new AbortController();
  const config = { type: 'http', url: server.url } as const;
  const fetchPort = createServerFetch((url, init) => fetch(url, init));
  const realm = { fetch: fetchPort, bounds: defaultBounds };
  const connection = await connectServer(config, toListeners(), signal, realm);
  onTestFinished(() => connection.close());
  const call = () => connection.call('look', {}, { signal, onProgress: () => undefined });
  await expect(call()).rejects.toMatchObject({
    code: 'mcp-failed',
    message: expect.stringContaining('could not be loaded'),
  });
  network.isGone = false;
  expect(await call()).toMatchObject({ content: [{ text: 'Seen.' }] });
});
