import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { openWorkspaceWriter, type WorkspaceWriter } from '../../../src/workspace/commit/writer.ts';
import {
  emptyHistory,
  stateOf,
  tinyLimits,
  wrongContents,
  workOn,
} from '../../support/storage/log-history.ts';
import { createRandom } from '../../support/random.ts';
import { runsHere } from '../../support/runs-here.ts';
import { TornDisk } from '../../support/storage/torn-medium.ts';

function open(disk: TornDisk): Promise<WorkspaceWriter> {
  return openWorkspaceWriter(disk.open(), { name: 'test', limits: tinyLimits });
}

/** Files by name: what a medium held when its owner was done with it. */
type Snapshot = ReadonlyMap<string, Uint8Array>;

function snapshotOf(disk: TornDisk): Snapshot {
  return new Map([...disk.files].map(([name, { bytes }]) => [name, bytes]));
}

function diskOf(snapshot: Snapshot): TornDisk {
  const disk = new TornDisk();
  for (const [name, bytes] of snapshot) {
    disk.files.set(name, { bytes, flushed: bytes, pending: [] });
  }
  return disk;
}

/** Three owners one after the other, with images and compactions, and the states of their commits. */
async function writeLog(seed: number): Promise<{ snapshot: Snapshot; states: string[] }> {
  const disk = new TornDisk();
  const random = createRandom(seed).below;
  let writer = await open(disk);
  const history = emptyHistory(writer);
  for (const count of [30, 45, 12]) {
    await workOn(writer, history, { count, random });
    // The last one ends without a word, so that there is something to replay.
    if (count === 12) break;
    await writer.close();
    writer = await open(disk);
  }
  return { snapshot: snapshotOf(disk), states: history.states };
}

interface Outcome {
  readonly revision: number;
  readonly droppedBytes: number;
  readonly lostFiles: readonly string[];
}

/** Opens it, and checks that it is one of the states and that no file reads as what it isn't. */
async function openDamaged(snapshot: Snapshot, states: readonly string[]): Promise<Outcome> {
  const disk = diskOf(snapshot);
  const writer = await open(disk);
  const { droppedBytes } = writer.info();
  const { revision } = writer.state;
  expect(stateOf(writer)).toBe(states[revision]);
  const wrong = await wrongContents(writer);
  for (const read of wrong) expect(read).toMatch(/: SdkError: EIO: the medium lost/);
  const { lostFiles } = writer.info();
  // What is not in main any more is not listed, though a checkpoint may need it.
  const wrongPaths = new Set(wrong.map((read) => read.split(':')[0]));
  expect([...wrongPaths]).toEqual(expect.arrayContaining([...lostFiles]));
  // It goes on from there, and the next one finds the same.
  await writer.close();
  const next = await open(disk);
  expect([stateOf(next), await wrongContents(next)]).toEqual([states[revision], wrong]);
  return { revision, droppedBytes, lostFiles };
}

/** Why it doesn't open, if it doesn't. Then not one of its bytes is another. */
async function refusalOf(snapshot: Snapshot): Promise<string | undefined> {
  const disk = diskOf(snapshot);
  try {
    await open(disk);
    return undefined;
  } catch (error) {
    expect(snapshotOf(disk)).toEqual(snapshot);
    return String(error);
  }
}

function pairsOf<Value>(values: readonly Value[]): [Value, Value][] {
  return values.flatMap((first, at) =>
    values.slice(at + 1).map((second): [Value, Value] => [first, second]),
  );
}

describe('a log with damage', () => {
  let logs: Awaited<ReturnType<typeof writeLog>>[] = [];
  beforeAll(async () => {
    logs = await Promise.all([1, 2, 3, 4].map(writeLog));
  });

  const anyDamage = fc.record({ log: fc.nat(3), file: fc.nat(), at: fc.nat(), bit: fc.nat(7) });

  function pick({ log, file, at }: { log: number; file: number; at: number }) {
    const { snapshot, states } = logs[log] ?? { snapshot: new Map(), states: [] };
    const names = [...snapshot.keys()].sort();
    const name = names[file % names.length] ?? '';
    const bytes = snapshot.get(name)?.slice() ?? new Uint8Array(0);
    return { snapshot, states, name, bytes, at: at % Math.max(1, bytes.length) };
  }

  it('opens to a state that was acknowledged when any byte flips, and says what it dropped', async () => {
    await fc.assert(
      fc.asyncProperty(anyDamage, async (damage) => {
        const { snapshot, states, name, bytes, at } = pick(damage);
        bytes[at] = (bytes[at] ?? 0) ^ (1 << damage.bit);
        const outcome = await openDamaged(new Map(snapshot).set(name, bytes), states);
        // The other image, or the records, tell the same.
        if (name.startsWith('image')) {
          expect(outcome).toEqual({ revision: states.length - 1, droppedBytes: 0, lostFiles: [] });
        }
        if (outcome.revision < states.length - 1) expect(outcome.droppedBytes).toBeGreaterThan(0);
      }),
      { numRuns: runsHere(120) },
    );
  });

  it('opens to a state that was acknowledged when any file is cut', async () => {
    await fc.assert(
      fc.asyncProperty(anyDamage, async (damage) => {
        const { snapshot, states, name, bytes, at } = pick(damage);
        await openDamaged(new Map(snapshot).set(name, bytes.slice(0, at)), states);
      }),
      { numRuns: runsHere(120) },
    );
  });

  it('opens to a state that was acknowledged when any file is missing', async () => {
    for (const { snapshot, states } of logs) {
      for (const missing of snapshot.keys()) {
        const left = new Map(snapshot);
        left.delete(missing);
        const { revision } = await openDamaged(left, states);
        if (missing.startsWith('image')) expect(revision).toBe(states.length - 1);
      }
    }
  });

  it('with two files missing opens to such a state, or stays closed and as it was; never is it empty', async () => {
    const outcomes = { opened: 0, refused: 0 };
    for (const { snapshot, states } of logs) {
      for (const [first, second] of pairsOf([...snapshot.keys()])) {
        const left = new Map(snapshot);
        left.delete(first);
        left.delete(second);
        const refusal = await refusalOf(left);
        outcomes[refusal ? 'refused' : 'opened'] += 1;
        if (refusal)
          expect(refusal).toMatch(/^SdkError: EIO: nothing of this workspace can be opened/);
        else expect((await openDamaged(left, states)).revision).toBeGreaterThan(0);
      }
    }
    expect(Math.min(outcomes.opened, outcomes.refused)).toBeGreaterThan(0);
  });
});
