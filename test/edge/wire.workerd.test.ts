// A session of a real Durable Object, connected to over sockets that sleep with it.
import { env } from 'cloudflare:workers';
import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { afterEach, expect, it, vi } from 'vitest';
import { createObjectWire } from '../../src/edge.ts';
import { connectSession } from '../../src/wire/connect-session.ts';
import type { WireSocket } from '../../src/wire/open-socket.ts';
import { ping, pong, wireProtocol } from '../../src/wire/protocol.ts';
import type { WireRole } from '../../src/wire/protocol.ts';
import { wireContract } from '../contract/wire.contract.ts';
import type { WireSubject } from '../contract/wire.contract.ts';
import { texts } from '../support/sessions/open-sessions.ts';
import type { SDKMessage } from '../../src/core/messages/sdk-message.ts';

const url = 'https://example.org/s/wire';

afterEach(() => void vi.useRealTimers());

function toSubject(
  name: string,
): WireSubject & { open(protocols: readonly string[]): Promise<WebSocket> } {
  const object = env.WIRE.getByName(name);
  async function open(protocols: readonly string[]): Promise<WebSocket> {
    const headers = { upgrade: 'websocket', 'sec-websocket-protocol': protocols.join(', ') };
    const { webSocket } = await object.fetch(url, { headers });
    if (!webSocket) throw new Error('No socket came.');
    return webSocket;
  }
  return {
    open,
    async ticket(role: WireRole) {
      const response = await object.fetch(`${url}/ticket`, {
        method: 'POST',
        headers: { 'x-role': role },
      });
      return (await response.json<{ readonly ticket: string }>()).ticket;
    },
    connect: (given) =>
      connectSession(url, {
        transport: 'socket',
        async createSocket(_url, protocols) {
          const socket = await open(protocols);
          socket.accept();
          return socket as unknown as WireSocket;
        },
        ...given,
      }),
    async openRaw(protocols) {
      const socket = await open(protocols);
      let last = '';
      const closed = new Promise<{ readonly code: number; readonly last: string }>((resolve) => {
        socket.addEventListener('message', ({ data }) => {
          if (typeof data === 'string') last = data;
        });
        socket.addEventListener('close', ({ code }) => resolve({ code, last }));
      });
      socket.accept();
      return {
        send(frame) {
          // It may be closed by what came before.
          if (socket.readyState === WebSocket.OPEN) socket.send(frame);
        },
        closed,
      };
    },
    cut: () =>
      runInDurableObject(object, (_instance, state) => {
        for (const socket of state.getWebSockets()) socket.close(1012, 'cut');
      }),
    release: () => runInDurableObject(object, ({ model }) => model.release()),
    close: async () => undefined,
  };
}

wireContract('sockets of a Durable Object', async () => toSubject(crypto.randomUUID()));

it('follows its session to the one that it is left for by /clear, over the sleeps between', async () => {
  const name = crypto.randomUUID();
  const subject = toSubject(name);
  const alarm = () =>
    runInDurableObject(env.WIRE.getByName(name), (_one, { storage }) => storage.getAlarm());
  const owner = await subject.connect({ ticket: () => subject.ticket('owner') });
  const left = owner.id;
  const told: SDKMessage[] = [];
  void (async () => {
    for await (const message of owner.messages()) told.push(message);
  })();
  for (const prompt of ['One.', '/clear', 'Two.']) {
    await owner.send(prompt);
    await expect.poll(alarm).toBe(null);
  }
  await expect.poll(() => texts(told).at(-1)).toBe('assistant: Two.');
  expect(owner.id).not.toBe(left);
  expect(owner.connection()).toBe('open');
  await owner.close();
});

it('keeps its sockets over a sleep, in which pings wake nobody, and goes on with the answer', async () => {
  const name = crypto.randomUUID();
  const object = env.WIRE.getByName(name);
  const subject = toSubject(name);
  const instance = () => runInDurableObject(object, (one) => one.instance);
  const owner = await subject.connect({ ticket: () => subject.ticket('owner') });
  const told: SDKMessage[] = [];
  void (async () => {
    for await (const message of owner.messages()) told.push(message);
  })();
  const files = await owner.followFiles();
  await owner.send('write slept');
  await expect.poll(() => owner.questions().length).toBe(1);
  const answering = await subject.connect({ ticket: () => subject.ticket('answers') });
  const first = await instance();
  const quiet = await subject.open([
    wireProtocol,
    `rockpool-ticket.${await subject.ticket('views')}`,
  ]);
  let pongs = 0;
  quiet.addEventListener('message', ({ data }) => void (data === pong && (pongs += 1)));
  quiet.accept();
  // The step's alarm has armed the next one, which finds that a person is waited for.
  const alarm = () => runInDurableObject(object, (_instance, { storage }) => storage.getAlarm());
  await expect.poll(alarm).toBe(null);
  await evictDurableObject(object);
  for (let at = 0; at < 10_000; at += 1) quiet.send(ping);
  await expect.poll(() => pongs).toBe(10_000);
  await expect(evictDurableObject(object)).rejects.toThrow('not currently running');
  expect(owner.questions()).toHaveLength(1);
  const requestId = owner.questions()[0]?.requestId ?? '';
  // The new instance doesn't know yet what was asked.
  const updatedInput = { file_path: '/workspace/b.txt', content: 'slept' };
  const change = answering.answer(requestId, { behavior: 'allow', updatedInput });
  await expect(change).rejects.toThrow('may not change the input');
  await owner.answer(requestId, { behavior: 'allow' });
  await expect.poll(() => texts(told).at(-1)).toBe('assistant: Done.');
  expect(await instance()).not.toBe(first);
  expect(texts(told)).toEqual([
    'user: write slept',
    'assistant: tool_use',
    'user: tool_result',
    'assistant: Done.',
  ]);
  expect(await files.fs.readFile('/workspace/a.txt', 'utf8')).toBe('slept');
  await answering.close();
  await owner.close();
});

it.each(['awake', 'asleep'])(
  'ends a turn that waits for a person, by an interrupt (%s)',
  async (how) => {
    const object = env.WIRE.getByName(crypto.randomUUID());
    const subject = toSubject(object.name ?? '');
    const owner = await subject.connect({ ticket: () => subject.ticket('owner') });
    const results: SDKMessage[] = [];
    void (async () => {
      for await (const message of owner.messages()) {
        if (message.type === 'result') results.push(message);
      }
    })();
    await owner.send('write slept');
    await expect.poll(() => owner.questions().length).toBe(1);
    const alarm = () => runInDurableObject(object, (_instance, { storage }) => storage.getAlarm());
    if (how === 'asleep') {
      await expect.poll(alarm).toBe(null);
      await evictDurableObject(object);
    }
    await owner.interrupt();
    await expect.poll(() => results).toMatchObject([{ terminal_reason: 'aborted_tools' }]);
    await expect.poll(() => [owner.state(), owner.questions()]).toEqual(['idle', []]);
    await owner.close();
  },
);

it('takes the first of two answers that wake it at the same time, and tells the other client so', async () => {
  const name = crypto.randomUUID();
  const object = env.WIRE.getByName(name);
  const subject = toSubject(name);
  const owner = await subject.connect({ ticket: () => subject.ticket('owner') });
  const other = await subject.connect({ ticket: () => subject.ticket('answers') });
  const files = await owner.followFiles();
  await owner.send('write anything');
  await expect.poll(() => [owner, other].map((one) => one.questions().length)).toEqual([1, 1]);
  const alarm = () => runInDurableObject(object, (_instance, { storage }) => storage.getAlarm());
  await expect.poll(alarm).toBe(null);
  await evictDurableObject(object);
  const requestId = owner.questions()[0]?.requestId ?? '';
  const denied = other.answer(requestId, { behavior: 'deny', message: 'No.' });
  const allowed = owner.answer(requestId, { behavior: 'allow' });
  await expect(allowed).rejects.toThrow('waits for an answer: it was answered');
  await denied;
  await expect.poll(() => owner.state()).toBe('idle');
  await expect(files.fs.readFile('/workspace/a.txt')).rejects.toMatchObject({ code: 'ENOENT' });
  for (const client of [owner, other]) await client.close();
});

it('outlives as many wakes as come while a question waits', async () => {
  const object = env.WIRE.getByName(crypto.randomUUID());
  const subject = toSubject(object.name ?? '');
  const owner = await subject.connect({ ticket: () => subject.ticket('owner') });
  await owner.send('write slept');
  await expect.poll(() => owner.questions().length).toBe(1);
  const alarm = () => runInDurableObject(object, (_instance, { storage }) => storage.getAlarm());
  // Each wake records that it was, and 17 small segments of the log are merged.
  for (let wakes = 0; wakes < 20; wakes += 1) {
    await expect.poll(alarm).toBe(null);
    await evictDurableObject(object);
    const viewer = await subject.connect({ ticket: () => subject.ticket('views') });
    expect(await viewer.supportedCommands()).not.toEqual([]);
    await viewer.close();
  }
  // It is put again once the turn is taken up.
  await expect.poll(() => owner.questions().length).toBe(1);
  await owner.answer(owner.questions()[0]?.requestId ?? '', { behavior: 'allow' });
  const files = await owner.followFiles();
  await expect
    .poll(() => files.fs.readFile('/workspace/a.txt', 'utf8').catch(() => ''))
    .toBe('slept');
  await owner.close();
});

it('knows in a new instance which tickets were used, and when one was given', async () => {
  const object = env.WIRE.getByName(crypto.randomUUID());
  const subject = toSubject(object.name ?? '');
  const tickets = [await subject.ticket('views'), await subject.ticket('views')] as const;
  const client = await subject.connect({ ticket: tickets[0] });
  await client.close();
  await runInDurableObject(object, (_instance, { storage }) => {
    const late = 'UPDATE rockpool_ticket SET expires = expires - 40000 WHERE taken = 0';
    storage.sql.exec(late);
  });
  await evictDurableObject(object);
  const used = subject.connect({ ticket: tickets[0] });
  await expect(used).rejects.toThrow('This ticket was used before');
  const late = subject.connect({ ticket: tickets[1] });
  await expect(late).rejects.toThrow('This ticket is late: it was good for 30 seconds.');
});

it('refuses a foreign origin, and whoever may not have a ticket, with a sentence', async () => {
  const object = env.WIRE.getByName(crypto.randomUUID());
  const ask = async (path: string, init: RequestInit) => {
    const response = await object.fetch(`${url}${path}`, init);
    const { error } = await response.json<{ readonly error: { readonly message: string } }>();
    return [response.status, error.message];
  };
  const origin = 'https://evil.example';
  const refusal = `Pages of ${origin} may not connect to this session: name it in origins.`;
  const headers = { origin, 'x-role': 'owner' };
  expect(await ask('/ticket', { method: 'POST', headers })).toEqual([403, refusal]);
  expect(await ask('', { headers: { origin, upgrade: 'websocket' } })).toEqual([403, refusal]);
  expect(await ask('/ticket', { method: 'POST' })).toEqual([
    401,
    'This session is not yours to connect to. Sign in first.',
  ]);
  expect((await object.fetch('https://example.org/else')).status).toBe(404);
});

it('outlives a frame of 33 MB, which the runtime itself refuses', async () => {
  const subject = toSubject(crypto.randomUUID());
  const protocols = [wireProtocol, `rockpool-ticket.${await subject.ticket('owner')}`];
  const { send, closed } = await subject.openRaw(protocols);
  send('x'.repeat(33 * 1024 * 1024));
  expect((await closed).code).toBeGreaterThan(1000);
  const client = await subject.connect({ ticket: () => subject.ticket('views') });
  expect(client.connection()).toBe('open');
  await client.close();
});

it.each([
  ['whose ticket is forged', 0, 4401],
  ['that is one too many', 1, 4429],
])(
  'leaves a client %s no socket for the time of its sleep, and closes it at once',
  async (name, others, code) => {
    const object = env.STORE.getByName(`wire, refused, ${name}`);
    const closed = await runInDurableObject(object, async (_instance, state) => {
      const ctx = state as unknown as DurableObjectState;
      const kept: unknown[] = [];
      const wire = createObjectWire(
        {
          storage: ctx.storage,
          acceptWebSocket(socket, tags) {
            kept.push(socket);
            ctx.acceptWebSocket(socket as WebSocket, tags);
          },
          getWebSockets: () => [],
          getTags: () => [],
          setWebSocketAutoResponse: () => undefined,
        },
        { authorize: async () => ({ owner: 'me', role: 'owner' }), limits: { clients: 1 } },
      )(undefined as never, () => Promise.reject(new Error('No files.')));
      const connect = async (isForged: boolean) => {
        const asked = await wire.fetch(new Request(`${url}/ticket`, { method: 'POST' }));
        const { ticket = '' } = (await asked?.json<{ readonly ticket: string }>()) ?? {};
        const protocols = `${wireProtocol}, rockpool-ticket.${isForged ? 'forged' : ticket}`;
        const headers = { upgrade: 'websocket', 'sec-websocket-protocol': protocols };
        return (await wire.fetch(new Request(url, { headers })))?.webSocket;
      };
      if (others > 0) await connect(false);
      const refused = await connect(others === 0);
      const end = new Promise<number>((resolve) => {
        refused?.addEventListener('close', (event) => resolve(event.code));
      });
      refused?.accept();
      return [kept.length, await end];
    });
    expect(closed).toEqual([others, code]);
  },
);

/** What the third client is told, 2 s after two others have connected; `Let in.` where nothing is refused. */
async function connectThird(name: string, leave: boolean): Promise<unknown> {
  vi.useFakeTimers({ toFake: ['Date'] });
  return runInDurableObject(env.STORE.getByName(name), async (_instance, state) => {
    const ctx = state as unknown as DurableObjectState;
    const wire = createObjectWire(ctx as never, {
      authorize: async () => ({ owner: 'me', role: 'owner' }),
    })(undefined as never, () => Promise.reject(new Error('No files.')));
    const connect = async () => {
      const asked = await wire.fetch(new Request(`${url}/ticket`, { method: 'POST' }));
      if (!asked) throw new Error('No answer.');
      const { ticket } = await asked.json<{ readonly ticket: string }>();
      const protocols = `${wireProtocol}, rockpool-ticket.${ticket}`;
      const headers = { upgrade: 'websocket', 'sec-websocket-protocol': protocols };
      return (await wire.fetch(new Request(url, { headers })))?.webSocket;
    };
    await connect();
    await connect();
    const first = ctx.getWebSockets();
    if (leave) for (const socket of first) await wire.webSocketClose(socket, 1006, '', false);
    vi.setSystemTime(Date.now() + 2_000);
    const third = await connect();
    // The socket of a client that is refused isn't one that sleeps.
    if (ctx.getWebSockets().some((socket) => !first.includes(socket))) return 'Let in.';
    const told = new Promise<unknown>((resolve) => {
      third?.addEventListener('message', ({ data }) => resolve(data));
    });
    third?.accept();
    return told;
  });
}

it('tells clients why it hears none of them, where the class passes no message on', async () => {
  expect(await connectThird('wire, deaf', false)).toContain('must pass on webSocketMessage');
});

it('lets clients in after others have left before they said anything', async () => {
  expect(await connectThird('wire, left', true)).toBe('Let in.');
});
