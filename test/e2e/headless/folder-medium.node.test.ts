// The medium of a headless profile keeps the contract that the media of browsers keep.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openFolderMedium } from '../../../scripts/folder-medium.ts';
import { describeLogMedium } from '../../contract/log-medium.contract.ts';

async function withFolder(body: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'folder-medium-'));
  try {
    await body(folder);
  } finally {
    rmSync(folder, { recursive: true, maxRetries: 5 });
  }
}

describeLogMedium(
  {
    driver: 'folder',
    isPersistent: true,
    formerOwner: 'none',
    replaces: true,
    readsAtOnce: true,
  },
  (body) =>
    withFolder(async (folder) => {
      const open = async () => openFolderMedium(folder);
      await body({ open, takeOver: open });
    }),
);

it('has one process at a time, and passes over one that is gone', () =>
  withFolder(async (folder) => {
    const first = openFolderMedium(folder);
    expect(() => openFolderMedium(folder)).toThrow('has this profile open');
    await first.close();
    // No process has this number: it is above what any system gives out.
    writeFileSync(join(folder, 'OWNER'), '99999999');
    const second = openFolderMedium(folder);
    expect(await second.list()).toEqual([]);
    await second.close();
  }));
