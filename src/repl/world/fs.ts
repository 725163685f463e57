// Guest source. Node's `fs` over the cell's draft: the synchronous functions call the host, and the
// promise and callback forms are made of those.

/** A function of the kernel that makes the modules `fs` and `fs/promises`. */
export const fsSource = String.raw`
(function (kernel) {
  'use strict';
  const { host, parse } = kernel;

  function invalid(message, code) {
    const failure = new TypeError(message);
    failure.code = code;
    return failure;
  }
  function toPath(value) {
    if (typeof value === 'string') return value;
    if (value instanceof Uint8Array) return kernel.decode(value);
    if (typeof value?.href === 'string' && value.protocol === 'file:') return decodeURIComponent(value.pathname);
    throw invalid('The "path" argument must be of type string or an instance of Buffer or URL. Received ' + kernel.inspect(value), 'ERR_INVALID_ARG_TYPE');
  }
  function toData(value, encoding) {
    if (typeof value === 'string') return encoding === undefined || /^utf-?8$/i.test(encoding) ? value : kernel.encode(value, encoding);
    const bytes = kernel.plainBytes(value);
    if (bytes === undefined) {
      throw invalid('The "data" argument must be of type string or an instance of Buffer, TypedArray, or DataView. Received ' + kernel.inspect(value), 'ERR_INVALID_ARG_TYPE');
    }
    return bytes;
  }
  const encodingOf = (options) => (typeof options === 'string' ? options : options?.encoding ?? undefined);
  const flagOf = (options, usual) => (typeof options === 'object' && options !== null && options.flag) || usual;

  class Stats {
    #type;
    constructor(sent) {
      this.#type = sent.type;
      this.dev = 1; this.ino = 0; this.mode = sent.mode; this.nlink = 1;
      this.uid = 0; this.gid = 0; this.rdev = 0; this.size = sent.size;
      this.blksize = 4096; this.blocks = Math.ceil(sent.size / 512);
      this.atimeMs = this.mtimeMs = this.ctimeMs = this.birthtimeMs = sent.mtimeMs;
      this.atime = this.mtime = this.ctime = this.birthtime = new Date(sent.mtimeMs);
    }
    isFile() { return this.#type === 'file'; }
    isDirectory() { return this.#type === 'directory'; }
    isSymbolicLink() { return this.#type === 'symlink'; }
    isFIFO() { return false; }
    isSocket() { return false; }
    isBlockDevice() { return false; }
    isCharacterDevice() { return false; }
  }
  class Dirent {
    #type;
    constructor(sent) {
      this.#type = sent.type;
      this.name = sent.name; this.parentPath = sent.parentPath; this.path = sent.parentPath;
    }
    isFile() { return this.#type === 'file'; }
    isDirectory() { return this.#type === 'directory'; }
    isSymbolicLink() { return this.#type === 'symlink'; }
  }

  function write(path, data, options, usualFlag) {
    const target = toPath(path);
    const content = toData(data, encodingOf(options));
    const flag = flagOf(options, usualFlag);
    if (flag.includes('x') && host.exists(target)) {
      const failure = new Error("EEXIST: file already exists, open '" + target + "'");
      throw Object.assign(failure, { code: 'EEXIST', syscall: 'open', path: target });
    }
    if (flag.startsWith('a')) host.appendFile(target, content);
    else host.writeFile(target, content);
  }
  function stat(ask, path, options) {
    try {
      return new Stats(parse(ask(toPath(path))));
    } catch (error) {
      if (options?.throwIfNoEntry === false && error.code === 'ENOENT') return undefined;
      throw error;
    }
  }
  function remove(path, options = {}) {
    host.rm(toPath(path), options.recursive === true, options.force === true);
  }

  // Each also as fs.promises.<name> and fs.<name>(…, callback).
  const sync = {
    readFile(path, options) {
      const encoding = encodingOf(options);
      const target = toPath(path);
      if (encoding !== undefined && /^utf-?8$/i.test(encoding)) return host.readText(target);
      const buffer = kernel.toBuffer(host.readBytes(target));
      return encoding === undefined ? buffer : buffer.toString(encoding);
    },
    writeFile(path, data, options) { write(path, data, options, 'w'); },
    appendFile(path, data, options) { write(path, data, options, 'a'); },
    access(path, mode = 0) { host.access(toPath(path), mode); },
    stat(path, options) { return stat(host.stat, path, options); },
    lstat(path, options) { return stat(host.lstat, path, options); },
    readdir(path, options) {
      const sent = parse(host.readdir(toPath(path), options?.recursive === true, options?.withFileTypes === true));
      return options?.withFileTypes ? sent.map((entry) => new Dirent(entry)) : sent;
    },
    mkdir(path, options) {
      return host.mkdir(toPath(path), typeof options === 'object' && options?.recursive === true);
    },
    mkdtemp(prefix) { return host.mkdtemp(toPath(prefix)); },
    rm: remove,
    rmdir(path, options) {
      if (options?.recursive) remove(path, { recursive: true });
      else host.rmdir(toPath(path));
    },
    unlink(path) { host.unlink(toPath(path)); },
    rename(from, to) { host.rename(toPath(from), toPath(to)); },
    copyFile(from, to) { host.copyFile(toPath(from), toPath(to)); },
    cp(from, to, options) { host.cp(toPath(from), toPath(to), options?.recursive === true); },
    realpath(path) { return host.realpath(toPath(path)); },
    readlink(path) { return host.readlink(toPath(path)); },
    symlink(target, path) { host.symlink(toPath(target), toPath(path)); },
    chmod(path, mode) { host.chmod(toPath(path), typeof mode === 'string' ? parseInt(mode, 8) : mode); },
    utimes(path, atime, mtime) { host.utimes(toPath(path), seconds(atime), seconds(mtime)); },
    truncate(path, length) { host.truncate(toPath(path), length ?? 0); },
  };
  const seconds = (time) => (time instanceof Date ? time.getTime() / 1000 : Number(time));

  const constants = { F_OK: 0, X_OK: 1, W_OK: 2, R_OK: 4, COPYFILE_EXCL: 1, O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2 };
  const promises = { constants };
  const fs = { constants, promises, Stats, Dirent, existsSync };
  function existsSync(path) {
    try { return host.exists(toPath(path)); } catch { return false; }
  }
  for (const name of Object.keys(sync)) {
    const run = sync[name];
    const named = (suffix, body) => Object.defineProperty(body, 'name', { value: name + suffix });
    fs[name + 'Sync'] = named('Sync', (...args) => run(...args));
    promises[name] = named('', async (...args) => run(...args));
    fs[name] = named('', (...args) => {
      const callback = args.pop();
      if (typeof callback !== 'function') {
        throw invalid('The "cb" argument must be of type function: use fs.promises.' + name + ' or fs.' + name + 'Sync without one.', 'ERR_INVALID_ARG_TYPE');
      }
      promises[name](...args).then((value) => callback(null, value), (error) => callback(error));
    });
  }
  fs.exists = (path, callback) => { queueMicrotask(() => callback(existsSync(path))); };
  fs.realpathSync.native = fs.realpathSync;
  for (const name of ['createReadStream', 'createWriteStream', 'openSync', 'open', 'watch', 'watchFile', 'opendirSync', 'linkSync']) {
    fs[name] = () => {
      throw new Error('fs.' + name + " isn't available in this sandbox: read and write whole files (readFileSync, writeFileSync, appendFileSync).");
    };
  }
  fs.default = fs;
  promises.default = promises;
  kernel.fs = fs;
  kernel.defineModule(['fs'], () => fs);
  kernel.defineModule(['fs/promises'], () => promises);
})`;
