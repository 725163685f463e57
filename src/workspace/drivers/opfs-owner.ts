// Ownership of a workspace's directory in the origin private file system. Each owner has a marker
// file, and a new owner invalidates the markers of all others. An unchanged marker proves
// ownership. It is checked after each append, so the check is quick.
import type { SdkError } from '../../core/errors.ts';
import { createClearedError } from '../log/log-error.ts';
import { isNamed, isShared, namesIn, openSharedHandle, removeFile } from './opfs-file.ts';
import { createFencedError, createMissingHandlesError, createReadOnlyError } from './refusals.ts';

/** One owner's claim on a directory. */
export interface OpfsOwner {
  /** Does `check` look at once, for next to nothing? */
  readonly isQuick: boolean;
  /**
   * Fails with `EFENCED` once somebody else owns the directory, `ENOSPC` where nothing may be written, `EIO` where the
   * site's data was cleared.
   */
  check(): Promise<void> | void;
  release(): Promise<void>;
}

/** A directory that was just taken over. */
export interface TakenDirectory {
  readonly owner: OpfsOwner;
  /** The names of all files that were there. */
  readonly others: readonly string[];
}

const markerPrefix = 'owner-';

// The bytes of a marker that is kept open. A new owner cuts it to one byte, so that an invalidated
// marker differs from an empty new one.
const ownedBytes = 2;

// 1 s: files that a person has cleared away still take writes by their open handles, so now and then their names are
// looked for.
const clearedMs = 1000;

/** Is it a file that only tells who owns the directory? */
export function isMarker(name: string): boolean {
  return name.startsWith(markerPrefix);
}

/**
 * Takes the directory over: from then on every former owner's `check` fails. File lengths read
 * afterwards include everything that those owners may have acknowledged.
 * Where handles can be shared (Chromium), the owner keeps one on its marker, in which it wrote two
 * bytes. Any other length means a new owner. The check is one call into the file. That costs a
 * small write 0.3 ms less than asking the browser whether the marker exists. Elsewhere the marker
 * is empty, and a new owner removes it. The marker's own handle proves that handles work, where
 * there is one: a scratch file for that took 6 to 10 ms of each opening. Rejects with
 * `unsupported-environment` where they don't.
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
          // A new owner has it open, to spoil it: the one after that removes it.
          if (!isNamed(error, 'NoModificationAllowedError')) throw error;
        }
      },
    };
  } catch (error) {
    // Without a marker this owner couldn't be fenced; or another owner has already removed it.
    if (isNamed(error, 'QuotaExceededError')) return createRefused(createReadOnlyError());
    if (isNamed(error, ...beingRemoved)) return createRefused(createFencedError(error));
    throw error;
  }
}

// The errors of opening a file that a new owner has removed or is removing.
const beingRemoved = ['NotFoundError', 'NoModificationAllowedError'];

/** Undefined where the browser gives another kind of handle than the one that it was asked for. */
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
    // The caller interprets these errors. As missing handles they would make it open another
    // workspace, on another driver.
    if (isNamed(error, 'QuotaExceededError', ...beingRemoved)) throw error;
    await release();
    throw createMissingHandlesError(error);
  }
}

/** The owner of a directory that may only be read. */
function createRefused(reason: SdkError): OpfsOwner {
  const check = () => {
    throw reason;
  };
  return { isQuick: true, check, release: async () => {} };
}

/** Nobody else removes the marker of an owner that has it open. */
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

/** Removes the marker, or, where its owner still has it open, gives it another length for good. */
async function revoke(directory: FileSystemDirectoryHandle, name: string): Promise<void> {
  try {
    await removeFile(directory, name);
  } catch (error) {
    if (!isNamed(error, 'NoModificationAllowedError')) throw error;
    const handle = await openMarker(directory, name);
    if (!handle) return;
    try {
      const length = handle.getSize();
      // To cut takes no room, on a full disk neither. Where nothing is there yet, the owner's two bytes
      // may come: then there are three.
      if (length === 0) write(handle, new Uint8Array(1), ownedBytes);
      else if (length >= ownedBytes) handle.truncate(1);
    } finally {
      handle.close();
    }
    // An exclusive handle means that no owner checks the length.
    if (!isShared(handle)) await removeFile(directory, name);
  }
}

/** Undefined where its owner has just given it up. */
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

/** A new owner that was quick may have cut it already, to a byte at least: then `check` says so. */
function requireKept(handle: FileSystemSyncAccessHandle): void {
  const bytes = new Uint8Array(ownedBytes).fill(255);
  const count = handle.read(bytes, { at: 0 });
  if (count > 0 && bytes.subarray(0, count).every((byte) => byte === 0)) return;
  throw createMissingHandlesError(
    new TypeError('A file did not keep what was written to it through such a handle.'),
  );
}

/** A full disk shows as an error in one browser and as a short count in another: here, the same one. */
function write(handle: FileSystemSyncAccessHandle, bytes: Uint8Array<ArrayBuffer>, at: number) {
  if (handle.write(bytes, { at }) === bytes.length) return;
  throw new DOMException('There is no room for the mark of an owner.', 'QuotaExceededError');
}
