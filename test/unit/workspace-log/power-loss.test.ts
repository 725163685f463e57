import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openWorkspaceWriter, type WorkspaceWriter } from '../../../src/workspace/commit/writer.ts';
import {
  emptyHistory,
  stateOf,
  tinyLimits,
  wrongContents,
  workOn,
  type LogHistory,
} from '../../support/storage/log-history.ts';
import { createRandom } from '../../support/random.ts';
import { runsHere } from '../../support/runs-here.ts';
import { asideOn, TornDisk } from '../../support/storage/torn-medium.ts';

function open(disk: TornDisk): Promise<WorkspaceWriter> {
  return openWorkspaceWriter(disk.open(), { name: 'test', limits: tinyLimits });
}

/** Opens it although it ends once more meanwhile, or in the upkeep right after. */
async function reopen(
  disk: TornDisk,
  end: () => void,
  stepsLeft: number,
): Promise<WorkspaceWriter> {
  disk.stepsLeft = stepsLeft;
  const first = await open(disk).catch((error: unknown) => {
    if (!disk.isDead) throw error;
  });
  disk.stepsLeft = Number.POSITIVE_INFINITY;
  if (first && !disk.isDead) return first;
  end();
  return open(disk);
}

/** At least `atLeast` must be there, and what is there must be as it was acknowledged. */
async function verify(
  writer: WorkspaceWriter,
  history: LogHistory,
  atLeast: number,
): Promise<void> {
  expect(writer.state.revision).toBeGreaterThanOrEqual(atLeast);
  // What was under way may have landed without having been acknowledged.
  expect(writer.state.revision).toBeLessThanOrEqual(history.states.length + 2);
  const acknowledged = history.states[writer.state.revision];
  if (acknowledged !== undefined) expect(stateOf(writer)).toBe(acknowledged);
  expect(writer.info().lostFiles).toEqual([]);
  expect(await wrongContents(writer)).toEqual([]);
  history.states.length = Math.min(history.states.length, writer.state.revision);
  history.states[writer.state.revision] = stateOf(writer);
  history.flushed = Math.min(history.flushed, writer.state.revision);
}

const anyLives = fc.array(
  fc.record({
    count: fc.nat(40),
    steps: fc.nat(120),
    recoverySteps: fc.nat(12),
    room: fc.option(fc.nat(6000), { nil: Number.POSITIVE_INFINITY }),
    end: fc.constantFrom('power', 'kill', 'close'),
  }),
  { minLength: 1, maxLength: 5 },
);

describe('a log whose process or power ends at any moment', () => {
  it('opens to a prefix of the history with all that had to survive', async () => {
    await fc.assert(
      fc.asyncProperty(anyLives, fc.integer(), async (lives, seed) => {
        const random = createRandom(seed).below;
        const disk = new TornDisk(random);
        let writer = await open(disk);
        const history = emptyHistory(writer);
        for (const { count, steps, recoverySteps, room, end } of lives) {
          disk.stepsLeft = steps;
          disk.capacity = disk.used + room;
          await workOn(writer, history, { count, random });
          if (end === 'close') await writer.close().catch(() => {});
          const finish = () => (end === 'power' ? disk.losePower() : disk.kill());
          finish();
          disk.capacity = Number.POSITIVE_INFINITY;
          const acknowledged = history.states.length - 1;
          writer = await reopen(disk, finish, recoverySteps);
          await verify(writer, history, end === 'power' ? history.flushed : acknowledged);
          expect(asideOn(disk)).toEqual([]);
        }
      }),
      { numRuns: runsHere(150) },
    );
  });
});
