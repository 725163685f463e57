// How much a session's server sends ahead of a client, and how it goes on.
import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/hosts/inline/virtual-clock.ts';
import { createDeferred } from '../../../src/core/async/deferred.ts';
import type { ServedFiles } from '../../../src/wire/feed-client.ts';
import { createFrameJoiner, maxFrameBytes } from '../../../src/wire/pieces.ts';
import { takenBytes, windowBytes } from '../../../src/wire/protocol.ts';
import { serveSession } from '../../../src/wire/serve-session.ts';
import type { KeptClient } from '../../../src/wire/serve-session.ts';
import { createWriterWorkspace } from '../../../src/workspace/commit/writer-workspace.ts';
import { openWorkspaceWriter } from '../../../src/workspace/commit/writer.ts';
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';

const messageLength = 300_000;
const entries = 40;

/** A session with a history: two messages an entry. */
function createHistory() {
  const text = 'x'.repeat(messageLength);
  const readers = { open: 0, begun: [] as number[] };
  async function* messages({ after = 0 } = {}) {
    readers.open += 1;
    readers.begun.push(after);
    try {
      yield { type: 'system', subtype: 'init', warnings: [] };
      for (let n = after + 1; n <= entries; n += 1) {
        for (const part of [1, 2]) {
          yield { type: 'user', session_id: 's1', n, uuid: `${n} ${part}`, message: text };
        }
      }
    } finally {
      readers.open -= 1;
    }
  }
  const session = { id: 's1', messages, state: () => 'idle', questions: () => [] };
  return { session, readers };
}

/** Its server, and one client of it. */
function join(kept: Partial<KeptClient> = {}) {
  const { session, readers } = createHistory();
  const server = serveSession({ open: async () => session as never });
  const client = { told: [] as string[], length: 0, kept: undefined as KeptClient | undefined };
  const closed: number[] = [];
  const socket = {
    send(frame: unknown) {
      const text = String(frame);
      client.length += text.length;
      const { type, message } = JSON.parse(text) as Record<string, { uuid: string } | string>;
      if (type === 'message' && typeof message === 'object') client.told.push(message.uuid);
    },
    close: (code: number) => void closed.push(code),
    keep: (value: KeptClient) => void (client.kept = value),
  };
  server.join(socket, { owner: 'ann', role: 'views', session: 's1', told: 0, ...kept });
  const say = (message: object) => server.receive(socket, JSON.stringify(message));
  return { server, session, readers, client, closed, say };
}

const uuids = (from: number) =>
  Array.from({ length: entries - from }, (_, at) =>
    [1, 2].map((part) => `${at + from + 1} ${part}`),
  );

describe('a client that takes nothing', () => {
  it('is sent a window and no more, and the session is read no further', async () => {
    const { server, session, readers, client, say } = join();
    server.attach(session as never);
    await expect.poll(() => client.kept?.isBehind).toBe(true);
    expect(client.length).toBeGreaterThanOrEqual(windowBytes);
    expect(client.length).toBeLessThan(windowBytes + 3 * messageLength);
    await expect.poll(() => readers.open).toBe(0);
    await say({ type: 'taken', bytes: 1 });
    expect(readers.begun).toEqual([0]);
    server[Symbol.dispose]();
  });

  it('is told the rest as it takes it, each message once and in order', async () => {
    const { server, session, client, say } = join();
    server.attach(session as never);
    let taken = 0;
    const whole = uuids(0).flat();
    for (let round = 0; round < 100 && client.told.length < whole.length; round += 1) {
      await expect
        .poll(() => client.kept?.isBehind === true || client.told.length === whole.length)
        .toBe(true);
      if (client.length - taken < takenBytes) break;
      const bytes = client.length - taken;
      taken = client.length;
      await say({ type: 'taken', bytes });
    }
    expect(client.told).toEqual(whole);
    server[Symbol.dispose]();
  });
});

describe('a client that was behind when its host fell asleep', () => {
  it('is told the rest when it says what it has taken', async () => {
    const { server, readers, client, say } = join({ told: 37, isBehind: true });
    await say({ type: 'taken', bytes: takenBytes });
    await expect.poll(() => client.told).toEqual(uuids(37).flat());
    expect(readers.begun).toEqual([37]);
    server[Symbol.dispose]();
  });
});

describe('what a client says that it has taken', () => {
  it.each([0, -1, 0.5, 'much'])('is refused where it is %j', async (bytes) => {
    const { server, closed, say } = join();
    await say({ type: 'taken', bytes });
    expect(closed).toEqual([1008]);
    server[Symbol.dispose]();
  });
});

const filesBytes = 6_291_456;

/** Files of a writer, which counts who follows it. They are opened once `ready` is. */
async function openFiles(ready: Promise<unknown> = Promise.resolve()) {
  const writer = await openWorkspaceWriter(createMemoryMedium(), { name: 'window' });
  const { fs } = createWriterWorkspace(writer);
  await fs.writeFile('/large.bin', new Uint8Array(filesBytes));
  const counts = { listening: 0, opened: 0 };
  const served: ServedFiles = {
    get state() {
      return writer.state;
    },
    contents: writer.contents,
    commit: (...given) => writer.commit(...given),
    onRecord(listener) {
      counts.listening += 1;
      const listening = writer.onRecord(listener);
      return {
        [Symbol.dispose]() {
          counts.listening -= 1;
          listening[Symbol.dispose]();
        },
      };
    },
  };
  const files = async () => {
    counts.opened += 1;
    await ready;
    return served;
  };
  return { fs, files, counts };
}

interface Told {
  readonly type: string;
  readonly message?: { readonly type: string };
}

/** A server of files, and clients that take what they are told to. */
async function serveFiles(ready?: Promise<unknown>, clock = createVirtualClock()) {
  const opened = await openFiles(ready);
  const { session } = createHistory();
  const quiet = { ...session, messages: () => [], skills: async () => 'x'.repeat(1e6) };
  const server = serveSession({
    open: async () => quiet as never,
    files: opened.files,
    limits: { filesBytes },
    clock,
  });
  const join = (kept: Partial<KeptClient> = {}) => {
    const joiner = createFrameJoiner(67_108_864);
    const client = {
      bytes: 0,
      told: [] as string[],
      closed: [] as number[],
      kept: undefined as KeptClient | undefined,
      say: (message: object) => server.receive(socket, JSON.stringify(message)),
      leave: () => server.leave(socket),
    };
    const socket = {
      send(frame: string | Uint8Array<ArrayBuffer>) {
        client.bytes += frame.length;
        const message = joiner.take(frame) as Told | undefined;
        if (message) client.told.push(message.message?.type ?? message.type);
      },
      close: (code: number) => void client.closed.push(code),
      keep: (value: KeptClient) => void (client.kept = value),
    };
    server.join(socket, { owner: 'ann', role: 'views', session: 's1', told: 0, ...kept });
    return client;
  };
  return { ...opened, server, join, clock, session: quiet as never };
}

const follow = { type: 'follow' };
const taken = { type: 'taken', bytes: takenBytes };

describe('files that are larger than a window', () => {
  it('are sent as they are taken, and what is asked is answered behind them', async () => {
    const { server, join } = await serveFiles();
    const client = join();
    await client.say(follow);
    await expect.poll(() => client.bytes).toBeGreaterThanOrEqual(windowBytes);
    expect(client.bytes).toBeLessThanOrEqual(windowBytes + maxFrameBytes);
    await client.say({ type: 'request', id: '1', method: 'skills', parameters: [] });
    for (let at = 0; at < filesBytes; at += takenBytes) await client.say(taken);
    await expect.poll(() => client.told).toEqual(['snapshot', 'reply']);
    expect(client.kept).toMatchObject({ isWaiting: false });
    server[Symbol.dispose]();
  });

  it('are read once, however often they are asked for, and sent again when they were taken', async () => {
    const { server, join, counts } = await serveFiles();
    const client = join();
    await Promise.all([client.say(follow), client.say(follow), client.say(follow)]);
    await expect.poll(() => client.bytes).toBeGreaterThanOrEqual(windowBytes);
    expect(counts).toEqual({ listening: 1, opened: 1 });
    await client.say(follow);
    await client.say(follow);
    expect(counts.opened).toBe(1);
    for (const told of [['snapshot'], ['snapshot', 'snapshot']]) {
      for (let at = 0; at < filesBytes; at += takenBytes) await client.say(taken);
      await expect.poll(() => client.told).toEqual(told);
      await expect.poll(() => client.bytes).toBeGreaterThanOrEqual(filesBytes + windowBytes);
    }
    expect(counts).toEqual({ listening: 1, opened: 2 });
    server[Symbol.dispose]();
    expect(counts.listening).toBe(0);
  });

  it('wait for as many clients as have them in memory, and for one that leaves', async () => {
    const { server, join, counts } = await serveFiles();
    const [first, second, third] = [join(), join(), join()];
    for (const client of [first, second, third]) await client.say(follow);
    await expect.poll(() => second.bytes).toBeGreaterThanOrEqual(windowBytes);
    expect([counts.opened, third.bytes]).toEqual([2, 0]);
    first.leave();
    await expect.poll(() => third.bytes).toBeGreaterThanOrEqual(windowBytes);
    expect(counts.listening).toBe(2);
    server[Symbol.dispose]();
  });

  it('are sent one after the other to clients that had others before their host slept', async () => {
    const { server, join, counts, session } = await serveFiles();
    const clients = Array.from({ length: 8 }, () => join({ seq: 0 }));
    server.attach(session);
    const begun = () => clients.filter(({ bytes }) => bytes >= windowBytes).length;
    await expect.poll(begun).toBe(2);
    expect(counts.listening).toBeLessThanOrEqual(2);
    server[Symbol.dispose]();
  });

  it('leave nothing behind where a client leaves while they are opened', async () => {
    const { promise: opening, resolve: open } = createDeferred();
    const { server, join, counts } = await serveFiles(opening);
    const [client, other] = [join(), join()];
    await client.say(follow);
    await client.say(follow);
    await other.say(follow);
    client.leave();
    open();
    await expect.poll(() => other.bytes).toBeGreaterThanOrEqual(windowBytes);
    expect(counts.listening).toBe(1);
    server[Symbol.dispose]();
    expect(counts.listening).toBe(0);
  });

  it('are given up where a client takes no mebibyte in a minute', async () => {
    const { server, join, clock } = await serveFiles();
    const [slow, silent] = [join(), join()];
    for (const client of [slow, silent]) await client.say(follow);
    await expect.poll(() => silent.bytes).toBeGreaterThanOrEqual(windowBytes);
    clock.advance(59_000);
    await slow.say(taken);
    clock.advance(1_000);
    expect([slow.closed, silent.closed]).toEqual([[], [1008]]);
    // In the midst of a message nothing can be told.
    expect(silent.told).toEqual([]);
    server[Symbol.dispose]();
  });

  it('end the connection where its host fell asleep with the rest of them', async () => {
    const { server, join, counts } = await serveFiles();
    const client = join({ isWaiting: true });
    expect([client.closed, server.size]).toEqual([[1011], 0]);
    const waiting = join({ seq: -1 });
    await waiting.say(taken);
    await expect.poll(() => waiting.bytes).toBeGreaterThanOrEqual(windowBytes);
    expect(counts.opened).toBe(1);
    server[Symbol.dispose]();
  });
});

it('a client that takes nothing of what it asks for is refused at 16 MiB beside the files', async () => {
  const { server, join } = await serveFiles();
  const client = join();
  const ask = (id: number) => ({ type: 'request', id: `${id}`, method: 'skills', parameters: [] });
  for (let id = 0; id < 30; id += 1) await client.say(ask(id));
  await expect.poll(() => client.closed).toEqual([1008]);
  expect(client.told.at(-1)).toBe('refused');
  expect(Math.floor((client.bytes - filesBytes) / takenBytes)).toBe(16);
  server[Symbol.dispose]();
});
