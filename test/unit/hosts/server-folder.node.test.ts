// A server of sessions and its folder: what outlives it, who may have it, and what it refuses.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadQuickjsWasm } from '#quickjs-wasm';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createSessionDirectory, type TurnReport } from '../../../src/edge.ts';
import { createDeferred } from '../../../src/core/async/deferred.ts';
import { openSqliteStorage } from '../../../src/server.ts';
import type { SessionServerOptions } from '../../../src/server.ts';
import { connectSession } from '../../../src/wire/connect-session.ts';
import { fetchTicket } from '../../../src/wire/fetch-ticket.ts';
import { texts } from '../../support/sessions/open-sessions.ts';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import { toolUse } from '../../support/turns/plan-turns.ts';
import { asks, listModel, says } from '../../support/turns/play-turns.ts';
import { serveSessions } from '../../support/wire/serve-sessions.ts';

let parent: string;
let wasm: WebAssembly.Module;
let folders = 0;

beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'rockpool-folders-'));
  wasm = await loadQuickjsWasm();
});
afterAll(() => rmSync(parent, { recursive: true, maxRetries: 5 }));

const freshFolder = () => join(parent, String((folders += 1)));

const serve = (folder: string, options: Partial<SessionServerOptions> = {}) =>
  serveSessions({ folder, wasm, ...options });

async function connect(url: string, id: string) {
  const wire = `${url}/sessions/${id}/wire`;
  const ticket = () => fetchTicket(wire, { authorization: 'Bearer owner' });
  const client = await connectSession(wire, { ticket });
  const told: SDKMessage[] = [];
  void (async () => {
    for await (const message of client.messages()) told.push(message);
  })();
  return { client, told };
}

it('keeps an open question over its end, and lets go of a session that nobody needs', async () => {
  const folder = freshFolder();
  const first = await serve(folder);
  const { url } = await first.server.listen({ port: 0 });
  const before = await connect(url, 's1');
  await before.client.send('write kept');
  await expect.poll(() => before.client.questions().length).toBe(1);
  await before.client.close();
  const file = join(folder, 's1.sqlite');
  // At rest the file is closed, though the server lives.
  await expect
    .poll(async () => {
      using storage = await openSqliteStorage(file).catch(() => undefined);
      return storage !== undefined;
    })
    .toBe(true);
  await first.server[Symbol.asyncDispose]();
  const second = await serve(folder);
  const again = await second.server.listen({ port: 0 });
  expect(await second.server.list()).toEqual(['s1']);
  const after = await connect(again.url, 's1');
  await expect.poll(() => after.client.questions().length).toBe(1);
  await after.client.answer(after.client.questions()[0]?.requestId ?? '', { behavior: 'allow' });
  await expect.poll(() => texts(after.told).at(-1)).toBe('assistant: Done.');
  await second.server.delete('s1');
  expect([existsSync(file), await second.server.list()]).toEqual([false, []]);
  await after.client.close();
  await second.server[Symbol.asyncDispose]();
  expect([...first.errors, ...second.errors]).toEqual([]);
});

it('goes on with a turn that its end has cut, though nobody connects', async () => {
  const folder = freshFolder();
  const first = await serve(folder);
  const session = await first.server.session('s1');
  await session.send('slow');
  await expect.poll(() => session.state()).toBe('running');
  await first.server[Symbol.asyncDispose]();
  const { promise: asked, resolve: isAsked } = createDeferred();
  const second = await serve(folder, {
    session: () => ({
      model: {
        name: 'second',
        apiKeySource: 'none',
        async *stream() {
          isAsked();
          yield* [];
          throw new Error('It is enough to be asked.');
        },
      },
    }),
  });
  await asked;
  await second.server[Symbol.asyncDispose]();
  expect(first.errors).toEqual([]);
});

it('has its folder alone, and refuses what it can not serve with a sentence', async () => {
  const folder = freshFolder();
  const { server } = await serve(folder, {
    fetch: ({ url: asked }) => new Response(`my own ${new URL(asked).pathname}`),
  });
  await expect(serve(folder)).rejects.toMatchObject({
    code: 'EBUSY',
    message: expect.stringContaining('is open in another process') as string,
  });
  await expect(server.session('../etc')).rejects.toMatchObject({ code: 'bad-usage' });
  const { url } = await server.listen({ port: 0, transport: 'events' });
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(url + path, init);
    const text = await response.text();
    const { error } = (text.startsWith('{') ? JSON.parse(text) : {}) as {
      readonly error?: { readonly message: string };
    };
    return [response.status, error?.message ?? text];
  };
  expect(await ask('/page')).toEqual([200, 'my own /page']);
  const post = { method: 'POST' };
  expect(await ask('/S1/wire/ticket', post)).toEqual([
    400,
    'A session of a server has an id of a-z, 0-9, - and _, 100 characters at most, not S1.',
  ]);
  expect(await ask('/s1/wire/ticket', post)).toEqual([
    401,
    'This session is not yours to connect to. Sign in first.',
  ]);
  const origin = 'https://evil.example';
  expect(await ask('/s1/wire/ticket', { ...post, headers: { origin } })).toEqual([
    403,
    `Pages of ${origin} may not connect to this session: name it in origins.`,
  ]);
  // Nobody was let in, so nothing was made.
  expect(await server.list()).toEqual([]);
  const { client } = await connect(url, 's1');
  expect([client.access(), await server.list()]).toEqual(['owner', ['s1']]);
  await client.close();
  await server[Symbol.asyncDispose]();
  await expect(server.listen({ port: 0 })).rejects.toThrow('has ended');
});

it('lets no page in whose name leads to this machine, unless its origin is named', async () => {
  const name = 'rebound.example';
  for (const origins of [undefined, [`http://${name}`]]) {
    const { server } = await serve(freshFolder(), { ...(origins && { origins }) });
    const { url } = await server.listen({ port: 0, transport: 'events' });
    const { port } = new URL(url);
    const ask = (host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = { host, origin: `http://${host}`, authorization: 'Bearer owner' };
        request(`${url}/s1/wire/ticket`, { method: 'POST', headers }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        })
          .on('error', reject)
          .end();
      });
    const answers = [
      await ask(name),
      await ask(`localhost:${port}`),
      await ask(`127.0.0.1:${port}`),
    ];
    expect(answers).toEqual(origins ? [200, 403, 403] : [403, 200, 200]);
    await server[Symbol.asyncDispose]();
  }
});

it('tells the directory what a session has used when it is deleted in its turn', async () => {
  const told: TurnReport[] = [];
  const admitted = async () => ({ allowed: true }) as const;
  const directory = {
    register: admitted,
    beginTurn: admitted,
    endTurn: async (report: TurnReport) => void told.push(report),
  };
  const usage = { input_tokens: 900, output_tokens: 50 };
  const input = { file_path: '/workspace/a.txt', content: 'a' };
  const model = listModel('m', [{ ...asks(toolUse('w1', 'Write', input)), usage }]);
  const session = () => ({ model, directory });
  const { server, errors } = await serve(freshFolder(), { session });
  const { url } = await server.listen({ port: 0, transport: 'events' });
  const { client } = await connect(url, 's1');
  await client.send('Write it.');
  await vi.waitFor(() => expect(client.questions()).toHaveLength(1), 60_000);
  await client.close();
  await server.delete('s1');
  expect(told).toMatchObject([{ session: 's1', usage }]);
  expect([await server.list(), errors]).toEqual([[], []]);
  await server.delete('unknown');
  expect([await server.list(), errors]).toEqual([[], []]);
  await server[Symbol.asyncDispose]();
});

it('goes on with what waits for a turn as soon as one of its owner is free', async () => {
  const folder = freshFolder();
  const storage = await openSqliteStorage(`${folder}-owner.sqlite`);
  const directory = createSessionDirectory(
    { storage },
    {
      quotas: { turns: 1 },
      deleteSession: (id) => server.delete(id),
      continueSession: (id) => server.continueTurns(id),
    },
  );
  const model = listModel('m', [asks(toolUse('w1', 'Write', written)), says('One.'), says('Two.')]);
  const another = { session: 'another', n: 1, usage: says('').usage, usd: 0 };
  const { server, errors } = await serve(folder, {
    session: () => ({
      model,
      directory: {
        ...directory,
        // Another session is quicker than what waits here.
        async endTurn(report) {
          await directory.endTurn(report);
          await directory.beginTurn(another);
        },
      },
    }),
  });
  const { url } = await server.listen({ port: 0, transport: 'events' });
  const { client, told } = await connect(url, 's1');
  await client.send('Write it.');
  await vi.waitFor(() => expect(client.questions()).toHaveLength(1), 60_000);
  await client.send('And then?');
  await client.answer(client.questions()[0]?.requestId ?? '', { behavior: 'allow' });
  await vi.waitFor(() => expect(JSON.stringify(told)).toContain('What waits is held'), 60_000);
  await client.close();
  await directory.endTurn(another);
  await vi.waitFor(() => expect(model.requests).toHaveLength(3), 60_000);
  expect([await server.continueTurns('unknown'), await server.list(), errors]).toEqual([
    false,
    ['s1'],
    [],
  ]);
  await server[Symbol.asyncDispose]();
  storage[Symbol.dispose]();
});

const written = { file_path: '/workspace/a.txt', content: 'a' };
