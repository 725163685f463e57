// Parts of a conversation whose objects are gone from the bucket: the session opens, and says what is missing.
import { env } from 'cloudflare:workers';
import { runInDurableObject } from 'cloudflare:test';
import wasm from 'quickjs-wasi/quickjs.wasm';
import { expect, it } from 'vitest';
import { createSessionObject } from '../../src/edge.ts';
import type { SessionWire } from '../../src/hosts/edge/object/session-wire.ts';
import type { ServedFiles } from '../../src/wire/feed-client.ts';
import type { SDKMessage, SDKUserMessage } from '../../src/core/messages/sdk-message.ts';
import { ringByHand } from '../support/hand-rung.ts';
import { makePng } from '../support/make-png.ts';
import { readUntil, texts } from '../support/open-sessions.ts';
import { asks, listModel, says } from '../support/play-turns.ts';
import { watchBucket } from '../support/watched-bucket.ts';

const user = { kind: 'user' } as const;

it('a picture whose object is gone is named in its place, and is back with the object', async () => {
  await runInDurableObject(env.STORE.getByName('a gone picture'), async (_instance, state) => {
    const { ctx, at } = ringByHand(state as unknown as DurableObjectState);
    const bucket = watchBucket(env.CONTENTS);
    const model = listModel('claude-test', [
      says('One.'),
      asks({ type: 'tool_use', id: 'look', name: 'Read', input: { file_path: 'seen.png' } }),
      says('Two.'),
      says('Three.'),
      says('Four.'),
    ]);
    let files: () => Promise<ServedFiles> = () => Promise.reject(new Error('No files yet.'));
    const object = createSessionObject(ctx, {
      wasm,
      model,
      contents: { bucket, cacheBytes: 0 },
      wire(_session, served) {
        files = served;
        return silentWire;
      },
    });
    const session = await object.session();
    const turn = async (prompt: string | SDKUserMessage) => {
      await session.send(prompt);
      while ((at() ?? Infinity) <= Date.now()) await object.alarm();
    };
    const sent = await makePng(700, 700, 'noise');
    const seen = await makePng(640, 800, 'noise');
    await turn(toPrompt(sent));
    const served = await files();
    const written = { mode: 0o644, mtimeMs: 0, baseVersion: 0 };
    const change = {
      type: 'write',
      path: '/workspace/seen.png',
      content: seen,
      ...written,
    } as const;
    await served.commit({ baseSeq: served.state.seq, changes: [change] }, { author: user });
    await turn('Look at it.');
    await object.release();
    const prefix = `rockpool/contents/${state.id}/`;
    const { objects } = await env.CONTENTS.list({ prefix });
    const copies = await Promise.all(
      objects.map(async ({ key }) => [key, await (await env.CONTENTS.get(key))?.bytes()] as const),
    );
    bucket.mood = 'down';
    await expect(object.session()).rejects.toThrow('failed to give a large file');
    bucket.mood = 'well';
    await env.CONTENTS.delete(objects.map(({ key }) => key));

    await turn('Go on.');
    const isDone = (message: SDKMessage) => texts([message])[0] === 'assistant: Three.';
    const told = await readUntil(session, isDone);
    const gone: unknown = expect.stringMatching(
      /An image is missing here\. EIO: these bytes are gone: /,
    );
    expect(texts(told)).toEqual([
      gone,
      'assistant: One.',
      'user: Look at it.',
      'assistant: tool_use',
      'user: tool_result',
      'assistant: Two.',
      'user: Go on.',
      'assistant: Three.',
    ]);
    const text = { type: 'text', text: gone };
    const result = { type: 'tool_result', tool_use_id: 'look', content: [text] };
    const { messages = [] } = model.requests.at(-1) ?? {};
    expect(messages).toContainEqual({ role: 'user', content: [text] });
    expect(messages).toContainEqual({ role: 'user', content: [result] });
    expect(told.some((message) => 'tool_use_result' in message)).toBe(false);
    await object.release();

    for (const [key, bytes] of copies) await env.CONTENTS.put(key, bytes ?? '');
    await turn('And now?');
    expect(model.requests.at(-1)?.messages).toContainEqual(toPrompt(sent).message);
    await object.release();
  });
}, 60_000);

const silentWire: SessionWire = {
  fetch: async () => undefined,
  webSocketMessage: async () => false,
  webSocketClose: async () => false,
  webSocketError: async () => false,
};

/** So large that its text is a content of its own in the bucket. */
function toPrompt(png: Uint8Array): SDKUserMessage {
  const data = Buffer.from(png).toString('base64');
  const source = { type: 'base64', media_type: 'image/png', data } as const;
  const message = { role: 'user', content: [{ type: 'image', source }] } as const;
  return { type: 'user', message, parent_tool_use_id: null };
}
