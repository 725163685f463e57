// Places whose own session has the id of the one that comes, and in which nothing was said.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadQuickjsWasm } from '#quickjs-wasm';
import { afterAll, assert, beforeAll, expect, it } from 'vitest';
import type { AgentSession } from '../../../src/agent/agent-session.ts';
import { openSession } from '../../../src/agent/open-session.ts';
import { deleteSession } from '../../../src/agent/stored-sessions/manage-sessions.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import type { SessionServer } from '../../../src/server.ts';
import { connectSession } from '../../../src/wire/connect-session.ts';
import { fetchTicket } from '../../../src/wire/fetch-ticket.ts';
import { bringBack } from '../../../src/wire/handover/bring-back.ts';
import { moveSession } from '../../../src/wire/handover/move-session.ts';
import { decodeFrame } from '../../../src/wire/handover/frames.ts';
import { isResult, readUntil, texts } from '../../support/sessions/open-sessions.ts';
import { serveSessions } from '../../support/wire/serve-sessions.ts';
import { createWireModel } from '../../support/wire/wire-model.ts';

let parent: string;
let wasm: WebAssembly.Module;
const servers: SessionServer[] = [];
const errors: unknown[] = [];

beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'rockpool-empty-places-'));
  wasm = await loadQuickjsWasm();
});

afterAll(async () => {
  for (const server of servers) await server[Symbol.asyncDispose]();
  rmSync(parent, { recursive: true, maxRetries: 5 });
  expect(errors).toEqual([]);
});

async function serve(folder = join(parent, String(servers.length))) {
  const { server } = await serveSessions({
    folder,
    wasm,
    session: () => ({
      model: createWireModel(),
      options: { permissionMode: 'bypassPermissions' },
    }),
    onError: (error) => void errors.push(error),
  });
  servers.push(server);
  const { url } = await server.listen({ port: 0 });
  return { server, folder, url: `${url}/sessions/s1/wire` };
}

const by = (url: string) => ({
  ticket: () => fetchTicket(url, { authorization: 'Bearer owner' }),
});

async function say(session: AgentSession, text: string): Promise<void> {
  const { n } = await session.send(text);
  await readUntil(session, isResult, n);
}

const createTab = () => createInlineHost({ loadWasm: () => Promise.resolve(wasm) });

it('a server fetches a session of the same id as its own empty one', async () => {
  const [from, to] = [await serve(), await serve()];
  await say(await from.server.session('s1'), 'Hello.');
  const own = await connectSession(to.url, by(to.url));
  await to.server.bringBack('s1', from.url, by(from.url));
  await say(own, 'And now?');
  const told = await readUntil(own, (message) => texts([message])[0] === 'user: And now?');
  expect(texts(told)).toContain('user: Hello.');
  await own.close();
});

it('a tab fetches a session of the same id as its own empty one', async () => {
  const { url, server } = await serve();
  await say(await server.session('s1'), 'Hello.');
  await using host = await createTab();
  const model = createWireModel();
  await (await openSession({ host, model, sessionId: 's1' })).close();
  expect(await bringBack(url, { host, ...by(url) })).toEqual({ sessionId: 's1' });
  const session = await openSession({ host, model, resume: 's1' });
  await say(session, 'And now?');
  await session.close();
});

it('a session comes to a place that somebody has looked at before', async () => {
  const { url } = await serve();
  const looking = await connectSession(url, by(url));
  await looking.supportedCommands();
  await using host = await createTab();
  const session = await openSession({ host, model: createWireModel(), sessionId: 's1' });
  await say(session, 'Hello.');
  const there = await session.moveTo(url, by(url));
  await say(there, 'And now?');
  const told = await readUntil(looking, (message) => texts([message])[0] === 'user: And now?');
  expect(texts(told)).toContain('user: Hello.');
  await there.close();
  await looking.close();
});

it('who uses a place while a session of its own id is on its way there gets that one', async () => {
  const { url, server } = await serve();
  await (await connectSession(url, by(url))).close();
  await using host = await createTab();
  const session = await openSession({ host, model: createWireModel(), sessionId: 's1' });
  await say(session, 'Hello.');
  let used: Promise<AgentSession> | undefined;
  const using: typeof fetch = async (asked, init) => {
    const { fields } = await decodeFrame(init?.body as Uint8Array<ArrayBuffer>);
    const answer = await fetch(asked, init);
    if (fields['type'] === 'offer') used = server.session('s1');
    return answer;
  };
  await moveSession('s1', url, { host, ...by(url), fetch: using });
  const there = await used;
  assert(there);
  expect(texts(await readUntil(there, isResult))).toContain('user: Hello.');
  await session.close();
});

it('a place goes on with its own session after a move of one by the same id was called off', async () => {
  const { url, server, folder } = await serve();
  await using host = await createTab();
  const session = await openSession({ host, model: createWireModel(), sessionId: 's1' });
  await say(session, 'Hello.');
  const stop = new AbortController();
  const stopping: typeof fetch = async (asked, init) => {
    const { fields } = await decodeFrame(init?.body as Uint8Array<ArrayBuffer>);
    const answer = await fetch(asked, init);
    if (fields['type'] === 'offer') stop.abort();
    return answer;
  };
  const how = { host, ...by(url), fetch: stopping, signal: stop.signal };
  await expect(moveSession('s1', url, how)).rejects.toMatchObject({ code: 'aborted' });
  const there = await connectSession(url, by(url));
  await say(there, 'Hello there.');
  await there.close();
  await server[Symbol.asyncDispose]();
  const next = (await serve(folder)).url;
  const again = await connectSession(next, by(next));
  await say(again, 'Hello again.');
  await again.close();
  await session.close();
});

it('a session that was deleted here does not run here while only a part of it is back', async () => {
  const { url } = await serve();
  await using host = await createTab();
  const model = createWireModel();
  const session = await openSession({ host, model, sessionId: 's1' });
  // More than one message has.
  const content = ['long '.repeat(900_000), 'Hello.'].map(
    (text) => ({ type: 'text', text }) as const,
  );
  const message = { role: 'user', content } as const;
  const { n } = await session.send({ type: 'user', message, parent_tool_use_id: null });
  await readUntil(session, isResult, n);
  await (await session.moveTo(url, by(url))).close();
  await deleteSession('s1', { host });
  let parts = 0;
  const cut: typeof fetch = async (asked, init) => {
    const { fields } = await decodeFrame(init?.body as Uint8Array<ArrayBuffer>);
    if (fields['type'] === 'read-journal') parts += 1;
    const error = { code: 'ENOSPC', name: 'SdkError', message: 'It is full.', data: {} };
    return parts > 1 ? Response.json({ error }, { status: 507 }) : fetch(asked, init);
  };
  const bringing = bringBack(url, { host, ...by(url), fetch: cut });
  await expect(bringing).rejects.toThrow('It is full.');
  const opening = openSession({ host, model, resume: 's1' });
  await expect(opening).rejects.toMatchObject({ data: { movedAway: url } });
  expect(await bringBack(url, { host, ...by(url) })).toEqual({ sessionId: 's1' });
  await (await openSession({ host, model, resume: 's1' })).close();
});
