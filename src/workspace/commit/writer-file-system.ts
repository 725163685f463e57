// `Workspace.fs` and `Workspace.at`: each operation is a draft of a root that is committed at once as
// the user's.
// Hosts, editors and importers use it. Calls and nested calls have views of their own (draft-view.ts).
import { SdkError } from '../../core/errors.ts';
import { onChangeEvent, toShownChanges } from '../state/change-events.ts';
import { Draft } from '../draft/draft.ts';
import { openGate } from '../files/access.ts';
import { openFileHandle } from '../files/file-handle.ts';
import type {
  BinaryOption,
  BufferNameOptions,
  Encoding,
  EncodingOption,
  NameOptions,
  ReaddirOptions,
} from '../files/file-options.ts';
import type { Dirent, FileSystem, LocalFileSystem } from '../files/file-system.ts';
import { createLocalFileSystem } from '../files/local-file-system.ts';
import { watchPath } from '../files/watch-path.ts';
import type { WatchSource } from '../files/watch-path.ts';
import { shownRootOf } from '../state/session-roots.ts';
import type { WriterPort } from './writer-port.ts';

// A path operation names no version. When another commit came first, it is retried on the new
// state. Only a stream of commits to the same path can use up all tries.
const maxTries = 20;

/** Operations that lost a race retry one after the other, so that each gets its turn. */
const turns = new WeakMap<WriterPort, Promise<unknown>>();

/**
 * Relative paths start at `/`. No rules apply: the holder of this interface may do everything.
 * `root` is the id of the tree; without it every operation rejects with `invalid-input`. `beforeCommit`
 * gets an operation's result just before its changes are committed.
 */
export function createWriterFileSystem(
  writer: WriterPort,
  root: string,
  beforeCommit: (result: unknown) => void = () => {},
): FileSystem {
  async function run<Result>(operate: (fs: LocalFileSystem) => Promise<Result>): Promise<Result> {
    try {
      return await runOnce(operate);
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
    const turn = (turns.get(writer) ?? Promise.resolve()).then(() => runAgain(operate));
    turns.set(
      writer,
      turn.catch(() => {}),
    );
    return turn;
  }

  async function runAgain<Result>(
    operate: (fs: LocalFileSystem) => Promise<Result>,
  ): Promise<Result> {
    for (let attempt = 2; ; attempt += 1) {
      try {
        return await runOnce(operate);
      } catch (error) {
        if (!isConflict(error) || attempt === maxTries) throw error;
      }
    }
  }

  async function runOnce<Result>(
    operate: (fs: LocalFileSystem) => Promise<Result>,
  ): Promise<Result> {
    const draft = new Draft(shownRootOf(writer.state, root), writer.seq);
    const { maxFileBytes } = writer;
    const limit = maxFileBytes === undefined ? {} : { maxFileBytes };
    const scope = { draft, cwd: '/', gate: openGate, now: Date.now, ...limit };
    const result = await operate(createLocalFileSystem(scope, writer.contents));
    // Compact: no rules apply here, and removing a large directory stays quick.
    const changeSet = draft.compactChangeSet();
    if (!changeSet) return result;
    beforeCommit(result);
    await writer.commit(changeSet, { author: { kind: 'user' }, root });
    return result;
  }

  async function readlink(path: string, option: BufferNameOptions): Promise<Uint8Array>;
  async function readlink(path: string, option?: NameOptions): Promise<string>;
  async function readlink(path: string, option?: NameOptions | BufferNameOptions) {
    return run<string | Uint8Array>((fs) => fs.readlink(path, option as BufferNameOptions));
  }

  async function readFile(path: string, option: EncodingOption): Promise<string>;
  async function readFile(path: string, option?: BinaryOption): Promise<Uint8Array>;
  async function readFile(path: string, option?: EncodingOption | BinaryOption) {
    return run<string | Uint8Array>((fs) => fs.readFile(path, option as EncodingOption));
  }

  async function readMany(
    paths: readonly string[],
    encoding: Encoding,
  ): Promise<(string | Error)[]>;
  async function readMany(
    paths: readonly string[],
    encoding?: null,
  ): Promise<(Uint8Array | Error)[]>;
  async function readMany(paths: readonly string[], encoding?: Encoding | null) {
    return run<(string | Uint8Array | Error)[]>((fs) => fs.readMany(paths, encoding as Encoding));
  }

  async function readdir(
    path: string,
    option: ReaddirOptions & { readonly withFileTypes: true },
  ): Promise<Dirent[]>;
  async function readdir(
    path: string,
    option?: ReaddirOptions | Encoding | null,
  ): Promise<string[]>;
  async function readdir(
    path: string,
    option?: (ReaddirOptions & { readonly withFileTypes?: boolean }) | Encoding | null,
  ) {
    return run<string[] | Dirent[]>((fs) =>
      typeof option === 'object' && option?.withFileTypes === true
        ? fs.readdir(path, { ...option, withFileTypes: true })
        : fs.readdir(path, option),
    );
  }

  // Every acknowledged commit to the root, and to the sessions that it shows.
  const source: WatchSource = {
    listen: (listener) =>
      onChangeEvent(writer, (event) => {
        const changes = toShownChanges(event, root);
        if (changes.length > 0) listener(changes);
      }),
  };

  const face: FileSystem = {
    readFile,
    readdir,
    writeFile: (path, data, option) => run((fs) => fs.writeFile(path, data, option)),
    appendFile: (path, data, option) => run((fs) => fs.appendFile(path, data, option)),
    truncate: (path, length) => run((fs) => fs.truncate(path, length)),
    open: (path, flags, mode) => openFileHandle(face, path, flags, mode),
    openPath: (path, flags, mode) => run((fs) => fs.openPath(path, flags, mode)),
    readPart: (path, position, length) => run((fs) => fs.readPart(path, position, length)),
    writePart: (path, position, data) => run((fs) => fs.writePart(path, position, data)),
    watch: (path, option) => watchPath(face, source, path, option),
    access: (path, mode) => run((fs) => fs.access(path, mode)),
    stat: (path) => run((fs) => fs.stat(path)),
    lstat: (path) => run((fs) => fs.lstat(path)),
    realpath: (path, option) => run((fs) => fs.realpath(path, option)),
    readlink,
    mkdir: (path, option) => run((fs) => fs.mkdir(path, option)),
    mkdtemp: (prefix, option) => run((fs) => fs.mkdtemp(prefix, option)),
    rm: (path, option) => run((fs) => fs.rm(path, option)),
    rmdir: (path) => run((fs) => fs.rmdir(path)),
    unlink: (path) => run((fs) => fs.unlink(path)),
    rename: (from, to) => run((fs) => fs.rename(from, to)),
    copyFile: (from, to, mode) => run((fs) => fs.copyFile(from, to, mode)),
    cp: (from, to, option) => run((fs) => fs.cp(from, to, option)),
    symlink: (target, path) => run((fs) => fs.symlink(target, path)),
    link: (existing, path) => run((fs) => fs.link(existing, path)),
    chmod: (path, mode) => run((fs) => fs.chmod(path, mode)),
    utimes: (path, atime, mtime) => run((fs) => fs.utimes(path, atime, mtime)),
    lutimes: (path, atime, mtime) => run((fs) => fs.lutimes(path, atime, mtime)),
    readMany,
    walk: (directory, option) => run((fs) => fs.walk(directory, option)),
  };
  return face;
}

function isConflict(error: unknown): boolean {
  return SdkError.isInstance(error) && error.code === 'ECONFLICT';
}
