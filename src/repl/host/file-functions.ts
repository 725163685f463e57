// The host functions of the guest's `fs`: the functions of the cell's view that the guest may call.
import { SdkError } from '../../core/errors.ts';
import type { OpenFlag } from '../../workspace/files/file-options.ts';
import type { Dirent, Stats, SyncFileSystem } from '../../workspace/files/file-system.ts';
import { parseOpenFlags } from '../../workspace/files/open-flags.ts';
import type { DraftMeter } from '../session/draft-meter.ts';
import type { GuestValue, HostFunction } from '../vm/engine.ts';
import {
  bytesArgument,
  dataArgument,
  numberArgument,
  pathArgument,
  textArgument,
} from './guest-arguments.ts';

/**
 * Host functions for whole files and for parts of files. The guest builds descriptors on the
 * latter, so that snapshots contain them. Paths are passed on as given: the view resolves them
 * against the same working directory, and knows where links lead.
 *
 * `onRead` is called with each path whose content the guest got, as the guest gave it. `draft`
 * counts written bytes.
 */
export function fileFunctions(
  files: () => SyncFileSystem,
  onRead: (path: string) => void,
  draft: () => DraftMeter,
): Record<string, HostFunction> {
  const done = (_nothing: void) => undefined;
  const read = <Content>(path: GuestValue, get: (path: string) => Content): Content => {
    const given = pathArgument(path);
    const content = get(given);
    onRead(given);
    return content;
  };
  let [lastMtimeMs, lastInode] = [0, 0];
  const sizeAndMode = ({ size, mode, mtimeMs, ino }: Stats): number => {
    [lastMtimeMs, lastInode] = [mtimeMs, ino];
    return size * 0x10000 + mode;
  };
  const sizeNow = (path: string): number => {
    try {
      return files().statSync(path).size;
    } catch (error) {
      // The file doesn't exist yet, or can't be accessed. In that case the write reports the error.
      if (SdkError.isInstance(error)) return 0;
      throw error;
    }
  };
  /** `size` returns the number of bytes that the file will have, before it is written. */
  const write = <Result>(
    path: GuestValue,
    size: (path: string) => number,
    run: (path: string) => Result,
  ): Result => {
    const given = pathArgument(path);
    draft().require(size(given));
    const result = run(given);
    // The whole file counts, because its earlier content is copied with the change.
    draft().add(files().statSync(given).size);
    return result;
  };
  return {
    readText: (path) => read(path, (given) => files().readFileSync(given, 'utf8')),
    // No copy is needed here, because the engine copies the bytes into the guest's memory.
    readBytes: (path) => read(path, (given) => files().viewFileSync(given)),
    writeFile(path, data, flag, mode) {
      const content = dataArgument(data, 'data');
      const options = { flag: flagArgument(flag), mode: modeArgument(mode) };
      const size = (given: string) => {
        const flags = parseOpenFlags(options.flag, 'w', { syscall: 'open', path: given });
        if (flags.truncate) return content.length;
        return flags.append
          ? sizeNow(given) + content.length
          : Math.max(sizeNow(given), content.length);
      };
      return done(write(path, size, (given) => files().writeFileSync(given, content, options)));
    },
    openPath: (path, flag, mode) =>
      files().openPathSync(pathArgument(path), flagArgument(flag), modeArgument(mode)),
    readPart: (path, position, length) =>
      read(path, (given) =>
        files().readPartSync(
          given,
          numberArgument(position, 'position', fileSize),
          numberArgument(length, 'length', fileSize),
        ),
      ),
    /** Position -1 is the end of the file. */
    writePart(path, position, data) {
      const at = position === -1 ? 'end' : numberArgument(position, 'position', fileSize);
      const bytes = bytesArgument(data, 'buffer');
      const size = (given: string) => {
        const before = sizeNow(given);
        return Math.max(before, (at === 'end' ? before : at) + bytes.length);
      };
      return write(path, size, (given) => files().writePartSync(given, at, bytes));
    },
    exists: (path) => files().existsSync(pathArgument(path)),
    access: (path, mode) =>
      done(
        files().accessSync(pathArgument(path), numberArgument(mode, 'mode', { min: 0, max: 7 })),
      ),
    // Numbers are passed to the guest in less time than a string. The first is the size, with the
    // mode in its lowest 16 bits. The others are the modification time and the inode.
    stat: (path) => sizeAndMode(files().statSync(pathArgument(path))),
    lstat: (path) => sizeAndMode(files().lstatSync(pathArgument(path))),
    statTime: () => lastMtimeMs,
    statInode: () => lastInode,
    readdir(path, isRecursive, withTypes) {
      const options = { recursive: isRecursive === true };
      const fs = files();
      return JSON.stringify(
        withTypes === true
          ? fs
              .readdirSync(pathArgument(path), { ...options, withFileTypes: true })
              .map(toPlainEntry)
          : fs.readdirSync(pathArgument(path), options),
      );
    },
    mkdir: (path, isRecursive, mode) =>
      files().mkdirSync(pathArgument(path), {
        recursive: isRecursive === true,
        mode: modeArgument(mode),
      }),
    mkdtemp: (prefix) => files().mkdtempSync(pathArgument(prefix, 'prefix')),
    rm: (path, isRecursive, isForced) =>
      done(
        files().rmSync(pathArgument(path), {
          recursive: isRecursive === true,
          force: isForced === true,
        }),
      ),
    rmdir: (path) => done(files().rmdirSync(pathArgument(path))),
    unlink: (path) => done(files().unlinkSync(pathArgument(path))),
    rename: (from, to) =>
      done(files().renameSync(pathArgument(from, 'oldPath'), pathArgument(to, 'newPath'))),
    copyFile: (from, to, mode) =>
      done(
        files().copyFileSync(
          pathArgument(from, 'src'),
          pathArgument(to, 'dest'),
          numberArgument(mode, 'mode', { min: 0, max: 7 }),
        ),
      ),
    cp: (from, to, isRecursive, isForced, failsOnExist) =>
      done(
        files().cpSync(pathArgument(from, 'src'), pathArgument(to, 'dest'), {
          recursive: isRecursive === true,
          force: isForced !== false,
          errorOnExist: failsOnExist === true,
        }),
      ),
    realpath: (path) => files().realpathSync(pathArgument(path)),
    readlink: (path) => files().readlinkSync(pathArgument(path)),
    // A link's target isn't resolved, because it may be relative to the link.
    symlink: (target, path) =>
      done(files().symlinkSync(pathArgument(target, 'target'), pathArgument(path))),
    chmod: (path, mode) =>
      done(files().chmodSync(pathArgument(path), numberArgument(mode, 'mode', modes))),
    utimes: (path, atime, mtime) =>
      done(files().utimesSync(pathArgument(path), timeArgument(atime), timeArgument(mtime))),
    truncate(path, length) {
      const size = numberArgument(length, 'len', fileSize);
      return done(
        write(
          path,
          () => size,
          (given) => files().truncateSync(given, size),
        ),
      );
    },
  };
}

// The range of a file's size: more than any file that is held in memory.
const fileSize = { min: 0, max: 2 ** 31 };
// The range of modes, including the type bits that stat returns. The view ignores the bits that it
// doesn't store.
const modes = { min: 0, max: 0xffff_ffff };

/** Passes flags on unchanged. The view validates them. */
function flagArgument(value: GuestValue): OpenFlag {
  return (typeof value === 'number' ? value : textArgument(value, 'flag')) as OpenFlag;
}

function modeArgument(value: GuestValue): number | undefined {
  return value === undefined ? undefined : numberArgument(value, 'mode', modes);
}

/**
 * Reads a time in seconds. For the view a negative number means now, so a time before 1970 is
 * passed as a Date.
 */
function timeArgument(value: GuestValue): number | Date {
  const seconds = numberArgument(value, 'time', { min: -8.64e12, max: 8.64e12 });
  return seconds < 0 ? new Date(seconds * 1000) : seconds;
}

function toPlainEntry(entry: Dirent): { name: string; parentPath: string; type: string } {
  return { name: entry.name, parentPath: entry.parentPath, type: typeOf(entry) };
}

function typeOf(entry: Dirent): string {
  return entry.isFile() ? 'file' : entry.isDirectory() ? 'directory' : 'symlink';
}
