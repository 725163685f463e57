// The port to a JavaScript engine that runs untrusted code. Host and guest exchange copies of plain
// values only. The guest can reach nothing of the host except the functions that it was given.

/** The values that host and guest exchange. Bytes are copied in both directions. */
export type GuestValue = string | number | boolean | null | undefined | Uint8Array;

/** Source text of one expression. The engine evaluates it and passes on its value. */
export interface GuestCode {
  readonly source: string;
  /** The code's name in stack traces. */
  readonly filename: string;
}

/**
 * A function that the guest may call. Its arguments are chosen by the guest and must all be
 * validated. A thrown error reaches the guest as an Error whose message is JSON of a {@link
 * HostErrorMessage}. The host's stack isn't passed on.
 */
export type HostFunction = (...args: readonly GuestValue[]) => GuestValue | GuestCode;

/**
 * The form in which an error of a host function reaches the guest's kernel, which turns it into an
 * Error.
 */
export interface HostErrorMessage {
  readonly name: string;
  readonly message: string;
  readonly code: string;
  readonly path?: string;
  readonly dest?: string;
  readonly syscall?: string;
}

export interface VmOptions {
  /** The limit of the guest's heap in bytes, ArrayBuffers included. */
  readonly memoryBytes: number;
  /** Size of the guest's stack in bytes. */
  readonly stackBytes: number;
  /** Milliseconds since the epoch. It is the guest's only clock. */
  now(): number;
  /**
   * Called about once a millisecond while guest code runs. The result `true` ends the guest code.
   */
  shouldInterrupt(): boolean;
  /**
   * Called at each call of a host function, before its arguments are copied. The result `true` ends
   * the guest code. Without it, a loop of slow host calls would continue until the next
   * `shouldInterrupt`.
   */
  endsAtCall(): boolean;
  /** The host functions by name. A restored VM looks them up by these names. */
  readonly hostFunctions: Readonly<Record<string, HostFunction>>;
}

/**
 * Why guest code ended without a value. After any failure other than `thrown` the VM must be
 * discarded.
 */
export type VmFailure = 'thrown' | 'interrupted' | 'out-of-memory' | 'stack-overflow' | 'crashed';

/** The error that an engine throws. It throws no other kind. */
export class VmError extends Error {
  readonly failure: VmFailure;
  /** The name of the error, if the guest threw one. */
  readonly guestName: string;
  readonly guestStack: string;

  constructor(failure: VmFailure, message: string, guestName = 'Error', guestStack = '') {
    super(message);
    this.name = 'VmError';
    this.failure = failure;
    this.guestName = guestName;
    this.guestStack = guestStack;
  }
}

/** One VM with its guest code. Sessions never share one. */
export interface Vm extends Disposable {
  /**
   * Calls a method of the guest's kernel, which is the object that the boot code returned.
   *
   * @throws VmError
   */
  call(method: string, ...args: readonly (GuestValue | GuestCode)[]): GuestValue;
  /**
   * Runs promise jobs until there are none.
   *
   * @throws VmError
   */
  runJobs(): void;
  /**
   * Returns the reasons of rejected promises that still have no handler, as text made by the
   * kernel's method `describe`. Then forgets them.
   * @throws VmError
   */
  takeRejections(): string[];
  /**
   * Forbids compiling text from now on. `eval`, `Function` and the like throw, also through
   * references that the guest has kept. Code that the host passes in still runs. This can't be
   * undone, and is part of every snapshot.
   * @throws VmError if the engine still compiles text afterwards
   */
  forbidEval(): void;
  readonly isEvalForbidden: boolean;
  /** Bytes of the host's memory that the VM occupies, used or not. Never decreases. */
  readonly heldBytes: number;
  /** The share of its memory limit that the guest uses, from 0 to 1. Walks over the heap. */
  memoryUse(): number;
  /**
   * Bytes that are free within the limit after a garbage collection. As slow as {@link
   * Vm.memoryUse}.
   */
  freeBytes(): number;
  /**
   * Raises the memory limit by `bytes`, to find out what fills the memory. The VM must be discarded
   * afterwards.
   */
  lendMemory(bytes: number): void;
  /**
   * Returns the whole VM as bytes: the heap and pending promises, without the host's side. The
   * first `room` bytes are free for the caller, which saves a copy of some megabytes.
   */
  snapshot(room?: number): Uint8Array;
}

export interface Engine {
  /**
   * Returns the name and version of the engine. A snapshot can only be restored by the same
   * version. Known once a VM exists; otherwise a VM is started to find out.
   */
  version(): Promise<string>;
  /**
   * Boots a VM. `boot` is a function that takes an object with the host functions and returns the
   * kernel.
   */
  create(options: VmOptions, boot: GuestCode): Promise<Vm>;
  /**
   * Restores a VM from {@link Vm.snapshot}. The snapshot must be from this version of the engine.
   */
  restore(snapshot: Uint8Array, options: VmOptions): Promise<Vm>;
}
