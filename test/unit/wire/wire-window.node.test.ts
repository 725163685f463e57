// How much a session's server sends ahead of a client, and how it goes on.
import { describe, expect, it } from 'vitest';
import { takenBytes, windowBytes } from '../../../src/wire/protocol.ts';
import { serveSession } from '../../../src/wire/serve-session.ts';
import type { KeptClient } from '../../../src/wire/serve-session.ts';

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
