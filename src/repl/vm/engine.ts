// The port to a JavaScript engine that runs untrusted code. What crosses it are copies of plain
// values; the guest can name nothing of the host but the functions that it was given.

/** The values that host and guest hand each other. Bytes are copied both ways. */
export type GuestValue = string | number | boolean | null | undefined | Uint8Array;

/** Source text of one expression; the engine compiles it and hands over the expression's value. */
export interface GuestCode {
  readonly source: string;
  /** The code's name in stack traces. */
  readonly filename: string;
}

/**
 * A capability of the guest. It is called with whatever the guest chose to pass and must check
 * every argument. What it throws is thrown in the guest as an Error whose message is the JSON of a
 * {@link HostErrorMessage}; the host's stack stays outside.
 */
export type HostFunction = (...args: readonly GuestValue[]) => GuestValue | GuestCode;

/** How a host function's error reaches the guest's kernel, which makes a proper error of it. */
export interface HostErrorMessage {
  readonly name: string;
  readonly message: string;
  readonly code: string;
  readonly path?: string;
  readonly dest?: string;
  readonly syscall?: string;
}

export interface VmOptions {
  /** Cap of the guest's heap in bytes, ArrayBuffers included. */
  readonly memoryBytes: number;
  /** Size of the guest's stack in bytes. */
  readonly stackBytes: number;
  /** Milliseconds since the epoch: the guest's only clock. */
  now(): number;
  /** Called about once a millisecond while guest code runs. `true` ends it. */
  shouldInterrupt(): boolean;
  /**
   * Called at each call of a host function, before its arguments are copied. `true` ends the guest
   * code there. Otherwise a loop of long calls would run on between two calls of `shouldInterrupt`.
   */
  endsAtCall(): boolean;
  /** The host functions by name. A restored VM finds them by these names again. */
  readonly hostFunctions: Readonly<Record<string, HostFunction>>;
}

/** Why guest code ended without a value. After any but `thrown` the VM must be given up. */
export type VmFailure = 'thrown' | 'interrupted' | 'out-of-memory' | 'stack-overflow' | 'crashed';

/** The error of an engine. No other error leaves it. */
export class VmError extends Error {
  readonly failure: VmFailure;
  /** The guest's name of the error, if the guest threw one. */
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

/** One guest. Never shared between sessions. */
export interface Vm extends Disposable {
  /**
   * Calls a method of the guest's kernel: the object that the boot code returned.
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
   * The reasons of rejected promises that still have no handler, as the kernel's method `describe`
   * shows them. Forgets them.
   * @throws VmError
   */
  takeRejections(): string[];
  /**
   * From now on the guest can make no code of text: `eval`, `Function` and their kin throw,
   * whatever reference to them it has kept. Code that the host hands over still runs. It can't be
   * taken back, and is part of every snapshot.
   * @throws VmError if the engine goes on compiling all the same
   */
  forbidEval(): void;
  readonly isEvalForbidden: boolean;
  /** The host's memory that it takes, used or not, in bytes. Never less than before. */
  readonly heldBytes: number;
  /** How much of its memory cap the guest has in use, from 0 to 1. Takes a walk over the heap. */
  memoryUse(): number;
  /** How much of its cap is left when what nothing leads to is collected. As {@link Vm.memoryUse}. */
  freeBytes(): number;
  /** Raises its cap by so much, to ask why it is full. Such a VM must be given up. */
  lendMemory(bytes: number): void;
  /**
   * The whole VM as bytes: heap, pending promises, everything but the host's side. They begin after
   * `room` bytes that are the caller's to fill: a copy of some megabytes less.
   */
  snapshot(room?: number): Uint8Array;
}

export interface Engine {
  /**
   * Names the engine and its version: a snapshot is worth something only to the very same one. Known
   * once there was a VM; starts one to ask it otherwise.
   */
  version(): Promise<string>;
  /** Boots a VM: `boot` is a function that takes the host functions as an object and returns the kernel. */
  create(options: VmOptions, boot: GuestCode): Promise<Vm>;
  /** Takes up a VM where {@link Vm.snapshot} left it. The bytes must be this engine version's. */
  restore(snapshot: Uint8Array, options: VmOptions): Promise<Vm>;
}
