// The session's own files in calls that run in other isolates: each has a replica of its own.
import { env } from 'cloudflare:workers';
import wasm from 'quickjs-wasi/quickjs.wasm';
import { expect, it, onTestFinished } from 'vitest';
import { createEdgeHost } from '../../src/edge.ts';
import { expectedOfSpill, readSpill } from '../support/turns/spilled-result.ts';

it('reads and searches a spilled result in a Durable Object', async () => {
  const tools = ['Read', 'Grep', 'Glob'];
  const isolate = (at: number) => env.CALLS.getByName(`session-files-${at}`);
  const host = await createEdgeHost({ wasm, fanOut: { tools, isolate } });
  onTestFinished(() => host[Symbol.asyncDispose]());
  await host.workspace.fs.writeFile('/workspace/a.txt', 'one\n');
  expect(await readSpill(host)).toEqual(expectedOfSpill);
});
