// Who owns a workspace's files in the origin private file system: whose marker, a file of its own, is as
// it was made. A new owner spoils those of all others. Looked at after each append, so quickly.
import { isNamed, namesIn, openSharedHandle, removeFile } from './opfs-file.ts';
import { createFencedError, createReadOnlyError } from './refusals.ts';

/** One owner's claim on a directory. */
export interface OpfsOwner {
  /** Does `check` look at once, for next to nothing? */
  readonly isQuick: boolean;
  /** Fails with `EFENCED` once somebody else owns the directory, `ENOSPC` where nothing may be written. */
  check(): Promise<void> | void;
  release(): Promise<void>;
}

const markerPrefix = 'owner-';

/** Is it a file that only tells who owns the directory? */
export function isMarker(name: string): boolean {
  return name.startsWith(markerPrefix);
}

/**
 * Takes the directory over: from then on every former owner's `check` fails. Whoever looks at the
 * lengths of its files afterwards finds all that those may have acknowledged.
 *
 * Where handles can be shared (Chromium), the owner keeps one on its marker, in which it wrote one byte:
 * any other length is a new owner's doing. To look is one call into the file, which costs a small write
 * 0.3 ms less than to ask the browser whether the marker is there. Elsewhere the marker is empty, and
 * gone once somebody else owns the directory.
 */
export async function takeOwnership(
  directory: FileSystemDirectoryHandle,
  { canShare }: { readonly canShare: boolean },
): Promise<OpfsOwner> {
  const name = `${markerPrefix}${crypto.randomUUID()}`;
  const owner = await createOwner(directory, name, canShare);
  for (const other of await namesIn(directory)) {
    if (isMarker(other) && other !== name) await revoke(directory, other);
  }
  return owner;
}

async function createOwner(
  directory: FileSystemDirectoryHandle,
  name: string,
  canShare: boolean,
): Promise<OpfsOwner> {
  const release = () => removeFile(directory, name);
  try {
    const marker = await directory.getFileHandle(name, { create: true });
    if (!canShare) {
      return { isQuick: false, check: () => requireThere(directory, name), release };
    }
    const handle = await openSharedHandle(marker);
    try {
      writeByte(handle, 0);
    } catch (error) {
      handle.close();
      await release();
      throw error;
    }
    return {
      isQuick: true,
      check() {
        if (handle.getSize() !== 1) throw createFencedError();
      },
      async release() {
        handle.close();
        try {
          await release();
        } catch (error) {
          // A new owner has it open, to spoil it: the one after that removes it.
          if (!isNamed(error, 'NoModificationAllowedError')) throw error;
        }
      },
    };
  } catch (error) {
    if (!isNamed(error, 'QuotaExceededError')) throw error;
    // Without a marker nobody could tell this owner to stop.
    const refuse = () => {
      throw createReadOnlyError();
    };
    return { isQuick: true, check: refuse, release: async () => {} };
  }
}

async function requireThere(directory: FileSystemDirectoryHandle, name: string): Promise<void> {
  try {
    await directory.getFileHandle(name);
  } catch (error) {
    throw isNamed(error, 'NotFoundError') ? createFencedError(error) : error;
  }
}

/** Removes the marker, or, where its owner still has it open, gives it another length than one byte. */
async function revoke(directory: FileSystemDirectoryHandle, name: string): Promise<void> {
  try {
    await removeFile(directory, name);
  } catch (error) {
    if (!isNamed(error, 'NoModificationAllowedError')) throw error;
    const handle = await openSharedHandle(await directory.getFileHandle(name));
    try {
      // To cut off the byte takes no room. Where it isn't there yet, it may come: then there are two.
      if (handle.getSize() > 0) handle.truncate(0);
      else writeByte(handle, 1);
    } finally {
      handle.close();
    }
  }
}

/** A full disk shows as an error in one browser and as a short count in another: here, the same one. */
function writeByte(handle: FileSystemSyncAccessHandle, at: number): void {
  if (handle.write(new Uint8Array([1]), { at }) === 1) return;
  throw new DOMException('There is no room for a byte.', 'QuotaExceededError');
}
