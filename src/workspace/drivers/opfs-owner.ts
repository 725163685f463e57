// Ownership of a workspace's directory in the origin private file system. Each owner has a marker
// file, and a new owner invalidates the markers of all others. An unchanged marker proves
// ownership. Each append checks it, so the check must be fast.
import type { SdkError } from '../../core/errors.ts';
import { createClearedError } from '../log/log-error.ts';
import { isNamed, isShared, namesIn, openSharedHandle, removeFile } from './opfs-file.ts';
import { createFencedError, createMissingHandlesError, createReadOnlyError } from './refusals.ts';

/** One owner's claim to a directory. */
export interface OpfsOwner {
  /** True if `check` is synchronous and cheap. */
  readonly isQuick: boolean;
  /**
   * Fails with `EFENCED` once another owner has the directory, `ENOSPC` if nothing may be written,
   * and `EIO` if the site's data was cleared.
   */
  check(): Promise<void> | void;
  release(): Promise<void>;
}

/** The result of taking over a directory. */
export interface TakenDirectory {
  readonly owner: OpfsOwner;
  /** The names of all files in the directory. */
  readonly others: readonly string[];
}

const markerPrefix = 'owner-';

// 2: the length of a marker that is kept open. A new owner truncates it to one byte, so that an
// invalidated marker differs from an empty new one.
const ownedBytes = 2;

// 1 s: after a person has cleared the site's data, open handles still accept writes. So the
// existence of the files is checked at this interval.
const clearedMs = 1000;

/** True for a file that only marks the owner of the directory. */
export function isMarker(name: string): boolean {
  return name.startsWith(markerPrefix);
}

/**
 * Takes ownership of the directory: from then on `check` of every former owner fails. Lengths of
 * files that are read afterwards include everything that those owners may have acknowledged. With
 * shared handles (Chromium), the owner keeps a handle on its marker, in which it wrote two bytes.
 * Any other length means a new owner. This check is one call into the file and saves 0.3 ms for a
 * small write, compared with looking up the marker. In other browsers the marker is empty, and a
 * new owner removes it. Opening the marker also proves that handles work, which saves a scratch
 * file (6 to 10 ms for each opening). Rejects with `unsupported-environment` if handles don't work.
 */
export async function takeOwnership(
  directory: FileSystemDirectoryHandle,
  { canShare }: { readonly canShare: boolean },
): Promise<TakenDirectory> {
  const name = `${markerPrefix}${crypto.randomUUID()}`;
  const owner = await createOwner(directory, name, canShare);
  try {
    const others = (await namesIn(directory)).filter((other) => other !== name);
    for (const other of others) if (isMarker(other)) await revoke(directory, other);
    return { owner, others };
  } catch (error) {
    await owner.release();
    throw error;
  }
}

async function createOwner(
  directory: FileSystemDirectoryHandle,
  name: string,
  canShare: boolean,
): Promise<OpfsOwner> {
  const release = () => removeFile(directory, name);
  try {
    const marker = await directory.getFileHandle(name, { create: true });
    const handle = canShare ? await openSharedMarker(marker, release) : undefined;
    if (!handle) {
      return { isQuick: false, check: () => requireThere(directory, name), release };
    }
    try {
      write(handle, new Uint8Array(ownedBytes), 0);
      requireKept(handle);
    } catch (error) {
      handle.close();
      await release();
      throw error;
    }
    let lookedAt = Date.now();
    return {
      isQuick: true,
      check() {
        if (handle.getSize() !== ownedBytes) throw createFencedError();
        const now = Date.now();
        if (Math.abs(now - lookedAt) < clearedMs) return undefined;
        return requireNotCleared(directory, name).then(() => void (lookedAt = now));
      },
      async release() {
        handle.close();
        try {
          await release();
        } catch (error) {
          // A new owner has the marker open to invalidate it. The owner after that one removes it.
          if (!isNamed(error, 'NoModificationAllowedError')) throw error;
        }
      },
    };
  } catch (error) {
    // Without a marker this owner couldn't be fenced. Or another owner has already removed it.
    if (isNamed(error, 'QuotaExceededError')) return createRefused(createReadOnlyError());
    if (isNamed(error, ...beingRemoved)) return createRefused(createFencedError(error));
    throw error;
  }
}

// The errors of opening a file that a new owner has removed or is removing.
const beingRemoved = ['NotFoundError', 'NoModificationAllowedError'];

/** Resolves to undefined if the browser opens another kind of handle than requested. */
async function openSharedMarker(
  marker: FileSystemFileHandle,
  release: () => Promise<void>,
): Promise<FileSystemSyncAccessHandle | undefined> {
  try {
    const handle = await openSharedHandle(marker);
    if (isShared(handle)) return handle;
    handle.close();
    return undefined;
  } catch (error) {
    // The caller handles these errors. If they counted as missing handles, the caller would open
    // another workspace on another driver.
    if (isNamed(error, 'QuotaExceededError', ...beingRemoved)) throw error;
    await release();
    throw createMissingHandlesError(error);
  }
}

/** Creates the owner of a directory that may only be read. */
function createRefused(reason: SdkError): OpfsOwner {
  const check = () => {
    throw reason;
  };
  return { isQuick: true, check, release: async () => {} };
}

/** Only clearing the site's data removes a marker that its owner has open. */
async function requireNotCleared(
  directory: FileSystemDirectoryHandle,
  name: string,
): Promise<void> {
  try {
    await directory.getFileHandle(name);
  } catch (error) {
    if (isNamed(error, 'NotFoundError')) throw createClearedError(error);
    throw error;
  }
}

async function requireThere(directory: FileSystemDirectoryHandle, name: string): Promise<void> {
  try {
    await directory.getFileHandle(name);
  } catch (error) {
    throw isNamed(error, 'NotFoundError') ? createFencedError(error) : error;
  }
}

/** Removes the marker. If its owner still has it open, changes its length for good. */
async function revoke(directory: FileSystemDirectoryHandle, name: string): Promise<void> {
  try {
    await removeFile(directory, name);
  } catch (error) {
    if (!isNamed(error, 'NoModificationAllowedError')) throw error;
    const handle = await openMarker(directory, name);
    if (!handle) return;
    try {
      const length = handle.getSize();
      // Truncating needs no space, even on a full disk. If the marker is still empty, its owner may
      // yet write two bytes; the length is then three.
      if (length === 0) write(handle, new Uint8Array(1), ownedBytes);
      else if (length >= ownedBytes) handle.truncate(1);
    } finally {
      handle.close();
    }
    // An exclusive handle means that no owner checks the length.
    if (!isShared(handle)) await removeFile(directory, name);
  }
}

/** Resolves to undefined if its owner has just given it up. */
async function openMarker(
  directory: FileSystemDirectoryHandle,
  name: string,
): Promise<FileSystemSyncAccessHandle | undefined> {
  try {
    return await openSharedHandle(await directory.getFileHandle(name));
  } catch (error) {
    if (isNamed(error, 'NotFoundError')) return undefined;
    throw error;
  }
}

/**
 * A fast new owner may have truncated the marker already, to at least one byte. `check` then
 * reports it.
 */
function requireKept(handle: FileSystemSyncAccessHandle): void {
  const bytes = new Uint8Array(ownedBytes).fill(255);
  const count = handle.read(bytes, { at: 0 });
  if (count > 0 && bytes.subarray(0, count).every((byte) => byte === 0)) return;
  throw createMissingHandlesError(
    new TypeError('A file did not keep what was written to it through such a handle.'),
  );
}

/**
 * Writes bytes. Some browsers report a full disk as an error, others as a short count; here it is
 * always the same error.
 */
function write(handle: FileSystemSyncAccessHandle, bytes: Uint8Array<ArrayBuffer>, at: number) {
  if (handle.write(bytes, { at }) === bytes.length) return;
  throw new DOMException('There is no room for the mark of an owner.', 'QuotaExceededError');
}
