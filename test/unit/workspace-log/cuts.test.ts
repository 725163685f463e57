import { describe, expect, it } from 'vitest';
import type { LogLimits } from '../../../src/workspace/log/log-limits.ts';
import { recoverLog } from '../../../src/workspace/log/recover.ts';
import { openWorkspaceWriter, type WorkspaceWriter } from '../../../src/workspace/commit/writer.ts';
import { toPlainState } from '../../../src/workspace/state/plain-state.ts';
import { contentAt, emptyHistory, stateOf } from '../../support/storage/log-history.ts';
import { workOn, wrongContents } from '../../support/storage/log-history.ts';
import { createRandom } from '../../support/random.ts';
import { copyDisk, TornDisk } from '../../support/storage/torn-medium.ts';

/** Nothing is due but what a phase asks for. */
const limits: LogLimits = {
  segmentBytes: 3000,
  imageBytes: 1_000_000,
  deadBytes: 1_000_000,
  pieceBytes: 1000,
  smallSegments: 1000,
  packBytes: 120,
};

interface Owner {
  readonly writer: WorkspaceWriter;
  /** Until then the writer does nothing, not even upkeep. */
  begin(): void;
}

async function open(disk: TornDisk, more: Partial<LogLimits> = {}): Promise<Owner> {
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const writer = await openWorkspaceWriter(disk.open(), {
    name: 'test',
    limits: { ...limits, ...more },
    gather: () => begun,
  });
  return { writer, begin };
}

/** Two owners one after the other, the first with an image; the second ends without a word. */
async function writeLog(disk: TornDisk): Promise<string> {
  const random = createRandom(7).below;
  const first = await open(disk);
  first.begin();
  const history = emptyHistory(first.writer);
  await workOn(first.writer, history, { count: 40, random });
  await first.writer.close();
  const second = await open(disk);
  second.begin();
  await workOn(second.writer, history, { count: 160, random });
  return stateOf(second.writer);
}

/** Gives upkeep so many turns, while there is nothing else to do. */
async function rest({ writer }: Owner): Promise<void> {
  const nothing = { baseSeq: 0, changes: [] };
  for (let turn = 0; turn < 60; turn += 1) {
    await writer.commit(nothing, { author: { kind: 'user' } });
  }
}

/**
 * Works on a disk that {@link writeLog} has written. `arm` is called when the phase begins, with the
 * state that must be found however it ends.
 */
type Phase = (disk: TornDisk, state: string, arm: (state: string) => void) => Promise<void>;

const opening: Phase = async (disk, state, arm) => {
  arm(state);
  await open(disk);
};

const firstImage: Phase = async (disk, state, arm) => {
  const owner = await open(disk, { imageBytes: 100 });
  arm(state);
  owner.begin();
  await rest(owner);
};

const secondImage: Phase = async (disk, _, arm) => {
  const owner = await open(disk, { imageBytes: 100 });
  owner.begin();
  await rest(owner);
  await commitAndClose(owner, arm);
};

/** One that needs compacting: the last image is of all that was written. */
async function openCompacting(disk: TornDisk): Promise<Owner> {
  const before = await open(disk);
  before.begin();
  await before.writer.close();
  return open(disk, { deadBytes: 5000 });
}

const compaction: Phase = async (disk, state, arm) => {
  const owner = await openCompacting(disk);
  arm(state);
  owner.begin();
  await rest(owner);
};

const imageAfterCompaction: Phase = async (disk, _, arm) => {
  const owner = await openCompacting(disk);
  owner.begin();
  await rest(owner);
  await commitAndClose(owner, arm);
};

/** To close writes an image of what was committed. */
async function commitAndClose({ writer }: Owner, arm: (state: string) => void): Promise<void> {
  const content = { content: contentAt(1), mtimeMs: 1, mode: 0o644 };
  const changes = [{ type: 'write', path: '/new', baseVersion: 0, ...content } as const];
  writer.onRecord(() => arm(stateOf(writer)));
  await writer.commit({ baseSeq: 0, changes }, { author: { kind: 'user' } });
  await writer.close();
}

/** Ends the phase in each call that changes something; returns these calls, in order. */
async function cutEverywhere(phase: Phase, end: 'kill' | 'losePower'): Promise<string[]> {
  const cuts: string[] = [];
  const written = new TornDisk();
  const before = await writeLog(written);
  for (let steps = 0; ; steps += 1) {
    const disk = copyDisk(written, createRandom(steps).below);
    let state: string | undefined;
    const running = phase(disk, before, (expected) => {
      // What isn't flushed by now is another test's.
      for (const file of disk.files.values()) {
        file.flushed = file.bytes;
        file.pending = [];
      }
      state = expected;
      disk.stepsLeft = steps;
    });
    await running.catch((error: unknown) => {
      if (!disk.isDead) throw error;
    });
    if (!disk.isDead) return cuts;
    cuts.push(disk.cut ?? '');
    disk[end]();
    // The second opening finds what the first made of it.
    for (let openings = 0; openings < 2; openings += 1) {
      const next = await open(disk);
      expect([stateOf(next.writer), await wrongContents(next.writer)]).toEqual([state, []]);
      next.begin();
      await next.writer.close();
    }
  }
}

/** `append segment`, and so on, each as often as it isn't just repeated. */
function kindsOf(cuts: readonly string[]): string[] {
  const kinds = cuts.map((cut) => cut.replace(/-.*$/, ''));
  return kinds.filter((kind, at) => kind !== kinds[at - 1]);
}

const image = ['remove image', 'create image', 'append image'];
// So often does what is moved fill a segment.
const moreMoves = Array.from({ length: 11 }, () => ['create segment', 'append segment']).flat();

describe('a log whose process or power ends', () => {
  const phases: [string, Phase, string[]][] = [
    ['while it is taken over', opening, ['flush segment', 'create segment', 'append segment']],
    ['while an owner writes its first image', firstImage, ['append segment', ...image]],
    ['while it writes the next', secondImage, ['append segment', ...image, 'remove image']],
    [
      'in a compaction',
      compaction,
      [
        ...['append segment', ...moreMoves],
        ...[...image, ...image, 'remove image', 'remove segment'],
      ],
    ],
    // Nothing but the other image knows by now what the log began with.
    ['while it writes an image after that', imageAfterCompaction, ['append segment', ...image]],
  ];

  it.each(phases)('%s is found as it was, whatever call was cut', async (_, phase, kinds) => {
    const cuts = await cutEverywhere(phase, 'kill');
    expect(kindsOf(cuts)).toEqual(kinds);
    expect(await cutEverywhere(phase, 'losePower')).toEqual(cuts);
  });

  it('while its records are read has not changed by it: recovery writes nothing', async () => {
    const disk = new TornDisk();
    const state = await writeLog(disk);
    disk.stepsLeft = 0;
    const recovered = await recoverLog(disk.open());
    expect([JSON.stringify(toPlainState(recovered.state)), disk.isDead]).toEqual([state, false]);
  });
});
