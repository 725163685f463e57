// The engine QuickJS, compiled to wasm. The wasm instance is the sandbox's boundary. Each VM has
// its own instance, so guests share nothing. A snapshot is a copy of the instance's linear memory.
import { JSException, JSValueHandle, QuickJS, type QuickJSOptions } from 'quickjs-wasi';
import { SdkError } from '../../core/errors.ts';
import {
  VmError,
  type Engine,
  type GuestCode,
  type GuestValue,
  type Vm,
  type VmOptions,
} from './engine.ts';
import { toHostErrorMessage } from './host-error.ts';

// The engine collects garbage when the heap has grown by half since the last collection. Near the
// limit that threshold lies beyond it, and the engine would run out of memory with garbage in the
// heap. So the threshold is lowered to 9 tenths of the limit, and above that to half of the free
// memory. A heap that is nearly full of live objects is then walked a few times, not at each
// allocation.
const maxGarbageShare = 0.9;
const heapGrowth = 1.5;

// Part of the version in saved sessions. Increase it when the layout of the kernel changes, so that
// older sessions are dropped.
const layoutVersion = 4;

/**
 * The offset in a JSContext of `eval_internal`, the function that compiles text (set by
 * JS_AddIntrinsicEval). The engine calls it for every way to compile text. If it is 0, the engine
 * throws as if the context had no `eval`. The offset depends on the engine's version, so each
 * booting VM verifies it: {@link findCompiler}.
 */
const compilerOffset = 308;
const noCompiler = 0;
const noCompilerMessage = 'eval is not supported';

/**
 * Creates the engine from a compiled `quickjs-wasi/quickjs.wasm`. The host loads that file in its
 * own way.
 */
export async function createQuickjsEngine(wasm: WebAssembly.Module): Promise<Engine> {
  let version: string | undefined;
  return {
    async version() {
      if (version !== undefined) return version;
      const probe = await QuickJS.create({ wasm });
      version = versionOf(probe);
      probe.dispose();
      return version;
    },
    async create(options, boot) {
      const instance = new InstanceParts();
      const vm = await QuickJS.create(toQuickjsOptions(wasm, options, instance));
      version ??= versionOf(vm);
      const start = vm.evalCode(boot.source, boot.filename);
      return QuickjsVm.boot(vm, options, instance, start);
    },
    async restore(snapshot, options) {
      const header = new DataView(snapshot.buffer, snapshot.byteOffset, headerBytes);
      const [kernelToken, stackPointer, runtimePtr, contextPtr, compiler, contextMark] = [
        0, 4, 8, 12, 16, 20,
      ].map((at) => header.getUint32(at, true)) as [number, number, number, number, number, number];
      const memory = snapshot.subarray(headerBytes);
      const image = { memory, stackPointer, runtimePtr, contextPtr, extensions: [] };
      const instance = new InstanceParts();
      const vm = await QuickJS.restore(image, toQuickjsOptions(wasm, options, instance));
      version ??= versionOf(vm);
      const places = { kernelToken, contextPtr, compiler, contextMark };
      return new QuickjsVm(vm, options, instance, places);
    },
  };
}

function versionOf({ versions }: QuickJS): string {
  const { 'quickjs-wasi': binding, quickjs } = versions;
  return `quickjs-wasi ${binding}, quickjs ${quickjs}, layout ${layoutVersion}`;
}

/**
 * A snapshot is this header and the memory. The header has the addresses of the kernel object, the
 * stack, the runtime, the context, the compiler and the context's mark. The memory doesn't contain
 * the compiler's address while compiling is forbidden. The binding's own format would need another
 * copy of the memory.
 */
const headerBytes = 24;

/** Addresses that never change in a VM and its snapshots. */
interface FixedPlaces {
  readonly kernelToken: number;
  readonly contextPtr: number;
  /** The value at {@link compilerOffset} while compiling text is allowed. */
  readonly compiler: number;
  /**
   * The address of a byte that says whether the guest's async context (guest/async-context.ts)
   * belongs to the running job. 0 if the world has no such byte.
   */
  readonly contextMark: number;
}

class QuickjsVm implements Vm {
  readonly #vm: QuickJS;
  readonly #options: VmOptions;
  readonly #kernel: JSValueHandle;
  readonly #places: FixedPlaces;
  readonly #rejections: Rejections;
  readonly #parts: InstanceParts;
  /**
   * The addresses in the header's order. They never change. The stack pointer is read while no call
   * is open.
   */
  #pointers: readonly number[] | undefined;
  #isEvalForbidden: boolean;
  readonly #maxGarbageBytes: number;
  /** The threshold that this class has set last, if it is above `#maxGarbageBytes`. */
  #gcThreshold: number | undefined;
  /**
   * The last result of a host function. The engine copies it, and this class must free the
   * original.
   */
  #returned: JSValueHandle | undefined;
  #mark = new Uint8Array(0);
  /** Set if wasm trapped during a call that the guest made through a host function. */
  #trap: Error | undefined;

  constructor(vm: QuickJS, options: VmOptions, instance: InstanceParts, places: FixedPlaces) {
    this.#vm = vm;
    this.#options = options;
    this.#rejections = instance.rejections;
    this.#parts = instance;
    this.#maxGarbageBytes = Math.floor(options.memoryBytes * maxGarbageShare);
    this.#places = places;
    this.#kernel = vm.importHandle(places.kernelToken);
    this.#isEvalForbidden = this.#compilerSlot().getUint32(0, true) === noCompiler;
    for (const [name, run] of Object.entries(options.hostFunctions)) {
      const toResult = (args: readonly JSValueHandle[]) =>
        this.#toHandle(run(...args.map(fromHandle)));
      vm.registerHostCallback(name, (...args) => this.#callHost(() => toResult(args)));
    }
    for (const [name, look] of Object.entries(promiseFunctions)) {
      vm.registerHostCallback(name, (promise) =>
        this.#callHost(() => (promise ? look(vm, promise) : vm.undefined)),
      );
    }
  }

  /** `start` is the function of the boot code. It is disposed of here. */
  static boot(
    vm: QuickJS,
    options: VmOptions,
    parts: InstanceParts,
    start: JSValueHandle,
  ): QuickjsVm {
    const host = vm.newObject();
    // These are stubs. The constructor registers the real callbacks under the same names.
    for (const name of Object.keys({ ...options.hostFunctions, ...promiseFunctions })) {
      const stub = vm.newFunction(name, () => vm.undefined);
      host.setProp(name, stub);
      stub.dispose();
    }
    const kernel = vm.callFunction(start, vm.undefined, host);
    start.dispose();
    host.dispose();
    // The handle isn't disposed of, because it is part of every snapshot.
    const kernelToken = vm.exportHandle(kernel);
    const contextPtr = vm['exports'].qjs_get_context_ptr();
    const compiler = findCompiler(vm, compilerSlot(parts, contextPtr));
    const contextMark = findContextMark(vm, vm.importHandle(kernelToken));
    return new QuickjsVm(vm, options, parts, {
      kernelToken,
      contextPtr,
      compiler,
      contextMark,
    });
  }

  call(method: string, ...args: readonly (GuestValue | GuestCode)[]): GuestValue {
    this.#limitGarbage();
    this.#clearContext();
    return this.#guard(() => {
      const owned: JSValueHandle[] = [];
      const own = (handle: JSValueHandle) => {
        owned.push(handle);
        return handle;
      };
      const handles = args.map((argument) => own(this.#toHandle(argument)));
      const run = own(this.#kernel.getProp(method));
      const result = fromHandle(own(this.#vm.callFunction(run, this.#kernel, ...handles)));
      // Not in a `finally`: after an error the whole VM is discarded.
      for (const handle of owned) handle.dispose();
      return result;
    });
  }

  #callHost(run: () => JSValueHandle): JSValueHandle {
    if (this.#options.endsAtCall()) this.#cut();
    this.#limitGarbage();
    let result: JSValueHandle;
    try {
      result = run();
    } catch (error) {
      // The engine itself failed below this call. The guest code that called must not continue.
      if (isTrap(error)) this.#trap ??= error;
      // A string is thrown on purpose. The engine would copy an Error's stack to the guest, with
      // paths of the host.
      // oxlint-disable-next-line no-throw-literal -- see above
      throw toHostErrorMessage(error);
    }
    this.#releaseReturned();
    this.#returned = result;
    return result;
  }

  /**
   * Ends the running guest code in a way that it can't catch. The binding converts whatever a host
   * function throws to text, and throws that in the guest. So this object throws when it is
   * converted, and that error unwinds the wasm frames. The VM must never be used again.
   */
  #cut(): never {
    const cut = new VmError('interrupted', 'interrupted');
    this.#trap ??= cut;
    // oxlint-disable-next-line no-throw-literal -- see above
    throw {
      toString() {
        throw cut;
      },
    };
  }

  runJobs(): void {
    const { qjs_is_job_pending, qjs_execute_pending_job } = this.#vm['exports'];
    this.#guard(() => {
      while (qjs_is_job_pending()) {
        this.#clearContext();
        if (qjs_execute_pending_job() < 0) throw new JobError(this.#vm.getException().toString());
      }
    });
  }

  /** Clears the async context, so that each job begins without that of the job before. */
  #clearContext(): void {
    const { contextMark } = this.#places;
    if (contextMark === 0) return;
    // Growing the memory replaces its buffer and empties views of the old one.
    if (this.#mark.length === 0)
      this.#mark = new Uint8Array(this.#parts.memory.buffer, contextMark, 1);
    this.#mark[0] = 0;
  }

  takeRejections(): string[] {
    return this.#guard(() =>
      this.#rejections.take().map((reason) => {
        const describe = this.#kernel.getProp('describe');
        const text = this.#vm.callFunction(describe, this.#kernel, reason);
        const described = fromHandle(text);
        for (const handle of [describe, text, reason]) handle.dispose();
        return String(described);
      }),
    );
  }

  get isEvalForbidden(): boolean {
    return this.#isEvalForbidden;
  }

  forbidEval(): void {
    this.#isEvalForbidden = true;
    this.#setCompiler(noCompiler);
  }

  #setCompiler(compiler: number): void {
    this.#compilerSlot().setUint32(0, compiler, true);
  }

  #compilerSlot(): DataView {
    return compilerSlot(this.#parts, this.#places.contextPtr);
  }

  get heldBytes(): number {
    return this.#parts.memory.buffer.byteLength;
  }

  memoryUse(): number {
    const { mallocSize, mallocLimit } = this.#guard(() => this.#vm.getMemoryUsage());
    return mallocSize / mallocLimit;
  }

  freeBytes(): number {
    return this.#guard(() => {
      this.#vm.runGC();
      const { mallocSize, mallocLimit } = this.#vm.getMemoryUsage();
      return mallocLimit - mallocSize;
    });
  }

  lendMemory(bytes: number): void {
    this.#guard(() => this.#vm['exports'].qjs_set_memory_limit(this.#options.memoryBytes + bytes));
  }

  snapshot(room = 0): Uint8Array {
    for (const reason of this.#rejections.take()) reason.dispose();
    this.#releaseReturned();
    this.#pointers ??= this.#findPointers();
    const memory = new Uint8Array(this.#parts.memory.buffer);
    const bytes = new Uint8Array(room + headerBytes + memory.length);
    const header = new DataView(bytes.buffer, room);
    this.#pointers.forEach((pointer, index) => header.setUint32(index * 4, pointer, true));
    bytes.set(memory, room + headerBytes);
    return bytes;
  }

  /** The same addresses as in the binding's own snapshot, but without its copy of the memory. */
  #findPointers(): readonly number[] {
    const { __stack_pointer, qjs_get_runtime_ptr } = this.#vm['exports'];
    const stackPointer = Number(__stack_pointer.value);
    const { kernelToken, contextPtr, compiler, contextMark } = this.#places;
    return [kernelToken, stackPointer, qjs_get_runtime_ptr(), contextPtr, compiler, contextMark];
  }

  [Symbol.dispose](): void {
    this.#vm.dispose();
  }

  #guard<T>(run: () => T): T {
    try {
      const value = run();
      if (!this.#trap) return value;
    } catch (error) {
      throw toVmError(this.#trap ?? error);
    }
    throw toVmError(this.#trap);
  }

  #toHandle(value: GuestValue | GuestCode): JSValueHandle {
    const vm = this.#vm;
    if (value === undefined) return vm.undefined;
    if (value === null) return vm.null;
    if (typeof value === 'boolean') return value ? vm.true : vm.false;
    if (typeof value === 'number') return vm.newNumber(value);
    if (typeof value === 'string') return vm.newString(value);
    if (value instanceof Uint8Array) return vm.newUint8Array(value);
    // Security: only the expression of a function, or of a list of functions, is evaluated here. So
    // no guest code runs while compiling is allowed.
    if (this.#isEvalForbidden) this.#setCompiler(this.#places.compiler);
    try {
      return vm.evalCode(value.source, value.filename);
    } finally {
      if (this.#isEvalForbidden) this.#setCompiler(noCompiler);
    }
  }

  /**
   * Lowers the engine's threshold if needed. The engine sets it again at each collection, so this
   * is called often.
   */
  #limitGarbage(): void {
    const threshold = this.#vm.gcThreshold;
    if (threshold <= this.#maxGarbageBytes || threshold === this.#gcThreshold) return;
    const usedBytes = threshold / heapGrowth;
    const halfOfFree = Math.floor((usedBytes + this.#options.memoryBytes) / 2);
    this.#gcThreshold = Math.max(this.#maxGarbageBytes, halfOfFree);
    this.#vm.gcThreshold = this.#gcThreshold;
  }

  #releaseReturned(): void {
    this.#returned?.dispose();
    this.#returned = undefined;
  }
}

/** Creates a new view each time, because growing the memory replaces its buffer. */
function compilerSlot({ memory }: InstanceParts, contextPtr: number): DataView {
  return new DataView(memory.buffer, contextPtr + compilerOffset, 4);
}

/**
 * Returns the address of the compiler, after checking that nothing compiles without it. Security:
 * called before any guest code exists.
 */
function findCompiler(vm: QuickJS, slot: DataView): number {
  const compiler = slot.getUint32(0, true);
  slot.setUint32(0, noCompiler, true);
  try {
    vm.evalCode('0').dispose();
  } catch (error) {
    if (!(error instanceof JSException) || error.message !== noCompilerMessage) throw error;
    error.handle.dispose();
    slot.setUint32(0, compiler, true);
    return compiler;
  }
  throw new SdkError(
    'unsupported-environment',
    "The Repl's engine is of another version than this package: eval can't be forbidden in it. Serve " +
      "this package's own quickjs.wasm.",
  );
}

/** Returns the address of the kernel's context mark, or 0 if the world has none. */
function findContextMark(vm: QuickJS, kernel: JSValueHandle): number {
  const mark = kernel.getProp('contextMark');
  if (!mark.isObject) {
    mark.dispose();
    return 0;
  }
  const { qjs_get_typed_array_buffer, qjs_get_array_buffer, wasm_malloc, wasm_free } =
    vm['exports'];
  const room = wasm_malloc(12);
  const buffer = new JSValueHandle(
    vm,
    qjs_get_typed_array_buffer(mark.ptr, room, room + 4, room + 8),
  );
  const place = qjs_get_array_buffer(buffer.ptr, room);
  wasm_free(room);
  for (const handle of [buffer, mark]) handle.dispose();
  return place;
}

/**
 * Facts about a promise that the language itself doesn't expose, for printing one. `promiseState`
 * is -1 for a value that isn't a promise. `promiseResult` is the value with which it settled. The
 * promise is passed to the engine, and none of its properties are read.
 */
const promiseFunctions = {
  promiseState: (vm: QuickJS, promise: JSValueHandle) => vm.newNumber(promise.promiseState),
  promiseResult: (vm: QuickJS, promise: JSValueHandle) =>
    promise.promiseState > 0
      ? new JSValueHandle(vm, vm['exports'].qjs_promise_result(promise.ptr))
      : vm.undefined,
};

/**
 * Converts a guest value. Security: only plain values are accepted, so properties of guest objects
 * are never read here.
 */
function fromHandle(handle: JSValueHandle): GuestValue {
  // The most common types come first, because each check is a call into wasm.
  if (handle.isString) return textOf(handle);
  if (handle.isUndefined) return undefined;
  if (handle.isNull) return null;
  if (handle.isNumber) return handle.toNumber();
  if (handle.isBool) return handle.toBoolean();
  if (handle.isObject && handle.className === 'Uint8Array') return handle.toUint8Array();
  const refusal = new SdkError(
    'invalid-input',
    'Only plain values and bytes can leave the sandbox.',
  );
  refusal.name = 'TypeError';
  throw refusal;
}

/**
 * Reads a string. The binding returns `<null>` if it lacks the memory to convert it. That must not
 * pass as the guest's text, because it might be written to a file. The binding's decoder also drops
 * a leading byte order mark, which the length reveals.
 */
function textOf(handle: JSValueHandle): string {
  const text = handle.toString();
  if (text !== '<null>') return handle.length > text.length ? `\uFEFF${text}` : text;
  const pending = handle.vm.getException();
  const isFailure = pending.isError || handle.length !== text.length;
  pending.dispose();
  if (isFailure) throw new SdkError('out-of-memory', 'out of memory');
  return text;
}

function toQuickjsOptions(
  wasm: WebAssembly.Module,
  options: VmOptions,
  instance: InstanceParts,
): QuickJSOptions {
  const { rejections } = instance;
  return {
    wasm,
    memoryLimit: options.memoryBytes,
    // Native recursion (JSON, the parser) may overflow the host's own stack earlier. The VM is then
    // discarded; see toVmError.
    maxStackSize: options.stackBytes,
    interruptHandler: () => options.shouldInterrupt(),
    wasi: (memory) => {
      instance.memory = memory;
      return {
        clock_time_get(_clock: number, _precision: bigint, resultPointer: number) {
          const nanoseconds = BigInt(Math.round(options.now() * 1000)) * 1000n;
          new DataView(memory.buffer).setBigUint64(resultPointer, nanoseconds, true);
          return 0;
        },
        // Suppresses the engine's own messages, which would go to the host's console.
        fd_write(_fd: number, vectors: number, count: number, writtenPointer: number) {
          const view = new DataView(memory.buffer);
          let written = 0;
          for (let at = 0; at < count; at += 1)
            written += view.getUint32(vectors + at * 8 + 4, true);
          view.setUint32(writtenPointer, written, true);
          return 0;
        },
      };
    },
    onUnhandledRejection: (promise, reason, isHandled) =>
      rejections.note(promise.identity, isHandled ? undefined : reason.dup()),
  };
}

/** The parts that the binding provides while it creates an instance. */
class InstanceParts {
  readonly rejections = new Rejections();
  #memory: InstanceMemory | undefined;

  get memory(): InstanceMemory {
    if (this.#memory) return this.#memory;
    throw new TypeError('The instance has not been made yet.');
  }

  set memory(memory: InstanceMemory) {
    this.#memory = memory;
  }
}

/** Read `buffer` each time: growing the memory replaces it. */
type InstanceMemory = Pick<WebAssembly.Memory, 'buffer'>;

/** The rejected promises without a handler, by the engine's number of the promise. */
class Rejections {
  readonly #reasons = new Map<number, JSValueHandle>();

  /**
   * Records a rejection, or removes it if `reason` is undefined because a handler was added. Called
   * inside the engine, so it must not run guest code.
   */
  note(promise: number, reason: JSValueHandle | undefined): void {
    this.#reasons.get(promise)?.dispose();
    if (reason) this.#reasons.set(promise, reason);
    else this.#reasons.delete(promise);
  }

  take(): JSValueHandle[] {
    const reasons = [...this.#reasons.values()];
    this.#reasons.clear();
    return reasons;
  }
}

/** True for an error of the host's engine: its stack overflowed, or wasm trapped. */
function isTrap(error: unknown): error is Error {
  return isStackOverflow(error) || error instanceof WebAssembly.RuntimeError;
}

/**
 * V8 and JavaScriptCore throw a RangeError that only its message identifies. Firefox throws an
 * `InternalError`, which no other engine has.
 */
function isStackOverflow(error: unknown): error is Error {
  if (error instanceof RangeError) return /call stack/iu.test(error.message);
  return error instanceof Error && error.name === 'InternalError' && !('handle' in error);
}

/**
 * The uncaught error of a job, such as a callback of queueMicrotask or fs. Only its text leaves the
 * guest.
 */
class JobError extends Error {}

const thrownText = /^(?:(\w*Error): )?([^]*)$/u;

/**
 * Classifies an error. A RangeError or RuntimeError of the host means that the host's stack
 * overflowed inside wasm or that wasm trapped. The engine's stack pointer is then undefined, so the
 * VM must never be used again.
 */
function toVmError(error: unknown): VmError {
  if (error instanceof VmError) return error;
  if (!(error instanceof Error)) return new VmError('crashed', String(error));
  const { message } = error;
  const isGuestError = 'handle' in error;
  // An interrupted job only reports the interrupt by its message.
  if (/(?:^|: )interrupted$/u.test(message)) return new VmError('interrupted', message);
  if (/out of memory|malloc failed/u.test(message)) return new VmError('out-of-memory', message);
  if (isGuestError) return new VmError('thrown', message, error.name, error.stack ?? '');
  if (error instanceof JobError) {
    const [, name, text = ''] = thrownText.exec(message) ?? [];
    return new VmError('thrown', text, name);
  }
  if (isStackOverflow(error)) return new VmError('stack-overflow', message);
  return new VmError('crashed', message);
}
