// A session that was moved to a server, and left there for a new one by /clear: it comes back with that one.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadQuickjsWasm } from '#quickjs-wasm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AgentSession } from '../../../src/agent/agent-session.ts';
import { openSession } from '../../../src/agent/open-session.ts';
import { deleteSession } from '../../../src/agent/stored-sessions/manage-sessions.ts';
import { getSessionInfo } from '../../../src/agent/stored-sessions/session-info.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { createEdgeHost } from '../../../src/edge.ts';
import { openSqliteStorage } from '../../../src/server.ts';
import type { SessionServer } from '../../../src/server.ts';
import { connectSession } from '../../../src/wire/connect-session.ts';
import { fetchTicket } from '../../../src/wire/fetch-ticket.ts';
import { bringBack } from '../../../src/wire/handover/bring-back.ts';
import { decodeFrame } from '../../../src/wire/handover/frames.ts';
import { atOnce } from '../../support/wire/moving-places.ts';
import { isResult, readUntil, texts } from '../../support/sessions/open-sessions.ts';
import { serveSessions } from '../../support/wire/serve-sessions.ts';
import { createWireModel } from '../../support/wire/wire-model.ts';

let parent: string;
let wasm: WebAssembly.Module;
const servers: SessionServer[] = [];
const errors: unknown[] = [];
const options = { model: createWireModel(), permissionMode: 'bypassPermissions' } as const;

beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'rockpool-left-sessions-'));
  wasm = await loadQuickjsWasm();
});

afterAll(async () => {
  for (const server of servers) await server[Symbol.asyncDispose]();
  rmSync(parent, { recursive: true, maxRetries: 5 });
  expect(errors).toEqual([]);
});

async function serve() {
  const folder = join(parent, String(servers.length));
  const { server } = await serveSessions({
    folder,
    wasm,
    session: () => ({ model: options.model, options: { permissionMode: 'bypassPermissions' } }),
    onError: (error) => void errors.push(error),
  });
  servers.push(server);
  const { url } = await server.listen({ port: 0 });
  return { server, url: `${url}/sessions/s1/wire`, file: join(folder, 's1.sqlite') };
}

const by = (url: string) => ({
  ticket: () => fetchTicket(url, { authorization: 'Bearer owner' }),
});

/** The machine may be busy. */
const inTime = { timeout: 240_000 };

async function say(session: AgentSession, text: string): Promise<void> {
  const { n } = await session.send(text);
  await readUntil(session, isResult, n);
}

/** Leaves it by /clear. */
async function clear(there: AgentSession): Promise<void> {
  const { id } = there;
  await there.send('/clear');
  await expect.poll(() => there.id, inTime).not.toBe(id);
}

/** Says something in it, leaves it by /clear, and says something in the new one, whose id it gives. */
async function playThere(url: string): Promise<string> {
  const there = await connectSession(url, by(url));
  await say(there, 'write old');
  await clear(there);
  await say(there, 'two');
  await there.close();
  return there.id;
}

const wroteOld = ['assistant: tool_use', 'user: tool_result', 'assistant: Done.'];

it('comes to the tab that it was moved from, whole, and takes no file back', inTime, async () => {
  const { url } = await serve();
  const host = await createInlineHost({ loadWasm: () => Promise.resolve(wasm) });
  const here = await openSession({ ...options, host, sessionId: 'old' });
  await say(here, 'Hello.');
  await (await here.moveTo(url, by(url))).close();
  const id = await playThere(url);

  const failing: typeof fetch = async (address, init) => {
    const { fields } = await decodeFrame(init?.body as Uint8Array<ArrayBuffer>);
    const error = { code: 'ENOSPC', name: 'SdkError', message: 'It is full.', data: {} };
    const fails = fields['session'] === 'old' && fields['type'] === 'leave';
    return fails ? Response.json({ error }, { status: 507 }) : fetch(address, init);
  };
  await expect(bringBack(url, { host, ...by(url), fetch: failing })).rejects.toMatchObject({
    code: 'ENOSPC',
    message: `The session ${id} is here now. The session old, which /clear has left there, could not be fetched: It is full. Call bringBack again for it.`,
    data: { broughtBack: id, left: 'old' },
  });
  expect((await getSessionInfo('old', { host }))?.movedAway).toBe(url);
  // Given away, and nobody hears of it.
  let isLost = false;
  const losing: typeof fetch = async (address, init) => {
    const { fields } = await decodeFrame(init?.body as Uint8Array<ArrayBuffer>);
    const response = isLost ? undefined : await fetch(address, init);
    isLost ||= fields['session'] === 'old' && fields['type'] === 'release';
    if (isLost || !response) throw new TypeError('The connection is lost.');
    return response;
  };
  await expect(
    bringBack(url, { host, ...by(url), fetch: losing, clock: atOnce }),
  ).rejects.toMatchObject({ code: 'worker-lost', data: { left: 'old' } });
  // What is done here meanwhile isn't taken back.
  await host.workspace.fs.rm('/workspace/a.txt');
  expect(await bringBack(url, { host, ...by(url) })).toEqual({ sessionId: id });
  expect(await host.workspace.fs.readdir('/workspace')).toEqual(['one.txt', 'two.txt']);

  const old = await openSession({ ...options, host, resume: 'old' });
  const { n: again } = await old.send('Again.');
  const read = await readUntil(old, (message) => isResult(message) && (message.n ?? 0) > again);
  expect(texts(read).filter((text) => !text.includes('/clear'))).toEqual([
    ...['user: Hello.', 'assistant: Hello.', 'user: write old', ...wroteOld],
    ...['user: Again.', 'assistant: Again.'],
  ]);
  await old.close();
  await expect(bringBack(url, { host, ...by(url) })).rejects.toThrow(`${id} is here already`);
  await host[Symbol.asyncDispose]();
});

it('the new one comes where the one before it was deleted meanwhile', inTime, async () => {
  const { url } = await serve();
  await using host = await createInlineHost({ loadWasm: () => Promise.resolve(wasm) });
  const here = await openSession({ ...options, host, sessionId: 'old' });
  await say(here, 'write before');
  await (await here.moveTo(url, by(url))).close();
  const id = await playThere(url);
  await deleteSession('old', { host });
  expect(await bringBack(url, { host, ...by(url) })).toEqual({ sessionId: id });
  // What the two had in common is still known: nothing was changed on both sides.
  expect(await host.workspace.fs.readFile('/workspace/a.txt', 'utf8')).toBe('old');
  const again = await openSession({ ...options, host, resume: id });
  await say(again, 'three');
  await again.close();
});

it('comes to the server that has moved it to another one', inTime, async () => {
  const [near, far] = [await serve(), await serve()];
  const client = await connectSession(near.url, by(near.url));
  await say(client, 'Hello.');
  await near.server.moveTo('s1', far.url, by(far.url));
  const id = await playThere(far.url);
  expect(await near.server.bringBack('s1', far.url, by(far.url))).toEqual({ sessionId: id });
  const files = await client.followFiles();
  expect(await files.fs.readFile('/workspace/two.txt', 'utf8')).toBe('2');
  await client.close();
  await near.server[Symbol.asyncDispose]();
  using storage = await openSqliteStorage(near.file);
  await using host = await createEdgeHost({ wasm, storage });
  expect(await getSessionInfo('s1', { host })).not.toHaveProperty('movedAway');
});

it.each([
  { clears: 1, way: 'directly' },
  { clears: 2, way: 'directly' },
  { clears: 1, way: 'by another server' },
  { clears: 2, way: 'by another server' },
] as const)(
  'brings what was changed and removed there, after $clears times /clear, $way',
  inTime,
  async ({ clears, way }) => {
    const [near, far] = [await serve(), await serve()];
    await using host = await createInlineHost({ loadWasm: () => Promise.resolve(wasm) });
    const { fs } = host.workspace;
    for (const name of ['a', 'gone', 'mine']) await fs.writeFile(`/workspace/${name}.txt`, 'here');
    const here = await openSession({ ...options, host, sessionId: 'old' });
    await say(here, 'Hello.');
    const there = await here.moveTo(near.url, by(near.url));
    await say(there, "cell fs.writeFileSync('a.txt', 'there'); fs.rmSync('gone.txt')");
    for (let times = 0; times < clears; times += 1) await clear(there);
    await say(there, 'two');
    const { id } = there;
    await there.close();
    await fs.writeFile('/workspace/mine.txt', 'changed here');
    if (way === 'by another server') {
      await near.server.moveTo('s1', far.url, by(far.url));
      await expect(bringBack(near.url, { host, ...by(near.url) })).rejects.toThrow(
        `it was moved on from there. Bring it back from where it runs. Then call bringBack for ${near.url} again`,
      );
      expect(await bringBack(far.url, { host, ...by(far.url) })).toEqual({ sessionId: id });
      expect((await getSessionInfo('old', { host }))?.movedAway).toBe(near.url);
    }
    expect(await bringBack(near.url, { host, ...by(near.url) })).toEqual({ sessionId: id });
    expect(await getSessionInfo('old', { host })).not.toHaveProperty('movedAway');
    const names = await fs.readdir('/workspace');
    const contents = names.map((name) => fs.readFile(`/workspace/${name}`, 'utf8'));
    expect([names, await Promise.all(contents)]).toEqual([
      ['a.txt', 'mine.txt', 'one.txt', 'two.txt'],
      ['there', 'changed here', '1', '2'],
    ]);
  },
);
