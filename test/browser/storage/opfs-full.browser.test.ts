// Workspaces on a device without any room left: this browser's quota is set below what is used.
import { afterEach, describe, expect, it } from 'vitest';
import { cdp, server } from 'vitest/browser';
import logWorker from './opfs-log.worker.ts?worker&url';
import type { OpfsLogControl } from './opfs-log.worker.ts';
import { startRemote, terminateRemotes, valueOf } from '../../support/browser/remote-workers.ts';

const startWorker = () => startRemote<OpfsLogControl>(logWorker).fs;

afterEach(terminateRemotes);

async function withoutRoom(body: () => Promise<void>, room = -1000): Promise<void> {
  const devtools = cdp();
  const { origin } = location;
  const { usage = 0 } = await navigator.storage.estimate();
  const quotaSize = Math.max(1, usage + room);
  await devtools.send('Storage.overrideQuotaForOrigin', { origin, quotaSize });
  try {
    await body();
  } finally {
    await devtools.send('Storage.overrideQuotaForOrigin', { origin });
  }
}

// Only Chromium lets a test lower the quota.
describe.skipIf(server.browser !== 'chromium')('opfs-log without any room left', () => {
  it('opens what is there, reads it, refuses each write and changes nothing', async () => {
    const name = `opfs-full test ${crypto.randomUUID()}`;
    const fs = startWorker();
    valueOf(await fs.open(name));
    valueOf(await fs.write('/a', 'text of a'));
    valueOf(await fs.close());
    await withoutRoom(async () => {
      expect(valueOf(await fs.open(name))).toMatchObject({ seq: 1, lostFiles: [] });
      expect(valueOf(await fs.read('/a'))).toBe('text of a');
      const { error } = await fs.write('/b', 'B');
      expect([error?.code, error?.message]).toEqual([
        'ENOSPC',
        expect.stringMatching(/it can only be read\. Free storage .* and reload the page\.$/),
      ]);
    });
    // Nobody could have told it that another one has taken over since: it never writes.
    expect((await fs.write('/b', 'B')).error?.code).toBe('ENOSPC');
    valueOf(await fs.close());
    expect(valueOf(await fs.open(name)).seq).toBe(1);
    valueOf(await fs.write('/b', 'B'));
    expect(valueOf(await fs.list())).toEqual(['a', 'b']);
  });

  it('takes a write for which overwritten files make room', async () => {
    const fs = startWorker();
    valueOf(await fs.open(`opfs-full test ${crypto.randomUUID()}`));
    const large = 'x'.repeat(2_000_000);
    for (const path of ['/a', '/b']) valueOf(await fs.write(path, large));
    valueOf(await fs.write('/c', 'C'));
    await withoutRoom(async () => {
      expect((await fs.write('/d', large)).error?.code).toBe('ENOSPC');
      for (const path of ['/a', '/b']) valueOf(await fs.write(path, ''));
      valueOf(await fs.write('/d', large));
    }, 1_000_000);
    expect(valueOf(await fs.read('/d'))).toBe(large);
    expect(valueOf(await fs.list())).toEqual(['a', 'b', 'c', 'd']);
  });
});
