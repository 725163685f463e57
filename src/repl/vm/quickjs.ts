// QuickJS compiled to wasm: the wasm instance is the sandbox's wall. One instance a VM, so nothing
// is shared between guests; linear memory is all there is to a snapshot.
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

// The engine collects cycles when the heap has grown by half since the last time. That may be beyond the cap, and the
// engine would run out of memory with garbage in it. At 9 tenths of the cap it collects in any case, and above that
// whenever half of the free memory is used up. So a heap that is nearly full of live objects is walked a few times, not
// at each allocation.
const maxGarbageShare = 0.9;
const heapGrowth = 1.5;

// Part of the version that saved sessions carry: a change of the kernel's layout drops them.
const layoutVersion = 4;

/**
 * Where a context keeps the function that compiles text (`eval_internal` of JSContext, which
 * JS_AddIntrinsicEval sets). Each way to make code of text asks it; where it is 0 the engine throws, as
 * in a context that was made without `eval`. It belongs to the engine's version, so each VM that boots
 * tries it: {@link findCompiler}.
 */
const compilerOffset = 308;
const noCompiler = 0;
const noCompilerMessage = 'eval is not supported';

/** The engine over a compiled `quickjs-wasi/quickjs.wasm`, which the host loads in its own way. */
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
 * The header before the image of the memory says where in it the kernel object, the stack, the runtime and the context
 * are. It also has the compiler, which the memory doesn't tell where it is forbidden, and the context's mark. The
 * binding's own format would take a further copy of the memory.
 */
const headerBytes = 24;

/** Values that never change in a VM and its snapshots. */
interface FixedPlaces {
  readonly kernelToken: number;
  readonly contextPtr: number;
  /** The value at {@link compilerOffset} while text may be compiled. */
  readonly compiler: number;
  /** The byte that says whether the guest's context (guest/async-context.ts) is the running job's. 0: there is none. */
  readonly contextMark: number;
}

class QuickjsVm implements Vm {
  readonly #vm: QuickJS;
  readonly #options: VmOptions;
  readonly #kernel: JSValueHandle;
  readonly #places: FixedPlaces;
  readonly #rejections: Rejections;
  readonly #parts: InstanceParts;
  /** In the header's order. They never change. The stack's is read while no call is under way. */
  #pointers: readonly number[] | undefined;
  #isEvalForbidden: boolean;
  readonly #maxGarbageBytes: number;
  /** The threshold that we set last, if it is above `#maxGarbageBytes`'s share of the cap. */
  #gcThreshold: number | undefined;
  /** The engine copies what a host function returns, and leaves freeing the original to us. */
  #returned: JSValueHandle | undefined;
  #mark = new Uint8Array(0);
  /** Set when wasm trapped in a call that the guest made through a host function. */
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

  /** `start` is the boot code's function. It is disposed. */
  static boot(
    vm: QuickJS,
    options: VmOptions,
    parts: InstanceParts,
    start: JSValueHandle,
  ): QuickjsVm {
    const host = vm.newObject();
    // The callbacks proper are registered by the constructor, under the same names.
    for (const name of Object.keys({ ...options.hostFunctions, ...promiseFunctions })) {
      const stub = vm.newFunction(name, () => vm.undefined);
      host.setProp(name, stub);
      stub.dispose();
    }
    const kernel = vm.callFunction(start, vm.undefined, host);
    start.dispose();
    host.dispose();
    // Not disposed, as its box is part of every snapshot.
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
      // Not in a `finally`: a call that ends by an error takes its VM with it.
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
      // The engine itself broke below us. What called us must not go on as if nothing were.
      if (isTrap(error)) this.#trap ??= error;
      // A string on purpose: the engine would copy an Error's stack, with the host's paths in it,
      // to the guest.
      // oxlint-disable-next-line no-throw-literal -- see above
      throw toHostErrorMessage(error);
    }
    this.#releaseReturned();
    this.#returned = result;
    return result;
  }

  /**
   * Ends the stretch of guest code that called us, which no guest code can catch. The binding makes
   * a guest's exception of whatever a host function throws, by its text. So asking for the text is
   * what throws, and that goes through the wasm frames. Such a VM is never used again.
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

  /** Each job begins without the context of the one before. */
  #clearContext(): void {
    const { contextMark } = this.#places;
    if (contextMark === 0) return;
    // The memory's buffer is another one when it has grown.
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

  /** The same as in the binding's own snapshot, which also copies the memory. */
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
    // Security: only a function's expression, or a list of such, is evaluated here. So no code of
    // the guest's runs while the compiler is there.
    if (this.#isEvalForbidden) this.#setCompiler(this.#places.compiler);
    try {
      return vm.evalCode(value.source, value.filename);
    } finally {
      if (this.#isEvalForbidden) this.#setCompiler(noCompiler);
    }
  }

  /** The engine sets its threshold again at each collection, so this is asked often. */
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

/** Anew each time: the memory's buffer is another one when it has grown. */
function compilerSlot({ memory }: InstanceParts, contextPtr: number): DataView {
  return new DataView(memory.buffer, contextPtr + compilerOffset, 4);
}

/**
 * Security: what stands in the slot, after it was seen that nothing compiles without it. Asked before
 * there is any code of a guest's.
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

/** The place of the kernel's mark in the memory. 0 in a world that has none. */
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
 * The engine's facts about a promise that the language doesn't tell, for showing one. They are the
 * state, from -1 for a value that is none, and the value that the promise was settled with. No
 * guest object is read: it goes back as it is.
 */
const promiseFunctions = {
  promiseState: (vm: QuickJS, promise: JSValueHandle) => vm.newNumber(promise.promiseState),
  promiseResult: (vm: QuickJS, promise: JSValueHandle) =>
    promise.promiseState > 0
      ? new JSValueHandle(vm, vm['exports'].qjs_promise_result(promise.ptr))
      : vm.undefined,
};

/** Security: only plain values are taken, so no guest object is ever read through here. */
function fromHandle(handle: JSValueHandle): GuestValue {
  // The usual ones first: each question is a call into wasm.
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
 * The binding gives `<null>` for a string that it has no memory to convert. Nothing must take that
 * for the guest's text: it could end up in a file. Its decoder drops a leading byte order mark, which
 * is part of the text: the length tells.
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
    // Deeper kinds of recursion (JSON, the parser) may exhaust the host's own stack before: then the
    // VM is given up, see toVmError.
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
        // The engine's own messages would go to the host's console.
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

/** The parts that the binding hands over while it makes an instance. */
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

/** The memory has another buffer each time it has grown. */
type InstanceMemory = Pick<WebAssembly.Memory, 'buffer'>;

/** Rejected promises without a handler, by the engine's number for the promise. */
class Rejections {
  readonly #reasons = new Map<number, JSValueHandle>();

  /** No reason: the promise has got a handler. Runs inside the engine, so it only keeps. */
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

/** An error of the host's engine, not of the guest's: its stack ran out, or wasm trapped. */
function isTrap(error: unknown): error is Error {
  return isStackOverflow(error) || error instanceof WebAssembly.RuntimeError;
}

/**
 * V8's and JavaScriptCore's message tells it from other RangeErrors. Firefox has an error of its own
 * for it, an `InternalError`, which no other engine knows.
 */
function isStackOverflow(error: unknown): error is Error {
  if (error instanceof RangeError) return /call stack/iu.test(error.message);
  return error instanceof Error && error.name === 'InternalError' && !('handle' in error);
}

/**
 * The error of a job, a callback of queueMicrotask's or fs's, which nobody catches. Only its text
 * leaves the guest.
 */
class JobError extends Error {}

const thrownText = /^(?:(\w*Error): )?([^]*)$/u;

/**
 * Names what went wrong. With a RangeError or RuntimeError of the host's own its stack ran out
 * inside wasm, or wasm trapped. That leaves the engine's stack pointer anywhere, so such a VM is
 * never used again.
 */
function toVmError(error: unknown): VmError {
  if (error instanceof VmError) return error;
  if (!(error instanceof Error)) return new VmError('crashed', String(error));
  const { message } = error;
  const isGuestError = 'handle' in error;
  // A job's uncatchable end is told as any.
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
