// What a file of the log tells of its appends, where no real disk fails on demand. It also shows
// how a file comes by its handle once a former owner has let go of it. No real owner does that
// between two calls.
import { describe, expect, it } from 'vitest';
import { createAppendFile, openReadFile } from '../../../src/workspace/drivers/opfs-file.ts';
import { codeOf } from '../../contract/file-system.contract.ts';

const full = () => {
  throw new DOMException('full', 'QuotaExceededError');
};

/** A file through a handle of which some functions are others, and what it has told. */
function createFile(changes: object) {
  const told: string[] = [];
  const handle = {
    getSize: () => 0,
    write: (bytes: Uint8Array) => bytes.length,
    flush() {},
    ...changes,
  } as unknown as FileSystemSyncAccessHandle;
  const file = createAppendFile('segment', {} as FileSystemFileHandle, handle, {
    onWritten: () => told.push('written'),
    onFailed: () => told.push('failed'),
  });
  return { file, told };
}

const append = async (changes: object) => {
  const { file, told } = createFile(changes);
  const code = await codeOf((async () => file.append(new Uint8Array(4), 'power'))());
  return [code, file.length(), ...told];
};

describe('an append that fails', () => {
  // Else the look at the fence that an earlier append began would answer for what is done about it.
  it.each([
    ['is refused', { write: full }],
    ['is taken in part', { write: () => 3 }],
  ])('is told where it %s, and the file is as long as before', async (_what, changes) => {
    expect(await append(changes)).toEqual(['ENOSPC', 0, 'failed']);
  });

  it('is told where it can not be flushed', async () => {
    expect(await append({ flush: full })).toEqual(['ENOSPC', 4, 'written', 'failed']);
  });
});

/** A file of four bytes that a former owner holds, and how many of its handles are open. */
async function openHeld() {
  let isHeld = true;
  let open = 0;
  const handle = {
    getSize: () => 4,
    read: (bytes: Uint8Array) => bytes.length,
    flush() {},
    close: () => void (open -= 1),
  };
  const stored = {
    async createSyncAccessHandle() {
      if (isHeld || open > 0) throw new DOMException('held', 'NoModificationAllowedError');
      open += 1;
      return handle;
    },
    getFile: async () => new Blob([new Uint8Array(4)]),
  } as unknown as FileSystemFileHandle;
  const file = await openReadFile('segment', stored);
  return { file, open: () => open, letGo: () => void (isHeld = false) };
}

describe('a file that its former owner lets go of', () => {
  it('is had through one handle, however many read at once, until it is closed', async () => {
    const { file, open, letGo } = await openHeld();
    expect(await file.flush?.()).toBe(false);
    letGo();
    await Promise.all([file.read(0, 4), file.read(0, 4), file.read(0, 4)]);
    expect([open(), await file.flush?.()]).toEqual([1, true]);
    await file.close();
    expect(open()).toBe(0);
  });

  it('is closed also where its handle comes after that', async () => {
    const { file, open, letGo } = await openHeld();
    letGo();
    const reading = codeOf((async () => file.read(0, 4))());
    await file.close();
    expect([await reading, open()]).toEqual(['EIO', 0]);
  });
});
