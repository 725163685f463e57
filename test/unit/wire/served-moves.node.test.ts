// A server of sessions as a place that they are moved to and from: by tabs, and by itself, over the loopback. What is
// killed is in killed-moves.node.test.ts.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadQuickjsWasm } from '#quickjs-wasm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSession } from '../../../src/agent/open-session.ts';
import { getSessionInfo } from '../../../src/agent/stored-sessions/session-info.ts';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import type { ServedSessionOptions, SessionServer } from '../../../src/server.ts';
import { connectSession } from '../../../src/wire/connect-session.ts';
import type { ConnectedSession } from '../../../src/wire/connect-session.ts';
import { fetchTicket } from '../../../src/wire/fetch-ticket.ts';
import { bringBack } from '../../../src/wire/handover/bring-back.ts';
import { decodeFrame } from '../../../src/wire/handover/frames.ts';
import { moveSession } from '../../../src/wire/handover/move-session.ts';
import type { WireRole } from '../../../src/wire/protocol.ts';
import { movedSessionContract } from '../../contract/moved-session.contract.ts';
import { atOnce } from '../../support/wire/moving-places.ts';
import { isResult, readUntil, texts } from '../../support/sessions/open-sessions.ts';
import { serveSessions } from '../../support/wire/serve-sessions.ts';
import { createWireModel } from '../../support/wire/wire-model.ts';

let parent: string;
let wasm: WebAssembly.Module;
const servers: SessionServer[] = [];
const errors: unknown[] = [];

beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'rockpool-served-moves-'));
  wasm = await loadQuickjsWasm();
});

afterAll(async () => {
  for (const server of servers) await server[Symbol.asyncDispose]();
  rmSync(parent, { recursive: true, maxRetries: 5 });
  expect(errors).toEqual([]);
});

async function serve(options: Partial<ServedSessionOptions> = {}) {
  const served = await serveSessions({
    folder: join(parent, String(servers.length)),
    wasm,
    session: () => ({ model: createWireModel(), ...options }),
    onError: (error) => void errors.push(error),
  });
  servers.push(served.server);
  const { url } = await served.server.listen({ port: 0 });
  return { server: served.server, toWire: (id: string) => `${url}/sessions/${id}/wire` };
}

const toTicket = (url: string, role: WireRole = 'owner') =>
  fetchTicket(url, { authorization: `Bearer ${role}` });

const by = (url: string, role: WireRole = 'owner') => ({ ticket: () => toTicket(url, role) });

const connect = (url: string) => connectSession(url, by(url));

const collect = (session: ConnectedSession): SDKMessage[] => {
  const told: SDKMessage[] = [];
  void (async () => {
    for await (const message of session.messages()) told.push(message);
  })();
  return told;
};

const inTime = { timeout: 240_000 };

/** A session of a tab in which something was said. */
async function openTab(sessionId: string) {
  const host = await createInlineHost({ loadWasm: () => Promise.resolve(wasm) });
  const session = await openSession({ host, model: createWireModel(), sessionId });
  const { n } = await session.send('Hello.');
  await readUntil(session, isResult, n);
  return { host, session };
}

movedSessionContract('a server', async () => ({ address: (await serve()).toWire('moved') }));

describe('a server that a session is moved to', () => {
  it('takes it of its owner alone, with a ticket, and where its quota has room', async () => {
    const reason = 'You have 50 sessions, as many as you may.';
    const { toWire } = await serve({
      directory: {
        register: async ({ id }) =>
          id === 'full' ? { allowed: false, reason } : { allowed: true },
        beginTurn: async () => ({ allowed: true }),
        endTurn: async () => undefined,
      },
    });
    const { host, session } = await openTab('asked');
    const moves: [string, () => string | Promise<string>, object][] = [
      ['s1', () => 'forged', { code: 'permission-denied' }],
      [
        's1',
        () => toTicket(toWire('s1'), 'views'),
        { code: 'permission-denied', message: 'Only the owner of a session moves it.' },
      ],
      ['full', () => toTicket(toWire('full')), { code: 'limit-exceeded', message: reason }],
    ];
    for (const [id, ticket, refusal] of moves) {
      await expect(session.moveTo(toWire(id), { ticket })).rejects.toMatchObject(refusal);
    }
    await (await session.moveTo(toWire('s1'), by(toWire('s1')))).close();
    await host[Symbol.asyncDispose]();
  });

  it.each([true, false])(
    'takes over what was allowed where it says so: %s',
    async (acceptRules) => {
      const { toWire } = await serve({ moves: { acceptRules } });
      const { host, session } = await openTab('ruled');
      await session.setPermissionMode('bypassPermissions');
      const url = toWire('s1');
      const there = await session.moveTo(url, by(url));
      const { n } = await there.send('write ruled');
      if (!acceptRules) {
        await expect.poll(() => there.questions().length, inTime).toBe(1);
        await there.answer(there.questions()[0]?.requestId ?? '', { behavior: 'allow' });
      }
      expect(texts(await readUntil(there, isResult, n)).at(-1)).toBe('assistant: Done.');
      await there.close();
      await host[Symbol.asyncDispose]();
    },
  );
});

it('takes one of two sessions that come to the same place at once; the other one stays', async () => {
  const url = (await serve()).toWire('s1');
  const [first, second] = [await openTab('first'), await openTab('second')];
  const between: typeof fetch = async (asked, init) => {
    const { fields } = await decodeFrame(init?.body as Uint8Array<ArrayBuffer>);
    if (fields['type'] === 'take') await (await second.session.moveTo(url, by(url))).close();
    return fetch(asked, init);
  };
  await expect(
    moveSession('first', url, { host: first.host, ...by(url), fetch: between }),
  ).rejects.toThrow('This place has another session, second.');
  expect((await getSessionInfo('first', { host: first.host }))?.movedAway).toBeUndefined();
  const there = await connect(url);
  expect(there.id).toBe('second');
  await there.close();
  for (const { host } of [first, second]) await host[Symbol.asyncDispose]();
});

describe('a server that moves a session itself', () => {
  it('tells those who are connected where it is, and fetches it with all that was done there', async () => {
    const [near, far] = [await serve(), await serve()];
    const [nearUrl, farUrl] = [near.toWire('s1'), far.toWire('s1')];
    const client = await connect(nearUrl);
    const told = collect(client);
    await client.send('write near');
    await expect.poll(() => client.questions().length, inTime).toBe(1);
    await near.server.moveTo('s1', farUrl, by(farUrl));
    await expect
      .poll(() => told.at(-1), inTime)
      .toMatchObject({ subtype: 'session_moved', url: farUrl, is_unsure: false });
    await expect(client.send('Are you there?')).rejects.toThrow(`runs at ${farUrl} now`);
    await expect(near.server.moveTo('s1', farUrl, by(farUrl))).rejects.toThrow('moved already');

    const there = await connect(farUrl);
    await expect.poll(() => there.questions().length, inTime).toBe(1);
    await there.answer(there.questions()[0]?.requestId ?? '', { behavior: 'allow' });
    await readUntil(there, isResult);
    expect(await near.server.bringBack('s1', farUrl, by(farUrl))).toEqual({ sessionId: 's1' });
    // Who stayed connected goes on.
    const { n } = await client.send('And here?');
    expect(texts(await readUntil(client, isResult, n))).toEqual([
      'user: And here?',
      'assistant: And here?',
    ]);
    const files = await client.followFiles();
    expect(await files.fs.readFile('/workspace/a.txt', 'utf8')).toBe('near');
    await client.close();
    await there.close();
  });

  it('fetches none for which its owner has no room, and leaves it where it is', async () => {
    let isFull = false;
    const reason = 'You have 3 turns at once, as many as you may.';
    const admit = async () =>
      isFull ? { allowed: false as const, reason } : { allowed: true as const };
    const directory = { register: admit, beginTurn: admit, endTurn: async () => undefined };
    const [near, far] = [await serve({ directory }), await serve()];
    const farUrl = far.toWire('s1');
    const there = await connect(farUrl);
    await there.send('write far');
    await expect.poll(() => there.questions().length, inTime).toBe(1);
    const filling: typeof fetch = async (url, init) => {
      const { fields } = await decodeFrame(init?.body as Uint8Array<ArrayBuffer>);
      if (fields['type'] === 'leave') isFull = true;
      return fetch(url, init);
    };
    await expect(
      near.server.bringBack('s1', farUrl, { ...by(farUrl), fetch: filling }),
    ).rejects.toMatchObject({ code: 'limit-exceeded', message: reason });
    await expect(near.server.bringBack('s1', farUrl, by(farUrl))).rejects.toThrow(reason);
    await there.answer(there.questions()[0]?.requestId ?? '', { behavior: 'allow' });
    expect(texts(await readUntil(there, isResult)).at(-1)).toBe('assistant: Done.');
    await there.close();
  });

  it('gives a prompt that comes while it fetches a session to that session', async () => {
    const [near, far] = [await serve(), await serve()];
    const [nearUrl, farUrl] = [near.toWire('s2'), far.toWire('s1')];
    const there = await connect(farUrl);
    await there.send('One.');
    await readUntil(there, isResult);
    await there.close();
    const client = await connect(nearUrl);
    await client.getContextUsage();
    let sending: Promise<unknown> | undefined;
    const prompting: typeof fetch = async (url, init) => {
      const { fields } = await decodeFrame(init?.body as Uint8Array<ArrayBuffer>);
      if (fields['type'] === 'leave') sending = client.send('Two.');
      return fetch(url, init);
    };
    await near.server.bringBack('s2', farUrl, { ...by(farUrl), fetch: prompting });
    await sending;
    const isTwo = (message: SDKMessage) => texts([message])[0] === 'assistant: Two.';
    expect(texts(await readUntil(await near.server.session('s2'), isTwo))).toEqual([
      'user: One.',
      'assistant: One.',
      'user: Two.',
      'assistant: Two.',
    ]);
    await client.close();
  });

  it('goes on with it where the move is refused, also in the midst of it', async () => {
    const [near, far] = [await serve(), await serve()];
    const [nearUrl, farUrl] = [near.toWire('s1'), far.toWire('s1')];
    const client = await connect(nearUrl);
    await client.send('write stays');
    await expect.poll(() => client.questions().length, inTime).toBe(1);
    for (const at of ['offer', 'stage', 'take']) {
      const failing: typeof fetch = async (url, init) => {
        const { fields } = await decodeFrame(init?.body as Uint8Array<ArrayBuffer>);
        const error = { code: 'ENOSPC', name: 'SdkError', message: 'It is full.', data: {} };
        return fields['type'] === at ? Response.json({ error }, { status: 507 }) : fetch(url, init);
      };
      await expect(
        near.server.moveTo('s1', farUrl, { ...by(farUrl), fetch: failing }),
      ).rejects.toThrow('It is full.');
      expect(await near.server.settleMove('s1', by(farUrl))).toEqual({ isHere: true });
    }
    await client.answer(client.questions()[0]?.requestId ?? '', { behavior: 'allow' });
    expect(texts(await readUntil(client, isResult)).at(-1)).toBe('assistant: Done.');
    await client.close();
  });

  it('answers nobody else meanwhile, and leaves one that is being fetched alone', async () => {
    const [near, far] = [await serve(), await serve()];
    const [nearUrl, farUrl] = [near.toWire('s1'), far.toWire('s1')];
    const client = await connect(nearUrl);
    const { n } = await client.send('Hello.');
    await readUntil(client, isResult, n);
    const { host } = await openTab('other');
    const fetchIt = (how: { readonly fetch?: typeof fetch } = {}) =>
      bringBack(nearUrl, { host, ...by(nearUrl), clock: atOnce, ...how });
    const refusals: unknown[] = [];
    const heard = async (init?: RequestInit) =>
      (await decodeFrame(init?.body as Uint8Array<ArrayBuffer>)).fields['type'];
    const between: typeof fetch = async (url, init) => {
      if ((await heard(init)) === 'take') await fetchIt().catch((e) => refusals.push(e));
      return fetch(url, init);
    };
    await near.server.moveTo('s1', farUrl, { ...by(farUrl), fetch: between });
    expect(refusals).toEqual([expect.objectContaining({ code: 'bad-usage' })]);
    await near.server.bringBack('s1', farUrl, by(farUrl));

    const busy: typeof fetch = async (url, init) => {
      if ((await heard(init)) === 'release') {
        await near.server.moveTo('s1', farUrl, by(farUrl)).catch((e) => refusals.push(e));
      }
      return fetch(url, init);
    };
    await fetchIt({ fetch: busy });
    expect(refusals[1]).toMatchObject({
      message: expect.stringContaining('is just being fetched to another place') as string,
    });
    await expect(far.server.bringBack('s1', nearUrl, by(nearUrl))).rejects.toThrow(
      `doesn't run at ${nearUrl}`,
    );
    await far.server.session('used').then((used) => used.send('Mine.'));
    await expect(far.server.bringBack('used', nearUrl, by(nearUrl))).rejects.toThrow(
      'This place has a session already, used.',
    );
    await client.close();
    await host[Symbol.asyncDispose]();
  });
});
