// The protocol's reference server, as an isolate has it: the same client, on the agent's own thread.
import { env } from 'cloudflare:workers';
import wasm from 'quickjs-wasi/quickjs.wasm';
import { expect, it } from 'vitest';
import { createEdgeHost } from '../../src/edge.ts';
import { expectEverything, playEverything } from '../support/play-everything.ts';

it('reads, asks, completes, samples and stops a task of a server elsewhere', async () => {
  // vitest.config.ts starts it for whoever asks.
  const { EVERYTHING } = env as unknown as { readonly EVERYTHING: { fetch: typeof fetch } };
  const url = await (await EVERYTHING.fetch('http://everything/')).text();
  const host = await createEdgeHost({ wasm, mcp: {} });
  expectEverything(expect, await playEverything(host, url));
});
