// Media in a real worker: the contract on opfs-log, and which driver is picked where what is missing.
import type { Remote } from 'comlink';
import { afterEach, describe, expect, it } from 'vitest';
import { fromSerializedError } from '../../../src/core/errors.ts';
import { deleteIdbLog, openIdbLog } from '../../../src/workspace/drivers/idb-log.ts';
import { openMedium, type OpenMediumOptions } from '../../../src/workspace/drivers/open-medium.ts';
import type { AppendFile, LogMedium } from '../../../src/workspace/log/log-medium.ts';
import { describeLogMedium } from '../../contract/log-medium.contract.ts';
import mediumWorker from './opfs-medium.worker.ts?worker&url';
import type { Answer, MediumControl } from './opfs-medium.worker.ts';
import { startRemote, terminateRemotes } from '../../support/browser/remote-workers.ts';

let names = 0;

function freshName(): string {
  names += 1;
  return `medium test ${names} / ${crypto.randomUUID()}`;
}

const startWorker = () => startRemote<MediumControl>(mediumWorker).fs;

afterEach(terminateRemotes);

async function valueOf<Value>(answer: Promise<Answer<Value>>): Promise<Value> {
  const settled = await answer;
  if ('error' in settled) throw fromSerializedError(settled.error);
  return settled.value;
}

/** A worker's file as one here. Only reads at once don't reach so far. */
function toFile(fs: Remote<MediumControl>, file: number): AppendFile {
  let current = 0;
  return {
    length: () => current,
    async append(bytes, durability) {
      current = await valueOf(fs.append(file, bytes, durability));
    },
    async truncate(length) {
      current = await valueOf(fs.truncate(file, length));
    },
    read: (offset, length) => valueOf(fs.read(file, offset, length)),
    close: () => valueOf(fs.closeFile(file)),
  };
}

async function openRemote(
  fs: Remote<MediumControl>,
  name: string,
  options: OpenMediumOptions = {},
): Promise<LogMedium> {
  const { medium, driver } = await valueOf(fs.open(name, options));
  return {
    driver,
    isPersistent: true,
    list: () => valueOf(fs.list(medium)),
    create: async (file) => toFile(fs, await valueOf(fs.createFile(medium, file))),
    open: async (file) => toFile(fs, await valueOf(fs.openFile(medium, file))),
    remove: (file) => valueOf(fs.remove(medium, file)),
    checkFence: () => valueOf(fs.checkFence(medium)),
    close: () => valueOf(fs.close(medium)),
  };
}

describeLogMedium(
  {
    driver: 'opfs-log',
    isPersistent: true,
    formerOwner: 'told apart',
    replaces: false,
    readsAtOnce: false,
  },
  (body) => {
    const name = freshName();
    return body({
      open: () => openRemote(startWorker(), name),
      takeOver: () => openRemote(startWorker(), name, { takeOver: true }),
    });
  },
);

describe('openMedium', () => {
  it('is idb-log where handles are there and refuse to open', async () => {
    const fs = startWorker();
    await fs.lose('handles');
    const name = freshName();
    const medium = await openRemote(fs, name);
    expect(medium.driver).toBe('idb-log');
    await medium.close();
    await deleteIdbLog(name);
  });

  it('is idb-log in a page, which has no handles', async () => {
    const name = freshName();
    const medium = await openMedium(name);
    expect(medium.driver).toBe('idb-log');
    await medium.close();
    await deleteIdbLog(name);
  });

  it('tells both reasons where neither works', async () => {
    const fs = startWorker();
    await fs.lose('handles');
    await fs.lose('IndexedDB');
    await expect(openRemote(fs, freshName())).rejects.toMatchObject({
      code: 'unsupported-environment',
      message: expect.stringMatching(/createSyncAccessHandle.*not here.*IndexedDB/s),
      data: {
        reasons: {
          'opfs-log': expect.stringContaining('createSyncAccessHandle'),
          'idb-log': expect.stringContaining('IndexedDB'),
        },
      },
    });
  });

  it('tries no other driver than the one that was named', async () => {
    const fs = startWorker();
    const name = freshName();
    const medium = await openRemote(fs, name, { driver: 'idb-log' });
    expect(medium.driver).toBe('idb-log');
    await medium.close();
    await deleteIdbLog(name);
    await fs.lose('handles');
    await expect(openRemote(fs, name, { driver: 'opfs-log' })).rejects.toMatchObject({
      code: 'unsupported-environment',
      data: { api: 'FileSystemFileHandle.createSyncAccessHandle' },
    });
  });

  it('tries no other driver when the workspace is open elsewhere', async () => {
    const name = freshName();
    const medium = await openRemote(startWorker(), name);
    expect(medium.driver).toBe('opfs-log');
    await expect(openRemote(startWorker(), name, { patienceMs: 50 })).rejects.toMatchObject({
      code: 'EBUSY',
    });
  });

  it('stays with idb-log where the workspace is there already, until it is deleted', async () => {
    const name = freshName();
    const before = await openIdbLog(name);
    await (await before.create('a')).append(new Uint8Array(3), 'power');
    await before.close();
    const fs = startWorker();
    const medium = await openRemote(fs, name);
    expect([medium.driver, await medium.list()]).toEqual(['idb-log', [{ name: 'a', length: 3 }]]);
    await medium.close();
    await deleteIdbLog(name);
    expect((await openRemote(fs, name)).driver).toBe('opfs-log');
  });
});
