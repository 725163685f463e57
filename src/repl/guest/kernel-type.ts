// The type of the kernel: the object through which all parts of the guest's world reach each other.
import type { Context } from './async-context.ts';
import type { Classes } from './parts/classes.ts';
import type { Loader } from './modules/module-loader.ts';
import type { Markup } from './parts/markup.ts';
import type { HostFunctions } from './host.ts';
import type { GuestKey, PairKey, SubtlePart } from './keys/key-types.ts';
import type { InspectOptions } from './inspect-options.ts';

/** The results of `kernel.part` by name. Each is what the part's function returns. */
export interface Parts {
  readonly classes: Classes;
  readonly loader: Loader;
  readonly expect: Expect;
  readonly mocks: Mocks;
  readonly 'module-mocks': ModuleMocks;
  readonly 'fake-timers': FakeTimers;
  readonly snapshots: Snapshots;
  readonly 'node-mock': { createTracker(): { reset(): void }; readonly mock: object };
  readonly 'test-runner': TestRunner;
  readonly 'open-files': OpenFiles;
  readonly hash: {
    /** Members that the part adds to the module crypto. */
    readonly module: object;
    /** Returns the bytes of a string, bytes or a secret key. `name`: the argument, for errors. */
    bytesOf(data: unknown, encoding?: string, name?: string): Uint8Array<ArrayBuffer>;
    hashName(algorithm: string): string | undefined;
    readonly KeyObject: new (type: 'secret' | 'public' | 'private', bytes: Uint8Array) => GuestKey;
  };
  readonly keys: {
    /** Converts a Web Crypto key to Node's KeyObject. */
    from(key: unknown): object;
    toCryptoKey(key: object, ...args: readonly unknown[]): object;
    pairKey(type: 'public' | 'private', given: unknown): PairKey;
    readonly functions: Readonly<Record<string, Function>>;
  };
  readonly pairs: {
    sign(digest: unknown, data: Uint8Array, key: unknown): Uint8Array<ArrayBuffer>;
    verify(digest: unknown, data: Uint8Array, key: unknown, sent: Uint8Array): boolean;
    makeCurvePair(name: string): Record<string, string> | undefined;
    readonly functions: Readonly<Record<string, Function>>;
  };
  readonly ciphers: Record<'createCipheriv' | 'createDecipheriv' | 'getCiphers', Function>;
  readonly derive: Readonly<Record<string, Function>>;
  readonly subtle: SubtlePart;
  readonly intl: LocaleFunctions;
  readonly markup: Markup;
  readonly 'string-decoder': { readonly StringDecoder: any };
  readonly 'windows-path': object;
  readonly os: { readonly constants: { readonly signals: object } };
  readonly 'diagnostics-channel': object;
  readonly 'old-url': { readonly url: object; readonly querystring: object };
  /** Returns the matching paths. */
  readonly glob: (pattern: unknown, options?: object) => unknown[];
  readonly fetch: Readonly<Record<string, unknown>>;
  readonly events: object;
  readonly absent: AbsentModules;
  readonly 'async-hooks': object;
  readonly stream: { readonly promises: object } & Record<
    'Readable' | 'Transform' | 'Writable',
    any
  >;
  readonly 'file-streams': Readonly<Record<'ReadStream' | 'WriteStream', Function>>;
  readonly readline: { readonly promises: object };
  readonly zlib: { createUnzip(): object };
  readonly http: {
    readonly http: object;
    readonly https: object;
    /** True if a server of the sandbox listens at this address. */
    isAt(address: string): boolean;
    fetch(request: object, body: Uint8Array | undefined): Promise<LocalAnswer>;
    closeOthers(ports: readonly string[]): void;
  };
  readonly blob: {
    readonly Blob: new (pieces: Iterable<unknown>, options?: object) => GuestBlob;
    readonly File: Function;
    readonly FormData: Function;
    readForm(bytes: Uint8Array, type: string): object;
    toMultipart(form: object): { bytes: Uint8Array<ArrayBuffer>; type: string };
  };
  readonly 'message-channel': Readonly<
    Record<'BroadcastChannel' | 'MessageChannel' | 'MessageEvent' | 'MessagePort', Function>
  >;
  readonly 'web-socket': Readonly<Record<'WebSocket' | 'CloseEvent', Function>>;
  readonly 'test-dom': {
    /** Opens a DOM for a test file. Returns its closer, or undefined if the file asks for none. */
    open(file: string): Promise<(() => Promise<void>) | undefined>;
    forget(): void;
  };
  readonly 'web-streams': Readonly<Record<'ReadableStream' | 'WritableStream', any>>;
  readonly 'consume-streams': {
    bytes(stream: AsyncIterable<unknown>): Promise<Uint8Array<ArrayBuffer>>;
  };
  readonly 'node-util': {
    readonly types: object;
    parseEnv(text: unknown): Record<string, string>;
  };
  readonly 'node-module': Function;
  readonly vm: object;
  readonly tools: object;
  readonly git: object;
  // These parts add their members to the kernel and return nothing.
  readonly abort: void;
  readonly assert: void;
  readonly buffer: void;
  readonly diff: void;
  readonly encoding: void;
  readonly equality: void;
  readonly fs: void;
  readonly path: void;
  readonly platform: void;
  readonly url: void;
}

/** The response of a server in the sandbox. */
export interface LocalAnswer {
  readonly head: { readonly url: string; readonly status: number; readonly redirected: boolean };
  readonly body: AsyncIterable<Uint8Array>;
}

/** Stand-ins for Node's modules and functions that the sandbox doesn't have. */
export interface AbsentModules {
  get(name: string): object;
  /** Objects that worker_threads has marked as not cloneable. */
  readonly uncloneable: WeakSet<object>;
  readonly untransferable: WeakSet<object>;
  /** Returns stand-ins for functions of a module. Each throws an error that ends with `why`. */
  functionsOf(name: string, why: string, keys?: string): Record<string, Function>;
}

/** Intl, and what methods of the language need of it. */
export interface LocaleFunctions {
  readonly Intl: object;
  compare(one: string, other: string, locales: unknown, options: unknown): number;
  changeCase(method: string, text: string, locales: unknown): string;
  formatNumber(value: number | bigint, locales: unknown, options: unknown): string;
  /** `shown` names the fields to show if the options name none. */
  formatDate(
    time: number,
    locales: unknown,
    options: unknown,
    shown: 'all' | 'date' | 'time',
  ): string;
}

/** The functions with which `vi` and `jest` replace modules. */
export interface ModuleMocks {
  mock(specifier: unknown, factory?: unknown): unknown;
  unmock(specifier: unknown): unknown;
  hoisted(run: unknown): unknown;
  importActual(specifier: unknown): Promise<Namespace>;
  importMock(specifier: unknown): Promise<Namespace>;
  requireActual(specifier: unknown): unknown;
  requireMock(specifier: unknown): unknown;
  resetModules(): unknown;
  isolateModules(run: unknown): void;
  mockObject(value: unknown, options?: { readonly spy?: boolean }): unknown;
}

/** The snapshots of the running test file. */
export interface Snapshots {
  readonly matchers: Readonly<
    Record<
      string,
      (actual, ...args: unknown[]) => { readonly pass: boolean; readonly text: string }
    >
  >;
  addSerializer(serializer: object): void;
  /** `path` is undefined if the running tests aren't in a file. */
  beginFile(path: string | undefined): void;
  beginTest(names: readonly string[]): void;
  /** Writes new snapshots and returns their number. */
  endFile(): number;
}

/** A clock that stands still until it is advanced. Times are in milliseconds. */
export interface FakeTimers {
  /** `toFake` has names of globals. By default timers, Date and performance are replaced. */
  start(options?: {
    readonly now?: unknown;
    readonly toFake?: readonly string[] | undefined;
    readonly toNotFake?: readonly string[] | undefined;
  }): void;
  stop(): void;
  isOn(): boolean;
  setTime(value: unknown): void;
  /** Undefined while the real clock is used. */
  time(): number | undefined;
  count(): number;
  clear(): void;
  advance(milliseconds: unknown): void;
  advanceAsync(milliseconds: unknown): Promise<void>;
  next(count?: unknown): void;
  nextAsync(count?: unknown): Promise<void>;
  runAll(): void;
  runAllAsync(): Promise<void>;
  /** Runs the pending timers, but not those that they start. */
  runPending(): void;
  runPendingAsync(): Promise<void>;
}

/** The value of `import *`. */
export type Namespace = Record<string, unknown>;

export interface TestRunner {
  readonly api: Readonly<Record<string, unknown>>;
  moduleFor(name: string): object;
  runDeclared(): Promise<void>;
  runTests(pattern: unknown): Promise<object>;
}

export interface Expect {
  (actual: unknown, note?: string): object;
  begin(test?: { readonly currentTestName: string; readonly testPath?: string }): void;
  /** Throws the errors that `soft` has collected, and an error if a promised assertion wasn't made. */
  end(): void;
}

export interface Mocks {
  waitFor(run: () => unknown, options?: object): Promise<unknown>;
  fn(implementation?: Function): Mock;
  spyOn(target: object, name: string, access?: 'get' | 'set'): Mock;
  isMock(value: unknown): boolean;
  resetAllMocks(): void;
  restoreAllMocks(): void;
  stubEnv(name: string, value: unknown): unknown;
  forgetAll(): void;
}

export interface MockResult {
  type: 'return' | 'throw';
  value: unknown;
}

/** A mock function with a record of its calls. */
export interface Mock extends Function {
  readonly mock: {
    readonly calls: unknown[][];
    readonly results: MockResult[];
    readonly contexts: unknown[];
    readonly invocationCallOrder: number[];
    /** The outcomes of the promises that the mock has returned. */
    readonly settledResults: readonly {
      readonly type: 'fulfilled' | 'rejected' | 'incomplete';
      readonly value: unknown;
    }[];
  };
  /** Restores what the spy has replaced. */
  readonly restore?: () => void;
  mockClear(): Mock;
  mockReset(): Mock;
  mockRestore(): Mock;
  mockImplementation(run: Function): Mock;
  mockImplementationOnce(run: Function): Mock;
}

/** The functions of `fs` for descriptors, and the two for whole files that also take a descriptor. */
export interface OpenFiles {
  readonly [name: string]: Function;
  readAll(fd: unknown, encoding: string | undefined): string | Uint8Array;
  writeAll(fd: unknown, content: string | Uint8Array): void;
}

export interface Codec {
  encode(text: string): Uint8Array<ArrayBuffer>;
  decode(bytes: Uint8Array): string;
}

/** Which differences `equals` counts. See equality.ts. */
export interface EqualityOptions {
  readonly strict?: boolean;
  readonly loose?: boolean;
  readonly matchers?: boolean;
  readonly subset?: boolean;
  readonly keepUndefined?: boolean;
}

/** An abort signal, of the world or made by a program. */
export interface Signal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void, options?: { once: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Node's Buffer, with the members that the world itself uses. */
export interface GuestBuffer extends Uint8Array<ArrayBuffer> {
  toString(encoding?: string, from?: number, to?: number): string;
  subarray(from?: number, to?: number): GuestBuffer;
}

export interface BufferConstructor extends Function {
  from(value: unknown, encoding?: string): GuestBuffer;
  alloc(size: number): GuestBuffer;
  compare(a: Uint8Array, b: Uint8Array): number;
  concat(list: readonly Uint8Array[]): GuestBuffer;
  isEncoding(name: string): boolean;
}

export interface GuestBlob {
  readonly size: number;
  readonly type: string;
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  stream(): AsyncIterable<unknown>;
}

export interface GuestUrl {
  readonly href: string;
  readonly protocol: string;
  readonly pathname: string;
  readonly search: string;
  readonly hash: string;
}

/** Accesses a variable of the engine's global scope that hides a global of the same name. */
export interface Access {
  get(): unknown;
  set(value: unknown): void;
}

/** The `require` function that a module receives. */
export interface Require {
  (specifier: string): unknown;
  resolve(specifier: string): string;
  main: undefined;
  cache: object;
}

type Stream = 'stdout' | 'stderr';

/** See async-context.ts. */
export interface AsyncContext {
  get(): Context | undefined;
  set(context: Context | undefined): void;
  run<Result>(context: Context | undefined, code: () => Result): Result;
  /** Returns the function itself if there is no context. */
  bind<Bound>(given: Bound): Bound;
  offer<Offered extends object>(functions: Offered): Offered;
  follow(): void;
  readonly forCode: Readonly<Record<'context' | 'wait' | 'back' | 'again', Function>>;
}

export interface Kernel {
  // kernel.ts: the host, errors, globals and modules.
  readonly host: HostFunctions;
  readonly parse: typeof JSON.parse;
  readonly stringify: typeof JSON.stringify;
  /** The error that process.exit throws to end the cell. */
  readonly exitSignal: Error;
  readonly errnos: Readonly<Record<string, number>>;
  hasExited: boolean;
  /** The built-in objects as they were at boot, passed to parts that load later. */
  intrinsics: readonly unknown[];
  /** Returns the reason of an unhandled rejection as text. Empty if it needs no report. */
  describe(reason: unknown): string;
  /** Set while tests run: makes an uncaught error the failure of the test. False for no error of it. */
  takeUncaught: ((error: unknown) => boolean) | undefined;
  /** Reports an error that a callback of the program threw and that doesn't end the cell. */
  reportUncaught(where: string, error: unknown): void;
  /** Defines a global like a built-in: not enumerable, and replaceable. */
  defineGlobal(name: string, value: unknown): void;
  /** Defines a global that is created on first use. */
  defineLazyGlobal(name: string, make: () => unknown): void;
  /** Defines a module by its names, with and without 'node:'. Created on first use. */
  defineModule(names: readonly string[], make: () => unknown): () => unknown;
  /** The modules that were used so far. `onModule` hears of each further one. */
  madeModules: unknown[];
  onModule?: ((exports: unknown) => void) | undefined;
  /** Undefined if there is no module of this name. */
  builtin(specifier: string): (() => unknown) | undefined;
  builtinNames(): string[];
  /** Node's modules that aren't in the sandbox. */
  absentNames: readonly string[];
  /** Returns another part of the world, which is loaded on first use. */
  part<Name extends keyof Parts>(name: Name): Parts[Name];
  hasPart(name: keyof Parts): boolean;
  /** Returns the functions that decorated classes call. */
  classes(): Classes;
  /** Adds a part's members to the kernel. The first read of one of these names loads the part. */
  fromPart(part: keyof Parts, names: readonly (keyof Kernel)[]): void;
  /** Returns a stack without the frames of the world. */
  cleanStack(stack: unknown): string;
  /** Returns an error's displayed name: its class's name, as in Node, unless another is defined. */
  nameOf(error: Error): string;
  /** Returns an error's name and message. */
  titleOf(error: Error, name?: string): string;
  /** Returns the stack frames of an error without those of the world. */
  placesOf(error: unknown): string;
  /** Same as placesOf, with the source line below the first frame. */
  shownPlacesOf(error: unknown): string;
  /** Sets an error's stack frames. Inverse of placesOf. */
  setPlaces<Made extends Error>(error: Made, places: string): Made;
  /**
   * Starts a call of the host and returns a promise of its result. If the signal aborts, the promise rejects with the
   * signal's reason and the host is told. `onNote` gets progress. If it throws, the promise rejects with that error.
   */
  callHost<Values extends readonly unknown[]>(
    start: () => number,
    signal?: Signal,
    onNote?: (...values: unknown[]) => void,
  ): Promise<Values>;
  answerCall(id: number, ...values: unknown[]): void;
  noteCall(id: number, ...values: unknown[]): void;
  refuseCall(id: number, message: string): void;
  /** Called when the cell has its outcome. Calls without an answer reject. */
  endCell(): void;
  /** Why text isn't compiled any more. Undefined while it is. */
  evalRefusal: string | undefined;
  forbidEval(reason: string): void;
  evalRefused(): Error;
  /** True for the engine's own refusal, which gives no reason. */
  isEvalRefusal(error: unknown): boolean;

  // inspect.ts, console.ts, arguments.ts.
  inspect: {
    (value: unknown, options?: InspectOptions | boolean, depth?: number | null): string;
    custom: symbol;
    defaultOptions: InspectOptions;
  };
  format(...values: unknown[]): string;
  formatWithOptions(options: InspectOptions | undefined, ...values: unknown[]): string;
  print(stream: Stream, text: string): void;
  console: object;
  resetIndent(): void;
  coded<Made extends Error>(
    Kind: new (message: string) => Made,
    code: string,
    message: string,
  ): Made;
  /** `wanted` continues the phrase "must be". */
  invalidType(name: string, wanted: string, value: unknown): TypeError;
  outOfRange(name: string, range: string, value: unknown): RangeError;

  // async-context.ts.
  asyncContext: AsyncContext;
  /** The host sets this to 0 before each job, which invalidates the context of an earlier one. */
  contextMark: Uint8Array;

  // timers.ts.
  /** Milliseconds until the next timer, or -1 if there is none. */
  nextTimer(): number;
  /** Runs one timer that is due. Returns false if there is none. */
  runTimer(): boolean;
  /** The number of the newest timer. */
  lastTimer(): number;
  /** The session's own; the engine's is its clock. */
  performance: object;
  /** Drops the timers that were made after this one. */
  dropTimersAfter(last: number): void;
  /** The number of pending timers that were started after this one. Timers with `unref` don't count. */
  timersAfter(last: number): number;

  // process.ts.
  cwd(): string;
  /** Returns a path as the host takes it, which knows nothing of process.chdir. */
  fromHere(path: string): string;
  process: {
    readonly argv: string[];
    env: Record<string, unknown>;
    exitCode: unknown;
    chdir(directory: unknown): void;
  };
  /**
   * Removes the listeners of `process`: of earlier cells when a cell begins, and while a file of
   * tests runs. The result puts them back.
   */
  forgetListeners(): () => void;
  /** Emits `beforeExit` if the cell ends by itself, then `exit`. Throws what a listener throws. */
  tellEnd(code: number, isWell: boolean): void;

  // modules/placeholders.ts and modules/node-modules.ts.
  requireFrom(importer: string): Require;
  /** `names`: as of `HostFunctions.resolve`. */
  importFrom(
    importer: string,
    line?: number,
    names?: readonly string[],
  ): (specifier: unknown) => Promise<Namespace>;
  metaOf(path: string): object;
  /** `import.meta.env`, as in Vite. */
  metaEnv: object;
  isUnchecked(specifier: string, importer: string): boolean;
  /** Runs with a new module graph. The old one is restored when `run` returns. */
  withFreshModules<Result>(run: () => Promise<Result>): Promise<Result>;
  leaveModules(): void;
  /** Advice for a module of Node's that isn't in the sandbox. Undefined for any other. */
  insteadOf(specifier: string): string | undefined;
  /** The message for a missing module whose package is installed. */
  findPackage(
    specifier: string,
    importer: string,
  ): { readonly hint: string; readonly code?: string } | undefined;
  /** Returns the stand-in for a module of Node's that isn't in the sandbox. Undefined for any other. */
  standInFor(specifier: string): (() => object) | undefined;

  // cell-runtime.ts: what the session calls.
  /** Returns those of the given names that a cell hides for the first time. Uses JSON. */
  namesToHide(encoded: string): string;
  /** Makes the name refer to the variable, which starts with the global's value. */
  hide(name: string, access: Access): void;
  /** Returns JSON of the names of the session's variables, at most 1 000. */
  keptNames(): string;
  /** The listening servers, by their port. Without a prototype. */
  servers: Record<string, object>;
  /** The ports on which servers listen. Gives JSON. */
  openPorts(): string;
  /** Starts a cell; its outcome comes when promise jobs and timers have run. */
  startCell(makeFunctions: Function, body: Function, encoded: string): void;
  /** Returns as JSON what the session needs to know to continue. */
  state(): string;
  /** Ends the cell at once. The cell succeeds for code 0, and fails for any other code. */
  exit(code: unknown): never;
  /** The number of failed tests. Undefined if no tests have run. */
  testFailures: number | undefined;

  // Members of parts that are loaded when one of these is read.
  encode(text: string, encoding?: string): Uint8Array<ArrayBuffer>;
  decode(bytes: unknown, encoding?: string): string;
  codec(encoding: unknown): Codec | undefined;
  /** Returns the bytes of a view or buffer without a copy. Undefined for anything else. */
  plainBytes(value: unknown): Uint8Array<ArrayBuffer> | undefined;
  TextEncoder: Function;
  TextDecoder: Function;
  path: {
    join(...values: string[]): string;
    relative(from: string, to: string): string;
    resolve(...values: string[]): string;
    isAbsolute(path: string): boolean;
    basename(path: string): string;
    dirname(path: string): string;
  };
  fs: { readonly promises: object; readonly constants?: object };
  toPath(value: unknown): string;
  toData(value: unknown, encoding: string | undefined): string | Uint8Array;
  statOf(path: string): object | undefined;
  Event: Function;
  CustomEvent: Function;
  EventTarget: new () => EventTarget;
  AbortSignal: Function;
  AbortController: new () => { readonly signal: Signal; abort(): void };
  structuredClone: Function;
  crypto: object;
  nodeCrypto(): object;
  Buffer: BufferConstructor;
  /** Returns a Buffer over the same memory. */
  toBuffer(bytes: Uint8Array<ArrayBuffer>): GuestBuffer;
  URL: new (input: unknown, base?: unknown) => GuestUrl;
  URLSearchParams: new (init?: unknown) => Iterable<string[]>;
  fileURLToPath(url: unknown): string;
  pathToFileURL(path: string): GuestUrl;
  assert: Function;
  strictAssert: Function;
  AssertionError: new (options: AssertionDetails) => Error;
  equals(
    actual: unknown,
    expected: unknown,
    options?: EqualityOptions,
    seen?: [unknown, unknown][],
  ): boolean;
  /** Returns a line diff: '-' marks an expected line, '+' an actual one. */
  diffText(expected: string, actual: string): string;
}

export interface EventTarget {
  addEventListener(
    type: string,
    listener: (event: object) => void,
    options?: { once: boolean },
  ): void;
}

export interface AssertionDetails {
  readonly message: string;
  readonly generatedMessage?: boolean;
  readonly actual?: unknown;
  readonly expected?: unknown;
  readonly operator?: string;
}
