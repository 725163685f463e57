import { describe, expect, it } from 'vitest';
import { LiveContentIds } from '../../../src/workspace/commit/live-content-ids.ts';
import { liveContents } from '../../../src/workspace/state/live-contents.ts';
import { rootOf } from '../../../src/workspace/state/state.ts';
import { emptyHistory, workOn } from '../../support/storage/log-history.ts';
import { createRandom } from '../../support/random.ts';
import { openTestWriter } from '../../support/files/workspaces.ts';

describe('LiveContentIds', () => {
  it.each([1, 2, 3])('never has what no root holds, however roots change (%i)', async (seed) => {
    const writer = await openTestWriter();
    const liveIds = new LiveContentIds();
    const counts = { had: 0, hadNot: 0, wrong: 0 };
    let before = writer.state;
    let newest = 0;
    writer.onRecord(({ record, contents }) => {
      liveIds.note(rootOf(before, record.root ?? 'main'), record);
      before = writer.state;
      newest = contents.at(-1)?.contentId ?? newest;
      const live = liveContents(before);
      for (let contentId = 1; contentId <= newest; contentId += 1) {
        if (live.has(contentId)) counts[liveIds.has(contentId) ? 'had' : 'hadNot'] += 1;
        else if (liveIds.has(contentId)) counts.wrong += 1;
      }
      // As when somebody asked: from time to time.
      if (record.seq % 10 === 1) liveIds.collect(before);
    });
    await workOn(writer, emptyHistory(writer), { count: 150, random: createRandom(seed).below });
    expect(counts.wrong).toBe(0);
    expect(Math.min(counts.had, counts.hadNot)).toBeGreaterThan(0);
  });

  it('has what was there and what came since, without another look, and not what is overwritten', async () => {
    const writer = await openTestWriter();
    const liveIds = new LiveContentIds();
    let before = writer.state;
    writer.onRecord(({ record }) => {
      liveIds.note(rootOf(before, record.root ?? 'main'), record);
      before = writer.state;
    });
    const write = async (path: string, root = 'main') => {
      const baseVersion = rootOf(writer.state, root).entries.get(path.slice(1))?.version ?? 0;
      const content = new Uint8Array(1);
      const change = { type: 'write', path, baseVersion, content, mode: 0o644 } as const;
      const set = { baseSeq: 0, changes: [{ ...change, mtimeMs: 1 }] };
      await writer.commit(set, { author: { kind: 'user' }, root });
    };
    const known = () => [1, 2, 3, 4, 5].filter((contentId) => liveIds.has(contentId));

    await write('/a');
    await write('/b');
    expect(known()).toEqual([]);
    liveIds.collect(writer.state);
    await write('/c');
    expect(known()).toEqual([1, 2, 3]);
    await write('/a');
    expect(known()).toEqual([2, 3, 4]);
    const make = { type: 'make', id: 'b', kind: 'branch', label: '', createdMs: 0 } as const;
    await writer.changeRoots({ ...make, from: 'main' }, { author: { kind: 'user' } });
    await write('/d', 'b');
    expect(known()).toEqual([2, 3, 4, 5]);
    await writer.changeRoots({ type: 'drop', id: 'b' }, { author: { kind: 'user' } });
    expect(known()).not.toContain(5);
  });
});
