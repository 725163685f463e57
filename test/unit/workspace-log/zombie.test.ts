import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Durability } from '../../../src/workspace/workspace.ts';
import { createDeferred } from '../../../src/core/async/deferred.ts';
import { createWriterWorkspace } from '../../../src/workspace/commit/writer-workspace.ts';
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
import { asideOn, TornDisk } from '../../support/storage/torn-medium.ts';

function open(disk: TornDisk): Promise<WorkspaceWriter> {
  return openWorkspaceWriter(disk.open(), { name: 'test', limits: tinyLimits });
}

/** Lets others go on for so many turns. */
async function passTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await Promise.resolve();
}

describe('a former owner that goes on while the next one works', () => {
  it('acknowledges nothing any more, and none of its bytes counts for anybody', async () => {
    const anyTurns = fc.array(fc.nat(1500), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(anyTurns, fc.integer(), async (takeovers, seed) => {
        const random = createRandom(seed).below;
        const disk = new TornDisk(random);
        disk.slowness = 60;
        let writer = await open(disk);
        let history = emptyHistory(writer);
        const working: Promise<void>[] = [];
        for (const turns of takeovers) {
          // Commits, images and compactions are under way when the next one comes.
          working.push(workOn(writer, history, { count: 40, random }));
          await passTurns(turns);
          const next = await open(disk);
          const acknowledged = history.states.length - 1;
          expect(next.state.revision).toBeGreaterThanOrEqual(acknowledged);
          if (next.state.revision === acknowledged)
            expect(stateOf(next)).toBe(history.states[next.state.revision]);
          const former = history;
          history = { states: [...history.states], flushed: 0 };
          history.states[next.state.revision] = stateOf(next);
          const isFenced = () => expect(former.states.length - 1).toBe(acknowledged);
          working.push(workOn(next, history, { count: 10, random }).then(isFenced));
          writer = next;
        }
        await Promise.all(working);
        const last = await open(disk);
        expect([stateOf(last), await wrongContents(last)]).toEqual([stateOf(writer), []]);
        expect([last.info().lostFiles, asideOn(disk)]).toEqual([[], []]);
      }),
      { numRuns: runsHere(60) },
    );
  });

  it('takes nothing with it that is made durable beside it, should the power go', async () => {
    // Of what isn't flushed nothing is left.
    const disk = new TornDisk(() => 0);
    const write = async (writer: WorkspaceWriter, path: string, durability: Durability) => {
      const content = new TextEncoder().encode(path);
      const file = {
        type: 'write',
        path,
        baseVersion: 0,
        content,
        mode: 0o644,
        mtimeMs: 1,
      } as const;
      const options = { author: { kind: 'agent' }, durability } as const;
      await writer.commit({ baseSeq: 0, changes: [file] }, options);
    };
    const former = await open(disk);
    await write(former, '/flushed', 'power');
    await write(former, '/unflushed', 'process');
    disk.isHeld = true;
    const next = await open(disk);
    await write(next, '/beside', 'power');
    await write(next, '/later', 'power');
    disk.losePower();
    disk.isHeld = false;
    const last = await open(disk);
    expect([...last.root.entries.keys()].toSorted()).toEqual([
      'beside',
      'flushed',
      'later',
      'unflushed',
    ]);
    // Nobody could flush its bytes, and nobody was promised them.
    expect(last.info()).toMatchObject({ lostFiles: ['/unflushed'], droppedBytes: 0 });
    expect(asideOn(disk)).toEqual([]);
  });

  it('takes nothing from its successor where it could write no segment, and begins one late', async () => {
    const disk = new TornDisk();
    await createWriterWorkspace(await open(disk)).fs.writeFile('/a', 'A');
    // The disk is full: the next owner can only read.
    disk.capacity = disk.used;
    const medium = disk.open();
    const { promise: thawed, resolve: goOn } = createDeferred();
    let freeze: (() => void) | undefined;
    const former = await openWorkspaceWriter(
      {
        ...medium,
        // It is frozen behind a look at the fence.
        async create(name) {
          freeze?.();
          if (freeze) await thawed;
          return medium.create(name);
        },
      },
      { name: 'test' },
    );
    disk.capacity = Infinity;
    const frozen = new Promise<void>((resolve) => (freeze = resolve));
    const late = createWriterWorkspace(former).fs.writeFile('/late', 'x');
    await frozen;
    const successor = createWriterWorkspace(
      await openWorkspaceWriter(disk.open(), { name: 'test' }),
    );
    for (let at = 0; at < 20; at += 1) await successor.fs.writeFile(`/${at}`, 'acknowledged');
    goOn();
    await expect(late).rejects.toMatchObject({ code: 'EFENCED' });
    disk.kill();
    const last = await open(disk);
    expect(last.seq).toBe(21);
    expect(last.info()).toMatchObject({ lostFiles: [], droppedBytes: 0 });
  });
});
