// Streams of changes that break, over real HTTP: the server restarts, and is out of reach at first.
import { expect, it, onTestFinished, vi } from 'vitest';
import { createServerFetch } from '../../../src/core/host-ports/fetch-port.ts';
import type { McpEvent } from '../../../src/core/mcp/mcp-exchange.ts';
import { defaultBounds } from '../../../src/mcp/client/bounds.ts';
import { connectServer } from '../../../src/mcp/client/connect-server.ts';
import { addLibrary } from '../../support/mcp/mcp-library.ts';
import { toListeners } from '../../support/mcp/mcp-listeners.ts';
import { startMcpServer } from '../../support/mcp/mcp-server.ts';

// Far more than it takes on a loaded machine.
const patience = { timeout: 60_000 };

/** A connection, and when it asks for streams of changes. `lose`: how many of them get no answer from now on. */
async function connectLibrary() {
  const server = await startMcpServer(0, (one) => addLibrary(one, () => 'Plant trees.'));
  onTestFinished(() => server[Symbol.asyncDispose]());
  const network = { lost: 0, lose: 0 };
  const port = createServerFetch((url, init) => fetch(url, init));
  const events: McpEvent[] = [];
  const offers: (readonly string[])[] = [];
  const { signal } = new AbortController();
  const connection = await connectServer(
    { type: 'http', url: server.url },
    toListeners({
      onEvent: (event) => void events.push(event),
      onOffer: ({ tools }) => void offers.push(tools.map(({ name }) => name)),
    }),
    signal,
    {
      bounds: defaultBounds,
      fetch: {
        ...port,
        async send(url, init) {
          if (new TextDecoder().decode(init.body).includes('subscriptions/listen')) {
            if (network.lose > 0) {
              network.lose -= 1;
              network.lost += 1;
              throw new TypeError('fetch failed');
            }
          }
          return port.send(url, init);
        },
      },
    },
  );
  onTestFinished(() => connection.close());
  return { server, network, connection, signal, events, offers };
}

it('a stream that breaks is opened again, also where a first try fails', async () => {
  const { server, network, connection, signal, events, offers } = await connectLibrary();
  await connection.ask({ type: 'watch-resources', uris: ['note://today'] }, signal);
  // The first try of each of the two: for lists and for the resource.
  network.lose = 2;
  await server.stop();
  await server.start();
  server.offer('later');
  await vi.waitFor(() => expect(network.lost).toBe(2), patience);
  // What had changed while nobody listened is read.
  await vi.waitFor(() => expect(offers.at(-1)).toContain('later'), patience);
  await vi.waitFor(() => {
    server.notify.resourceUpdated('note://today');
    expect(events).toContainEqual({ type: 'resource-updated', uri: 'note://today' });
  }, patience);
});

it('a stream that was replaced, and one whose connection is closed, stay closed', async () => {
  const { server, connection, signal } = await connectLibrary();
  const listens = () =>
    server.requests.filter(({ body }) => body.includes('subscriptions/listen')).length;
  await connection.ask({ type: 'watch-resources', uris: ['note://today'] }, signal);
  await connection.ask({ type: 'watch-resources', uris: [] }, signal);
  expect(listens()).toBe(2);
  await connection.close();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  await vi.advanceTimersByTimeAsync(120_000);
  expect(listens()).toBe(2);
});
