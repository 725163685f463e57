// Messages of moves as a place takes them from whoever may send them: one at a time, in time, and none that is too large.
import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/hosts/inline/virtual-clock.ts';
import { toJournalId } from '../../../src/agent/journal/stored-journal.ts';
import { handleRequests } from '../../../src/wire/handle-requests.ts';
import { decodeFrame, encodeFrame, maxMessageBytes } from '../../../src/wire/handover/frames.ts';
import { readPart } from '../../../src/wire/handover/journal-copy.ts';
import { serveMoves } from '../../../src/wire/handover/serve-moves.ts';
import { maxMoveBytes } from '../../../src/wire/move-server.ts';
import { serveSession } from '../../../src/wire/serve-session.ts';
import { createMemoryTickets, issueTicket } from '../../../src/wire/tickets.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';

/** A place whose answers wait until they are let go. */
function openPlace() {
  const clock = createVirtualClock();
  const tickets = createMemoryTickets();
  const letGo: (() => void)[] = [];
  const handle = handleRequests({
    server: serveSession({ open: () => Promise.reject(new Error('Nobody connects.')) }),
    tickets,
    authorize: () => undefined,
    accept: () => {
      throw new Error('Nobody connects.');
    },
    async moves(body) {
      await new Promise<void>((resolve) => letGo.push(resolve));
      return body;
    },
    clock,
  });
  async function post(body: ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>) {
    const ticket = await issueTicket(tickets, { owner: 'ann', role: 'owner' }, clock.now());
    const init = {
      method: 'POST',
      headers: { authorization: `Bearer ${ticket}` },
      body,
      duplex: 'half',
    };
    const response = await handle(new Request('https://example.org/s1/wire/move', init));
    if (!response) throw new Error('It was none of the wire.');
    return response;
  }
  return { clock, letGo, post };
}

/** A body that has one byte, and tells when it is read. `ends`: it says no more after it. */
function bodyOf(byte: number, ends = true) {
  const read = { count: 0 };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(sink) {
        read.count += 1;
        if (read.count === 1) sink.enqueue(new Uint8Array([byte]));
        else if (ends) sink.close();
        else return new Promise<void>(() => {});
        return undefined;
      },
    },
    { highWaterMark: 0 },
  );
  return { body, read };
}

describe('a place that messages of moves come to', () => {
  it('reads one when the one before is answered', async () => {
    const { letGo, post } = openPlace();
    const [first, second] = [bodyOf(1), bodyOf(2)];
    const answers = [post(first.body), post(second.body)];
    await expect.poll(() => letGo.length).toBe(1);
    // Whose ticket is looked at first is the first.
    expect([first.read.count, second.read.count].toSorted()).toEqual([0, 2]);
    letGo[0]?.();
    await expect.poll(() => letGo.length).toBe(2);
    letGo[1]?.();
    const bodies = await Promise.all(answers.map(async (answer) => (await answer).arrayBuffer()));
    expect(bodies.map((bytes) => [...new Uint8Array(bytes)])).toEqual([[1], [2]]);
  });

  it('refuses one for which too many wait', async () => {
    const { letGo, post } = openPlace();
    const answers = Array.from({ length: 10 }, (_, at) => post(bodyOf(at).body));
    const refused = await Promise.race(answers);
    expect([refused.status, await refused.json()]).toMatchObject([
      429,
      { error: { message: expect.stringContaining('At most 8 requests of moves wait') } },
    ]);
    for (let at = 0; at < 9; at += 1) {
      await expect.poll(() => letGo.length).toBe(at + 1);
      letGo[at]?.();
    }
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(9);
    const after = post(bodyOf(10).body);
    await expect.poll(() => letGo.length).toBe(10);
    letGo[9]?.();
    expect((await after).status).toBe(200);
  });

  it('leaves one that goes silent, and goes on with the next', async () => {
    const { clock, letGo, post } = openPlace();
    const silent = bodyOf(1, false);
    const left = post(silent.body);
    await expect.poll(() => silent.read.count).toBe(2);
    const next = post(bodyOf(2).body);
    clock.advance(10_000);
    const refused = await left;
    expect([refused.status, await refused.json()]).toMatchObject([
      408,
      { error: { code: 'worker-lost' } },
    ]);
    await expect.poll(() => letGo.length).toBe(1);
    letGo[0]?.();
    expect((await next).status).toBe(200);
    expect(clock.pending()).toBe(0);
  });

  it('unpacks none that would be larger than it may be', async () => {
    const serve = serveMoves({
      name: 'a place of the tests',
      acceptsRules: false,
      session: () => undefined,
      withWorkspace: () => Promise.reject(new Error('It was let in.')),
      left: async () => {},
      stillLeaving: async () => {},
      arrived: async () => {},
    });
    const zeros = new Uint8Array(maxMoveBytes);
    const packed = await encodeFrame({}, [zeros]);
    const answer = await decodeFrame(await serve(packed));
    expect(answer.fields).toMatchObject({ error: { code: 'limit-exceeded' } });
    // It tells less than it has.
    new DataView(packed.buffer).setUint32(packed.length - 4, 1_000, true);
    const other = await decodeFrame(await serve(packed));
    expect(other.fields).toMatchObject({ error: { code: 'invalid-input' } });
  });
});

describe('a frame of a move', () => {
  it('comes to what was sent, and is refused where it was cut or tells another size', async () => {
    const blobs = [new Uint8Array([1, 2]), new Uint8Array(70_000), new Uint8Array(0)];
    const frame = await encodeFrame({ a: 'ä' }, blobs);
    expect(await decodeFrame(frame)).toEqual({ fields: { a: 'ä' }, blobs });
    const told = frame.slice();
    new DataView(told.buffer).setUint32(told.length - 4, 500_000_000, true);
    for (const broken of [told, frame.slice(0, 40), frame.slice(0, 2), new Uint8Array(0)]) {
      await expect(decodeFrame(broken)).rejects.toMatchObject({ code: 'invalid-input' });
    }
  });
});

it('an entry of a journal that would make a message too large goes alone', async () => {
  const { streams } = await createMemoryWorkspace();
  const contents = [new Uint8Array(0.75 * maxMessageBytes)];
  await streams.append(
    toJournalId('s1'),
    [1, 2, 3].map((n) => ({ value: { n }, contents: n === 1 ? [] : contents })),
    { at: 0 },
  );
  const parts = [];
  for (let from = 1; from <= 3;) {
    const { entries } = await readPart(streams, 's1', from);
    parts.push(entries.length);
    from += entries.length;
  }
  expect(parts).toEqual([2, 1]);
});
