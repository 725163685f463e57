// The log in IndexedDB: the media's contract in a page, and what only this driver can meet. That is
// another tab that deletes the database, a full disk, and a realm without IndexedDB.
import { describe, expect, it } from 'vitest';
import { server } from 'vitest/browser';
import { deleteIdbLog, hasIdbLog, openIdbLog } from '../../../src/workspace/drivers/idb-log.ts';
import logWorker from './idb-log.worker.ts?worker&url';
import {
  areSame,
  describeLogMedium,
  patternOf,
  refusalOf,
} from '../../contract/log-medium.contract.ts';

let names = 0;

function freshName(): string {
  names += 1;
  return `idb-log test ${names} / ${crypto.randomUUID()}`;
}

describeLogMedium(
  {
    driver: 'idb-log',
    isPersistent: true,
    formerOwner: 'refused',
    replaces: true,
    readsAtOnce: false,
  },
  async (body) => {
    const name = freshName();
    await body({
      open: () => openIdbLog(name),
      takeOver: () => openIdbLog(name, { takeOver: true }),
    });
    await deleteIdbLog(name);
  },
);

describe('idb-log', () => {
  it('is open in one place at a time, and says so', async () => {
    const name = freshName();
    const medium = await openIdbLog(name);
    const busy = {
      code: 'EBUSY',
      message: `The workspace "${name}" is open in another tab. Close that tab, or open another workspace.`,
    };
    await expect(openIdbLog(name, { patienceMs: 50 })).rejects.toMatchObject(busy);
    await expect(deleteIdbLog(name, { patienceMs: 50 })).rejects.toMatchObject(busy);
    await medium.checkFence();
    await medium.close();
    await (await openIdbLog(name, { patienceMs: 50 })).close();
    await deleteIdbLog(name);
  });

  it('gives up on a database that another tab holds on to, and fences nobody', async () => {
    const name = freshName();
    const owner = await openIdbLog(name);
    const database = await openDatabase(name);
    const hanging = database.transaction('owner', 'readwrite');
    let isHeld = true;
    const hold = (): void => {
      if (isHeld) hanging.objectStore('owner').get('token').addEventListener('success', hold);
    };
    hold();
    const busy = { code: 'EBUSY' };
    const taking = openIdbLog(name, { takeOver: true, patienceMs: 50 });
    await expect(taking).rejects.toMatchObject(busy);
    isHeld = false;
    await owner.checkFence();
    database.close();
    await owner.close();
    await deleteIdbLog(name);
  });

  it('is gone when it was deleted, and deleting what never was is no error', async () => {
    const name = freshName();
    expect(await hasIdbLog(name)).toBe(false);
    await deleteIdbLog(name);
    const medium = await openIdbLog(name);
    await (await medium.create('a')).append(new Uint8Array(9), 'power');
    await medium.close();
    expect(await hasIdbLog(name)).toBe(true);
    await deleteIdbLog(name);
    expect(await hasIdbLog(name)).toBe(false);
    const again = await openIdbLog(name);
    expect(await again.list()).toEqual([]);
    await again.close();
    await deleteIdbLog(name);
  });

  it('takes no bytes of an append that began before another owner came', async () => {
    const name = freshName();
    const former = await openIdbLog(name);
    const file = await former.create('a');
    // Both are under way at once, over and over: each append is in what the next owner reads, or
    // it is refused. There is nothing between.
    const appending = refusalOf(async () => {
      for (;;) await file.append(new Uint8Array(1000), 'process');
    });
    const next = await openIdbLog(name, { takeOver: true });
    const [listed] = await next.list();
    expect(await appending).toBe('EFENCED');
    expect([await next.list(), listed?.length]).toEqual([[listed], file.length()]);
    await former.close();
    await next.close();
    await deleteIdbLog(name);
  });

  it('works in a worker, and holds all that was acknowledged when the worker was terminated', async () => {
    const name = freshName();
    const worker = new Worker(logWorker, { type: 'module' });
    const acknowledged = await new Promise<number>((resolve, reject) => {
      worker.addEventListener('error', (event) => reject(new Error(event.message)));
      worker.addEventListener('message', ({ data }: MessageEvent<number>) => {
        if (data >= 20_000) resolve(data);
      });
      worker.postMessage(name);
    });
    // It is in the middle of the next append, and has the lock.
    worker.terminate();
    const medium = await openIdbLog(name);
    const [file] = await medium.list();
    if (!file) throw new TypeError('The file is gone.');
    expect([file.length >= acknowledged, file.length % 1000]).toEqual([true, 0]);
    const bytes = await (await medium.open('a')).read(0, file.length);
    expect(bytes.every((byte, at) => byte === Math.floor(at / 1000) % 256)).toBe(true);
    await medium.close();
    await deleteIdbLog(name);
  });

  it('is fenced with a sentence when another tab deletes the database under it', async () => {
    const name = freshName();
    const medium = await openIdbLog(name);
    const file = await medium.create('a');
    // As where there are no Web Locks, or the lock was taken from this tab: it would wait for ever.
    await navigator.locks.request(`rockpool:${name}`, { steal: true }, () => {});
    await deleteIdbLog(name);
    const refusal = { code: 'EFENCED', message: expect.stringContaining('deleted this workspace') };
    await expect(medium.checkFence()).rejects.toMatchObject(refusal);
    await expect(file.append(new Uint8Array(1), 'power')).rejects.toMatchObject(refusal);
    await medium.close();
    expect(await hasIdbLog(name)).toBe(false);
  });

  // Only Chromium has buckets; for Firefox: test/firefox/full-disk.browser.test.ts.
  it.skipIf(server.browser !== 'chromium')(
    'rejects an append that does not fit with ENOSPC and changes nothing',
    async () => {
      const name = freshName();
      // A bucket has a quota of its own. Of the origin's quota Chromium's IndexedDB remembers for
      // seconds how much was left, so one that is lowered for a moment goes unseen.
      const { storageBuckets } = navigator as unknown as { storageBuckets: StorageBuckets };
      const bucket = await storageBuckets.open('small', { quota: 4_000_000 });
      await withIndexedDb(bucket.indexedDB, async () => {
        const medium = await openIdbLog(name);
        const file = await medium.create('a');
        const whole = patternOf(6_000_000);
        await file.append(whole.slice(0, 1000), 'power');
        expect(await refusalOf(() => file.append(whole.slice(1000), 'process'))).toBe('ENOSPC');
        expect([file.length(), await medium.list()]).toEqual([1000, [{ name: 'a', length: 1000 }]]);
        expect(areSame(await file.read(0, 1000), whole.subarray(0, 1000))).toBe(true);
        await medium.close();
      });
      await storageBuckets.delete('small');
    },
  );

  it('says EIO for a part of a file that the browser has lost, and reads the others', async () => {
    const name = freshName();
    const medium = await openIdbLog(name);
    const file = await medium.create('a');
    const whole = patternOf(200_000);
    await file.append(whole.slice(), 'power');
    await edit(name, (transaction) => transaction.objectStore('chunks').delete(['a', 60 * 1024]));
    const [first, border] = [file.read(0, 60 * 1024), refusalOf(() => file.read(60 * 1024 - 1, 2))];
    expect([areSame(await first, whole.subarray(0, 60 * 1024)), await border]).toEqual([
      true,
      'EIO',
    ]);
    expect(await refusalOf(() => file.read(0, 200_000))).toBe('EIO');
    expect(await refusalOf(() => file.read(60 * 1024, 60 * 1024))).toBe('EIO');
    await medium.close();
    await deleteIdbLog(name);
  });

  it('leaves a database of a newer version as it is', async () => {
    const name = freshName();
    const newer = await openDatabase(name, 9);
    newer.close();
    await expect(openIdbLog(name)).rejects.toMatchObject({
      code: 'EIO',
      message: expect.stringContaining('newer version'),
    });
    const kept = await openDatabase(name);
    expect([kept.version, kept.objectStoreNames.length]).toEqual([9, 0]);
    kept.close();
    await deleteIdbLog(name);
  });

  it('names what is missing in a browser without IndexedDB', async () => {
    await withIndexedDb(undefined, async () => {
      await expect(openIdbLog(freshName())).rejects.toMatchObject({
        code: 'unsupported-environment',
        data: { api: 'indexedDB' },
      });
    });
  });

  it('says so where the browser refuses it by throwing', async () => {
    const open = () => {
      throw new DOMException('No.', 'SecurityError');
    };
    await withIndexedDb({ open } as unknown as IDBFactory, async () => {
      const refused = { code: 'unsupported-environment', data: { api: 'indexedDB' } };
      await expect(openIdbLog(freshName())).rejects.toMatchObject(refused);
      await expect(hasIdbLog(freshName())).rejects.toMatchObject(refused);
    });
  });

  it.each(['', '.', '..', 'x'.repeat(81), '\ud800'])('refuses %j as a name', async (name) => {
    await expect(openIdbLog(name)).rejects.toMatchObject({ code: 'invalid-input' });
  });

  it.each(['', 'A', 'a/b', '../a', 'a.b'])('refuses %j as the name of a file', async (fileName) => {
    const name = freshName();
    const medium = await openIdbLog(name);
    for (const method of ['create', 'open', 'remove'] as const) {
      expect(await refusalOf(() => medium[method](fileName))).toBe('invalid-input');
    }
    await medium.close();
    await deleteIdbLog(name);
  });
});

/** Chromium's, which the libraries of types don't have yet. */
interface StorageBuckets {
  open(name: string, options: { quota: number }): Promise<{ readonly indexedDB: IDBFactory }>;
  delete(name: string): Promise<void>;
}

async function withIndexedDb(value: IDBFactory | undefined, run: () => Promise<void>) {
  const own = Object.getOwnPropertyDescriptor(globalThis, 'indexedDB');
  if (!own) throw new TypeError('IndexedDB is no property of the page any more.');
  Object.defineProperty(globalThis, 'indexedDB', { value, configurable: true });
  try {
    await run();
  } finally {
    Object.defineProperty(globalThis, 'indexedDB', own);
  }
}

/** The driver's database by the browser's own means. */
function openDatabase(name: string, version?: number): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(`rockpool:${name}`, version);
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new TypeError('no reason')));
  });
}

/** Changes the driver's database behind its back. */
async function edit(name: string, change: (transaction: IDBTransaction) => void): Promise<void> {
  const database = await openDatabase(name);
  const transaction = database.transaction(['chunks', 'files', 'owner'], 'readwrite');
  const done = new Promise((resolve) => transaction.addEventListener('complete', resolve));
  change(transaction);
  await done;
  database.close();
}
