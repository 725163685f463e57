// Many sessions of many tenants in one isolate with little memory, over real sockets. None fails,
// none sees anything of another one's, and the memory comes back when they sleep. SESSIONS=1000 (or
// any number) makes it a slow lane.
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import type { DirectoryEntry } from '../../../src/hosts/edge/directory/session-directory.ts';
import { connectSession } from '../../../src/wire/connect-session.ts';
import type { ConnectedSession } from '../../../src/wire/connect-session.ts';
import { fetchTicket } from '../../../src/wire/fetch-ticket.ts';
import { buildKillableWorkerd } from '../../support/edge/killable-workerd.ts';
import type { KillableWorkerd } from '../../support/edge/killable-workerd.ts';
import { findSecrets, loadedTurns, toLoadedPrompt } from '../../support/edge/loaded-model.ts';
import { createRandom } from '../../support/random.ts';

declare module 'vitest' {
  interface ProvidedContext {
    loadedSessions: number;
  }
}

const count = inject('loadedSessions');
/** A directory lists 100 at once. */
const tenants = Math.max(10, Math.ceil(count / 100));
const atOnce = 20;
/** What all of them together may keep of the isolate when they sleep, in bytes. */
const mostKeptBytes = 16 * 1024 * 1024;

let workerd: KillableWorkerd;
let address: string;

beforeAll(async () => {
  workerd = await buildKillableWorkerd({
    main: 'test/support/edge/loaded-session-main.ts',
    objects: { OWNERS: 'OwnerObject' },
    // All that an isolate may have. V8 ends the process where it needs more.
    v8Flags: '--max-old-space-size=128 --expose-gc',
    hear: () => undefined,
  });
  await workerd.start();
  address = await workerd.address();
});

afterAll(() => workerd.close());

/** One of the test's. Its instance is taken away in the turn `lostIn`, before that has ended or after. */
interface Loaded {
  readonly name: string;
  readonly tenant: string;
  readonly secret: string;
  readonly lostIn: number | undefined;
  readonly isLostEarly: boolean;
}

const random = createRandom(inject('seed'));

const toLoaded = (at: number): Loaded => {
  const tenant = `tenant${at % tenants}`;
  return {
    name: `${tenant}.session${at}`,
    tenant,
    secret: `secret-${at}x${random.below(2 ** 32).toString(36)}`,
    // What the first turn writes is looked for by the others.
    lostIn: at % 10 === 3 ? 1 + random.below(loadedTurns - 1) : undefined,
    isLostEarly: random.chance(0.5),
  };
};

/** Does the work of all, so many at once. */
async function forAll<Item>(items: readonly Item[], work: (item: Item) => Promise<void>) {
  const waiting = [...items];
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** Of the isolate, in bytes. An isolate gives back while it runs, over some rounds. */
async function readMemory(): Promise<number> {
  let least = Infinity;
  for (let round = 0; round < 8; round += 1) {
    await collect();
    const { heap, buffers } = await workerd.memory();
    least = Math.min(least, heap + buffers);
  }
  return least;
}

/** Gives the isolate's name. */
async function collect(): Promise<string> {
  const { isolate, collected } = JSON.parse(await workerd.fetch('collect')) as {
    readonly isolate: string;
    readonly collected: boolean;
  };
  if (!collected) throw new Error('The isolate has no gc.');
  return isolate;
}

const connect = ({ name, tenant }: Loaded): Promise<ConnectedSession> => {
  const url = `${address}${name}/wire`;
  return connectSession(url, { ticket: () => fetchTicket(url, { 'x-tenant': tenant }) });
};

const takeAway = ({ name }: Loaded) => workerd.fetch(`${name}/abort`).catch(() => undefined);

/** Plays one turn, and gives what is wrong with it. */
async function playTurn(
  loaded: Loaded,
  session: ConnectedSession,
  turn: number,
): Promise<readonly unknown[]> {
  const { secret } = loaded;
  const { n } = await session.send(toLoadedPrompt(turn, secret));
  const isLost = loaded.lostIn === turn;
  if (isLost && loaded.isLostEarly) await takeAway(loaded);
  const told: SDKMessage[] = [];
  for await (const message of session.messages({ after: n })) {
    told.push(message);
    if (message.type === 'result') break;
  }
  if (isLost && !loaded.isLostEarly) await takeAway(loaded);
  const ended = told.at(-1);
  const foreign = findSecrets(JSON.stringify(told)).filter((found) => found !== secret);
  const wanted = `Turn ${turn} has seen ${secret}.`;
  const isDone = ended?.type === 'result' && ended.subtype === 'success' && ended.result === wanted;
  return [
    ...(foreign.length > 0 ? [{ foreign }] : []),
    ...(isDone ? [] : [{ ended }]),
    ...told.flatMap((message) => {
      if (isLost || message.type !== 'user' || typeof message.message.content === 'string')
        return [];
      const failed = message.message.content.filter(
        (block) => 'is_error' in block && block.is_error,
      );
      return failed.length > 0 ? [{ failed }] : [];
    }),
  ];
}

/** Plays all turns, the same turn of all before the next one: so each has slept before it goes on. */
async function playAll(
  all: readonly Loaded[],
  connected: Map<Loaded, ConnectedSession>,
): Promise<readonly unknown[]> {
  const faults: unknown[] = [];
  for (let turn = 0; turn < loadedTurns; turn += 1) {
    await forAll(all, async (loaded) => {
      try {
        const session = connected.get(loaded) ?? (await connect(loaded));
        connected.set(loaded, session);
        for (const fault of await playTurn(loaded, session, turn)) {
          faults.push({ ...loaded, turn, fault });
        }
      } catch (error) {
        faults.push({ ...loaded, turn, error });
      }
    });
  }
  return faults;
}

describe(`${count} sessions of ${tenants} tenants, ${atOnce} at once, in an isolate of 128 MB`, () => {
  it(
    'come to their ends, see nothing of each other, and give the memory back',
    // They take their time where they are many: 4 s each is far more than they need.
    { timeout: 600_000 + count * 4_000 },
    async () => {
      const connected = new Map<Loaded, ConnectedSession>();
      // What the first ones load stays loaded.
      const first = Array.from({ length: tenants }, (_, at) => toLoaded(at));
      expect(await playAll(first, connected)).toEqual([]);
      const before = await readMemory();
      const isolate = await collect();

      const others = Array.from({ length: count - tenants }, (_, at) => toLoaded(at + tenants));
      expect(await playAll(others, connected)).toEqual([]);
      expect(await collect()).toBe(isolate);
      await expect
        .poll(async () => (await readMemory()) - before, sleepy)
        .toBeLessThan(mostKeptBytes);

      for (let tenant = 0; tenant < tenants; tenant += 1) {
        const own = [...connected.keys()].filter((loaded) => loaded.tenant === `tenant${tenant}`);
        const list = async () => {
          const entries = JSON.parse(await workerd.fetch(`tenant${tenant}`)) as DirectoryEntry[];
          return entries.map(({ isRunning, turns }) => ({ isRunning, turns }));
        };
        const ended = { isRunning: false, turns: loadedTurns };
        await expect.poll(list).toEqual(own.map(() => ended));
      }
      for (const session of connected.values()) await session.close();
    },
  );

  it("let nobody in who isn't their tenant", async () => {
    const url = `${address}tenant0.session0/wire`;
    await expect(fetchTicket(url, { 'x-tenant': 'tenant1' })).rejects.toMatchObject({
      code: 'permission-denied',
    });
    const other = `${address}tenant1.session1/wire`;
    const ticket = await fetchTicket(other, { 'x-tenant': 'tenant1' });
    await expect(connectSession(url, { ticket })).rejects.toMatchObject({
      code: 'permission-denied',
    });
  });
});

/** The runtime lets go of an idle object after 10 to 25 s. */
const sleepy = { timeout: 240_000, interval: 1_000 };
