// Many at once. Whoever reads sees at least what was acknowledged before it asked, and one state,
// never two mixed. That holds beside the writer and in replicas that are always behind.
import { describe, expect, it } from 'vitest';
import { SdkError } from '../../../src/core/errors.ts';
import type { SyncFileSystem } from '../../../src/workspace/files/file-system.ts';
import { createReplica, type Replica } from '../../../src/workspace/feed/replica.ts';
import { serveFeed } from '../../../src/workspace/feed/serve-feed.ts';
import type { ViewSource } from '../../../src/workspace/draft/view.ts';
import { createWriterWorkspace } from '../../../src/workspace/commit/writer-workspace.ts';
import type { WorkspaceWriter } from '../../../src/workspace/commit/writer.ts';
import { openAccess, openTestWriter } from '../../support/files/workspaces.ts';

const clients = 320;
const rounds = 4;
const pairs = 80;

/** Lets others go on, `turns` times. */
async function giveWay(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
}

/** Each message arrives as a clone, in order, and late by another while each time. */
function openLateReplica(writer: WorkspaceWriter, seed: number): Replica {
  let arriving = Promise.resolve();
  let sent = 0;
  const replica: Replica = createReplica({
    // Never fires: a record that doesn't arrive by itself would be a failure.
    clock: { now: () => 0, after: () => ({ [Symbol.dispose]: () => {} }) },
    subscribe() {
      serveFeed(writer, {
        send(message) {
          const clone = structuredClone(message);
          sent += 1;
          const late = (sent * seed) % 23;
          arriving = arriving.then(() => giveWay(late)).then(() => replica.receive(clone));
        },
        onError(error) {
          throw error;
        },
      });
    },
  });
  return replica;
}

const leftOf = (pair: number) => `/left/${pair}`;
const rightOf = (pair: number) => `/right/${pair}`;
const numberIn = (fs: SyncFileSystem, path: string) => Number(fs.readFileSync(path, 'utf8'));

describe('320 clients that read and write at once', () => {
  it('lose no write, and see all that was acknowledged before they asked, in one state', async () => {
    const writer = await openTestWriter();
    const workspace = createWriterWorkspace(writer);
    const replicas = [openLateReplica(writer, 7), openLateReplica(writer, 11)];
    const sources: readonly ViewSource[] = [workspace, ...replicas];
    for (const directory of ['/left', '/right']) {
      await workspace.fs.mkdir(directory);
      for (let pair = 0; pair < pairs; pair += 1) {
        await workspace.fs.writeFile(`${directory}/${pair}`, '0');
      }
    }
    /** What each pair surely holds by now, and the record from which on it does. */
    const acknowledged = Array.from({ length: pairs }, () => 0);
    let lastSeq = workspace.seq();
    let conflicts = 0;
    const wrong: string[] = [];

    const open = (client: number, minSeq: number) => {
      const source = sources[client % sources.length] ?? workspace;
      return source.openView({ root: 'main', minSeq }, openAccess('/'));
    };

    /** Adds one to a pair: both of its files in one commit, again where somebody else was quicker. */
    async function add(client: number): Promise<void> {
      const pair = client % pairs;
      for (;;) {
        const view = await open(client, lastSeq);
        const next = numberIn(view.fs.sync, leftOf(pair)) + 1;
        for (const path of [leftOf(pair), rightOf(pair)]) {
          view.fs.sync.writeFileSync(path, String(next));
        }
        const changeSet = view.changeSet();
        if (!changeSet) throw new TypeError('Nothing was written.');
        try {
          const { seq } = await workspace.commit(changeSet, { author: { kind: 'agent' } });
          acknowledged[pair] = Math.max(acknowledged[pair] ?? 0, next);
          lastSeq = Math.max(lastSeq, seq);
          return;
        } catch (error) {
          if (!SdkError.isInstance(error) || error.code !== 'ECONFLICT') throw error;
          conflicts += 1;
        }
      }
    }

    async function look(client: number): Promise<void> {
      const expected = [...acknowledged];
      const view = await open(client, lastSeq);
      const lefts = expected.map((_, pair) => numberIn(view.fs.sync, leftOf(pair)));
      await giveWay(client % 17);
      expected.forEach((least, pair) => {
        const [left = -1, right] = [lefts[pair], numberIn(view.fs.sync, rightOf(pair))];
        if (left < least) wrong.push(`client ${client} saw ${left} after ${least}`);
        if (left !== right) wrong.push(`client ${client} saw ${left} beside ${right}`);
      });
    }

    async function run(client: number): Promise<void> {
      for (let round = 0; round < rounds; round += 1) {
        await giveWay((client * 5 + round) % 13);
        await ((client + round) % 2 === 0 ? add(client) : look(client));
      }
    }

    await Promise.all(Array.from({ length: clients }, (_, client) => run(client)));
    expect(wrong).toEqual([]);
    // Half of all rounds added one, each to the pair that every eightieth client shares.
    const each = (clients * rounds) / 2 / pairs;
    expect(acknowledged).toEqual(acknowledged.map(() => each));
    expect(conflicts).toBeGreaterThan(0);
    for (const [client] of sources.entries()) await look(client);
    expect(wrong).toEqual([]);
  });
});
