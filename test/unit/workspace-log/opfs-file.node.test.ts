// What a file of the log tells of its appends, where no real disk fails on demand.
import { describe, expect, it } from 'vitest';
import { createAppendFile } from '../../../src/workspace/drivers/opfs-file.ts';
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
