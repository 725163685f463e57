// The started calls of an executor that haven't replied: those in a worker, and those that wait for
// one. Used by worker-executor.ts, which keeps the one promise: each replies exactly once.
import type { NestedCallListener } from '../../../core/tool/nested-call.ts';
import type { RunningWork, WorkReply, WorkRequest } from '../../../core/tool/ports.ts';
import { takesTurns } from './takes-turns.ts';
import type { PlacedCall, PoolWorker } from './worker-pool.ts';

/** One started call that hasn't replied. */
export interface Call extends PlacedCall {
  /** On the wire: a tool use's own id is unique in its conversation only. */
  readonly id: number;
  readonly request: WorkRequest;
  readonly onProgress: (progress: unknown) => void;
  readonly onNestedCall: NestedCallListener;
  readonly onClockStart: () => void;
  readonly onDownload: () => void;
  readonly onWorker: (worker: string) => void;
  readonly settle: (reply: WorkReply) => void;
  /** What other workers do of it. */
  readonly parts: Set<RunningWork>;
  /** How long calls of its tool take. Undefined where nobody knows yet. */
  readonly expectedMs: number | undefined;
  /** When it was sent to its worker, by the executor's clock. */
  sentAt: number;
  /** Undefined while it waits for one. */
  worker: PoolWorker | undefined;
  /** Saved by the handler, adopted with its reply. */
  unconfirmedState: Uint8Array | undefined;
  /** What was adopted before its reply. */
  stateBefore: Uint8Array | undefined;
  hasClockStarted: boolean;
  /** See restart-rules.ts for these three. */
  isRepeatable: boolean;
  wasRepeated: boolean;
  isSuspect: boolean;
}

/** Starts empty. */
export class CallTable {
  readonly #calls = new Map<number, Call>();
  /** Those without a worker, in the order in which they get one. */
  #waiting = new Set<Call>();
  #isPlacing = false;
  #isDue = false;

  add(call: Call): void {
    this.#calls.set(call.id, call);
  }

  has(call: Call): boolean {
    return this.#calls.get(call.id) === call;
  }

  /**
   * The call of this number in this worker. Security: one worker can't speak for a call that runs in
   * another, nor for one that was settled meanwhile.
   */
  find(id: number, worker: PoolWorker): Call | undefined {
    const call = this.#calls.get(id);
    return call?.worker === worker ? call : undefined;
  }

  /** Where the call runs that made this one. */
  findOuterWorker({ sessionId, outerCallId }: WorkRequest): PoolWorker | undefined {
    if (outerCallId === undefined) return undefined;
    for (const { request, worker } of this.#calls.values()) {
      if (request.callId === outerCallId && request.sessionId === sessionId) return worker;
    }
    return undefined;
  }

  /** In the order of their starting. */
  of(worker: PoolWorker): Call[] {
    return [...this.#calls.values()].filter((call) => call.worker === worker);
  }

  all(): Call[] {
    return [...this.#calls.values()];
  }

  delete(call: Call): void {
    this.#calls.delete(call.id);
    this.#waiting.delete(call);
  }

  waiting(): readonly Call[] {
    return [...this.#waiting];
  }

  /** Must it wait for another that came before it? Then it needn't be asked for a place. */
  isBehindWaiting(call: Call): boolean {
    for (const other of this.#waiting) if (isBefore(other, call)) return true;
    return false;
  }

  /** Behind all others, but before shorter ones of its session at the end that it may run beside. */
  wait(call: Call): void {
    const waiting = this.waiting();
    let at = waiting.length;
    while (at > 0 && isLonger(call, waiting[at - 1])) at -= 1;
    if (at === waiting.length) this.#waiting.add(call);
    else this.#waiting = new Set([...waiting.slice(0, at), call, ...waiting.slice(at)]);
    this.#isDue = true;
  }

  /** It has a worker, and waits no more. */
  give(call: Call, worker: PoolWorker): void {
    call.worker = worker;
    this.#waiting.delete(call);
  }

  /** Before all that wait: they had their turn already. */
  waitFirst(calls: readonly Call[]): void {
    this.#waiting = new Set([...calls, ...this.#waiting]);
  }

  /**
   * Has `place` give a worker to those that it finds one for. A session's calls that share a state
   * stay in order. `place` may call anything here: what that changes is looked at in a further round.
   */
  placeWaiting(place: (call: Call) => boolean): void {
    this.#isDue = true;
    if (this.#isPlacing) return;
    this.#isPlacing = true;
    try {
      while (this.#isDue) {
        this.#isDue = false;
        this.#placeOnce(place);
      }
    } finally {
      this.#isPlacing = false;
    }
  }

  #placeOnce(place: (call: Call) => boolean): void {
    /** The first of each kind: there may be thousands of calls that nothing tells apart. */
    const blocked: Call[] = [];
    for (const call of this.waiting()) {
      // One before it may have had it cut.
      if (!this.#waiting.has(call) || blocked.some((other) => isBefore(other, call))) continue;
      if (!place(call)) blocked.push(call);
    }
  }
}

function isLonger(call: Call, other: Call | undefined): boolean {
  const { request, expectedMs } = call;
  if (other?.expectedMs === undefined || expectedMs === undefined || other.isSuspect) return false;
  const mayPass =
    request.isStateless &&
    other.request.isStateless &&
    request.sessionId === other.request.sessionId;
  return mayPass === true && expectedMs > other.expectedMs;
}

/** Where there is no place for the first there is none for the other, or it must not come earlier. */
function isBefore(first: Call, other: Call): boolean {
  if (first.request.isStateless) {
    // One that takes turns finds a place where others find none.
    const hasOwnPlaces = takesTurns(other) && !takesTurns(first);
    return !first.isSuspect && other.request.isStateless === true && !hasOwnPlaces;
  }
  return !other.request.isStateless && first.request.sessionId === other.request.sessionId;
}
