// A file of the opfs-log driver. The owner reads and writes its files through exclusive synchronous
// handles. A former owner's file is read through a snapshot as long as that owner may hold its
// handle.
import { SdkError } from '../../core/errors.ts';
import { createNoSpaceError } from '../log/log-error.ts';
import type { AppendFile, ReadFile } from '../log/log-medium.ts';
import { createClosedError, createMediumError, requireInside } from './refusals.ts';

/** Doesn't wait: resolves to null if another worker holds the file. */
export async function openHandle(
  file: FileSystemFileHandle,
): Promise<FileSystemSyncAccessHandle | null> {
  try {
    return await file.createSyncAccessHandle();
  } catch (error) {
    if (isNamed(error, 'NoModificationAllowedError', 'InvalidStateError')) return null;
    throw error;
  }
}

/**
 * Opens a shared handle if the browser supports them; {@link isShared} tells. Other browsers open
 * an exclusive one.
 */
export function openSharedHandle(file: FileSystemFileHandle): Promise<FileSystemSyncAccessHandle> {
  // The cast is needed because TypeScript's library doesn't have the option yet.
  const open = file.createSyncAccessHandle as (options: {
    readonly mode: typeof sharedMode;
  }) => Promise<FileSystemSyncAccessHandle>;
  return open.call(file, { mode: sharedMode });
}

const sharedMode = 'readwrite-unsafe';

/** True if this browser has shared handles. Whether a handle is shared, the handle itself tells. */
export function canShareHandles(): boolean {
  return 'mode' in FileSystemSyncAccessHandle.prototype;
}

/** Reads the handle's own mode, because a browser ignores an option that it doesn't know. */
export function isShared(handle: FileSystemSyncAccessHandle): boolean {
  return (handle as { readonly mode?: unknown }).mode === sharedMode;
}

/** Receives the events of a file's appends. */
export interface AppendListener {
  /** The bytes were written and will be flushed next. */
  onWritten(): void;
  /**
   * The bytes could not be written or flushed. A check that an earlier append has started doesn't
   * count for this one.
   */
  onFailed(): void;
}

/** Creates an empty file that only this owner has. It owns the handle. */
export function createAppendFile(
  name: string,
  file: FileSystemFileHandle,
  handle: FileSystemSyncAccessHandle,
  listener: AppendListener,
): AppendFile {
  let length = handle.getSize();
  let isClosed = false;
  const readSync = (offset: number, wanted: number): Uint8Array => {
    if (isClosed) throw createClosedError();
    return readHandle(handle, name, offset, wanted);
  };
  return {
    length: () => length,
    append(bytes, durability) {
      if (isClosed) throw createClosedError();
      try {
        if (bytes.length > 0) {
          const count = handle.write(bytes, { at: length });
          // Some browsers report a full disk as an error, others as a short count.
          if (count !== bytes.length) throw createNoSpaceError();
          length += count;
          listener.onWritten();
        }
        if (durability === 'power') handle.flush();
      } catch (error) {
        listener.onFailed();
        throw toOpfsError(error);
      }
    },
    truncate(wanted) {
      attempt(() => handle.truncate(wanted));
      length = wanted;
    },
    read: readSync,
    readSync,
    blob: () => readableBlob(file),
    close() {
      if (isClosed) return;
      isClosed = true;
      handle.close();
    },
  };
}

/** Opens a file of a former owner, or an image. */
export async function openReadFile(name: string, file: FileSystemFileHandle): Promise<ReadFile> {
  let handle = await openHandle(file);
  let snapshot = handle ? undefined : await file.getFile();
  let isClosed = false;

  /** Opens an exclusive handle once the former owner has ended. */
  async function upgrade(): Promise<FileSystemSyncAccessHandle | null> {
    if (isClosed) throw createClosedError();
    if (handle) return handle;
    const opened = await openHandle(file);
    if (isClosed) {
      opened?.close();
      throw createClosedError();
    }
    // One of several concurrent callers gets the handle; for the others the file is held.
    handle ??= opened;
    if (handle) snapshot = undefined;
    return handle;
  }

  return {
    async read(offset, length) {
      const own = await upgrade();
      if (own) return readHandle(own, name, offset, length);
      // A new snapshot each time, because an append by the file's holder invalidates the old one.
      snapshot = await file.getFile();
      requireInside(name, snapshot.size, offset, length);
      return new Uint8Array(await snapshot.slice(offset, offset + length).arrayBuffer());
    },
    readSync(offset, length) {
      if (isClosed) throw createClosedError();
      if (handle) return readHandle(handle, name, offset, length);
      return readSnapshot(snapshot, name, offset, length);
    },
    async flush() {
      const own = await upgrade();
      own?.flush();
      return own !== null;
    },
    blob: () => readableBlob(file),
    close() {
      isClosed = true;
      handle?.close();
    },
  };
}

/**
 * Returns a file's snapshot, or undefined if this browser refuses to read it while a handle is
 * open.
 */
async function readableBlob(file: FileSystemFileHandle): Promise<Blob | undefined> {
  try {
    const snapshot = await file.getFile();
    await snapshot.slice(0, 1).arrayBuffer();
    return snapshot;
  } catch {
    return undefined;
  }
}

/** Idempotent. */
export async function removeFile(
  directory: FileSystemDirectoryHandle,
  name: string,
): Promise<void> {
  try {
    await directory.removeEntry(name);
  } catch (error) {
    if (!isNamed(error, 'NotFoundError')) throw error;
  }
}

export async function namesIn(directory: FileSystemDirectoryHandle): Promise<string[]> {
  const names: string[] = [];
  for await (const name of directory.keys()) names.push(name);
  return names;
}

/** Converts errors of the file system to those of the port. */
export function toOpfsError(error: unknown): SdkError {
  if (SdkError.isInstance(error)) return error;
  return isNamed(error, 'QuotaExceededError')
    ? createNoSpaceError(error)
    : createMediumError(error);
}

export function isNamed(error: unknown, ...names: readonly string[]): boolean {
  return error instanceof Error && names.includes(error.name);
}

function attempt<Value>(run: () => Value): Value {
  try {
    return run();
  } catch (error) {
    throw toOpfsError(error);
  }
}

function readHandle(
  handle: FileSystemSyncAccessHandle,
  name: string,
  offset: number,
  length: number,
): Uint8Array {
  return attempt(() => {
    const size = handle.getSize();
    requireInside(name, size, offset, length);
    const bytes = new Uint8Array(length);
    const count = handle.read(bytes, { at: offset });
    requireInside(name, count === length ? size : offset + count, offset, length);
    return bytes;
  });
}

function readSnapshot(
  snapshot: File | undefined,
  name: string,
  offset: number,
  length: number,
): Uint8Array {
  requireInside(name, snapshot?.size ?? 0, offset, length);
  const part = snapshot?.slice(offset, offset + length) ?? new Blob();
  return attempt(() => new Uint8Array(new FileReaderSync().readAsArrayBuffer(part)));
}
