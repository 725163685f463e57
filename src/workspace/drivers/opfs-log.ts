// The log as a file of the origin's private file system, through a synchronous access handle. Only in
// a dedicated worker (the FS worker), and only while it holds the workspace's Web Lock.
import { SdkError } from '../../core/errors.ts';
import { createNoSpaceError } from '../fs-error.ts';
import type { LogStore } from '../log-store.ts';

/** For tests, and for pages that would rather fail soon than wait for another tab. */
export interface OpfsLogOptions {
  /**
   * How long to wait for a lock or a file that another owner still holds.
   * @defaultValue 4 s: Chromium lets a terminated busy worker, and what it holds, live on for 2 s.
   */
  readonly patienceMs?: number;
}

const directoryName = 'rockpool';
const fileName = 'log';
const defaultPatienceMs = 4000;
// 50 ms: soon enough to be unnoticed, seldom enough to cost nothing. There is no event for it.
const retryMs = 50;

/**
 * Opens, or makes, the log of a workspace. The store owns the file and the lock until it is closed.
 *
 * Rejects with `unsupported-environment`, naming the API that is missing; with `EBUSY` when another
 * tab (or worker) has the workspace open; with `invalid-input` for a name that can be no directory.
 */
export async function openOpfsLogStore(
  name: string,
  options: OpfsLogOptions = {},
): Promise<LogStore> {
  const patienceMs = options.patienceMs ?? defaultPatienceMs;
  const workspaceDirectory = toDirectoryName(name);
  requireApis();
  const releaseLock = await acquireLock(name, patienceMs);
  try {
    const directory = await openDirectory();
    await probe(directory);
    const own = await directory.getDirectoryHandle(workspaceDirectory, { create: true });
    const file = await own.getFileHandle(fileName, { create: true });
    const handle = await openHandle(file, name, patienceMs);
    return createStore(handle, releaseLock);
  } catch (error) {
    releaseLock();
    throw error;
  }
}

/** Deletes a workspace for good. Rejects with `EBUSY` while it is open anywhere. */
export async function deleteOpfsLog(name: string, options: OpfsLogOptions = {}): Promise<void> {
  const workspaceDirectory = toDirectoryName(name);
  requireApis();
  const releaseLock = await acquireLock(name, options.patienceMs ?? defaultPatienceMs);
  try {
    const directory = await openDirectory();
    await directory.removeEntry(workspaceDirectory, { recursive: true });
  } catch (error) {
    // Never made, or deleted already: that is what was asked for.
    if (!isNamed(error, 'NotFoundError')) throw error;
  } finally {
    releaseLock();
  }
}

function createStore(handle: FileSystemSyncAccessHandle, releaseLock: () => void): LogStore {
  let length = handle.getSize();
  const readSync = (offset: number, wanted: number): Uint8Array => {
    const bytes = new Uint8Array(wanted);
    const count = handle.read(bytes, { at: offset });
    if (count === wanted) return bytes;
    throw new SdkError('EIO', `EIO: the log ends at ${length}, ${offset}+${wanted} was read.`);
  };
  return {
    driver: 'opfs-log',
    isPersistent: true,
    length: () => length,
    append(bytes) {
      // A full disk shows as an error in one browser and as a short count in another.
      const count = handle.write(bytes, { at: length });
      if (count !== bytes.length) throw createNoSpaceError();
      length += count;
    },
    flush: () => handle.flush(),
    truncate(wanted) {
      handle.truncate(wanted);
      length = wanted;
    },
    read: readSync,
    readSync,
    close() {
      try {
        handle.flush();
      } finally {
        handle.close();
        releaseLock();
      }
    },
  };
}

function toDirectoryName(name: string): string {
  const isName = typeof name === 'string' && name !== '' && name.length <= 80;
  if (!isName || name === '.' || name === '..' || /\p{Surrogate}/u.test(name)) {
    throw new SdkError('invalid-input', 'A workspace name is a text of 1 to 80 characters.', {
      data: { name },
    });
  }
  // Security: a slash in a name must not reach another workspace's directory.
  return encodeURIComponent(name);
}

function requireApis(): void {
  const { storage, locks } = navigator as Partial<WorkerNavigator>;
  if (!locks) throw missing('navigator.locks (Web Locks)');
  if (typeof storage?.getDirectory !== 'function') {
    throw missing('navigator.storage.getDirectory (the origin private file system)');
  }
  const hasHandles =
    typeof FileSystemFileHandle !== 'undefined' &&
    'createSyncAccessHandle' in FileSystemFileHandle.prototype;
  if (!hasHandles) {
    throw missing('FileSystemFileHandle.createSyncAccessHandle (only in dedicated workers)');
  }
}

async function openDirectory(): Promise<FileSystemDirectoryHandle> {
  try {
    const root = await navigator.storage.getDirectory();
    return await root.getDirectoryHandle(directoryName, { create: true });
  } catch (error) {
    // Some browsers have the function and refuse it in private windows.
    throw missing('navigator.storage.getDirectory', error);
  }
}

/**
 * Opens, writes, reads and closes a scratch file: that the function is there says nothing (WebKitGTK
 * has it and throws).
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
    // A full disk proves that handles work; and what is there can still be read.
    if (!isNamed(error, 'QuotaExceededError')) {
      throw missing('FileSystemFileHandle.createSyncAccessHandle', error);
    }
  } finally {
    // Left behind it costs four bytes; the failure above is what matters.
    await directory.removeEntry(scratch).catch(() => {});
  }
}

/** Resolves with the function that releases it. */
function acquireLock(name: string, patienceMs: number): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const options = { signal: AbortSignal.timeout(patienceMs) };
    const hold = () => new Promise<void>((release) => resolve(() => release()));
    navigator.locks.request(`rockpool:${name}`, options, hold).catch((error: unknown) => {
      reject(isNamed(error, 'TimeoutError', 'AbortError') ? busy(name, error) : error);
    });
  });
}

async function openHandle(
  file: FileSystemFileHandle,
  name: string,
  patienceMs: number,
): Promise<FileSystemSyncAccessHandle> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    try {
      return await file.createSyncAccessHandle();
    } catch (error) {
      if (!isNamed(error, 'NoModificationAllowedError')) throw error;
      // A worker that was terminated lets go of its lock before it lets go of its file.
      if (Date.now() > deadline) throw busy(name, error);
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }
}

function isNamed(error: unknown, ...names: readonly string[]): boolean {
  return error instanceof Error && names.includes(error.name);
}

function busy(name: string, cause: unknown): SdkError {
  return new SdkError(
    'EBUSY',
    `The workspace "${name}" is open in another tab. Close that tab, or open another workspace.`,
    { data: { name }, cause },
  );
}

function missing(api: string, cause?: unknown): SdkError {
  const reason = cause instanceof Error ? ` (${cause.name}: ${cause.message})` : '';
  return new SdkError(
    'unsupported-environment',
    `This browser or window can't keep a workspace on disk: ${api} is missing or refused${reason}. ` +
      'Use a current browser, outside private mode, over https or localhost.',
    { data: { api }, cause },
  );
}
