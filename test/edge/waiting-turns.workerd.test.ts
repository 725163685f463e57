// A session's turn that waits for another one of its owner's, and ends of turns that are told late.
import { env } from 'cloudflare:workers';
import { runInDurableObject } from 'cloudflare:test';
import wasm from 'quickjs-wasi/quickjs.wasm';
import { expect, it } from 'vitest';
import { createSessionDirectory, createSessionObject } from '../../src/edge.ts';
import type {
  DirectoryAdmission,
  DirectoryObject,
  DirectoryPort,
  SessionObject,
  TurnReport,
} from '../../src/edge.ts';
import { ringByHand } from '../support/edge/hand-rung.ts';
import { listModel, says, type ListModel } from '../support/turns/play-turns.ts';

const usage = { input_tokens: 0, output_tokens: 1 };

interface WatchedModel extends ListModel {
  /** Before it answers. */
  onRequest(): Promise<void>;
}

interface Owned {
  readonly directory: DirectoryObject;
  readonly object: SessionObject;
  readonly model: WatchedModel;
  /** The sessions that were told of a free turn. */
  readonly told: readonly string[];
  /** Until nothing is due. */
  ring(): Promise<void>;
}

/** A session and the directory of its owner, who may have one turn, in one storage. `port`: as the session sees it. */
async function inOwned(
  name: string,
  port: (directory: DirectoryObject) => Partial<DirectoryPort>,
  work: (owned: Owned) => Promise<void>,
): Promise<void> {
  await runInDurableObject(env.STORE.getByName(`owned, ${name}`), async (_instance, state) => {
    const { ctx, at } = ringByHand(state as unknown as DurableObjectState);
    const told: string[] = [];
    const directory = createSessionDirectory(ctx, {
      quotas: { turns: 1 },
      deleteSession: async () => undefined,
      async continueSession(id) {
        told.push(id);
        return id === 'mine' && object.continueTurns();
      },
    });
    const list = listModel(
      'claude-test',
      [1, 2, 3].map((n) => says(`${n}`)),
    );
    const model: WatchedModel = {
      ...list,
      onRequest: () => Promise.resolve(),
      async *stream(...asked) {
        await model.onRequest();
        yield* list.stream(...asked);
      },
    };
    const object = createSessionObject(ctx, {
      wasm,
      model,
      sessionId: 'mine',
      directory: { ...directory, ...port(directory) },
    });
    const ring = async () => {
      while ((at() ?? Infinity) <= Date.now()) await object.alarm();
    };
    await work({ directory, object, model, told, ring });
  });
}

it('a prompt that waits for the turn of another session goes on once that has ended', async () => {
  const before = (directory: DirectoryObject) => ({
    async endTurn(report: TurnReport) {
      await directory.endTurn(report);
      // Two sessions are quicker than what waits here; one of them is gone by the time that it could begin.
      await directory.beginTurn({ session: 'another' });
      await directory.beginTurn({ session: 'gone', waits: true });
    },
  });
  await inOwned('free turn', before, async ({ directory, object, model, told, ring }) => {
    const session = await object.session();
    await session.send('One.');
    await session.send('Two.');
    await ring();
    expect([model.requests.length, told]).toEqual([1, []]);
    await directory.endTurn({ session: 'another', n: 1, usage, usd: 0 });
    await expect.poll(() => told).toEqual(['gone', 'mine']);
    await ring();
    expect(model.requests).toHaveLength(2);
    // Told twice: nobody waits any more.
    await directory.endTurn({ session: 'another', n: 1, usage, usd: 0 });
    expect(told).toEqual(['gone', 'mine']);
  });
});

it('the end of a turn that is told late leaves the next one counted', async () => {
  const reports: TurnReport[] = [];
  let isAway = true;
  const before = (directory: DirectoryObject) => ({
    async endTurn(report: TurnReport) {
      reports.push(report);
      if (isAway) throw new Error('The directory is away.');
      await directory.endTurn(report);
    },
  });
  await inOwned('late end', before, async ({ directory, object, model, ring }) => {
    const session = await object.session();
    const another: DirectoryAdmission[] = [];
    model.onRequest = async () => {
      const [late] = reports;
      if (!late || !isAway) return;
      await directory.endTurn(late);
      another.push(await directory.beginTurn({ session: 'another' }));
    };
    await session.send('One.');
    await session.send('Two.');
    await ring();
    const reason = '1 turn of yours runs already, and 1 may. Wait until one ends.';
    expect(another).toEqual([{ allowed: false, reason }]);
    isAway = false;
    await session.send('Three.');
    await ring();
    expect(await directory.beginTurn({ session: 'another' })).toEqual({ allowed: true });
    expect(await directory.find('mine')).toMatchObject({ turns: 3, isRunning: false });
  });
});

it('a turn whose admission is lost on its way counts no longer than it is told', async () => {
  let isLost = true;
  const lossy = (directory: DirectoryObject) => ({
    async beginTurn(turn: Parameters<DirectoryPort['beginTurn']>[0]) {
      const admission = await directory.beginTurn(turn);
      if (isLost) throw new Error('Network connection lost.');
      return admission;
    },
  });
  await inOwned('lost admission', lossy, async ({ directory, object, model, ring }) => {
    const session = await object.session();
    await expect(session.send('One.')).rejects.toThrow('Network connection lost.');
    expect(await directory.find('mine')).toMatchObject({ isRunning: true });
    await ring();
    expect(await directory.beginTurn({ session: 'another' })).toEqual({ allowed: true });
    await directory.endTurn({ session: 'another', n: 1, usage, usd: 0 });

    isLost = false;
    const another: DirectoryAdmission[] = [];
    model.onRequest = async () => {
      isLost = true;
      // The turn that runs counts, whatever becomes of a further prompt.
      await expect(session.send('Three.')).rejects.toThrow('Network connection lost.');
      another.push(await directory.beginTurn({ session: 'another' }));
    };
    await session.send('Two.');
    await ring();
    expect(another).toMatchObject([{ allowed: false }]);
    expect(await directory.find('mine')).toMatchObject({ isRunning: false });
    expect(model.requests).toHaveLength(1);
  });
});

it('a turn that waits is known at each moment in which its session comes to rest', async () => {
  await runInDurableObject(env.STORE.getByName('resting'), async (_instance, state) => {
    const { ctx, at } = ringByHand(state as unknown as DurableObjectState);
    const { storage } = ctx;
    const answers: boolean[] = [];
    let refusals = 0;
    let isLooking = false;
    const look = async () => {
      const rows = storage.sql.exec("SELECT 1 FROM rockpool_alarm WHERE name = 'rockpool.step'");
      const isResting = rows.toArray().length === 0;
      if (!isResting || isLooking || refusals === 0 || answers.length === 5) return;
      isLooking = true;
      answers.push(await object.continueTurns());
      isLooking = false;
    };
    const watched: typeof storage = {
      ...storage,
      setAlarm: (time) => storage.setAlarm(time).then(look),
      deleteAlarm: () => storage.deleteAlarm().then(look),
    };
    const model = listModel('claude-test', [says('One.'), says('Two.')]);
    const object: SessionObject = createSessionObject(
      { ...ctx, storage: watched },
      {
        wasm,
        model,
        sessionId: 'mine',
        directory: {
          register: async () => ({ allowed: true }),
          endTurn: async () => undefined,
          async beginTurn({ waits = false }) {
            if (!waits || answers.length === 5) return { allowed: true };
            refusals += 1;
            return { allowed: false, reason: 'Another turn runs.' };
          },
        },
      },
    );
    const session = await object.session();
    await session.send('One.');
    await session.send('Two.');
    while ((at() ?? Infinity) <= Date.now()) await object.alarm();
    expect(answers).toEqual(Array.from({ length: 5 }, () => true));
    expect(model.requests).toHaveLength(2);
  });
});
