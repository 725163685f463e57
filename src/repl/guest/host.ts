// The foundation of the guest's world, as types: the host functions, and the engine's members
// beyond the language.

/** A value as JSON. */
type Json = string;

/** A number by which the answer comes (see `kernel.callHost`). */
type CallId = number;

/**
 * The host functions: src/repl/host/host-functions.ts and file-functions.ts. Each takes and gives text,
 * numbers, booleans, bytes or nothing, and throws an error whose message is JSON.
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
  /** A position of -1 is the file's end. Gives the place behind the written bytes. */
  writePart(path: string, position: number, data: Uint8Array): number;
  exists(path: string): boolean;
  access(path: string, mode: number): void;
  /** The size, times 0x10000, and the mode. */
  stat(path: string): number;
  lstat(path: string): number;
  /** When the file that stat or lstat told of last was changed. */
  statTime(): number;
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
  /** `isRequired`: by `require`, not by an import. */
  resolve(specifier: string, importer: string, isRequired: boolean): string | undefined;
  /** The module's kind, its imports, and its code as a function. */
  loadModule(path: string): LoadedModule;
  /** A line of the running cell or of a file. Undefined if there is none that may be read. */
  sourceLine(file: string, line: number): string | undefined;
  findTests(patterns: Json): Json;
  matchesGlob(pattern: string, path: string): boolean;
  part(name: string): (kernel: unknown) => unknown;

  // Calls that take a while.
  startFetch(head: Json, body: Uint8Array | undefined): CallId;
  startTool(name: string, input: Json): CallId;
  /** `isWatched`: its progress comes by `kernel.noteCall`. */
  startGit(command: string, args: Json, isWatched: boolean): CallId;
  /** An operation of `crypto.subtle`; `{ at }` in the request is the place of bytes in the list. */
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
  /** The state after whole blocks; given the length of it all, the digest. */
  hash(
    algorithm: string,
    state: Uint8Array | undefined,
    data: Uint8Array,
    length: number | undefined,
  ): Uint8Array<ArrayBuffer>;
  /** AES of whole blocks by ecb or cbc, of any bytes by ctr; by gcm the tag follows the text. */
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
   * Compressed or inflated bytes, or the fault of the data. Throws if the result is too large for a
   * VM.
   */
  zip(
    format: string,
    data: Uint8Array,
    level: number,
  ): Uint8Array<ArrayBuffer> | 'cut' | 'invalid' | 'changed';
  /** The result of the beginning of a compressed stream so far. `window` came before it. */
  unzipPart(
    format: string,
    data: Uint8Array,
    window: Uint8Array,
  ): Uint8Array<ArrayBuffer> | 'invalid';
  /** `start`: the sum of what came before. */
  crc32(data: Uint8Array, start: number): number;
  parseUrl(
    url: string,
    base: string | undefined,
    part: string | undefined,
    value: string | undefined,
  ): Json | undefined;
  parseQuery(text: string): Json;
  writeQuery(list: Json): string;
  /** A method of one of Intl's services: `setup` is locales and options. */
  intl(service: string, setup: Json, method: string, args: Json): Json | undefined;

  // The engine's state of a promise: -1 for a value that is none, 0 for pending, 1 with a value, 2
  // rejected.
  promiseState(promise: unknown): number;
  promiseResult(promise: unknown): unknown;

  // The cell.
  cwd(): string;
  write(stream: 'stdout' | 'stderr', text: string): void;
  /** Throws where one more timer or open file would be too many. */
  checkHandles(open: number): void;

  // These are called while a VM boots, too.
  now(): number;
  env(): Json;
  random(): number;
  randomBytes(length: number): Uint8Array<ArrayBuffer>;
};

/** Kind, imports (specifier, line, names), whether names are checked, code, re-exports, stars. */
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
  // Node's fields of an error.
  interface Error {
    code?: string | undefined;
    errno?: number;
    syscall?: string;
    path?: string;
    dest?: string;
  }
  // A descriptor without a prototype: what a program adds to Object.prototype is no part of it.
  interface PropertyDescriptor {
    __proto__?: null;
  }
}
