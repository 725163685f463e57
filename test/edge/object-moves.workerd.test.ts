// A session's object that a tab moves its session to. The tests show what it does if the tab is
// gone in the midst of a move. They also show a session that its owner has no room for.
import { env } from 'cloudflare:workers';
import { runInDurableObject } from 'cloudflare:test';
import wasm from 'quickjs-wasi/quickjs.wasm';
import { describe, expect, it } from 'vitest';
import { createEdgeHost, createSessionDirectory, createSessionObject } from '../../src/edge.ts';
import type { DirectoryQuotas, SessionDirectory, SessionObject } from '../../src/edge.ts';
import type { Host } from '../../src/agent/host.ts';
import { openSession } from '../../src/agent/open-session.ts';
import { createInlineHost } from '../../src/hosts/inline/create-inline-host.ts';
import { decodeFrame, encodeFrame } from '../../src/wire/handover/frames.ts';
import { moveProtocol } from '../../src/wire/handover/move-messages.ts';
import { moveSession } from '../../src/wire/handover/move-session.ts';
import { settleMove } from '../../src/wire/handover/settle-move.ts';
import type { SettledMove } from '../../src/wire/handover/settle-move.ts';
import type { ServedFiles } from '../../src/wire/feed-client.ts';
import type { MoveServer } from '../../src/wire/move-server.ts';
import { ringByHand } from '../support/edge/hand-rung.ts';
import { atOnce } from '../support/wire/moving-places.ts';
import { isResult, readUntil, silentModel } from '../support/sessions/open-sessions.ts';
import { listModel, says } from '../support/turns/play-turns.ts';

const sessionId = 'moving';
const url = 'https://cloud.example/wire';
const ownerId = 'its-object';

interface Places {
  readonly tab: Host;
  /** The newest instance. */
  readonly object: SessionObject;
  readonly directory: SessionDirectory;
  readonly storage: DurableObjectStorage;
  /** Asked before each request: true means that nobody hears of the tab from here on. */
  isGone: (type: string) => boolean;
  /** Awaited before each request. */
  before: (type: string) => Promise<void>;
  /** The object's files, as its clients write them. */
  files(): Promise<ServedFiles>;
  /** Asked before each statement of the object's: true means that it is killed there. See {@link restart}. */
  diesAt: (bindings: readonly unknown[]) => boolean;
  /** The last request of a type, as it was sent. */
  readonly sent: Map<string, Uint8Array<ArrayBuffer>>;
  readonly serve: MoveServer;
  move(): Promise<void>;
  settle(): Promise<SettledMove>;
  /** Another instance of the object. */
  restart(): Promise<void>;
}

async function inPlaces(
  name: string,
  quotas: DirectoryQuotas,
  work: (places: Places) => Promise<void>,
): Promise<void> {
  await runInDurableObject(env.STORE.getByName(`moves, ${name}`), async (_instance, state) => {
    const { id, storage } = state as unknown as DurableObjectState;
    const { ctx } = ringByHand({ id, storage });
    const directory = createSessionDirectory(ctx, { quotas, deleteSession: async () => {} });
    let files: () => Promise<ServedFiles> = () => Promise.reject(new Error('There are none yet.'));
    let serve: MoveServer = () => Promise.reject(new Error('Nobody serves yet.'));
    let isGone = false;
    let object: SessionObject;
    async function start(): Promise<void> {
      let isDead = false;
      const mortal: typeof ctx.storage = {
        ...ctx.storage,
        sql: {
          exec(query, ...bindings) {
            if (!isDead && places.diesAt(bindings)) {
              isDead = true;
              isGone = true;
            }
            if (isDead) throw new Error('It was killed.');
            return ctx.storage.sql.exec(query, ...bindings);
          },
        },
      };
      object = createSessionObject(
        { id, storage: mortal },
        {
          wasm,
          model: listModel('claude-test', [says('Two.')]),
          sessionId: ownerId,
          directory,
          wire(_session, served, moves) {
            files = served;
            serve = moves;
            return {
              fetch: async () => undefined,
              webSocketMessage: async () => false,
              webSocketClose: async () => false,
              webSocketError: async () => false,
            };
          },
        },
      );
      await object.fetch(new Request(url));
    }
    const tab = await createInlineHost();
    const asking = {
      host: tab,
      ticket: () => 'a ticket',
      clock: atOnce,
      async fetch(_url: unknown, init?: RequestInit) {
        const body = init?.body as Uint8Array<ArrayBuffer>;
        const type = String((await decodeFrame(body)).fields['type']);
        places.sent.set(type, body);
        await places.before(type);
        isGone ||= places.isGone(type);
        const answer = isGone ? undefined : await serve(body);
        if (isGone || !answer) throw new TypeError('The connection is lost.');
        return new Response(answer);
      },
    };
    const places: Places = {
      tab,
      get object() {
        return object;
      },
      directory,
      storage,
      isGone: () => false,
      before: () => Promise.resolve(),
      files: () => files(),
      diesAt: () => false,
      sent: new Map(),
      serve: (body) => serve(body),
      async move() {
        isGone = false;
        await moveSession(sessionId, url, asking);
      },
      async settle() {
        isGone = false;
        return settleMove(sessionId, asking);
      },
      async restart() {
        places.diesAt = () => false;
        await start();
      },
    };
    await start();
    await work(places);
    await tab[Symbol.asyncDispose]();
  });
}

/** The session in the tab, after its first turn. */
async function playFirst({ tab }: Places): Promise<void> {
  await using session = await openSession({
    host: tab,
    model: listModel('claude-test', [says('One.')]),
    sessionId,
  });
  const { n } = await session.send('First.');
  await readUntil(session, isResult, n);
}

/** A second turn, which the model leaves without an answer. */
async function beginSecond({ tab }: Places): Promise<void> {
  const session = await openSession({ host: tab, model: silentModel, resume: sessionId });
  await session.send('Second.');
}

async function listBranches({ storage, serve }: Places): Promise<string[]> {
  const host = await createEdgeHost({ wasm, storage });
  const branches = await host.workspace.roots.list({ kind: 'branch' });
  await host[Symbol.asyncDispose]();
  // By what it can't write for this one the object learns that its files had another owner meanwhile.
  const about = { type: 'cancel', session: 'nobody', move: 'none', protocol: moveProtocol };
  await serve(await encodeFrame(about));
  return branches.map(({ id }) => id);
}

it('an offer that nothing is heard of for an hour is called off, and nothing of it is kept', async () => {
  await inPlaces('silent offer', {}, async (places) => {
    const { tab, object, directory } = places;
    await tab.workspace.fs.writeFile('/workspace/a.txt', 'a');
    await playFirst(places);
    places.isGone = (type) => type === 'stage';
    await expect(places.move()).rejects.toMatchObject({ code: 'worker-lost' });
    expect(await listBranches(places)).toEqual([`moving-${sessionId}`]);
    const minutes = ((object.alarms.get('rockpool.offer') ?? 0) - Date.now()) / 60_000;
    expect(Math.round(minutes)).toBe(60);
    await object.alarms.set('rockpool.offer', 0);
    expect(await object.alarm()).toBe(true);
    expect(object.alarms.get('rockpool.offer')).toBeUndefined();
    expect(await listBranches(places)).toEqual([]);
    expect(await directory.list()).toEqual([]);
    // The page was only slow.
    const late = await places.serve(places.sent.get('stage') ?? new Uint8Array(0));
    expect((await decodeFrame(late)).fields).toMatchObject({
      error: { message: expect.stringContaining('This move has come to nothing') },
    });
    places.isGone = () => false;
    await places.move();
    expect(object.alarms.get('rockpool.offer')).toBeUndefined();
    expect(await directory.list()).toMatchObject([{ id: ownerId, isRunning: false }]);
  });
});

it('a turn comes where its owner has room for one, and stays in the tab where not', async () => {
  await inPlaces('running turn', { turns: 1 }, async (places) => {
    const { tab, object, directory } = places;
    await playFirst(places);
    await beginSecond(places);
    await directory.beginTurn({ session: 'another' });
    await expect(places.move()).rejects.toMatchObject({
      code: 'limit-exceeded',
      message: '1 turn of yours runs already, and 1 may. Wait until one ends.',
    });
    expect((await directory.list()).map(({ id }) => id)).toEqual(['another']);
    expect(await listBranches(places)).toEqual([]);
    await beginAgain(tab);
    const usage = { input_tokens: 0, output_tokens: 0 };
    await directory.endTurn({ session: 'another', n: 1, usage, usd: 0 });
    await places.move();
    const listed = async () => (await directory.list()).find(({ id }) => id === ownerId);
    expect(await listed()).toMatchObject({ isRunning: true, turns: 0 });
    while ((await listed())?.turns === 0) await object.alarm();
    expect(await listed()).toMatchObject({ isRunning: false, turns: 1 });
  });
});

it('a turn that can’t come after all doesn’t count for its owner', async () => {
  await inPlaces('refused turn', { turns: 1 }, async (places) => {
    const { tab, directory, object } = places;
    await tab.workspace.fs.writeFile('/workspace/a.txt', 'in the tab');
    await playFirst(places);
    await beginSecond(places);
    places.before = async (type) => {
      if (type !== 'take') return;
      const content = new TextEncoder().encode('in the cloud');
      const written = { path: '/workspace/a.txt', content, mode: 0o644, mtimeMs: 0 };
      const changes = [{ type: 'write', baseVersion: 0, ...written }] as const;
      const served = await places.files();
      await served.commit({ baseSeq: served.state.seq, changes }, { author: { kind: 'user' } });
    };
    await expect(places.move()).rejects.toMatchObject({ code: 'ECONFLICT' });
    await object.alarm();
    expect(await directory.find(ownerId)).toMatchObject({ isRunning: false });
    expect(await directory.beginTurn({ session: 'another' })).toEqual({ allowed: true });
  });
});

/** As a page does whose session has come to stay. */
async function beginAgain(host: Host): Promise<void> {
  const session = await openSession({ host, model: silentModel, resume: sessionId });
  expect(session.state()).toBe('running');
}

it('a session at rest comes although no turn has room, and not where no session has', async () => {
  await inPlaces('at rest', { turns: 0, sessions: 1 }, async (places) => {
    const { directory } = places;
    await playFirst(places);
    await directory.register({ id: 'another' });
    const full = 'You have 1 session, which is the most. Delete one first.';
    await expect(places.move()).rejects.toMatchObject({ code: 'limit-exceeded', message: full });
    await directory.delete('another');
    places.isGone = (type) => {
      // Between the offer and the end somebody else takes the last place.
      if (type === 'take') void directory.register({ id: 'another' });
      return false;
    };
    await expect(places.move()).rejects.toMatchObject({ code: 'limit-exceeded', message: full });
    places.isGone = () => false;
    await directory.delete('another');
    await places.move();
    expect((await directory.list()).map(({ id }) => id)).toEqual([ownerId]);
  });
});

describe('an object that is killed when it has taken a session over, and before it knows that it is its own', () => {
  /** Its second turn is to be gone on with. */
  async function dieOfMove(places: Places): Promise<void> {
    await playFirst(places);
    await beginSecond(places);
    places.diesAt = ([key]) => key === 'leaving';
    await expect(places.move()).rejects.toMatchObject({ data: { isUnsure: true } });
    await places.restart();
  }

  async function expectSecondTurn({ object, directory }: Places): Promise<void> {
    const turns = async () => (await directory.list()).find(({ id }) => id === ownerId)?.turns;
    for (let rung = 0; rung < 50 && (await turns()) !== 1; rung += 1) await object.alarm();
    expect((await object.session()).id).toBe(sessionId);
    expect(await turns()).toBe(1);
  }

  it('goes on with it where whoever has brought it asks', async () => {
    await inPlaces('asked when killed', {}, async (places) => {
      await dieOfMove(places);
      expect(await places.settle()).toEqual({ isHere: false, url });
      await expectSecondTurn(places);
      expect(places.object.alarms.get('rockpool.offer')).toBeUndefined();
      expect(await listBranches(places)).toEqual([]);
    });
  });

  it('goes on with it after an hour where nobody asks', async () => {
    await inPlaces('silent when killed', {}, async (places) => {
      await dieOfMove(places);
      await places.object.alarms.set('rockpool.offer', 0);
      await expectSecondTurn(places);
      expect(places.object.alarms.get('rockpool.offer')).toBeUndefined();
    });
  });

  it('leaves the place to a session that was begun there meanwhile', async () => {
    await inPlaces('begun when killed', {}, async (places) => {
      await dieOfMove(places);
      const session = await places.object.session();
      await session.send('Mine.');
      expect(await places.settle()).toEqual({ isHere: false, url });
      expect((await places.object.session()).id).toBe(ownerId);
    });
  });
});

it('a request that comes once more leaves the place as it became since', async () => {
  await inPlaces('cleared', {}, async (places) => {
    await playFirst(places);
    await places.move();
    const session = await places.object.session();
    const { n } = await session.send('/clear');
    await readUntil(session, ({ type, n: at = 0 }) => type === 'result' && at > n);
    const cleared = (await places.object.session()).id;
    expect(cleared).not.toBe(sessionId);
    await places.serve(places.sent.get('take') ?? new Uint8Array(0));
    expect((await places.object.session()).id).toBe(cleared);
  });
});
