// A session that is kept in the storage of a real Durable Object, and goes on after the object was evicted.
import { env } from 'cloudflare:workers';
import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import wasm from 'quickjs-wasi/quickjs.wasm';
import { expect, it } from 'vitest';
import { createEdgeHost } from '../../src/edge.ts';
import { openSession } from '../../src/agent/open-session.ts';
import {
  isResult,
  kept,
  readUntil,
  silentModel,
  texts,
} from '../support/sessions/open-sessions.ts';
import { asks, listModel, says } from '../support/turns/play-turns.ts';

it('goes on in mid-turn over the storage of a Durable Object that was evicted', async () => {
  const object = env.STORE.getByName('open session');
  const options = { sessionId: 's1', permissionMode: 'bypassPermissions' } as const;
  const input = { file_path: '/workspace/a.txt', content: 'kept' };
  const told = await runInDurableObject(object, async (_instance, { storage }) => {
    // Neither is closed: an eviction doesn't ask.
    const host = await createEdgeHost({ wasm, storage });
    const writes = listModel('claude-test', [
      asks({ type: 'tool_use', id: 'c1', name: 'Write', input }),
    ]);
    const model = {
      ...writes,
      stream: (...args: Parameters<typeof writes.stream>) =>
        (writes.requests.length === 0 ? writes : silentModel).stream(...args),
    };
    const session = await openSession({ ...options, host, model });
    await session.send('Write it.');
    const isWritten = ({ type, n = 0 }: { type: string; n?: number }) => type === 'user' && n > 6;
    return kept(await readUntil(session, isWritten));
  });
  await evictDurableObject(object);
  await runInDurableObject(object, async (_instance, { storage }) => {
    const host = await createEdgeHost({ wasm, storage });
    const model = listModel('claude-test', [says('Done.')]);
    const session = await openSession({ host, model, resume: 's1' });
    const after = kept(await readUntil(session, isResult));
    expect(after.slice(0, told.length)).toEqual(told);
    expect(texts(after).slice(-2)).toEqual(['user: tool_result', 'assistant: Done.']);
    expect(await host.workspace.fs.readFile('/workspace/a.txt', 'utf8')).toBe('kept');
    await session.close();
    await host[Symbol.asyncDispose]();
  });
});
