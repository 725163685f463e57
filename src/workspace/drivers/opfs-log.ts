// The opfs-log driver: keeps the log as files of the origin private file system, through
// synchronous access handles. It only works in a dedicated worker (the FS worker).
import { SdkError } from '../../core/errors.ts';
import type { AppendFile, LogMedium, MediumFile, ReadFile } from '../log/log-medium.ts';
import {
  canShareHandles,
  createAppendFile,
  isNamed,
  openHandle,
  openReadFile,
  removeFile,
  toOpfsError,
  type AppendListener,
} from './opfs-file.ts';
import { isMarker, takeOwnership, type OpfsOwner } from './opfs-owner.ts';
import {
  createBusyError,
  createClosedError,
  createMissingApiError,
  createMissingFileError,
  createMissingHandlesError,
  requireFileName,
  requireWorkspaceName,
} from './refusals.ts';
import { acquireWorkspaceLock, takeWorkspaceLock } from './workspace-lock.ts';

/** For tests, and for pages that prefer a quick failure to waiting for another tab. */
export interface OpfsLogOptions {
  /**
   * How long to wait for a lock that another owner still holds, in milliseconds.
   * @defaultValue 4 s: in Chromium a terminated busy worker, and what it holds, exist for 2 s more.
   */
  readonly patienceMs?: number;
  /**
   * Takes the lock from its holder, such as a frozen tab that doesn't answer. When that tab
   * resumes, its writes are refused with `EFENCED`. @defaultValue false
   */
  readonly takeOver?: boolean;
}

const directoryName = 'rockpool';
const defaultPatienceMs = 4000;

/**
 * Opens or creates the files of a workspace and takes ownership. From then on `checkFence` of a
 * former owner rejects.
 * On a full device an existing workspace can still be opened and read. `checkFence` then rejects
 * with `ENOSPC`, so that nothing is written.
 * Rejects with `unsupported-environment`, naming the missing API; `EBUSY` if another tab or worker
 * has the workspace open; `invalid-input` for a name that can't be a directory's.
 */
export async function openOpfsLog(name: string, options: OpfsLogOptions = {}): Promise<LogMedium> {
  return (await openOpfsFiles(name, options)).medium;
}

/** A medium, and whether it was empty when it was taken over. */
export interface OpenedFiles {
  readonly medium: LogMedium;
  readonly isNew: boolean;
}

/** Same as {@link openOpfsLog}. */
export async function openOpfsFiles(name: string, options: OpfsLogOptions): Promise<OpenedFiles> {
  requireWorkspaceName(name);
  requireApis();
  const opening = openDirectory();
  // Awaited, and its failure reported, once the lock is held.
  opening.catch(() => {});
  const releaseLock = options.takeOver
    ? await takeWorkspaceLock(name)
    : await acquireWorkspaceLock(name, options.patienceMs ?? defaultPatienceMs);
  try {
    const directory = await opening;
    const canShare = canShareHandles();
    // With shared handles, opening the owner's marker already proves that handles work.
    if (!canShare) await probe(directory);
    const own = await directory.getDirectoryHandle(toDirectoryName(name), { create: true });
    const { owner, others } = await takeOwnership(own, { canShare });
    return {
      medium: createMedium(own, owner, releaseLock),
      isNew: others.every((other) => isMarker(other)),
    };
  } catch (error) {
    releaseLock();
    throw toOpfsError(error);
  }
}

/** Deletes a workspace for good. Rejects with `EBUSY` while it is open anywhere. */
export async function deleteOpfsLog(name: string, options: OpfsLogOptions = {}): Promise<void> {
  requireWorkspaceName(name);
  requireApis();
  const releaseLock = await acquireWorkspaceLock(name, options.patienceMs ?? defaultPatienceMs);
  try {
    const directory = await openDirectory();
    await directory.removeEntry(toDirectoryName(name), { recursive: true });
  } catch (error) {
    if (isNamed(error, 'NoModificationAllowedError')) throw createBusyError(name, error);
    // The workspace doesn't exist. Deleting is idempotent.
    if (!isNamed(error, 'NotFoundError')) throw toOpfsError(error);
  } finally {
    releaseLock();
  }
}

function createMedium(
  directory: FileSystemDirectoryHandle,
  owner: OpfsOwner,
  releaseLock: () => void,
): LogMedium {
  const files = new Set<ReadFile>();
  let isClosed = false;
  let checking: Promise<void> | undefined;

  /**
   * A slow ownership check starts while the append is being flushed. A new owner invalidates the
   * marker before it reads lengths, so the check only has to start after the bytes were written.
   * The result is for that append alone.
   */
  const appendListener: AppendListener = {
    onWritten() {
      if (owner.isQuick) return;
      checking = Promise.resolve(owner.check());
      // An error matters only if a caller asks for the result.
      checking.catch(() => {});
    },
    onFailed() {
      checking = undefined;
    },
  };

  async function takeCheck(): Promise<void> {
    const begun = checking;
    checking = undefined;
    await (begun ?? owner.check());
  }

  /** Runs one step. Errors are those of the port, and no step runs once the medium is closed. */
  async function run<Value>(step: () => Promise<Value>): Promise<Value> {
    if (isClosed) throw createClosedError();
    if (step !== takeCheck) checking = undefined;
    try {
      return await step();
    } catch (error) {
      throw toOpfsError(error);
    }
  }

  /** Closing the medium closes all of its files, including files that are opened later. */
  async function keep<Kept extends ReadFile>(file: Kept): Promise<Kept> {
    if (isClosed) {
      await file.close();
      throw createClosedError();
    }
    const kept: Kept = {
      ...file,
      close() {
        files.delete(kept);
        return file.close();
      },
    };
    files.add(kept);
    return kept;
  }

  return {
    driver: 'opfs-log',
    isPersistent: true,
    list: () =>
      run(async () => {
        const files: Promise<MediumFile | undefined>[] = [];
        for await (const entry of directory.values()) {
          if (entry.kind === 'file' && !isMarker(entry.name)) files.push(statFile(entry));
        }
        return (await Promise.all(files)).filter((file) => file !== undefined);
      }),
    create: (name) =>
      run(async () => {
        requireFileName(name);
        return keep(await createFile(directory, name, appendListener));
      }),
    open: (name) =>
      run(async () => {
        requireFileName(name);
        const file = await directory.getFileHandle(name).catch((error: unknown) => {
          throw isNamed(error, 'NotFoundError') ? createMissingFileError(name) : error;
        });
        return keep(await openReadFile(name, file));
      }),
    remove: (name) =>
      run(async () => {
        requireFileName(name);
        await removeFile(directory, name);
      }),
    checkFence: () => run(takeCheck),
    async close() {
      if (isClosed) return;
      isClosed = true;
      try {
        for (const file of files) await file.close();
        await owner.release();
      } catch (error) {
        throw toOpfsError(error);
      } finally {
        releaseLock();
      }
    },
  };
}

async function createFile(
  directory: FileSystemDirectoryHandle,
  name: string,
  listener: AppendListener,
): Promise<AppendFile> {
  const file = await directory.getFileHandle(name, { create: true });
  const handle = await openHandle(file);
  if (handle?.getSize() === 0) return createAppendFile(name, file, handle, listener);
  handle?.close();
  // A former owner that still runs has just created it, and only its owner may empty it.
  throw new SdkError('EEXIST', `EEXIST: the log has a file "${name}" already.`, { data: { name } });
}

/** Returns undefined if a former owner has removed the file since it was listed. */
async function statFile(entry: FileSystemFileHandle): Promise<MediumFile | undefined> {
  try {
    return { name: entry.name, length: (await entry.getFile()).size };
  } catch (error) {
    if (isNamed(error, 'NotFoundError')) return undefined;
    throw error;
  }
}

function toDirectoryName(name: string): string {
  // Security: a slash in a name must not lead to another workspace's directory.
  return encodeURIComponent(name);
}

function requireApis(): void {
  const { storage, locks } = navigator as Partial<WorkerNavigator>;
  if (!locks) throw createMissingApiError('navigator.locks (Web Locks)');
  if (typeof storage?.getDirectory !== 'function') {
    throw createMissingApiError('navigator.storage.getDirectory (the origin private file system)');
  }
  const hasHandles =
    typeof FileSystemFileHandle !== 'undefined' &&
    'createSyncAccessHandle' in FileSystemFileHandle.prototype;
  if (!hasHandles) {
    throw createMissingApiError(
      'FileSystemFileHandle.createSyncAccessHandle (only in dedicated workers)',
    );
  }
}

async function openDirectory(): Promise<FileSystemDirectoryHandle> {
  try {
    const root = await navigator.storage.getDirectory();
    return await root.getDirectoryHandle(directoryName, { create: true });
  } catch (error) {
    // Some browsers have the function but refuse it in private windows.
    throw createMissingApiError('navigator.storage.getDirectory', error);
  }
}

/**
 * Opens, writes, reads and closes a scratch file. The existence of the function proves nothing:
 * WebKitGTK has it and throws.
 */
async function probe(directory: FileSystemDirectoryHandle): Promise<void> {
  const scratch = `probe-${crypto.randomUUID()}`;
  try {
    const file = await directory.getFileHandle(scratch, { create: true });
    const handle = await file.createSyncAccessHandle();
    try {
      handle.write(new Uint8Array([1, 2, 3, 4]), { at: 0 });
      handle.flush();
      const back = new Uint8Array(4);
      handle.read(back, { at: 0 });
      if (back[3] !== 4) throw new TypeError('A scratch file did not keep what was written to it.');
    } finally {
      handle.close();
    }
  } catch (error) {
    // A full disk proves that handles work, and existing files can still be read.
    if (!isNamed(error, 'QuotaExceededError')) throw createMissingHandlesError(error);
  } finally {
    // A scratch file that stays costs four bytes. The first error matters more.
    await directory.removeEntry(scratch).catch(() => {});
  }
}
