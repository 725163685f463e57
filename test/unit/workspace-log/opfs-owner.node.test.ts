// What a new owner makes of a marker that it can't open or fill, which no real browser does on demand.
import { describe, expect, it } from 'vitest';
import { takeOwnership } from '../../../src/workspace/drivers/opfs-owner.ts';
import { codeOf } from '../../contract/file-system.contract.ts';

/** An empty directory of files that `open` opens; `removed` are the names that were taken from it. */
function createDirectory(open: () => Promise<unknown>) {
  const names = new Set<string>();
  const removed: string[] = [];
  const directory = {
    async getFileHandle(name: string) {
      names.add(name);
      return { createSyncAccessHandle: open };
    },
    async removeEntry(name: string) {
      names.delete(name);
      removed.push(name);
    },
    async *keys() {
      yield* names;
    },
  };
  return { directory: directory as unknown as FileSystemDirectoryHandle, removed };
}

const refusing = (reason: string) =>
  createDirectory(() => Promise.reject(new DOMException('refused', reason)));

describe('an owner whose marker fails', () => {
  it('has lost the directory where another owner is just removing it', async () => {
    const { directory } = refusing('NoModificationAllowedError');
    // As `unsupported-environment` it would be an empty workspace of another driver.
    const { owner } = await takeOwnership(directory, { canShare: true });
    expect(await codeOf((async () => owner.check())())).toBe('EFENCED');
  });

  it('is told that handles do not work here where that is so, and leaves no marker', async () => {
    const { directory, removed } = refusing('UnknownError');
    expect(await codeOf(takeOwnership(directory, { canShare: true }))).toBe(
      'unsupported-environment',
    );
    expect(removed).toHaveLength(1);
  });

  it('is told the same where a handle takes bytes and has none', async () => {
    const { directory, removed } = createDirectory(async () => ({
      mode: 'readwrite-unsafe',
      write: (bytes: Uint8Array) => bytes.length,
      read: () => 0,
      getSize: () => 0,
      close() {},
    }));
    expect(await codeOf(takeOwnership(directory, { canShare: true }))).toBe(
      'unsupported-environment',
    );
    expect(removed).toHaveLength(1);
  });
});
