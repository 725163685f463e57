// What the server of a session refuses of its clients, and what it tells them.
import { getEventListeners } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SdkError } from '../../../src/core/errors.ts';
import { createVirtualClock } from '../../../src/hosts/inline/virtual-clock.ts';
import { connectSession } from '../../../src/wire/connect-session.ts';
import type { WireLimits } from '../../../src/wire/limits.ts';
import { createRateLimiter } from '../../../src/wire/limits.ts';
import { createFrameJoiner, maxFrameBytes, toFrames } from '../../../src/wire/pieces.ts';
import { ping, pong, wireProtocol } from '../../../src/wire/protocol.ts';
import type { WireSocket } from '../../../src/wire/open-socket.ts';
import { serveSession } from '../../../src/wire/serve-session.ts';
import { openMemoryWire } from '../../support/wire/memory-wire.ts';
import type { MemoryWire } from '../../support/wire/memory-wire.ts';

async function open(limits: Partial<WireLimits>, now?: () => number): Promise<MemoryWire> {
  const wire = await openMemoryWire({ limits, ...(now && { now }) });
  onTestFinished(() => wire.close());
  return wire;
}

const connect = (wire: MemoryWire) => wire.connect({ ticket: () => wire.ticket('owner') });

describe("a session's server", () => {
  it('has as many clients as it may, and tells the next one', async () => {
    const wire = await open({ clients: 2 });
    const [first, second] = [await connect(wire), await connect(wire)];
    await expect(connect(wire)).rejects.toThrow(
      'This session has 2 clients, as many as it may. Close one, and connect again.',
    );
    await first.close();
    const third = await connect(wire);
    expect([first.connection(), second.connection(), third.connection()]).toEqual([
      'closed',
      'open',
      'open',
    ]);
    for (const client of [second, third]) await client.close();
  });

  it('closes a connection with too many open requests, and rejects them when it is given up', async () => {
    const wire = await open({ openRequests: 2 });
    const ticket = await wire.ticket('owner');
    const client = await wire.connect({ ticket });
    await client.send('slow');
    // They wait until the turn is over.
    const waiting = Array.from({ length: 3 }, () => client.compact());
    for (const one of waiting) {
      await expect(one).rejects.toMatchObject({ code: 'worker-lost' });
    }
    expect(client.connection()).toBe('closed');
    await wire.release();
  });

  it('lets no files be followed that are too large', async () => {
    const wire = await open({ filesBytes: 10 });
    const owner = await connect(wire);
    const files = await owner.followFiles();
    await files.fs.writeFile('/workspace/large.txt', 'more than ten bytes');
    const other = await connect(wire);
    await expect(other.followFiles()).rejects.toMatchObject({
      code: 'limit-exceeded',
      data: { bytes: 19, maxBytes: 10 },
    });
    for (const client of [owner, other]) await client.close();
  });

  it('refuses a ticket after 30 seconds', async () => {
    let now = 1_000;
    const wire = await open({}, () => now);
    const [early, late] = [await wire.ticket('views'), await wire.ticket('views')];
    now += 30_000;
    await (await wire.connect({ ticket: early })).close();
    now += 1;
    await expect(wire.connect({ ticket: late })).rejects.toThrow(
      'This ticket is late: it was good for 30 seconds.',
    );
  });

  it('takes a client again that held its ticket for too long, with another one', async () => {
    let now = 1_000;
    const wire = await open({}, () => now);
    let isHeld = false;
    const client = await wire.connect({
      async ticket() {
        const ticket = await wire.ticket('owner');
        if (isHeld) now += 30_001;
        isHeld = false;
        return ticket;
      },
    });
    isHeld = true;
    await wire.cut();
    await expect.poll(() => isHeld).toBe(false);
    await expect.poll(() => client.connection()).not.toBe('waiting');
    expect(client.connection()).toBe('open');
    await client.close();
  });

  it('tells the pages that it names that they may connect, and no others', async () => {
    const wire = await open({});
    const ask = (method: string, origin: string) =>
      wire.handle(new Request('https://example.org/s1/wire', { method, headers: { origin } }));
    const own = await ask('OPTIONS', 'https://example.org');
    expect([own?.status, own?.headers.get('access-control-allow-origin')]).toEqual([
      204,
      'https://example.org',
    ]);
    const foreign = await ask('OPTIONS', 'https://evil.example');
    expect([foreign?.status, foreign?.headers.get('access-control-allow-origin')]).toEqual([
      403,
      null,
    ]);
    expect((await ask('GET', 'https://example.org'))?.status).toBe(405);
  });

  it('takes from a page whichever header authorize knows its people by', async () => {
    const wire = await open({});
    const ask = (origin: string) =>
      wire.handle(
        new Request('https://example.org/s1/wire/ticket', {
          method: 'OPTIONS',
          headers: { origin, 'access-control-request-headers': 'x-api-key' },
        }),
      );
    const taken = async (origin: string) =>
      (await ask(origin))?.headers.get('access-control-allow-headers');
    expect(await taken('https://example.org')).toBe('x-api-key');
    expect(await taken('https://evil.example')).toBe(null);
  });
});

/** A request as a stranger's client may send it. */
const request = (method: string, parameters: string) =>
  `{"type":"request","id":"1","method":"${method}","parameters":${parameters}}`;
const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;

describe('what a client sends', () => {
  it.each([
    ['an unknown request', request('none', nested)],
    ['a prompt', request('send', `[{"uuid":"1","message":{"role":"user","content":${nested}}}]`)],
    ['a refusal that repeats it', request('fork', `[{"title":${nested}}]`)],
    ['nothing that is known', `{"type":"none","x":${nested}}`],
  ])('is refused by a sentence where it is nested too deeply: in %s', async (_what, frame) => {
    const wire = await open({});
    const raw = await wire.openRaw([wireProtocol, `rockpool-ticket.${await wire.ticket('owner')}`]);
    raw.send(`{"type":"hello","protocol":"${wireProtocol}","after":0}`);
    raw.send(frame);
    const { code, last } = await raw.closed;
    expect([code, JSON.parse(last)]).toEqual([
      1008,
      {
        type: 'refused',
        error: {
          name: 'SdkError',
          code: 'invalid-input',
          message:
            'What came over the connection is nested too deeply: at most 500 levels are read.',
          data: { maxDepth: 500 },
        },
      },
    ]);
    const owner = await connect(wire);
    expect(owner.connection()).toBe('open');
    await owner.close();
  });

  it('has an answer also where that is no plain data', async () => {
    const session = { skills: async () => 1n, messages: () => [] };
    const server = serveSession({ open: async () => session as never });
    const sent: string[] = [];
    const socket = { send: (frame: unknown) => void sent.push(String(frame)), close: () => {} };
    server.join(socket, { owner: 'ann', role: 'owner', session: 's1', told: 0 });
    await server.receive(socket, request('skills', '[]'));
    await expect
      .poll(() => sent.map((frame) => JSON.parse(frame) as unknown))
      .toEqual([
        {
          type: 'reply',
          id: '1',
          error: {
            name: 'SdkError',
            code: 'internal',
            message:
              'What was asked for was done, and its answer is nothing that can cross a connection.',
            data: {},
          },
        },
      ]);
    server[Symbol.dispose]();
  });

  it("is never answered by another one's reply, however its owner is called", async () => {
    const asked: string[] = [];
    const session = { skills: async () => void asked.push('skills'), messages: () => [] };
    const server = serveSession({ open: async () => session as never });
    const sent: string[] = [];
    for (const [owner, role, id] of [
      ['ann', 'owner', 'views 1'],
      ['ann owner', 'views', '1'],
    ] as const) {
      const socket = { send: (frame: unknown) => void sent.push(String(frame)), close: () => {} };
      server.join(socket, { owner, role, session: 's1', told: 0 });
      await server.receive(socket, request('skills', '[]').replace('"1"', JSON.stringify(id)));
    }
    await expect.poll(() => sent.filter((frame) => frame.includes('reply')).length).toBe(2);
    expect(asked).toHaveLength(2);
    server[Symbol.dispose]();
  });
});

describe('connectSession', () => {
  it.each(['', 'example.org/wire', 'ftp://example.org/wire'])(
    'refuses the address "%s"',
    async (url) => {
      await expect(connectSession(url, { ticket: 'x' })).rejects.toMatchObject({
        code: 'bad-usage',
      });
    },
  );

  it('closes the session where its one ticket is used up and the connection is lost', async () => {
    const wire = await open({});
    const client = await wire.connect({ ticket: await wire.ticket('owner') });
    const told: string[] = [];
    const reading = (async () => {
      for await (const message of client.messages()) {
        if (message.type === 'system' && message.subtype === 'informational') {
          told.push(message.content);
        }
      }
    })();
    await wire.cut();
    await reading;
    expect(told).toEqual([expect.stringContaining('its ticket is used up')]);
    await expect(client.send('More?')).rejects.toMatchObject({ code: 'bad-usage' });
  });

  it('rejects what is larger than its server takes, alone, and stays connected', async () => {
    const wire = await open({ messageBytes: 1_500_000 });
    const client = await connect(wire);
    const files = await client.followFiles();
    const large = new Uint8Array(2_000_000);
    const commands = client.supportedCommands();
    const [written, sent] = await Promise.allSettled([
      files.fs.writeFile('/workspace/large.bin', large),
      client.send('x'.repeat(2_000_000)),
    ]);
    expect([written, sent]).toMatchObject([
      { reason: { code: 'limit-exceeded', data: { method: 'commit', maxBytes: 1_500_000 } } },
      { reason: { code: 'limit-exceeded', data: { method: 'send', maxBytes: 1_500_000 } } },
    ]);
    expect(await commands).not.toEqual([]);
    await files.fs.writeFile('/workspace/small.txt', 'small');
    expect(client.connection()).toBe('open');
  });

  it('gives up when it is told to', async () => {
    const wire = await open({});
    const abortController = new AbortController();
    const ticket = () => wire.ticket('owner');
    const client = await wire.connect({ ticket, abortController });
    abortController.abort();
    expect(client.connection()).toBe('closed');
    await expect(wire.connect({ ticket, abortController })).rejects.toMatchObject({
      code: 'aborted',
    });
  });

  it('lets go of the caller’s controller, which may outlive it', async () => {
    const wire = await open({});
    const abortController = new AbortController();
    const ticket = () => wire.ticket('owner');
    const client = await wire.connect({ ticket, abortController });
    const listeners = () => getEventListeners(abortController.signal, 'abort');
    expect(listeners()).toHaveLength(1);
    await client.close();
    expect(listeners()).toEqual([]);
  });
});

describe('a rate', () => {
  it('is over ten seconds, and comes back with time', () => {
    const rate = createRateLimiter(2);
    const taken = Array.from({ length: 21 }, () => rate.take(1, 0));
    expect(taken.filter(Boolean)).toHaveLength(20);
    expect(rate.take(1, 400)).toBe(false);
    expect(rate.take(1, 2_000)).toBe(true);
  });
});

describe('frames', () => {
  it('are of a mebibyte at most, and come to the message that was sent', () => {
    const bytes = crypto.getRandomValues(new Uint8Array(60_000));
    const messages = [
      { type: 'follow' },
      { type: 'feed', bytes },
      { type: 'message', text: 'ä'.repeat(3 * maxFrameBytes) },
    ];
    const joiner = createFrameJoiner(16 * maxFrameBytes);
    for (const message of messages) {
      const frames = toFrames(message, 'bytes' in message);
      for (const frame of frames) {
        const length = typeof frame === 'string' ? frame.length : frame.byteLength;
        expect(length).toBeLessThanOrEqual(maxFrameBytes);
      }
      const taken = frames.map((frame) => joiner.take(frame));
      expect(taken.slice(0, -1).every((one) => one === undefined)).toBe(true);
      expect(taken.at(-1)).toEqual(message);
    }
    expect(toFrames({ protocol: wireProtocol })).toEqual([`{"protocol":"${wireProtocol}"}`]);
  });
});

describe('a connection that can’t go on', () => {
  it.each([401, 404])('ends where its ticket is refused in other words: %i', async (status) => {
    const wire = await open({});
    let isRefused = false;
    const refusal = new SdkError('worker-lost', 'The server has answered: gone', {
      data: { status },
    });
    const ticket = () => (isRefused ? Promise.reject(refusal) : wire.ticket('owner'));
    const client = await wire.connect({ ticket });
    isRefused = true;
    await wire.cut();
    await expect(client.send('Hello.')).rejects.toMatchObject({ code: 'worker-lost' });
    await expect.poll(() => client.connection()).toBe('closed');
  });

  it('says after a minute that nobody speaks, though pings are answered', async () => {
    const clock = createVirtualClock();
    const heard = new Map<string, (event: { readonly data: unknown }) => void>();
    const socket: WireSocket = {
      binaryType: '',
      send(data) {
        if (data === ping) queueMicrotask(() => heard.get('message')?.({ data: pong }));
      },
      close: () => undefined,
      addEventListener: (type: string, listener: (event: { readonly data: unknown }) => void) =>
        void heard.set(type, listener),
    };
    const url = 'https://example.org/wire';
    const createSocket = () => socket;
    const connecting = connectSession(url, {
      ticket: 'x',
      createSocket,
      transport: 'socket',
      clock,
    });
    const refused = expect(connecting).rejects.toThrow('has said nothing for a minute');
    await new Promise<void>((resolve) => void setImmediate(resolve));
    heard.get('open')?.({ data: undefined });
    await new Promise<void>((resolve) => void setImmediate(resolve));
    for (let second = 0; second < 61; second += 1) {
      clock.advance(1000);
      await undefined;
    }
    await refused;
  });
});
