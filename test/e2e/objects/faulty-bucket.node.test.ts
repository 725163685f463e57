// A session in a Durable Object whose bucket fails, is slow, or gives other bytes, beside a client over a real socket.
// Its instance is lost in the middle of turns, too. KILLS=60 (or any number) makes it a slow lane.
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import { connectSession } from '../../../src/wire/connect-session.ts';
import { fetchTicket } from '../../../src/wire/fetch-ticket.ts';
import { buildKillableWorkerd } from '../../support/edge/killable-workerd.ts';
import type { KillableWorkerd } from '../../support/edge/killable-workerd.ts';
import { createRandom } from '../../support/random.ts';
import type { Random } from '../../support/random.ts';

const rounds = inject('bucketRounds');

let workerd: KillableWorkerd;
/** Requests to the model. */
let requests = 0;

beforeAll(async () => {
  workerd = await buildKillableWorkerd({
    main: 'test/support/kills/faulty-bucket-main.ts',
    hear: (path) => void (requests += path === '/request' ? 1 : 0),
  });
  await workerd.start();
});

afterAll(() => workerd.close());

/** So many characters that no packing makes few of them. */
function makeNoise(random: Random, length: number): string {
  let text = '';
  while (text.length < length) text += random.next().toString(36).slice(2);
  return text.slice(0, length);
}

const isKept = ({ n }: SDKMessage) => n !== undefined;

const toContent = (message: SDKMessage) =>
  'message' in message ? JSON.stringify(message.message) : message.type;

const isEio = (error: unknown) => (error as { readonly code?: unknown }).code === 'EIO';

it(
  'a session whose bucket fails now and then ends each turn, pays none twice, and has all that it has told',
  { timeout: 600_000 + rounds * 60_000 },
  async () => {
    for (let round = 0; round < rounds; round += 1) await play(`round-${round}`, round);
  },
);

async function play(name: string, seed: number): Promise<void> {
  const random = createRandom(seed);
  const url = `${await workerd.address()}${name}/wire`;
  const connect = () => connectSession(url, { ticket: () => fetchTicket(url, {}) });
  requests = 0;
  let wanted = 0;
  await workerd.fetch(`${name}/mood/16/${seed}`);
  const client = await connect();
  const { fs } = await client.followFiles();
  const told: SDKMessage[] = [];
  /** By path, what the file may have: a change whose answer was an error may have been made or not. */
  const files = new Map<string, ReadonlySet<string>>();
  const change = (path: string, text: string, isSure: boolean) =>
    files.set(path, new Set([text, ...(isSure ? [] : (files.get(path) ?? ['']))]));

  /** Sends it, and reads to the end of its turn. Undefined: the bucket failed before anything was begun. */
  async function say(
    content: string,
    inTurn?: () => Promise<unknown>,
  ): Promise<string | undefined> {
    const sent = await client.send(content).catch((error: unknown) => {
      if (!isEio(error)) throw error;
    });
    if (!sent) return undefined;
    const lost = inTurn?.();
    const since: SDKMessage[] = [];
    for await (const message of client.messages({ after: sent.n })) {
      since.push(message);
      if (message.type === 'result') break;
    }
    await lost;
    told.push(...since.filter(isKept));
    return JSON.stringify(since.filter(({ type }) => type === 'user'));
  }

  const actions = {
    async write(inTurn?: () => Promise<unknown>) {
      const text = makeNoise(random, random.pick([1_000, 90_000, 150_000]));
      wanted += 2;
      const results = await say(`write ${text}`, inTurn);
      if (results !== undefined)
        change('/workspace/a.txt', text, /Made the|Replaced/u.test(results));
    },
    async lose() {
      // The request that was cut is sent again.
      wanted += 1;
      await actions.write(() => workerd.fetch(`${name}/abort`).catch(() => undefined));
    },
    async commit() {
      const text = makeNoise(random, random.pick([1_000, 90_000, 150_000]));
      const isDone = await fs.writeFile('/workspace/b.txt', text).then(
        () => true,
        (error: unknown) => {
          if (!isEio(error)) throw error;
          return false;
        },
      );
      change('/workspace/b.txt', text, isDone);
    },
    async cell() {
      const read = random.pick(["await fs.promises.readFile('b.txt')", "fs.readFileSync('b.txt')"]);
      wanted += 2;
      await say(`cell (${read}).length`);
    },
    async talk() {
      wanted += 1;
      await say(makeNoise(random, 90_000));
    },
    archive: () => workerd.fetch(`${name}/archive`),
  };
  const kinds = ['write', 'commit', 'commit', 'cell', 'talk', 'archive', 'lose'] as const;
  const steps = Array.from({ length: 6 }, () => random.pick(kinds));
  for (const step of ['commit', ...steps] as const) await actions[step]();

  await workerd.fetch(`${name}/mood/0/0`);
  await workerd.fetch(`${name}/abort`).catch(() => undefined);
  const fresh = await connect();
  const again = new Map<number | undefined, string>();
  const last = told.at(-1)?.n ?? 0;
  for await (const message of fresh.messages({ after: 0 })) {
    if (isKept(message)) again.set(message.n, toContent(message));
    if ((message.n ?? 0) >= last) break;
  }
  const lost = told.filter((message) => again.get(message.n) !== toContent(message));
  expect({ seed, steps, lost }).toEqual({ seed, steps, lost: [] });
  const followed = await fresh.followFiles();
  for (const [path, possible] of files) {
    const text = await followed.fs.readFile(path, 'utf8').catch(() => '');
    expect({ seed, steps, path, isOne: possible.has(text) }).toMatchObject({ isOne: true });
  }
  expect({ seed, steps, isPaidOnce: requests <= wanted }).toMatchObject({ isPaidOnce: true });
  await fresh.close();
  await client.close();
}
