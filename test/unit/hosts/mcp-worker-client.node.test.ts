// The page's end of the MCP worker, over a worker that answers as the test says. With a real one:
// test/browser/mcp/worker.browser.test.ts.
import { expect, it } from 'vitest';
import type {
  FromMcpWorker,
  ToMcpWorker,
} from '../../../src/hosts/browser/mcp-worker/mcp-protocol.ts';
import { createMcpWorkerClient } from '../../../src/hosts/browser/page/mcp-worker-client.ts';
import type { StartedWorker } from '../../../src/hosts/browser/pool/start-worker.ts';
import { nextTask } from '../../../src/core/async/next-task.ts';
import type { SdkError } from '../../../src/core/errors.ts';
import { createVirtualClock } from '../../../src/hosts/inline/virtual-clock.ts';
import { toListeners } from '../../support/mcp/mcp-listeners.ts';

const offer = {
  name: 'books',
  version: '1',
  instructions: '',
  tools: [],
  extras: { hasResources: true, hasSkills: false, prompts: [] },
  problems: [],
};

/** Answers pings and connections at once, and nothing else. Loaded only when it is told to be. */
function createQuietWorkers() {
  const started: StartedWorker[] = [];
  const seen: ToMcpWorker[] = [];
  const load: (() => void)[] = [];
  const start = (): StartedWorker => {
    const unheard: ToMcpWorker[] = [];
    let isLoaded = false;
    const tell = (data: FromMcpWorker) => worker.onmessage?.({ data } as MessageEvent);
    const hear = (message: ToMcpWorker) => {
      seen.push(message);
      if (message.type === 'ping') tell({ type: 'pong' });
      if (message.type === 'connect') {
        tell({ type: 'connected', id: message.id, offer, isLegacy: false });
      }
    };
    // As much of a Worker as the client uses.
    const worker = {
      onmessage: null as ((event: MessageEvent) => void) | null,
      postMessage: (message: ToMcpWorker) =>
        isLoaded ? hear(message) : void unheard.push(message),
    };
    load.push(() => {
      isLoaded = true;
      unheard.splice(0).forEach(hear);
    });
    const made = {
      worker: worker as unknown as Worker,
      failure: new Promise<never>(() => undefined),
      [Symbol.dispose]: () => undefined,
    };
    started.push(made);
    return made;
  };
  return { start, started, seen, loadAll: () => load.forEach((one) => one()) };
}

const { signal } = new AbortController();

it('gives a request beside calls as long as the host’s bounds say', async () => {
  const clock = createVirtualClock();
  const workers = createQuietWorkers();
  const client = createMcpWorkerClient(workers.start, clock, { bounds: { callMs: 120_000 } });
  const config = { type: 'http', url: 'https://books.test/' } as const;
  const connecting = client.connect(config, toListeners(), signal);
  workers.loadAll();
  const connection = await connecting;
  const asked = connection.ask({ type: 'list-resources' }, signal);
  const ended = asked.then(
    () => 'answered',
    ({ code }: SdkError) => code,
  );
  clock.advance(121_000);
  expect(await Promise.race([ended, nextTask()])).toBeUndefined();
  clock.advance(2_000);
  expect(await ended).toBe('mcp-failed');
});

it('lets no deadline of a login run while its own code is on its way', async () => {
  const clock = createVirtualClock();
  const workers = createQuietWorkers();
  const client = createMcpWorkerClient(workers.start, clock, {
    login: { redirectUrl: 'https://page.test/back' },
  });
  const begun = client.logins.begin('https://books.test/', signal);
  clock.advance(30_000);
  expect(await Promise.race([begun, nextTask()])).toBeUndefined();
  workers.loadAll();
  await nextTask();
  expect(workers.seen.map(({ type }) => type)).toContain('login');
});

it('starts no worker once it is disposed', async () => {
  const workers = createQuietWorkers();
  const client = createMcpWorkerClient(workers.start, createVirtualClock());
  client[Symbol.dispose]();
  await expect(
    client.connect({ type: 'http', url: 'https://books.test/' }, toListeners(), signal),
  ).rejects.toMatchObject({ code: 'bad-usage' });
  expect(workers.started).toEqual([]);
});
