// A session that is killed after any entry, also around a rewind, comes to the same end.
import { describe, expect, test } from 'vitest';
import { createDisk, playSession } from '../../../support/kept-session.ts';
import type { Disk, Played } from '../../../support/kept-session.ts';
import { writingModel } from '../../../support/open-kept.ts';

const play = (disk: Disk, freezeAfter = Infinity): Promise<Played> =>
  playSession(disk, {
    prompts: ['a.txt one', 'b.txt two', 'c.txt three'],
    rewind: { before: 2, to: 'prompt-1' },
    freezeAfter,
    model: writingModel,
    tools: ['Write'],
    permissionMode: 'bypassPermissions',
  });

const wanted = { '/workspace/a.txt': 'one', '/workspace/c.txt': 'three' };

describe('a session that is killed around a rewind', () => {
  test('comes to the same end, whichever entry was the last one', async () => {
    const reference = await play(createDisk());
    expect(await reference.files()).toEqual(wanted);
    const rewound = reference.entries.find(({ type }) => type === 'rewound');
    expect(reference.boundaries).toContain(rewound?.n);
    for (const last of reference.boundaries.slice(0, -1)) {
      const disk = createDisk();
      const killed = await play(disk, last);
      expect(killed.isFrozen).toBe(true);
      // Files and entry are there, or neither is.
      const isBetween = last >= (rewound?.n ?? 0) - 1 && last <= (rewound?.n ?? 0);
      if (isBetween) {
        const hasRewound = last === rewound?.n;
        expect('/workspace/b.txt' in (await killed.files())).toBe(!hasRewound);
      }
      const again = await play(disk);
      const { entries } = again;
      expect(await again.files()).toEqual(wanted);
      expect(again.fold.prompts).toEqual(['a.txt one', 'c.txt three']);
      expect(entries.filter(({ type }) => type === 'rewound')).toHaveLength(1);
    }
  });
});
