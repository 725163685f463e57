// A worker for tests that takes a directory over, as several owners by their numbers. The other end is
// opfs-owner.browser.test.ts.
import { expose } from 'comlink';
import { SdkError } from '../../../src/core/errors.ts';
import { isShared, openSharedHandle } from '../../../src/workspace/drivers/opfs-file.ts';
import { takeOwnership, type OpfsOwner } from '../../../src/workspace/drivers/opfs-owner.ts';

const owners: OpfsOwner[] = [];

async function openDirectory(name: string): Promise<FileSystemDirectoryHandle> {
  const root = await navigator.storage.getDirectory();
  return root.getDirectoryHandle(name, { create: true });
}

const control = {
  /** As the driver finds it out. */
  async canShare(name: string): Promise<boolean> {
    const directory = await openDirectory(name);
    const handle = await openSharedHandle(await directory.getFileHandle('probe', { create: true }));
    const found = isShared(handle);
    handle.close();
    return found;
  },
  async take(name: string, canShare: boolean): Promise<number> {
    const { owner } = await takeOwnership(await openDirectory(name), { canShare });
    return owners.push(owner) - 1;
  },
  /** The second takes over just before the first opens its marker, or before anything is in that. */
  async takeAtOnce(name: string, isOpen: boolean): Promise<[first: number, second: number]> {
    const directory = await openDirectory(name);
    const { createSyncAccessHandle } = FileSystemFileHandle.prototype;
    let second: OpfsOwner | undefined;
    const takeOver = async () => {
      second = (await takeOwnership(directory, { canShare: true })).owner;
    };
    FileSystemFileHandle.prototype.createSyncAccessHandle = async function (...options) {
      FileSystemFileHandle.prototype.createSyncAccessHandle = createSyncAccessHandle;
      if (!isOpen) await takeOver();
      const handle = await createSyncAccessHandle.apply(this, options);
      if (isOpen) await takeOver();
      return handle;
    };
    const first = (await takeOwnership(directory, { canShare: true })).owner;
    if (!second) throw new TypeError('The first opened nothing.');
    return [owners.push(first) - 1, owners.push(second) - 1];
  },
  /** What each of them is told: `owner`, or an error's code. */
  check: (numbers: readonly number[]): Promise<string[]> =>
    Promise.all(
      numbers.map(async (number) => {
        try {
          await owners[number]?.check();
          return 'owner';
        } catch (error) {
          return SdkError.isInstance(error) ? error.code : String(error);
        }
      }),
    ),
  release: async (number: number): Promise<void> => owners[number]?.release(),
  async list(name: string): Promise<number> {
    let count = 0;
    for await (const _ of (await openDirectory(name)).keys()) count += 1;
    return count;
  },
};

export type OwnerControl = typeof control;

expose(control);
