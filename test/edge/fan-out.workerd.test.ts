// Calls that are sent to real Durable Objects. Each object is its own isolate as far as workerd
// tells, with nothing shared but what crosses by fetch.
import { env } from 'cloudflare:workers';
import { evictDurableObject } from 'cloudflare:test';
import wasm from 'quickjs-wasi/quickjs.wasm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createEdgeHost, type FanOutOptions } from '../../src/edge.ts';
import { query } from '../../src/agent/query.ts';
import type { ScriptBlock } from '../../src/model/script.ts';
import { createScriptedModel } from '../../src/model/scripted.ts';
import { requestOf } from '../support/stages/work-request.ts';

let sessions = 0;

/** A host whose calls of these tools go to objects of its own. */
async function open(tools: readonly string[], options: Partial<FanOutOptions> = {}) {
  sessions += 1;
  const nameOf = (at: number) => `session-${sessions}-${at}`;
  const stubOf = (at: number) => env.CALLS.getByName(nameOf(at));
  const host = await createEdgeHost({ wasm, fanOut: { tools, isolate: stubOf, ...options } });
  onTestFinished(() => host[Symbol.asyncDispose]());
  let calls = 0;
  return {
    host,
    nameOf,
    stubOf,
    start(toolName: string, onProgress: (progress: unknown) => void = () => {}) {
      calls += 1;
      const request = { ...requestOf(toolName, {}, `call-${calls}`), isStateless: true } as const;
      return host.executor.start(request, onProgress);
    },
  };
}

const callOf = (name: string, input: Record<string, unknown>): ScriptBlock => ({
  type: 'tool_use',
  name,
  input,
});

describe('fan-out to Durable Objects', () => {
  it('searches, reads and runs cells there, over the files as they are, with results in order', async () => {
    const workers: string[] = [];
    const { host } = await open(['Grep', 'Read', 'Repl'], { maxIsolates: 2 });
    await host.workspace.fs.writeFile('/workspace/a.js', 'export const a = 1;\n');
    await host.workspace.fs.writeFile('/workspace/b.js', 'export const b = 2;\n');
    const turns = [
      [
        callOf('Grep', { pattern: 'const', output_mode: 'count' }),
        callOf('Repl', { code: "fs.readFileSync('a.js', 'utf8').length" }),
        callOf('Read', { file_path: 'a.js' }),
      ],
      [callOf('Edit', { file_path: 'a.js', old_string: '1', new_string: '1; // const' })],
      [callOf('Grep', { pattern: '// const', output_mode: 'content' })],
    ];
    const model = createScriptedModel({
      script: {
        turns: [
          ...turns.map((blocks) => ({ blocks })),
          { blocks: [{ type: 'text', text: 'Done.' }] },
        ],
      },
    });
    const texts: string[] = [];
    const conversation = query({
      prompt: 'Go.',
      options: { host, model, permissionMode: 'acceptEdits' },
    });
    for await (const message of conversation) {
      if (message.type !== 'user' || typeof message.message.content === 'string') continue;
      for (const block of message.message.content) {
        if (block.type === 'tool_result') texts.push(String(block['content']));
      }
    }
    conversation.trace.follow((event) => {
      if (event.type === 'call-delta' && event.worker) workers.push(event.worker);
    });
    expect(texts).toEqual([
      expect.stringContaining('a.js:1'),
      '=> 20',
      expect.stringContaining('export const a = 1;'),
      expect.stringContaining('Edited /workspace/a.js'),
      expect.stringContaining('a.js:1:export const a = 1; // const;'),
    ]);
    expect(workers.toSorted()).toEqual(['isolate 1', 'isolate 1', 'isolate 1', 'isolate 2']);
  });

  it('runs as many at once as there are isolates, each in the one with the fewest', async () => {
    const { start, nameOf } = await open(['Hold', 'Where'], { maxIsolates: 3 });
    const held: Promise<unknown>[] = [];
    const calls = [0, 1].map(() => {
      let note: (progress: unknown) => void = () => {};
      held.push(new Promise((resolve) => void (note = resolve)));
      return start('Hold', (progress) => note(progress));
    });
    expect(await Promise.all(held)).toEqual(['held', 'held']);
    expect(await start('Where').reply).toMatchObject({ type: 'done', output: nameOf(2) });
    for (const call of calls) call.kill('The test is over.');
  });

  it('has a call cut there that is interrupted here: closing its request aborts it', async () => {
    const { start } = await open(['Hold', 'Cut'], { maxIsolates: 1 });
    let note: (progress: unknown) => void = () => {};
    const held = new Promise((resolve) => void (note = resolve));
    const call = start('Hold', (progress) => note(progress));
    await held;
    call.interrupt('Enough.');
    expect(await call.reply).toMatchObject({ type: 'failed', error: { code: 'aborted' } });
    // The request's end comes by another way than the next request.
    await expect
      .poll(async () => ((await start('Cut').reply) as { output?: number }).output, {
        timeout: 240_000,
      })
      .toBe(1);
  });

  it('goes on with an object that was evicted, and with one that broke; the call in it is lost', async () => {
    const { host, start, stubOf } = await open(['Where', 'Break'], { maxIsolates: 1 });
    const where = { type: 'done', output: stubOf(0).name };
    await host.workspace.fs.writeFile('/workspace/a.js', '');
    expect(await start('Where').reply).toMatchObject(where);
    await evictDurableObject(stubOf(0));
    expect(await start('Where').reply).toMatchObject(where);
    // workerd says so on its own, too: "uncaught exception".
    expect(await start('Break').reply).toMatchObject({
      type: 'lost',
      message: expect.stringContaining('The isolate that ran Break was lost: It broke.'),
    });
    expect(await start('Where').reply).toMatchObject(where);
  });
});
