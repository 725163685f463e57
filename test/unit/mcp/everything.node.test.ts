// The protocol's reference server, over real HTTP.
import { expect, it, onTestFinished } from 'vitest';
import { createServerFetch } from '../../../src/core/host-ports/fetch-port.ts';
import { defaultBounds } from '../../../src/mcp/client/bounds.ts';
import { connectServer } from '../../../src/mcp/client/connect-server.ts';
import { startEverything } from '../../support/mcp/everything-server.ts';
import { toListeners } from '../../support/mcp/mcp-listeners.ts';
import { expectEverything, playEverything } from '../../support/mcp/play-everything.ts';
import { openHost } from '../../support/turns/run-hooked.ts';

it('the reference server’s resources, prompts, forms and samplings work', async () => {
  await using host = await openHost();
  const server = await startEverything();
  onTestFinished(() => server[Symbol.dispose]());
  expectEverything(await playEverything(host, server.url));
});

it('what the reference server’s task asks for reaches the person, and the task goes on', async () => {
  const server = await startEverything();
  onTestFinished(() => server[Symbol.dispose]());
  const asked: string[] = [];
  const connection = await connectServer(
    { type: 'http', url: server.url },
    toListeners({
      onQuestion: (question) => {
        if (question.type === 'elicit') asked.push(question.message);
        const result = { action: 'accept', content: { interpretation: 'snake' } } as const;
        return Promise.resolve({ type: 'elicited', result });
      },
    }),
    new AbortController().signal,
    { fetch: createServerFetch((url, init) => fetch(url, init)), bounds: defaultBounds },
  );
  onTestFinished(() => connection.close());
  const result = await connection.call(
    'simulate-research-query',
    { topic: 'python', ambiguous: true },
    { signal: new AbortController().signal, onProgress: () => undefined },
  );
  expect(asked).toEqual([expect.stringContaining('could have multiple interpretations')]);
  expect(result).toMatchObject({
    content: [{ text: expect.stringContaining('# Research Report: python (snake)') }],
  });
});
