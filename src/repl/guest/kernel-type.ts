// The kernel as the parts of the world see it: all of them hang on it.
import type { Context } from './async-context.ts';
import type { Classes } from './parts/classes.ts';
import type { Markup } from './parts/markup.ts';
import type { HostFunctions } from './host.ts';
import type { GuestKey, PairKey, SubtlePart } from './key-types.ts';

/** The results of `kernel.part`, by name: the values that the parts' functions return. */
export interface Parts {
  readonly classes: Classes;
  readonly loader: Loader;
  readonly expect: Expect;
  readonly mocks: Mocks;
  readonly 'module-mocks': ModuleMocks;
  readonly 'fake-timers': FakeTimers;
  readonly snapshots: Snapshots;
  readonly 'node-mock': object;
  readonly 'test-runner': TestRunner;
  readonly 'open-files': OpenFiles;
  readonly hash: {
    /** The members that it adds to crypto. */
    readonly module: object;
    /** The bytes of a text, bytes or a secret key. `name` is the argument's. */
    bytesOf(data: unknown, encoding?: string, name?: string): Uint8Array<ArrayBuffer>;
    hashName(algorithm: string): string | undefined;
    readonly KeyObject: new (type: 'secret' | 'public' | 'private', bytes: Uint8Array) => GuestKey;
  };
  readonly keys: {
    /** Node's key of one of Web Crypto's. */
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
  /** The paths that match. */
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
    /** True if a server of the sandbox is at this address. */
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
    /** Gives what closes it; undefined where the file asks for none. */
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
  readonly tools: object;
  readonly git: object;
  // These parts add their members to the kernel, and return nothing.
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

/** The answer of a server of the sandbox. */
export interface LocalAnswer {
  readonly head: { readonly url: string; readonly status: number; readonly redirected: boolean };
  readonly body: AsyncIterable<Uint8Array>;
}

/** Stand-ins for modules and functions of Node's that aren't here. */
export interface AbsentModules {
  get(name: string): object;
  /** The objects that worker_threads has marked. */
  readonly uncloneable: WeakSet<object>;
  readonly untransferable: WeakSet<object>;
  /** Of a module that is here: each throws, with `why` at the end of its sentence. */
  functionsOf(name: string, why: string, keys?: string): Record<string, Function>;
}

/** Intl, and what the language's own methods need of it. */
export interface LocaleFunctions {
  readonly Intl: object;
  compare(one: string, other: string, locales: unknown, options: unknown): number;
  changeCase(method: string, text: string, locales: unknown): string;
  formatNumber(value: number | bigint, locales: unknown, options: unknown): string;
  /** `shown`: the fields to show if the options name none. */
  formatDate(
    time: number,
    locales: unknown,
    options: unknown,
    shown: 'all' | 'date' | 'time',
  ): string;
}

export interface Loader {
  require(specifier: string, importer: string): unknown;
  /** The path of a file, or the name of a built-in module. */
  resolve(specifier: string, importer: string): string;
  import(specifier: unknown, importer: string, line?: number): Promise<Namespace>;
  metaOf(path: string): object;
  isUnchecked(specifier: string, importer: string): boolean;
  withFreshModules<Result>(run: () => Promise<Result>): Promise<Result>;
  forgetModules(): void;
  leaveModules(): void;
  /** From now on, an importer of the module gets the result of `makeExports`, also as a promise. */
  replace(specifier: string, importer: string, makeExports: () => unknown): void;
  restore(specifier: string, importer: string): void;
  /** The path of a file of `__mocks__`, if one stands for the module. */
  manualMock(specifier: string, importer: string): string | undefined;
  // The module itself, even if it is replaced.
  requireActual(specifier: string, importer: string): unknown;
  importActual(specifier: string, importer: string): Promise<Namespace>;
  takeActual<Result>(
    specifier: string,
    importer: string,
    take: (module: Namespace) => Result,
  ): Result | Promise<Result>;
}

/** The functions by which `vi` and `jest` replace modules. */
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

/** The snapshots of the test file that runs. */
export interface Snapshots {
  readonly matchers: Readonly<
    Record<
      string,
      (actual, ...args: unknown[]) => { readonly pass: boolean; readonly text: string }
    >
  >;
  addSerializer(serializer: object): void;
  /** Undefined: the running tests are in no file. */
  beginFile(path: string | undefined): void;
  beginTest(names: readonly string[]): void;
  /** Writes new snapshots. Gives how many there were. */
  endFile(): number;
}

/** A clock that stands still until it is moved on. Times are milliseconds. */
export interface FakeTimers {
  /** Names of globals; by default timers, Date and performance. */
  start(options?: {
    readonly now?: unknown;
    readonly toFake?: readonly string[] | undefined;
    readonly toNotFake?: readonly string[] | undefined;
  }): void;
  stop(): void;
  isOn(): boolean;
  setTime(value: unknown): void;
  /** Undefined while the clock is the real one. */
  time(): number | undefined;
  count(): number;
  clear(): void;
  advance(milliseconds: unknown): void;
  advanceAsync(milliseconds: unknown): Promise<void>;
  next(count?: unknown): void;
  nextAsync(count?: unknown): Promise<void>;
  runAll(): void;
  runAllAsync(): Promise<void>;
  /** Runs the present timers, and not those that they make. */
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
  /**
   * Throws the failures that `soft` kept, and one for assertions that a test promised and didn't
   * make.
   */
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

/** A mock function, with the record of its calls. */
export interface Mock extends Function {
  readonly mock: {
    readonly calls: unknown[][];
    readonly results: MockResult[];
    readonly contexts: unknown[];
    readonly invocationCallOrder: number[];
    /** The outcomes of the promises that it has returned. */
    readonly settledResults: readonly {
      readonly type: 'fulfilled' | 'rejected' | 'incomplete';
      readonly value: unknown;
    }[];
  };
  /** Puts back what a spy stands for. */
  readonly restore?: () => void;
  mockClear(): Mock;
  mockReset(): Mock;
  mockRestore(): Mock;
  mockImplementation(run: Function): Mock;
  mockImplementationOnce(run: Function): Mock;
}

/** `fs`' functions of descriptors, and the two that take a whole file by one. */
export interface OpenFiles {
  readonly [name: string]: Function;
  readAll(fd: unknown, encoding: string | undefined): string | Uint8Array;
  writeAll(fd: unknown, content: string | Uint8Array): void;
}

export interface Codec {
  encode(text: string): Uint8Array<ArrayBuffer>;
  decode(bytes: Uint8Array): string;
}

export interface InspectOptions {
  readonly depth?: number | null;
  readonly breakLength?: number;
  readonly maxArrayLength?: number | null;
  readonly maxStringLength?: number | null;
  /** False: each part on a line of its own. */
  readonly compact?: unknown;
  /** Whether getters are called: 'get' those without a setter, 'set' those with one. */
  readonly getters?: boolean | 'get' | 'set';
  readonly showHidden?: boolean;
  /** Ours: what has markup is shown as it. */
  readonly markup?: boolean;
  readonly sorted?: boolean | ((one, other) => number);
}

/** The differences that `equals` counts. See equality.ts. */
export interface EqualityOptions {
  readonly strict?: boolean;
  readonly loose?: boolean;
  readonly matchers?: boolean;
  readonly subset?: boolean;
  readonly keepUndefined?: boolean;
}

/** An abort signal, the world's or one that a program made. */
export interface Signal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void, options?: { once: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** A buffer of Node's, as far as the world itself uses it. */
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

/** A variable of the engine's global scope, which hides a global of the same name. */
export interface Access {
  get(): unknown;
  set(value: unknown): void;
}

/** `require` as a module gets it. */
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
  /** The function as it is where there is no context. */
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
  /** The error that process.exit throws. After it the cell is over. */
  readonly exitSignal: Error;
  readonly errnos: Readonly<Record<string, number>>;
  hasExited: boolean;
  /** The built-ins as the world found them, for the parts that come later. */
  intrinsics: readonly unknown[];
  /** A promise's unhandled reason as text. Empty if there is nothing to tell. */
  describe(reason: unknown): string;
  /** A global as built-ins are: not enumerable, free to be replaced. */
  defineGlobal(name: string, value: unknown): void;
  /** A global that is made on first use. */
  defineLazyGlobal(name: string, make: () => unknown): void;
  /** A module by name, with and without 'node:'; made on first use. */
  defineModule(names: readonly string[], make: () => unknown): () => unknown;
  /** Undefined if there is no module of this name. */
  builtin(specifier: string): (() => unknown) | undefined;
  builtinNames(): string[];
  /** Another part of the world, loaded when it is first needed. */
  part<Name extends keyof Parts>(name: Name): Parts[Name];
  hasPart(name: keyof Parts): boolean;
  /** The functions that decorated classes call. */
  classes(): Classes;
  /**
   * Adds a part's members to the kernel. The part is loaded when one of these names is first read.
   */
  fromPart(part: keyof Parts, names: readonly (keyof Kernel)[]): void;
  /** A stack without the world's own frames. */
  cleanStack(stack: unknown): string;
  /** What people call an error: its class's name, as Node shows it, unless it or its class says another. */
  nameOf(error: Error): string;
  /** A name and the message. */
  titleOf(error: Error, name?: string): string;
  /** The place where an error was made, without the world's own frames. */
  placesOf(error: unknown): string;
  /** As placesOf, with the line of source below the first place. */
  shownPlacesOf(error: unknown): string;
  /** Inverse of placesOf. */
  setPlaces<Made extends Error>(error: Made, places: string): Made;
  /**
   * A promise of the answer's values to a call that `start` starts. When the signal aborts, it rejects
   * with its reason, and the host is told. `onNote` hears how far it is; where it throws, that is the answer.
   */
  callHost<Values extends readonly unknown[]>(
    start: () => number,
    signal?: Signal,
    onNote?: (...values: unknown[]) => void,
  ): Promise<Values>;
  answerCall(id: number, ...values: unknown[]): void;
  noteCall(id: number, ...values: unknown[]): void;
  refuseCall(id: number, message: string): void;
  /** The cell has its outcome: what the host hasn't answered, it never will. */
  endCell(): void;
  /** Why the engine compiles no text any more; undefined while it does. */
  evalRefusal: string | undefined;
  forbidEval(reason: string): void;
  evalRefused(): Error;
  /** True for the engine's own refusal, which names no reason. */
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
  /** `wanted` goes on from "must be". */
  invalidType(name: string, wanted: string, value: unknown): TypeError;
  outOfRange(name: string, range: string, value: unknown): RangeError;

  // async-context.ts.
  asyncContext: AsyncContext;
  /** The host sets it to 0 before each job. An older context doesn't hold any more. */
  contextMark: Uint8Array;

  // timers.ts.
  /** Milliseconds until the next timer, or -1. */
  nextTimer(): number;
  /** Runs one timer that is due. False if there is none. */
  runTimer(): boolean;
  /** The number of the newest. */
  lastTimer(): number;
  /** The session's own; the engine's is its clock. */
  performance: object;
  /** Drops the timers that were made after this one. */
  dropTimersAfter(last: number): void;
  /** How many of those that were made after this one are pending, but for what nobody is to wait for. */
  timersAfter(last: number): number;

  // process.ts.
  cwd(): string;
  process: { readonly argv: string[]; readonly env: Record<string, unknown>; exitCode: unknown };
  /** A cell begins: those who listened to `process` did so for one that has ended. */
  forgetListeners(): void;
  /** Tells them that the cell ends: `beforeExit` where it ends by itself, then `exit`. Throws what they throw. */
  tellEnd(code: number, isWell: boolean): void;

  // modules.ts and node-modules.ts.
  requireFrom(importer: string): Require;
  importFrom(importer: string, line?: number): (specifier: unknown) => Promise<Namespace>;
  metaOf(path: string): object;
  /** `import.meta.env`, as Vite has it. */
  metaEnv: object;
  isUnchecked(specifier: string, importer: string): boolean;
  /** Runs with a graph of its own; the old one is back when it returns. */
  withFreshModules<Result>(run: () => Promise<Result>): Promise<Result>;
  leaveModules(): void;
  /** Advice for a module of Node's that isn't here. Undefined for any other. */
  insteadOf(specifier: string): string | undefined;
  /** The message about a module that isn't found, though its package is there. */
  findPackage(
    specifier: string,
    importer: string,
  ): { readonly hint: string; readonly code?: string } | undefined;
  /** The stand-in for a module of Node's that isn't here. Undefined for any other. */
  standInFor(specifier: string): (() => object) | undefined;

  // cell-runtime.ts: what the session calls.
  /**
   * The names among these that a cell is about to hide for the first time. Takes and gives JSON.
   */
  namesToHide(encoded: string): string;
  /** From now on the name is the variable, which begins with the global's value. */
  hide(name: string, access: Access): void;
  /** The names of the session's variables, at most 1 000. Gives JSON. */
  keptNames(): string;
  /** The listening servers, by their port. Without a prototype. */
  servers: Record<string, object>;
  /** The ports on which servers listen. Gives JSON. */
  openPorts(): string;
  /** Starts a cell; its outcome comes when promise jobs and timers have run. */
  startCell(makeFunctions: Function, body: Function, encoded: string): void;
  /** The state that the session needs to go on, as JSON. */
  state(): string;
  /** Ends the cell as it is: well for 0, like an uncaught error for any other code. */
  exit(code: unknown): never;
  /** How many tests have failed; undefined where none was run. */
  testFailures: number | undefined;

  // Members of parts that wait until one of these is read.
  encode(text: string, encoding?: string): Uint8Array<ArrayBuffer>;
  decode(bytes: unknown, encoding?: string): string;
  codec(encoding: unknown): Codec | undefined;
  /** The bytes of a view or a buffer, not copied; undefined for anything else. */
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
  /** A Buffer over the same memory. */
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
  /** Lines of both: '-' for an expected one, '+' for an actual one. */
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
