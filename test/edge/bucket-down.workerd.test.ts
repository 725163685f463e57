// A bucket for large contents that is down or silent: what a stream, and so a session, does meanwhile.
import { env } from 'cloudflare:workers';
import { runInDurableObject } from 'cloudflare:test';
import wasm from 'quickjs-wasi/quickjs.wasm';
import { describe, expect, it, vi } from 'vitest';
import { createSessionObject } from '../../src/edge.ts';
import { createDeferred } from '../../src/core/async/deferred.ts';
import type { SDKMessage, SDKUserMessage } from '../../src/core/messages/sdk-message.ts';
import type { Model } from '../../src/model/model.ts';
import { areSame, patternOf } from '../contract/log-medium.contract.ts';
import { inPlace } from './contents-place.ts';
import { ringByHand } from '../support/edge/hand-rung.ts';
import { makePng } from '../support/files/make-png.ts';
import { readUntil, texts } from '../support/sessions/open-sessions.ts';
import { listModel, says } from '../support/turns/play-turns.ts';
import { watchBucket } from '../support/edge/watched-bucket.ts';

const user = { kind: 'user' } as const;
const path = '/workspace/large.bin';
const five = patternOf(5_000_000);

describe('a bucket', () => {
  it('that is down takes nothing of a stream: that stands in the database, and files wait for the bucket', async () => {
    await inPlace('streams', async ({ bucket, open, keys }) => {
      const host = await open();
      const { streams } = host.workspace;
      const content = patternOf(3_000_000);
      const entries = [{ value: { a: 1 }, contents: [content] }];
      bucket.mood = 'down';
      expect(await streams.append('journal', entries, { at: 0 })).toEqual({ length: 1 });
      const append = { stream: 'journal', at: 1, entries };
      const written = { mode: 0o644, mtimeMs: 0, baseVersion: 0 };
      const changes = [{ type: 'write', path, content: five, ...written }] as const;
      const both = host.workspace.commit({ baseSeq: 0, changes }, { author: user, append });
      await expect(both).rejects.toThrow('failed to take a large file');
      expect(await host.workspace.fs.readdir('/workspace')).toEqual([]);
      const next = await open({ keepMs: 0 });
      const read = async () => {
        for await (const { contents = [] } of next.workspace.streams.read('journal')) {
          for (const id of contents) {
            expect(areSame(await next.workspace.streams.readContent(id), content)).toBe(true);
          }
        }
      };
      await read();
      bucket.mood = 'well';
      await next.workspace.streams.append('journal', entries, { at: 1 });
      await read();
      expect(await keys()).toHaveLength(1);
      await next[Symbol.asyncDispose]();
    });
  });

  it('that is silent is given up after a minute', async () => {
    await inPlace('silent', async ({ bucket, open, keys }) => {
      const host = await open();
      bucket.mood = 'late';
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      try {
        const writing = host.workspace.fs.writeFile(path, five);
        const refused = expect(writing).rejects.toThrow('it has not answered for 60 s');
        const entries = [{ value: 1, contents: [patternOf(1_500_000)] }];
        const appended = host.workspace.streams.append('journal', entries, { at: 0 });
        await vi.waitUntil(() => bucket.asked.length === 2, { timeout: 240_000 });
        await vi.advanceTimersByTimeAsync(61_000);
        await refused;
        expect(await appended).toEqual({ length: 1 });
      } finally {
        vi.useRealTimers();
      }
      // Both are there all the same, and go as anything that nothing refers to.
      bucket.mood = 'well';
      await expect.poll(keys).toHaveLength(2);
      await host.workspace.fs.writeFile(path, five);
      const next = await open({ keepMs: 0 });
      await next[Symbol.asyncDispose]();
      expect(await keys()).toEqual([expect.stringMatching(/-3$/)]);
    });
  });
});

it('a session whose bucket is down goes on with its turn when a picture is sent, and has the picture', async () => {
  await runInDurableObject(
    env.STORE.getByName('a picture while the bucket is down'),
    async (_instance, state) => {
      const { ctx, at } = ringByHand(state as unknown as DurableObjectState);
      const bucket = watchBucket(env.CONTENTS);
      const replies = listModel('claude-test', [says('One.'), says('Two.')]);
      const { promise: asked, resolve: ask } = createDeferred();
      const { promise: answered, resolve: answer } = createDeferred();
      const slow: Model = {
        ...replies,
        async *stream(...request) {
          ask();
          await answered;
          yield* replies.stream(...request);
        },
      };
      const contents = { bucket, cacheBytes: 0 };
      const object = createSessionObject(ctx, { wasm, model: slow, contents });
      const session = await object.session();
      await session.send('First.');
      const ringing = (async () => {
        while ((at() ?? Infinity) <= Date.now()) await object.alarm();
      })();
      await asked;
      bucket.mood = 'down';
      const prompt = await picturePrompt();
      await session.send(prompt);
      answer();
      await ringing;
      // The first one was not asked for anew.
      expect(replies.requests).toHaveLength(2);
      expect(replies.requests[1]?.messages).toContainEqual(prompt.message);
      expect(bucket.asked).toContain('put');
      await object.release();

      const isLast = (message: SDKMessage) => texts([message])[0] === 'assistant: Two.';
      const told = await readUntil(await object.session(), isLast);
      const said = ['user: First.', 'assistant: One.', 'user: image', 'assistant: Two.'];
      expect(texts(told)).toEqual(said);
      expect(told).toContainEqual(expect.objectContaining({ message: prompt.message }));
      await object.release();
    },
  );
});

/** So large that its text is a content of its own in the bucket. */
async function picturePrompt(): Promise<SDKUserMessage> {
  const data = Buffer.from(await makePng(700, 700, 'noise')).toString('base64');
  expect(data.length).toBeGreaterThan(500_000);
  const source = { type: 'base64', media_type: 'image/png', data } as const;
  const message = { role: 'user', content: [{ type: 'image', source }] } as const;
  return { type: 'user', message, parent_tool_use_id: null };
}
