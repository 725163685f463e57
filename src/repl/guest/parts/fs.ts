// Node's `fs` over the cell's draft. Synchronous functions call the host. The promise and callback
// forms call the synchronous functions.
import type { Kernel } from '../kernel-type.ts';

/** A directory entry, as the host sends it. */
interface SentEntry {
  readonly name: string;
  readonly parentPath: string;
  readonly type: 'file' | 'directory' | 'symlink';
}

interface RemoveOptions {
  readonly recursive?: unknown;
  readonly force?: unknown;
}

interface CopyOptions {
  readonly recursive?: unknown;
  readonly force?: boolean;
  readonly errorOnExist?: boolean;
  readonly filter?: unknown;
}

/** Defines the modules `fs` and `fs/promises`. */
export function addFs(kernel: Kernel) {
  const { host, parse } = kernel;

  const toPath = (value): string => kernel.fromHere(pathText(value));
  function pathText(value): string {
    if (typeof value === 'string') return value;
    if (value instanceof Uint8Array) return kernel.decode(value);
    if (typeof value?.href === 'string' && typeof value.protocol === 'string')
      return kernel.fileURLToPath(value);
    throw kernel.invalidType('path', 'of type string or an instance of Buffer or URL', value);
  }
  function toData(value: unknown, encoding?: string): string | Uint8Array {
    if (typeof value === 'string')
      return encoding === undefined || isUtf8(encoding) ? value : kernel.encode(value, encoding);
    const bytes = kernel.plainBytes(value);
    if (bytes !== undefined) return bytes;
    throw kernel.invalidType(
      'data',
      'of type string or an instance of Buffer, TypedArray, or DataView',
      value,
    );
  }
  const toMode = (mode) => (typeof mode === 'string' ? parseInt(mode, 8) : (mode ?? undefined));
  const encodingOf = (options): string | undefined =>
    typeof options === 'string' ? options : (options?.encoding ?? undefined);
  const isUtf8 = (encoding: string) =>
    encoding === 'utf8' || encoding === 'utf-8' || /^utf-?8$/i.test(encoding);
  const flagOf = (options, usual) =>
    (typeof options === 'object' && options !== null && options.flag) || usual;

  // `stat` returns an object literal with this prototype. A constructor with so many fields would
  // take longer than the call to the host. As in Node, the mode has the type, and dates are created
  // when they are read.
  class Stats {
    declare readonly mode?: unknown;
    isFile() {
      return isType(this, 0o100000);
    }
    isDirectory() {
      return isType(this, 0o040000);
    }
    isSymbolicLink() {
      return isType(this, 0o120000);
    }
    isFIFO() {
      return false;
    }
    isSocket() {
      return false;
    }
    isBlockDevice() {
      return false;
    }
    isCharacterDevice() {
      return false;
    }
  }
  const isType = ({ mode }: { mode?: unknown }, bits: number) => (Number(mode) & 0o170000) === bits;
  const { prototype } = Stats;
  function toStats(sizeAndMode: number, mtimeMs: number, ino: number) {
    const mode = sizeAndMode & 0xffff;
    const size = (sizeAndMode - mode) / 0x10000;
    return {
      __proto__: prototype,
      dev: 1,
      ino,
      mode,
      nlink: 1,
      uid: 0,
      gid: 0,
      rdev: 0,
      size,
      blksize: 4096,
      blocks: Math.ceil(size / 512),
      atimeMs: mtimeMs,
      mtimeMs,
      ctimeMs: mtimeMs,
      birthtimeMs: mtimeMs,
    };
  }
  for (const name of ['atime', 'mtime', 'ctime', 'birthtime']) {
    Object.defineProperty(prototype, name, {
      get() {
        return new Date(Number(this[name + 'Ms']));
      },
      set(value) {
        Object.defineProperty(this, name, {
          value,
          writable: true,
          enumerable: true,
          configurable: true,
        });
      },
      enumerable: true,
      configurable: true,
    });
  }
  /** Returns the same with BigInt values, for Node's option `bigint`. */
  function toBigStats(stats) {
    const big: Record<string, unknown> = { __proto__: prototype };
    for (const key of Object.keys(stats)) big[key] = BigInt(Math.floor(stats[key]));
    for (const name of ['atime', 'mtime', 'ctime', 'birthtime'])
      big[name + 'Ns'] = BigInt(Math.round(stats[name + 'Ms'] * 1000)) * 1000n;
    return big;
  }
  class Dirent {
    #type: SentEntry['type'];
    declare readonly name: string;
    declare readonly parentPath: string;
    declare readonly path: string;
    constructor(sent: SentEntry, parentPath: string) {
      this.#type = sent.type;
      this.name = sent.name;
      this.parentPath = parentPath;
      this.path = parentPath;
    }
    isFile() {
      return this.#type === 'file';
    }
    isDirectory() {
      return this.#type === 'directory';
    }
    isSymbolicLink() {
      return this.#type === 'symlink';
    }
    isFIFO() {
      return false;
    }
    isSocket() {
      return false;
    }
    isBlockDevice() {
      return false;
    }
    isCharacterDevice() {
      return false;
    }
  }

  /** Converts entries. As in Node, `parentPath` begins with the directory as the caller gave it. */
  function toDirents(given: string): (sent: SentEntry) => Dirent {
    let root: string | undefined;
    return (sent) => {
      root ??= host.realpath(given);
      const below = sent.parentPath.slice(root.length);
      return new Dirent(sent, below === '' ? given : kernel.path.join(given, below));
    };
  }

  function write(path, data, options, usualFlag: string) {
    const content = toData(data, encodingOf(options));
    if (typeof path === 'number') return files().writeAll(path, content);
    host.writeFile(toPath(path), content, flagOf(options, usualFlag), toMode(options?.mode));
  }
  // Descriptors and FileHandles. The part is loaded on demand, because few cells need it.
  const files = () => kernel.part('open-files');
  function stat(ask: (path: string) => number, path, options?) {
    try {
      const stats = toStats(ask(toPath(path)), host.statTime(), host.statInode());
      return options?.bigint === true ? toBigStats(stats) : stats;
    } catch (error) {
      const { code } = error as Error;
      // As in Node, lstat reports a file that is in the place of a directory.
      const isMissing = code === 'ENOENT' || (code === 'ENOTDIR' && ask === host.stat);
      if (options?.throwIfNoEntry === false && isMissing) return undefined;
      throw error;
    }
  }
  function remove(path, options: RemoveOptions = {}) {
    host.rm(toPath(path), options.recursive === true, options.force === true);
  }

  /**
   * Copies a file or directory. Yields the filter's result, which may be a promise, and receives
   * its value.
   */
  function* copy(from: string, to: string, options: CopyOptions): Generator<unknown, void> {
    const { filter, recursive, force, errorOnExist } = options;
    const copyAll = () => host.cp(from, to, recursive === true, force, errorOnExist);
    if (filter === undefined || filter === null) return copyAll();
    if (typeof filter !== 'function')
      throw kernel.invalidType('options.filter', 'of type function', filter);
    if (!(yield filter(from, to))) return undefined;
    const mode = host.lstat(from) & 0xffff;
    const { resolve, join } = kernel.path;
    const isInside = (resolve(to) + '/').startsWith(resolve(from) + '/');
    // If the entry can't be copied as a directory, the host copies or refuses it.
    if (!isType({ mode }, 0o040000) || recursive !== true || isInside) return copyAll();
    host.mkdir(to, true, mode & 0o777);
    for (const name of parse(host.readdir(from, false, false)) as string[])
      yield* copy(join(from, name), join(to, name), options);
  }

  // Each function also exists as fs.promises.<name> and as fs.<name>(…, callback).
  const sync: Record<string, Function> = {
    readFile(path, options) {
      const encoding = encodingOf(options);
      const isText = encoding !== undefined && isUtf8(encoding);
      if (encoding !== undefined && !isText && kernel.codec(encoding) === undefined) {
        throw kernel.coded(
          TypeError,
          'ERR_INVALID_ARG_VALUE',
          "The argument 'encoding' is invalid encoding. Received " + kernel.inspect(encoding),
        );
      }
      if (typeof path === 'number') return files().readAll(path, encoding);
      const flag = flagOf(options, 'r');
      if (flag !== 'r') {
        // Opening applies the flags that create or empty the file, or refuse an existing one.
        const fd = files().open(path, flag);
        try {
          return files().readAll(fd, encoding);
        } finally {
          files().close(fd);
        }
      }
      const target = toPath(path);
      if (isText) return host.readText(target);
      const buffer = kernel.toBuffer(host.readBytes(target));
      return encoding === undefined ? buffer : buffer.toString(encoding);
    },
    writeFile(path, data, options) {
      write(path, data, options, 'w');
    },
    appendFile(path, data, options) {
      write(path, data, options, 'a');
    },
    access(path, mode) {
      host.access(toPath(path), mode ?? 0);
    },
    stat(path, options) {
      return stat(host.stat, path, options);
    },
    lstat(path, options) {
      return stat(host.lstat, path, options);
    },
    readdir(path, options) {
      const sent = parse(
        host.readdir(toPath(path), options?.recursive === true, options?.withFileTypes === true),
      );
      if (options?.withFileTypes) return sent.map(toDirents(toPath(path)));
      return encodingOf(options) === 'buffer' ? sent.map((name) => kernel.Buffer.from(name)) : sent;
    },
    mkdir(path, options) {
      const { recursive, mode } =
        typeof options === 'object' && options !== null ? options : { mode: options };
      return host.mkdir(toPath(path), recursive === true, toMode(mode));
    },
    mkdtemp(prefix) {
      return host.mkdtemp(toPath(prefix));
    },
    rm: remove,
    rmdir(path, options) {
      if (options?.recursive) remove(path, { recursive: true });
      else host.rmdir(toPath(path));
    },
    unlink(path) {
      host.unlink(toPath(path));
    },
    rename(from, to) {
      host.rename(toPath(from), toPath(to));
    },
    copyFile(from, to, mode) {
      host.copyFile(toPath(from), toPath(to), mode ?? 0);
    },
    cp(from, to, options: CopyOptions = {}) {
      const steps = copy(toPath(from), toPath(to), options);
      for (let step = steps.next(); !step.done;) {
        if (typeof (step.value as Promise<unknown> | undefined)?.then === 'function')
          throw kernel.coded(
            TypeError,
            'ERR_INVALID_RETURN_VALUE',
            'The filter of fs.cpSync returned a promise: use await fs.promises.cp.',
          );
        step = steps.next(step.value);
      }
    },
    realpath(path) {
      return host.realpath(toPath(path));
    },
    readlink(path, options) {
      const target = host.readlink(toPath(path));
      const encoding = encodingOf(options);
      if (encoding === undefined || isUtf8(encoding)) return target;
      const buffer = kernel.Buffer.from(target);
      return encoding === 'buffer' ? buffer : buffer.toString(encoding);
    },
    symlink(target, path) {
      host.symlink(pathText(target), toPath(path));
    },
    chmod(path, mode) {
      host.chmod(toPath(path), toMode(mode));
    },
    utimes(path, atime, mtime) {
      host.utimes(toPath(path), seconds(atime), seconds(mtime));
    },
    truncate(path, length) {
      host.truncate(toPath(path), length ?? 0);
    },
  };
  const ofFiles = 'close read readv write writev fstat ftruncate fsync fdatasync'.split(' ');
  for (const name of ['open', ...ofFiles]) sync[name] = (...args) => files()[name](...args);
  sync['futimes'] = (fd, atime, mtime) => files().futimes(fd, seconds(atime), seconds(mtime));
  sync['fchmod'] = (fd, mode) => files().fchmod(fd, toMode(mode));
  // As in Node, a negative number means now. A Date before 1970 keeps its meaning.
  const seconds = (time) =>
    time instanceof Date
      ? time.getTime() / 1000
      : typeof time === 'number' && time < 0
        ? host.now() / 1000
        : Number(time);

  const constants = {
    F_OK: 0,
    X_OK: 1,
    W_OK: 2,
    R_OK: 4,
    COPYFILE_EXCL: 1,
    O_RDONLY: 0,
    O_WRONLY: 1,
    O_RDWR: 2,
    O_CREAT: 64,
    O_EXCL: 128,
    O_TRUNC: 512,
    O_APPEND: 1024,
  };
  const promises: Record<string, unknown> = { constants };
  const fs: Record<string, unknown> & { promises: object } = {
    constants,
    // Kept on fs itself, as in older versions of Node.
    ...{ F_OK: constants.F_OK, R_OK: constants.R_OK, W_OK: constants.W_OK, X_OK: constants.X_OK },
    promises,
    Stats,
    Dirent,
    existsSync,
  };
  function existsSync(path) {
    try {
      return host.exists(toPath(path));
    } catch {
      return false;
    }
  }
  async function copyLater(from, to, options: CopyOptions = {}) {
    const steps = copy(toPath(from), toPath(to), options);
    for (let step = steps.next(); !step.done;) step = steps.next(await step.value);
  }
  for (const name of Object.keys(sync)) {
    const run = sync[name];
    const named = <Body extends Function>(suffix: string, body: Body): Body =>
      Object.defineProperty(body, 'name', { value: name + suffix });
    fs[name + 'Sync'] = named('Sync', run);
    const started: (...args) => Promise<unknown> = named(
      '',
      name === 'cp' ? copyLater : async (...args) => run(...args),
    );
    promises[name] = started;
    fs[name] = named('', (...args) => {
      const callback = args.pop();
      if (typeof callback !== 'function') {
        throw kernel.coded(
          TypeError,
          'ERR_INVALID_ARG_TYPE',
          'The "cb" argument must be of type function: use fs.promises.' +
            name +
            ' or fs.' +
            name +
            'Sync without one.',
        );
      }
      const given = /^(?:read|write)v?$/.test(name) ? [args[1]] : [];
      // Called in a microtask, so that an error of the callback doesn't reject the promise.
      started(...args).then(
        (value) => queueMicrotask(() => callback(null, value, ...given)),
        (error) => queueMicrotask(() => callback(error)),
      );
    });
  }
  for (const name of [...ofFiles, 'futimes', 'fchmod']) delete promises[name];
  promises.open = async (path, ...rest) => files().openHandle(path, ...rest);
  fs.exists = (path, callback) => {
    queueMicrotask(() => callback(existsSync(path)));
  };
  // The callback of `exists` has no error argument.
  Object.assign(fs.exists as Function, {
    [Symbol.for('nodejs.util.promisify.custom')]: async (path) => existsSync(path),
  });
  fs.globSync = (...args: [unknown, object?]) => kernel.part('glob')(...args);
  promises.glob = async function* glob(...args: [unknown, object?]) {
    yield* kernel.part('glob')(...args);
  };
  fs.glob = (pattern: unknown, ...rest) => {
    const callback = rest.pop();
    if (typeof callback !== 'function')
      throw kernel.invalidType('cb', 'of type function', callback);
    (async () => kernel.part('glob')(pattern, rest[0]))().then(
      (paths) => queueMicrotask(() => callback(null, paths)),
      (error) => queueMicrotask(() => callback(error)),
    );
  };
  /** The entries of a directory as they were when it was opened, one by one. */
  class Dir {
    readonly path: string;
    #entries: unknown[] | undefined;
    constructor(path: string, options: object | undefined) {
      this.path = path;
      const list = fs['readdirSync'] as (path: string, options: object) => unknown[];
      this.#entries = list(path, { ...options, withFileTypes: true });
    }
    #open() {
      if (this.#entries) return this.#entries;
      throw kernel.coded(Error, 'ERR_DIR_CLOSED', 'Directory handle was closed');
    }
    readSync() {
      return this.#open().shift() ?? null;
    }
    async read() {
      return this.readSync();
    }
    closeSync() {
      this.#open();
      this.#entries = undefined;
    }
    async close() {
      this.closeSync();
    }
    async *[Symbol.asyncIterator]() {
      yield* this.#open().splice(0);
      this.closeSync();
    }
  }
  const openDir = (path: unknown, options?: object) => new Dir(toPath(path), options);
  Object.assign(fs, { Dir, opendirSync: openDir });
  promises.opendir = async (path: unknown, options?: object) => openDir(path, options);
  fs.opendir = (path: unknown, ...rest) => {
    const callback = rest.pop();
    if (typeof callback !== 'function')
      throw kernel.invalidType('cb', 'of type function', callback);
    (async () => openDir(path, rest[0]))().then(
      (directory) => queueMicrotask(() => callback(null, directory)),
      (error) => queueMicrotask(() => callback(error)),
    );
  };
  // As in Node, only these also accept data from an iterable or stream.
  for (const name of ['writeFile', 'appendFile']) {
    const whole = promises[name] as (...args) => Promise<unknown>;
    promises[name] = async (path, data, options) => {
      const isWhole = typeof data !== 'object' || data === null || kernel.plainBytes(data);
      if (isWhole || !(data[Symbol.asyncIterator] ?? data[Symbol.iterator]))
        return whole(path, data, options);
      const pieces: Uint8Array[] = [];
      for await (const piece of data) {
        const content = toData(piece, encodingOf(options));
        pieces.push(typeof content === 'string' ? host.encodeText(content) : content);
      }
      return whole(path, kernel.Buffer.concat(pieces), options);
    };
    Object.defineProperty(promises[name] as Function, 'name', { value: name });
  }
  for (const name of ['realpath', 'realpathSync'])
    Object.assign(fs[name] as Function, { native: fs[name] });
  for (const kind of ['ReadStream', 'WriteStream'] as const) {
    fs['create' + kind] = (...args) => Reflect.construct(fs[kind] as Function, args);
    // The class is loaded when it is read. It can be replaced, as graceful-fs does.
    Object.defineProperty(fs, kind, {
      get: () => kernel.part('file-streams')[kind],
      set(value) {
        Object.defineProperty(fs, kind, { value, writable: true, enumerable: true });
      },
      enumerable: true,
      configurable: true,
    });
  }
  const { functionsOf } = kernel.part('absent');
  const sentence = ". It isn't available in this sandbox: ";
  const elsewhere = sentence + 'see fs.readdirSync, fs.statSync and fs.copyFileSync';
  // There is nothing to watch, because nobody else changes a cell's files while it runs.
  const unwatched =
    sentence + 'await what changes the file, and compare fs.statSync before and after';
  Object.assign(fs, functionsOf('fs', elsewhere), functionsOf('fs', unwatched, 'watch watchFile'));
  Object.assign(fs, { unwatchFile: () => {} });
  Object.assign(promises, functionsOf('fs.promises', elsewhere));
  Object.assign(promises, functionsOf('fs.promises', unwatched, 'watch'));
  kernel.toPath = toPath;
  kernel.toData = toData;
  kernel.statOf = (path) => stat(host.stat, path);
  fs.default = fs;
  promises.default = promises;
  kernel.fs = fs;
}
