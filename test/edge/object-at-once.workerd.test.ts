// What comes to a session's object at the same time. That is openings, requests of a move, an
// archive that is asked for, and its deletion beside what is on its way to a bucket.
import { env } from 'cloudflare:workers';
import { runInDurableObject } from 'cloudflare:test';
import wasm from 'quickjs-wasi/quickjs.wasm';
import { describe, expect, it, vi } from 'vitest';
import { createSessionObject } from '../../src/edge.ts';
import type { ArchiveBucket, SessionObject } from '../../src/edge.ts';
import { createObjectMoves } from '../../src/hosts/edge/object/object-moves.ts';
import { createAlarmTable } from '../../src/hosts/edge/object/named-alarms.ts';
import { encodeFrame } from '../../src/wire/handover/frames.ts';
import { moveProtocol } from '../../src/wire/handover/move-messages.ts';
import type { MoveServer } from '../../src/wire/move-server.ts';
import { ringByHand } from '../support/edge/hand-rung.ts';
import { asks, listModel, says } from '../support/turns/play-turns.ts';
import { watchBucket, type WatchedBucket } from '../support/edge/watched-bucket.ts';

const monthMs = 30 * 24 * 60 * 60 * 1_000;

/** A request of a move, which has the files lent. */
const look = () =>
  encodeFrame({ type: 'look', session: '', move: 'a-look', protocol: moveProtocol });

interface Busy {
  readonly object: SessionObject;
  readonly contents: WatchedBucket;
  /** What the archive's bucket does before it gives the session back. */
  beforeGet: () => Promise<unknown>;
  serve: MoveServer;
  /** Rings what is due, until nothing is. */
  ringAll(): Promise<void>;
  /** Is the session in the archive? */
  isPut(): boolean;
  /** The keys of all that is in its buckets. */
  keys(): Promise<string[]>;
}

/** Its one turn writes a file of 90 kB. */
const model = () => {
  const input = { file_path: 'large.txt', content: 'large '.repeat(15_000) };
  return listModel('claude-test', [
    asks({ type: 'tool_use', id: 'call-1', name: 'Write', input }),
    says('Written.'),
  ]);
};

async function inBusy(name: string, work: (busy: Busy) => Promise<void>): Promise<void> {
  await runInDurableObject(env.STORE.getByName(`at once, ${name}`), async (_instance, state) => {
    const { id, storage } = state as unknown as DurableObjectState;
    const rung = ringByHand({ id, storage });
    const contents = watchBucket(env.CONTENTS);
    const bucket: ArchiveBucket = {
      createMultipartUpload: (key) => env.ARCHIVE.createMultipartUpload(key),
      async get(key) {
        await busy.beforeGet();
        return env.ARCHIVE.get(key);
      },
      delete: (key) => env.ARCHIVE.delete(key),
    };
    const object = createSessionObject(rung.ctx, {
      wasm,
      model: model(),
      options: { permissionMode: 'bypassPermissions' },
      archive: { bucket, after: monthMs },
      contents: { bucket: contents, minBytes: 65_536 },
      wire(_session, _files, moves) {
        busy.serve = moves;
        return {
          fetch: async () => undefined,
          webSocketMessage: async () => false,
          webSocketClose: async () => false,
          webSocketError: async () => false,
        };
      },
    });
    const busy: Busy = {
      object,
      contents,
      beforeGet: async () => undefined,
      serve: () => Promise.reject(new Error('Nobody serves yet.')),
      async ringAll() {
        for (let at = rung.at(); at !== null && at <= Date.now(); at = rung.at()) {
          await object.alarm();
        }
      },
      isPut: () =>
        storage.sql.exec('SELECT one FROM rockpool_archive WHERE one = 1').toArray().length > 0,
      async keys() {
        const lists = await Promise.all([
          env.CONTENTS.list({ prefix: `rockpool/contents/${String(id)}/` }),
          env.ARCHIVE.list({ prefix: `rockpool/sessions/${String(id)}/` }),
        ]);
        return lists.flatMap(({ objects }) => objects.map(({ key }) => key));
      },
    };
    await object.fetch(new Request('https://session.example/'));
    await work(busy);
  });
}

/** Plays the turn up to where the file is on its way to the bucket. */
async function playToPut({ object, contents }: Busy): Promise<{ run: Promise<unknown> }> {
  await (await object.session()).send('Write it.');
  const run = (async () => {
    for (let times = 0; times < 3; times += 1) await object.alarm();
  })().catch(() => undefined);
  await vi.waitUntil(() => contents.asked.includes('put'), { timeout: 240_000 });
  return { run };
}

it('of an opening and a request of a move, in whatever microtasks, one waits for the other', async () => {
  await runInDurableObject(env.STORE.getByName('microtasks'), async (_instance, state) => {
    const { storage } = state as unknown as DurableObjectState;
    const { ctx } = ringByHand({ id: state.id, storage });
    for (let steps = 0; steps < 12; steps += 1) {
      let opening: Promise<unknown> | undefined;
      let inside = 0;
      let most = 0;
      const bring = async () => {
        inside += 1;
        most = Math.max(most, inside);
        await new Promise((resolve) => setTimeout(resolve));
        inside -= 1;
      };
      const open = async () => {
        for (let step = 0; step < steps; step += 1) await undefined;
        opening = moves
          .giveWay()
          .then(bring)
          .finally(() => (opening = undefined));
        await opening;
      };
      let opened: Promise<void> | undefined;
      const moves = createObjectMoves(
        {},
        {
          storage,
          table: createAlarmTable(ctx.storage),
          session: () => 'a session',
          leavingUntil: () => undefined,
          opening: () => opening,
          current: () => undefined,
          rest: async () => undefined,
          ring: async () => undefined,
          bringBack: bring,
          broughtBack: async () => undefined,
          hold() {
            opened ??= open();
            return { [Symbol.dispose]() {} };
          },
          left: async () => undefined,
          stillLeaving: async () => undefined,
          refusal: async () => undefined,
          refusalNow: async () => undefined,
          arrived: async () => undefined,
        },
      );
      await moves.session.serve(await look());
      await opened;
      await moves.giveWay();
      expect([steps, most]).toEqual([steps, 1]);
    }
  });
});

describe('an archive that is asked for', () => {
  it('while a move uses the files alone is put afterwards', async () => {
    await inBusy('lent', async (busy) => {
      const { object, ringAll, isPut } = busy;
      await (await object.session()).send('Write it.');
      await ringAll();
      await object.archive();
      await ringAll();
      expect(isPut()).toBe(true);
      busy.beforeGet = async () => {
        busy.beforeGet = async () => undefined;
        await object.archive();
        // It rings while they are lent.
        await object.alarms.set('rockpool.archive', 0);
        await ringAll();
      };
      await busy.serve(await look());
      await ringAll();
      expect(isPut()).toBe(true);
    });
  });

  it('while the session comes back is put when it rests', async () => {
    await inBusy('coming back', async (busy) => {
      const { object, ringAll, isPut } = busy;
      await (await object.session()).send('Write it.');
      await ringAll();
      await object.archive();
      await ringAll();
      busy.beforeGet = () => object.archive();
      const session = await object.session();
      expect(isPut()).toBe(false);
      await session.close();
      await ringAll();
      expect(isPut()).toBe(true);
    });
  });
});

describe('a session that is deleted', () => {
  it('beside a put leaves nothing in the bucket, and is not begun anew', async () => {
    await inBusy('deleted beside a put', async (busy) => {
      const { object, contents, keys } = busy;
      let release = () => {};
      contents.held = new Promise((resolve) => (release = resolve));
      const { run } = await playToPut(busy);
      const deleting = object.deleteArchive();
      await expect(object.session()).rejects.toThrow('is being deleted. Begin another one.');
      await expect.poll(keys).toHaveLength(1);
      release();
      await deleting;
      await run;
      await object.alarms.set('rockpool.contents', 0);
      await object.alarm();
      await expect(object.session()).rejects.toThrow('is being deleted. Begin another one.');
      expect(await keys()).toEqual([]);
    });
  });

  it('is refused while a put has no answer for a minute, and deleted with it when said again', async () => {
    await inBusy('deleted late', async (busy) => {
      const { object, contents, keys } = busy;
      let land = () => {};
      // Nothing is there until the writer has long given up.
      contents.before = new Promise((resolve) => (land = resolve));
      const { run } = await playToPut(busy);
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      try {
        const refused = expect(object.deleteArchive()).rejects.toThrow('Nothing is lost');
        for (let minutes = 0; minutes < 4; minutes += 1) await vi.advanceTimersByTimeAsync(61_000);
        await refused;
      } finally {
        vi.useRealTimers();
      }
      expect(await keys()).toEqual([]);
      land();
      await object.deleteArchive();
      await run;
      expect(await keys()).toEqual([]);
    });
  });
});
