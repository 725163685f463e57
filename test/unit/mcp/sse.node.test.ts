// Servers of the older form of HTTP: all answers come on one stream of events.
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createServerFetch } from '../../../src/core/host-ports/fetch-port.ts';
import { defaultBounds } from '../../../src/mcp/client/bounds.ts';
import { connectServer } from '../../../src/mcp/client/connect-server.ts';
import { describeTool } from '../../support/mcp/mcp-answers.ts';
import { toListeners } from '../../support/mcp/mcp-listeners.ts';

/** `pour`: what it answers a call, in the place of an event. */
async function startSseServer(pour?: (stream: ServerResponse) => void): Promise<string> {
  let stream: ServerResponse | undefined;
  const answers: Readonly<Record<string, unknown>> = {
    initialize: {
      protocolVersion: '2024-11-05',
      capabilities: { tools: {} },
      serverInfo: { name: 'old', version: '1' },
    },
    'tools/list': { tools: [describeTool('look')] },
    'tools/call': { content: [{ type: 'text', text: 'Seen.' }] },
  };
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      stream = response;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: endpoint\ndata: /messages\n\n');
      return;
    }
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      const { id, method } = JSON.parse(body) as { id?: number; method: string };
      response.writeHead(202).end();
      if (method === 'tools/call' && pour && stream) pour(stream);
      else if (id !== undefined) {
        const result = answers[method];
        const given = result ? { result } : { error: { code: -32601, message: 'Unknown.' } };
        stream?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, ...given })}\n\n`);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/sse`;
}

async function connect(url: string, messageBytes = defaultBounds.messageBytes) {
  const lost: string[] = [];
  const listeners = toListeners({ onLost: ({ message }: Error) => void lost.push(message) });
  const connection = await connectServer(
    { type: 'sse', url },
    listeners,
    new AbortController().signal,
    {
      fetch: createServerFetch((address, init) => fetch(address, init)),
      bounds: { ...defaultBounds, messageBytes },
    },
  );
  onTestFinished(() => connection.close());
  const options = { signal: new AbortController().signal, onProgress: () => undefined };
  return { connection, lost, call: () => connection.call('look', {}, options) };
}

it('offer their tools', async () => {
  const { connection, call } = await connect(await startSseServer());
  expect(connection.offer.tools.map(({ name }) => name)).toEqual(['look']);
  expect(await call()).toMatchObject({ content: [{ text: 'Seen.' }] });
});

it('are no connection any more once they have sent more than may be in one event', async () => {
  const url = await startSseServer((stream) => {
    stream.write('data: ');
    const more = () => {
      while (!stream.destroyed && stream.write('x'.repeat(10_000)));
    };
    stream.on('drain', more);
    more();
  });
  const { call, lost } = await connect(url, 100_000);
  await expect(call()).rejects.toMatchObject({ code: 'limit-exceeded' });
  expect(lost).toEqual([expect.stringContaining('more than 100000 bytes')]);
});
