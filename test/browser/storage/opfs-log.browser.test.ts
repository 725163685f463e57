// The log on the origin private file system, in real workers that end in the middle of things.
import { afterEach, describe, expect, it } from 'vitest';
import { cdp, server } from 'vitest/browser';
import { openOpfsLog } from '../../../src/workspace/drivers/opfs-log.ts';
import logWorker from './opfs-log.worker.ts?worker&url';
import type { OpfsLogControl } from './opfs-log.worker.ts';
import { startRemote, terminateRemotes, valueOf } from '../../support/browser/remote-workers.ts';

let names = 0;

function freshName(): string {
  names += 1;
  return `opfs-log test ${names} / ${crypto.randomUUID()}`;
}

const startWorker = () => startRemote<OpfsLogControl>(logWorker);

afterEach(terminateRemotes);

describe('opfs-log', () => {
  it('holds every acknowledged write after its worker was terminated', async () => {
    const name = freshName();
    const first = startWorker();
    expect(valueOf(await first.fs.open(name))).toEqual({
      driver: 'opfs-log',
      name,
      seq: 0,
      isPersistent: true,
      logBytes: 64,
      droppedBytes: 0,
      lostFiles: [],
    });
    for (let at = 0; at < 20; at += 1) valueOf(await first.fs.write(`/file-${at}`, `text ${at}`));
    const hash = valueOf(await first.fs.treeHash());
    // More is under way when it dies: it may land or not, but nothing before it is lost.
    void first.fs.write('/unacknowledged', 'x');
    first.worker.terminate();

    const second = startWorker();
    const { seq, droppedBytes } = valueOf(await second.fs.open(name));
    expect([20, 21]).toContain(seq);
    expect(droppedBytes).toBe(0);
    expect(valueOf(await second.fs.read('/file-19'))).toBe('text 19');
    if (seq === 20) expect(valueOf(await second.fs.treeHash())).toBe(hash);
  });

  it('cuts off a torn record and keeps all before it', async () => {
    const name = freshName();
    const first = startWorker();
    valueOf(await first.fs.open(name));
    valueOf(await first.fs.write('/a', 'A'));
    const hash = valueOf(await first.fs.treeHash());
    valueOf(await first.fs.tear());
    first.worker.terminate();
    const second = startWorker();
    const { seq, droppedBytes } = valueOf(await second.fs.open(name));
    expect([seq, droppedBytes, valueOf(await second.fs.treeHash())]).toEqual([1, 7, hash]);
  });

  it('is open in one place at a time, and says so', async () => {
    const name = freshName();
    const [first, second] = [startWorker(), startWorker()];
    valueOf(await first.fs.open(name));
    const { error } = await second.fs.open(name, 100);
    expect([error?.code, error?.message]).toEqual([
      'EBUSY',
      `The workspace "${name}" is open in another tab. Close that tab, or open another workspace.`,
    ]);
    expect((await second.fs.delete(name, 100)).error?.code).toBe('EBUSY');
    valueOf(await first.fs.close());
    expect(valueOf(await second.fs.open(name)).seq).toBe(0);
  });

  it('goes on from what a worker that still runs has acknowledged, and never counts what it adds', async () => {
    const name = freshName();
    const [zombie, second, third] = [startWorker(), startWorker(), startWorker()];
    valueOf(await zombie.fs.open(name));
    valueOf(await zombie.fs.write('/a', 'A'));
    expect(valueOf(await second.fs.takeOver(name)).seq).toBe(1);
    const { error } = await zombie.fs.write('/z', 'Z');
    expect([error?.code, error?.message]).toEqual([
      'EFENCED',
      'EFENCED: another tab or worker has taken over this workspace; reload the page.',
    ]);
    // It still holds the file that the second one reads.
    expect(valueOf(await second.fs.read('/a'))).toBe('A');
    valueOf(await second.fs.write('/b', 'B'));
    expect((await zombie.fs.write('/y', 'Y')).error?.code).toBe('EFENCED');
    valueOf(await second.fs.close());
    expect(valueOf(await third.fs.open(name))).toMatchObject({ seq: 2, lostFiles: [] });
    expect(valueOf(await third.fs.list())).toEqual(['a', 'b']);
  });

  it('is gone when it was deleted, and deleting what never was is no error', async () => {
    const name = freshName();
    const { fs } = startWorker();
    valueOf(await fs.open(name));
    valueOf(await fs.write('/a', 'A'));
    valueOf(await fs.close());
    valueOf(await fs.delete(name));
    valueOf(await fs.delete(name));
    expect(valueOf(await fs.open(name)).seq).toBe(0);
    expect(valueOf(await fs.list())).toEqual([]);
  });

  // Only Chromium lets a test lower the quota; for Firefox: test/firefox/full-disk.browser.test.ts.
  it.skipIf(server.browser !== 'chromium')(
    'rejects a write that does not fit with ENOSPC, changes nothing, and goes on',
    async () => {
      const name = freshName();
      const { fs } = startWorker();
      valueOf(await fs.open(name));
      valueOf(await fs.write('/a', 'A'));
      const hash = valueOf(await fs.treeHash());
      const { logBytes } = valueOf(await fs.info());
      const { usage = 0 } = await navigator.storage.estimate();
      const devtools = cdp();
      const { origin } = location;
      await devtools.send('Storage.overrideQuotaForOrigin', {
        origin,
        quotaSize: usage + 1_000_000,
      });
      try {
        const { error } = await fs.writeZeros('/large', 20_000_000);
        expect([error?.code, error?.message.slice(0, 44)]).toEqual([
          'ENOSPC',
          'ENOSPC: no space left: nothing was written. ',
        ]);
        expect(valueOf(await fs.treeHash())).toBe(hash);
        expect(valueOf(await fs.info())).toMatchObject({ logBytes, seq: 1 });
      } finally {
        await devtools.send('Storage.overrideQuotaForOrigin', { origin });
      }
      valueOf(await fs.write('/b', 'B'));
      expect(valueOf(await fs.list())).toEqual(['a', 'b']);
    },
  );

  it('feeds replicas that read from Blobs at once', async () => {
    const { fs } = startWorker();
    valueOf(await fs.open(freshName()));
    for (const file of ['b', 'a', 'c']) valueOf(await fs.write(`/${file}`, `text of ${file}`));
    const segments = valueOf(await fs.pack());
    const texts = ['text of b', 'text of a', 'text of c'];
    expect(valueOf(await fs.readPackedSync(segments))).toEqual(texts);
  });

  it('has its own files read by another worker, while it holds and appends to them', async () => {
    const [name, first, second] = [freshName(), startWorker(), startWorker()];
    valueOf(await first.fs.open(name));
    for (const file of ['b', 'a', 'c'])
      valueOf(await first.fs.write(`/${file}`, `text of ${file}`));
    valueOf(await first.fs.close());
    valueOf(await first.fs.open(name));
    const segments = valueOf(await first.fs.pack());
    expect(segments.map(({ data }) => data instanceof File)).toEqual([true]);
    const texts = ['text of b', 'text of a', 'text of c'];
    expect(valueOf(await second.fs.readPackedSync(segments)).sort()).toEqual(texts.sort());
    valueOf(await first.fs.write('/d', 'text of d'));
    valueOf(await first.fs.close());
    expect(valueOf(await second.fs.readPackedSync(segments)).sort()).toEqual(texts.sort());
  });

  it.each([
    ['locks', 'navigator.locks (Web Locks)'],
    ['storage', 'navigator.storage.getDirectory (the origin private file system)'],
  ] as const)('names %s where the browser lacks it', async (api, missing) => {
    const { error } = await startWorker().fs.openWithout(api, freshName());
    expect([error?.code, error?.data]).toEqual(['unsupported-environment', { api: missing }]);
  });

  it('names the missing handles in a realm that is no dedicated worker', async () => {
    await expect(openOpfsLog(freshName())).rejects.toMatchObject({
      code: 'unsupported-environment',
      data: { api: 'FileSystemFileHandle.createSyncAccessHandle (only in dedicated workers)' },
    });
  });

  it.each(['', '.', '..', 'x'.repeat(81), '\ud800'])('refuses %j as a name', async (name) => {
    await expect(openOpfsLog(name)).rejects.toMatchObject({ code: 'invalid-input' });
  });
});
