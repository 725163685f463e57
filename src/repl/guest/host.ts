// Types on which the guest's world builds: the host functions, and the engine's members beyond the
// language.

/** A value as JSON. */
type Json = string;

/** A number that identifies the call's answer (see `kernel.callHost`). */
type CallId = number;

/**
 * The host functions, implemented in src/repl/host/host-functions.ts and file-functions.ts. They
 * take and return strings, numbers, booleans, bytes or undefined. They throw an error whose message
 * is JSON.
 */
export type HostFunctions = {
  // Files.
  readText(path: string): string;
  readBytes(path: string): Uint8Array<ArrayBuffer>;
  writeFile(
    path: string,
    data: string | Uint8Array,
    flag: string | number,
    mode: number | undefined,
  ): void;
  openPath(path: string, flag: string | number, mode: number | undefined): string;
  readPart(path: string, position: number, length: number): Uint8Array<ArrayBuffer>;
  /** Position -1 is the end of the file. Returns the position behind the written bytes. */
  writePart(path: string, position: number, data: Uint8Array): number;
  exists(path: string): boolean;
  access(path: string, mode: number): void;
  /** Returns size × 0x10000 + mode. */
  stat(path: string): number;
  lstat(path: string): number;
  /** The modification time of the file of the last `stat` or `lstat`. */
  statTime(): number;
  statInode(): number;
  readdir(path: string, isRecursive: boolean, withTypes: boolean): Json;
  mkdir(path: string, isRecursive: boolean, mode: number | undefined): string | undefined;
  mkdtemp(prefix: string): string;
  rm(path: string, isRecursive: boolean, isForced: boolean): void;
  rmdir(path: string): void;
  unlink(path: string): void;
  rename(from: string, to: string): void;
  copyFile(from: string, to: string, mode: number): void;
  cp(
    from: string,
    to: string,
    isRecursive: boolean,
    isForced: boolean | undefined,
    failsOnExist: boolean | undefined,
  ): void;
  realpath(path: string): string;
  readlink(path: string): string;
  symlink(target: string, path: string): void;
  chmod(path: string, mode: number | undefined): void;
  utimes(path: string, atime: number, mtime: number): void;
  truncate(path: string, length: number): void;

  // Modules and tests.
  /**
   * `isRequired` is true for `require`, and false for an import. `names` are those that are imported, separated by
   * commas: `*` is the namespace, and none means that any may be read. A module may be found that has no others.
   */
  resolve(
    specifier: string,
    importer: string,
    isRequired: boolean,
    names?: string,
  ): string | undefined;
  /** Returns the module's kind, its imports, and its code as a function. */
  loadModule(path: string): LoadedModule;
  /** A line of the running cell or of a file. Undefined if it can't be read. */
  sourceLine(file: string, line: number): string | undefined;
  findTests(patterns: Json): Json;
  /** The names of a script for a context of vm (see syntax/script-names.ts). Throws a SyntaxError. */
  scriptNames(code: string): Json;
  matchesGlob(pattern: string, path: string): boolean;
  part(name: string): (kernel: unknown) => unknown;

  // Calls with an asynchronous answer.
  startFetch(head: Json, body: Uint8Array | undefined): CallId;
  startTool(name: string, input: Json): CallId;
  /** With `isWatched`, progress arrives through `kernel.noteCall`. */
  startGit(command: string, args: Json, isWatched: boolean, directory?: string): CallId;
  /** Runs an operation of `crypto.subtle`. `{ at }` in the request is an index into `bytes`. */
  startSubtle(request: Json, ...bytes: readonly Uint8Array[]): CallId;
  cancelCall(id: CallId): void;
  toolNames(): Json;
  gitCommands(): Json;

  // Text, hashes, URLs.
  encodeText(text: string): Uint8Array<ArrayBuffer>;
  decodeText(
    bytes: Uint8Array,
    isFatal: boolean,
    keepsByteOrderMark: boolean,
    label?: string,
  ): string;
  /** Returns the state after whole blocks. With the total length, returns the digest. */
  hash(
    algorithm: string,
    state: Uint8Array | undefined,
    data: Uint8Array,
    length: number | undefined,
  ): Uint8Array<ArrayBuffer>;
  /** AES. Modes ecb and cbc take whole blocks, ctr any bytes. For gcm the tag follows the text. */
  cipher(
    mode: string,
    isDecrypting: boolean,
    key: Uint8Array,
    iv: Uint8Array,
    more: Uint8Array,
    data: Uint8Array,
  ): Uint8Array<ArrayBuffer>;
  /** PBKDF2, HKDF or scrypt. */
  derive(
    derivation: Json,
    secret: Uint8Array,
    salt: Uint8Array,
    info: Uint8Array,
  ): Uint8Array<ArrayBuffer>;
  /**
   * Returns compressed or inflated bytes, or the fault in the data. Throws if the result is too
   * large for a VM.
   */
  zip(
    format: string,
    data: Uint8Array,
    level: number,
  ): Uint8Array<ArrayBuffer> | 'cut' | 'invalid' | 'changed';
  /** Inflates the beginning of a compressed stream. `window` is the data before it. */
  unzipPart(
    format: string,
    data: Uint8Array,
    window: Uint8Array,
  ): Uint8Array<ArrayBuffer> | 'invalid';
  /** `start` is the checksum of the data before. */
  crc32(data: Uint8Array, start: number): number;
  parseUrl(
    url: string,
    base: string | undefined,
    part: string | undefined,
    value: string | undefined,
  ): Json | undefined;
  parseQuery(text: string): Json;
  writeQuery(list: Json): string;
  /** Calls a method of an Intl service. `setup` is JSON of locales and options. */
  intl(service: string, setup: Json, method: string, args: Json): Json | undefined;

  // The state of a promise: 0 pending, 1 fulfilled, 2 rejected. -1 if the value isn't a promise.
  promiseState(promise: unknown): number;
  promiseResult(promise: unknown): unknown;

  // The cell.
  cwd(): string;
  write(stream: 'stdout' | 'stderr', text: string): void;
  /** Throws if one more timer or open file would exceed the limit. */
  checkHandles(open: number): void;

  // The following are also called while a VM boots.
  now(): number;
  env(): Json;
  random(): number;
  randomBytes(length: number): Uint8Array<ArrayBuffer>;
};

/**
 * Kind, imports (specifier, line, names), whether names are checked, code, re-exports, indexes of
 * `export *`. Of the names of an import, `*` is its namespace.
 */
export type LoadedModule = readonly [
  kind: 'esm' | 'async' | 'cjs',
  dependencies: readonly Dependency[],
  isChecked: boolean,
  body: Function,
  reexports: Readonly<Record<string, readonly [index: number, name: string]>>,
  stars: readonly number[],
];
export type Dependency = readonly [specifier: string, line: number, names: readonly string[]];

declare global {
  // Node's additional fields of an error.
  interface Error {
    code?: string | undefined;
    errno?: number;
    syscall?: string;
    path?: string;
    dest?: string;
  }
  // Descriptors have no prototype, so that additions of a program to Object.prototype don't affect
  // them.
  interface PropertyDescriptor {
    __proto__?: null;
  }
}
