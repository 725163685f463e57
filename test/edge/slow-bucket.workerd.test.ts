// A session whose bucket for large contents is slow: it isn't released while something is on its way there.
import { env } from 'cloudflare:workers';
import { runInDurableObject } from 'cloudflare:test';
import wasm from 'quickjs-wasi/quickjs.wasm';
import { expect, it, vi } from 'vitest';
import { createSessionObject } from '../../src/edge.ts';
import type { SessionWire } from '../../src/hosts/edge/object/session-wire.ts';
import type { ServedFiles } from '../../src/wire/feed-client.ts';
import { wireProtocol } from '../../src/wire/protocol.ts';
import { serveSession } from '../../src/wire/serve-session.ts';
import type { KeptClient } from '../../src/wire/serve-session.ts';
import { ringByHand } from '../support/edge/hand-rung.ts';
import { readUntil, texts } from '../support/sessions/open-sessions.ts';
import { listModel, says } from '../support/turns/play-turns.ts';
import { watchBucket } from '../support/edge/watched-bucket.ts';

it('a session rests when all that it has told is stored', async () => {
  await runInDurableObject(env.STORE.getByName('a slow bucket'), async (_instance, state) => {
    const { ctx, at } = ringByHand(state as unknown as DurableObjectState);
    const bucket = watchBucket(env.CONTENTS);
    let arrive = () => {};
    let hasRested = false;
    const storage = {
      ...ctx.storage,
      async sync() {
        // The session is about to be released.
        hasRested = true;
        await ctx.storage.sync();
      },
    };
    // Noise, so that it is large when it is compressed, too.
    const long = Buffer.from(crypto.getRandomValues(new Uint8Array(65_536))).toString('hex');
    const model = listModel('claude-test', [says(long), says('Two.')]);
    const object = createSessionObject(
      { id: ctx.id, storage },
      {
        wasm,
        model,
        contents: { bucket, cacheBytes: 0, minBytes: 65_536 },
      },
    );
    const session = await object.session();
    const turn = async (prompt: string) => {
      await session.send(prompt);
      while ((at() ?? Infinity) <= Date.now()) await object.alarm();
    };
    bucket.before = new Promise((resolve) => (arrive = resolve));
    const first = turn('First.');
    await readUntil(session, (message) => message.type === 'result');
    // What is told by now waits for the bucket, and the session with it.
    await new Promise((resolve) => setTimeout(resolve));
    expect(hasRested).toBe(false);
    arrive();
    await first;
    await turn('Second.');
    // The first turn was not played again.
    expect(model.requests).toHaveLength(2);
    const told = await readUntil(session, (message) => texts([message])[0] === 'assistant: Two.');
    expect(texts(told)).toEqual([
      'user: First.',
      `assistant: ${long}`,
      'user: Second.',
      'assistant: Two.',
    ]);
    await object.release();
  });
}, 60_000);

it('a client is told of what is stored, and of a mode that is', async () => {
  await runInDurableObject(env.STORE.getByName('a slow client'), async (_instance, state) => {
    const { ctx } = ringByHand(state as unknown as DurableObjectState);
    const bucket = watchBucket(env.CONTENTS);
    let arrive = () => {};
    const long = Buffer.from(crypto.getRandomValues(new Uint8Array(65_536))).toString('hex');
    const model = listModel('claude-test', [says(long)]);
    const contents = { bucket, cacheBytes: 0, minBytes: 65_536 };
    const object = createSessionObject(ctx, { wasm, model, contents });
    const session = await object.session();
    using server = serveSession({ open: async () => session });
    let told = 0;
    const socket = {
      send: () => {},
      close: () => {},
      keep: (client: KeptClient) => void (told = client.told),
    };
    server.join(socket, { owner: 'ann', role: 'owner' });
    const hello = { type: 'hello', protocol: wireProtocol, after: 0 };
    await server.receive(socket, JSON.stringify(hello));
    bucket.before = new Promise((resolve) => (arrive = resolve));
    const { n: prompt } = await session.send('First.');
    const turn = object.alarm();
    const messages = await readUntil(session, (message) => message.type === 'result');
    const end = messages.at(-1)?.n ?? 0;
    const reply = messages.find((message) => message.type === 'assistant')?.n ?? 0;
    expect(reply).toBeGreaterThan(prompt);
    // A kill would undo the reply now, and what comes behind it.
    let isSet = false;
    const setting = session.setPermissionMode('plan').then(() => (isSet = true));
    await new Promise((resolve) => setTimeout(resolve));
    expect(told).toBeGreaterThanOrEqual(prompt);
    expect(told).toBeLessThan(reply);
    expect(isSet).toBe(false);
    arrive();
    await setting;
    await turn;
    await vi.waitUntil(() => told >= end);
    await object.release();
  });
}, 60_000);

it('a session rests when the file that a client writes is stored', async () => {
  await runInDurableObject(env.STORE.getByName('a slow file'), async (_instance, state) => {
    const { ctx, at } = ringByHand(state as unknown as DurableObjectState);
    const bucket = watchBucket(env.CONTENTS);
    let arrive = () => {};
    bucket.before = new Promise((resolve) => (arrive = resolve));
    let files: () => Promise<ServedFiles> = () => Promise.reject(new Error('No files yet.'));
    let written: Promise<unknown> | undefined;
    let hasSynced = false;
    const write = async () => {
      const change = { type: 'write', path: '/workspace/large.bin', baseVersion: 0 } as const;
      const content = crypto.getRandomValues(new Uint8Array(65_536));
      const served = await files();
      const changes = [{ ...change, content, mode: 0o644, mtimeMs: 0 }];
      return served.commit({ baseSeq: served.state.seq, changes }, { author: { kind: 'user' } });
    };
    const storage = {
      ...ctx.storage,
      async sync() {
        // The session is about to be released.
        written ??= write();
        written.catch(() => undefined);
        await vi.waitUntil(() => bucket.asked.includes('put'));
        await ctx.storage.sync();
        hasSynced = true;
      },
    };
    const object = createSessionObject(
      { id: ctx.id, storage },
      {
        wasm,
        model: listModel('claude-test', [says('One.')]),
        contents: { bucket, minBytes: 65_536 },
        wire(_session, served) {
          files = served;
          return silentWire;
        },
      },
    );
    await (await object.session()).send('First.');
    const ringing = (async () => {
      while ((at() ?? Infinity) <= Date.now()) await object.alarm();
    })();
    await vi.waitUntil(() => hasSynced);
    // A session that nobody holds is released by now.
    for (const _turn of [1, 2]) await new Promise((resolve) => setTimeout(resolve));
    arrive();
    await expect(written).resolves.toBeDefined();
    await ringing;
    await object.release();
  });
}, 60_000);

const silentWire: SessionWire = {
  fetch: async () => undefined,
  webSocketMessage: async () => false,
  webSocketClose: async () => false,
  webSocketError: async () => false,
};
