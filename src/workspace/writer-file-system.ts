// The workspace's own face (`Workspace.fs`): each operation is a draft that is committed at once, by
// the user. For hosts, editors and importers beside the writer.
import { SdkError } from '../core/errors.ts';
import { openGate } from './access.ts';
import { Draft } from './draft.ts';
import type {
  BinaryOption,
  Dirent,
  EncodingOption,
  FileSystem,
  LocalFileSystem,
  ReaddirOptions,
} from './file-system.ts';
import { createLocalFileSystem } from './local-file-system.ts';
import type { CommitOptions } from './workspace.ts';
import type { WorkspaceWriter } from './writer.ts';

// A path operation names no version: when another commit was quicker, it is done again on what
// stands then. Only a stream of commits to the same path can use up all tries.
const maxTries = 20;

/** Relative paths are taken from `/`. Nothing is judged: who holds this face may do all. */
export function createWriterFileSystem(
  writer: WorkspaceWriter,
  options: CommitOptions = { author: { kind: 'user' } },
): FileSystem {
  async function run<Result>(operate: (fs: LocalFileSystem) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      const draft = new Draft(writer.root, writer.seq);
      const scope = { draft, cwd: '/', gate: openGate, now: Date.now };
      const result = await operate(createLocalFileSystem(scope, writer.contents));
      const changeSet = draft.changeSet();
      if (!changeSet) return result;
      try {
        await writer.commit(changeSet, options);
        return result;
      } catch (error) {
        const isConflict = SdkError.isInstance(error) && error.code === 'ECONFLICT';
        if (!isConflict || attempt === maxTries) throw error;
      }
    }
  }

  async function readFile(path: string, option: EncodingOption): Promise<string>;
  async function readFile(path: string, option?: BinaryOption): Promise<Uint8Array>;
  async function readFile(path: string, option?: EncodingOption | BinaryOption) {
    return run<string | Uint8Array>((fs) => fs.readFile(path, option as EncodingOption));
  }

  async function readdir(
    path: string,
    option: ReaddirOptions & { readonly withFileTypes: true },
  ): Promise<Dirent[]>;
  async function readdir(path: string, option?: ReaddirOptions): Promise<string[]>;
  async function readdir(
    path: string,
    option?: ReaddirOptions & { readonly withFileTypes?: boolean },
  ) {
    return run<string[] | Dirent[]>((fs) =>
      option?.withFileTypes === true
        ? fs.readdir(path, { ...option, withFileTypes: true })
        : fs.readdir(path, option),
    );
  }

  return {
    readFile,
    readdir,
    writeFile: (path, data) => run((fs) => fs.writeFile(path, data)),
    appendFile: (path, data) => run((fs) => fs.appendFile(path, data)),
    truncate: (path, length) => run((fs) => fs.truncate(path, length)),
    access: (path) => run((fs) => fs.access(path)),
    stat: (path) => run((fs) => fs.stat(path)),
    lstat: (path) => run((fs) => fs.lstat(path)),
    realpath: (path) => run((fs) => fs.realpath(path)),
    readlink: (path) => run((fs) => fs.readlink(path)),
    mkdir: (path, option) => run((fs) => fs.mkdir(path, option)),
    mkdtemp: (prefix) => run((fs) => fs.mkdtemp(prefix)),
    rm: (path, option) => run((fs) => fs.rm(path, option)),
    rmdir: (path) => run((fs) => fs.rmdir(path)),
    unlink: (path) => run((fs) => fs.unlink(path)),
    rename: (from, to) => run((fs) => fs.rename(from, to)),
    copyFile: (from, to) => run((fs) => fs.copyFile(from, to)),
    cp: (from, to, option) => run((fs) => fs.cp(from, to, option)),
    symlink: (target, path) => run((fs) => fs.symlink(target, path)),
    chmod: (path, mode) => run((fs) => fs.chmod(path, mode)),
    utimes: (path, atime, mtime) => run((fs) => fs.utimes(path, atime, mtime)),
    readMany: (paths) => run((fs) => fs.readMany(paths)),
    walk: (directory, option) => run((fs) => fs.walk(directory, option)),
  };
}
