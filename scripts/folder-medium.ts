/**
 * The log of a workspace as files of a folder: what `--profile` keeps for the inline host. One process at a
 * time has it; what a killed one leaves is whole up to its last acknowledged record.
 */
import { closeSync, fdatasyncSync, fstatSync, fsyncSync, ftruncateSync, mkdirSync } from 'node:fs';
import {
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { SdkError } from 'rockpool';
import type { AppendFile, LogMedium, ReadFile } from 'rockpool/workspace';

/** No file of the log has such a name. */
const lockName = 'OWNER';

/**
 * Opens, or makes, the folder, and has it until it is closed or its process ends.
 *
 * @throws SdkError `EBUSY` while another process has it open.
 */
export function openFolderMedium(folder: string): LogMedium {
  mkdirSync(folder, { recursive: true });
  const lock = join(folder, lockName);
  takeLock(lock);
  const open = new Set<number>();
  const isOurs = () => readOwner(lock) === process.pid;

  function openFile(name: string, flags: 'r' | 'w+'): AppendFile {
    const fd = wrap(name, () => openSync(join(folder, name), flags));
    open.add(fd);
    const read = (offset: number, length: number) => readFrom(fd, name, offset, length);
    let length = fstatSync(fd).size;
    return {
      length: () => length,
      read,
      readSync: read,
      append(bytes, durability) {
        wrap(name, () => {
          for (let done = 0; done < bytes.length;) {
            done += writeSync(fd, bytes, done, bytes.length - done, length + done);
          }
          if (durability === 'power') fdatasyncSync(fd);
        });
        length += bytes.length;
      },
      truncate(wanted) {
        if (wanted >= length) return;
        wrap(name, () => ftruncateSync(fd, wanted));
        length = wanted;
      },
      close() {
        if (open.delete(fd)) closeSync(fd);
      },
    };
  }

  return {
    driver: 'folder',
    isPersistent: true,
    list: async () =>
      readdirSync(folder)
        .filter((name) => name !== lockName)
        .map((name) => ({ name, length: statSync(join(folder, name)).size })),
    async create(name) {
      const file = openFile(name, 'w+');
      flushNames(folder);
      return file;
    },
    open: async (name): Promise<ReadFile> => openFile(name, 'r'),
    remove: async (name) => rmSync(join(folder, name), { force: true }),
    checkFence() {
      if (isOurs()) return;
      throw new SdkError('EFENCED', `EFENCED: another process has taken ${folder} over.`);
    },
    async close() {
      for (const fd of open) closeSync(fd);
      open.clear();
      if (isOurs()) rmSync(lock, { force: true });
    },
  };
}

/** Else a file's bytes could outlive a loss of power, and its name not. */
function flushNames(folder: string): void {
  const fd = openSync(folder, 'r');
  fsyncSync(fd);
  closeSync(fd);
}

/** The lock of a process that is gone doesn't count. */
function takeLock(lock: string): void {
  const owner = readOwner(lock);
  if (owner !== undefined && isRunning(owner)) {
    throw new SdkError(
      'EBUSY',
      `The process ${owner} has this profile open. Wait until it has ended.`,
    );
  }
  const own = `${lock}-${process.pid}`;
  writeFileSync(own, String(process.pid));
  renameSync(own, lock);
}

function readOwner(lock: string): number | undefined {
  try {
    return Number(readFileSync(lock, 'utf8'));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs, and is somebody else's.
    return codeOf(error) === 'EPERM';
  }
}

function readFrom(fd: number, name: string, offset: number, length: number): Uint8Array {
  const { size } = fstatSync(fd);
  const isRange = Number.isSafeInteger(offset) && Number.isSafeInteger(length);
  if (!isRange || offset < 0 || length < 0 || offset + length > size) {
    throw new SdkError('EIO', `EIO: "${name}" ends at ${size}; ${offset}+${length} was asked for.`);
  }
  const bytes = new Uint8Array(length);
  for (let done = 0; done < length;) {
    const got = wrap(name, () => readSync(fd, bytes, done, length - done, offset + done));
    if (got === 0) throw new SdkError('EIO', `EIO: "${name}" ended while it was read.`);
    done += got;
  }
  return bytes;
}

function wrap<Result>(name: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const code = codeOf(error);
    const known = code === 'ENOENT' || code === 'ENOSPC' ? code : 'EIO';
    const reason = error instanceof Error ? error.message : String(error);
    throw new SdkError(known, `${known}: the file "${name}" of the log failed (${reason}).`, {
      cause: error,
    });
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
