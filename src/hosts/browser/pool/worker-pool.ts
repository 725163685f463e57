// Which worker a call runs in: starts workers when there is need, keeps a session's calls together,
// and lets go whom nobody has needed for a while. Tells workers which texts others keep. Knows nothing of
// calls' messages; worker-executor.ts does.
import type { Clock, WorkRequest } from '../../../core/tool/ports.ts';
import type { SdkError } from '../../../core/errors.ts';
import type {
  ConnectToolWorker,
  ToolWorkerConnection,
  ToolWorkerReport,
} from './tool-worker-connection.ts';
import type { KeptHere } from '../../../search/index/content-index.ts';
import type { KnownStates } from './saved-states.ts';
import { takesTurns } from './takes-turns.ts';

/** What the pool must know of a call. */
export interface PlacedCall {
  readonly request: WorkRequest;
  /** A worker died under it: it gets one in which nothing else runs. */
  readonly isSuspect: boolean;
  /** Others lose nothing by standing behind it, as far as its tool's calls are known. */
  readonly isShort: boolean;
}

/** A worker, whether it is up already or still starting. */
export interface PoolWorker {
  /** For people: a number that no other of this pool ever has. */
  readonly name: string;
  readonly connection: ToolWorkerConnection;
  readonly knownStates: KnownStates;
  /** What it was given and hasn't answered. */
  readonly calls: Set<PlacedCall>;
  /** How many of them are suspects; while there is one, it takes no other call. */
  suspects: number;
  /** It is one background call's own, and ends with it. */
  readonly isApart: boolean;
  /** It was asked whether its calls wait, and hasn't said so. */
  isAsked: boolean;
  /** A long call came after it was asked: what it says may be of those before. */
  isAskedTooEarly: boolean;
  /** How many further calls it takes because those that it has wait. */
  room: number;
  /** It booted. */
  isReady: boolean;
  /** Nobody waits for its start any more. */
  isLate: boolean;
  /** When it answered its last call, by the pool's clock. */
  idleSince: number;
  /** How much decoded text its searches keep. */
  textBytes: number;
}

export interface WorkerPoolOptions {
  readonly connect: ConnectToolWorker;
  /** The most workers at a time, those of background calls apart. */
  readonly size: number;
  readonly clock: Clock;
  readonly onMessage: (worker: PoolWorker, report: ToolWorkerReport) => void;
  /** The worker is gone by itself; it is out of the pool already. */
  readonly onEnd: (worker: PoolWorker, reason: SdkError) => void;
  /** The worker took too long to start, and may never get ready. It is still in the pool. */
  readonly onStuck: (worker: PoolWorker) => void;
  /** A call that found no place may find one now. */
  readonly onRoom: () => void;
}

// A minute: longer than a model thinks between two steps, so that a turn keeps its workers.
const idleMs = 60_000;

// 1 s: a worker whose code is loaded starts within 50 ms, on a busy machine within some hundreds.
const patienceMs = 1000;

// 5 s: one that was ended before it could say that it lives says nothing any more.
const stuckMs = 5000;

/** Dispose it to end all workers, without a word to who runs calls in them. */
export class WorkerPool implements Disposable {
  readonly #options: WorkerPoolOptions;
  /** In the order of their start. */
  readonly #workers = new Set<PoolWorker>();
  readonly #apart = new Set<PoolWorker>();
  /** They get no more calls, and end after those that they have. */
  readonly #spent = new Set<PoolWorker>();
  /** By session: where its calls go that need, or change, what their tools keep. */
  readonly #homes = new Map<string, PoolWorker>();
  #isDisposed = false;
  #started = 0;
  /** The last worker that was started didn't get ready: those that there are must do. */
  #isStuck = false;
  #idleTimer: Disposable | undefined;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  /** Starts a worker where there is none: a call is to be expected soon. */
  warm(): void {
    if (!this.#isDisposed && this.#workers.size === 0) this.#start();
  }

  /** Starts a further worker, and says so, unless one is on its way or there may be none. */
  grow(): boolean {
    const mayGrow = this.#workers.size < this.#options.size && !this.#isStuck && !this.#isStarting;
    if (mayGrow) this.#start();
    return mayGrow;
  }

  /** A worker of a call's own. */
  startApart(): PoolWorker {
    const worker = this.#connect(true);
    this.#apart.add(worker);
    return worker;
  }

  /**
   * A worker for this call, in which it now counts. Undefined where one is on its way, or none is free
   * for a suspect: `onRoom` says when to ask again.
   */
  place(call: PlacedCall): PoolWorker | undefined {
    const { sessionId, isStateless } = call.request;
    const home = isStateless ? undefined : this.#findHome(sessionId);
    const worker = home && !call.isSuspect ? home : this.#choose(call, home);
    if (!worker || worker.suspects > 0) return undefined;
    if (!isStateless) this.#homes.set(sessionId, worker);
    this.enter(worker, call);
    return worker;
  }

  /** The call runs there: where its outer one does, or in its own. */
  enter(worker: PoolWorker, call: PlacedCall): void {
    worker.calls.add(call);
    worker.room = Math.max(worker.room - 1, 0);
    // Thousands of short ones must not cross one by one.
    if (worker.isAsked && !call.isShort) worker.isAskedTooEarly = true;
    if (call.isSuspect) worker.suspects += 1;
  }

  /** The inverse of {@link WorkerPool.enter}: it has its reply, or is to be run elsewhere. */
  leave(worker: PoolWorker, call: PlacedCall): void {
    worker.calls.delete(call);
    if (call.isSuspect) worker.suspects -= 1;
    if (worker.isApart || worker.calls.size > 0) return;
    if (this.#spent.has(worker)) {
      this.end(worker);
      return;
    }
    worker.room = 0;
    worker.idleSince = this.#options.clock.now();
    this.#watchIdle();
  }

  /**
   * Its calls wait: it said so. As many again may come to them before it is asked anew, which is at once
   * where a long one has come since it was asked: that one may be what it computes now.
   */
  noteFree(worker: PoolWorker): void {
    if (!worker.isAsked) return;
    worker.isAsked = false;
    if (!worker.isAskedTooEarly) worker.room = worker.calls.size;
    this.#options.onRoom();
  }

  /** Its memory can be had back by its end alone: another takes its place. One apart ends by itself. */
  noteSpent(worker: PoolWorker): void {
    if (worker.isApart || !this.#workers.delete(worker)) return;
    this.#leaveHomes(worker);
    this.#spent.add(worker);
    if (worker.calls.size === 0) this.end(worker);
    this.warm();
  }

  /** The worker keeps these texts now: no other one is to. */
  noteTexts(worker: PoolWorker, { contents, bytes }: KeptHere): void {
    worker.textBytes = bytes;
    this.#tellTexts(worker, contents);
  }

  /** No further call of the session will come. Returns the workers, which may keep something of it. */
  endSession(sessionId: string): readonly PoolWorker[] {
    this.#homes.delete(sessionId);
    return [...this.#workers, ...this.#spent];
  }

  /** Those that are up and have nothing to do, in the order of their start. */
  idle(): readonly PoolWorker[] {
    return [...this.#workers].filter(({ isReady, calls }) => isReady && calls.size === 0);
  }

  get isEmpty(): boolean {
    return this.#workers.size === 0;
  }

  has(worker: PoolWorker): boolean {
    return [this.#workers, this.#apart, this.#spent].some((workers) => workers.has(worker));
  }

  /** Ends it for good. */
  end(worker: PoolWorker): void {
    worker.connection.end();
    this.#apart.delete(worker);
    this.#spent.delete(worker);
    this.#workers.delete(worker);
    this.#leaveHomes(worker);
    if (worker.textBytes > 0) this.#tellTexts();
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#idleTimer?.[Symbol.dispose]();
    for (const worker of [...this.#workers, ...this.#apart, ...this.#spent]) this.end(worker);
  }

  #leaveHomes(worker: PoolWorker): void {
    for (const [sessionId, home] of this.#homes) {
      if (home === worker) this.#homes.delete(sessionId);
    }
  }

  #connect(isApart: boolean): PoolWorker {
    const { connect, clock, onMessage, onEnd, onRoom } = this.#options;
    this.#started += 1;
    const worker: PoolWorker = {
      name: String(this.#started),
      connection: connect({
        onReady: () => {
          worker.isReady = true;
          this.#isStuck = false;
          this.#tellTexts();
          onRoom();
        },
        onMessage: (message) => onMessage(worker, message),
        onEnd: (reason) => {
          this.end(worker);
          this.#isStuck = !worker.isReady;
          onEnd(worker, reason);
        },
      }),
      knownStates: new Map(),
      calls: new Set(),
      suspects: 0,
      isApart,
      isAsked: false,
      isAskedTooEarly: false,
      room: 0,
      isReady: false,
      isLate: false,
      idleSince: clock.now(),
      textBytes: 0,
    };
    return worker;
  }

  #start(): PoolWorker {
    const worker = this.#connect(false);
    this.#workers.add(worker);
    const { clock, onRoom, onStuck } = this.#options;
    const isWaitedFor = () => !worker.isReady && this.#workers.has(worker);
    clock.after(patienceMs, () => {
      if (!isWaitedFor()) return;
      worker.isLate = true;
      onRoom();
    });
    clock.after(stuckMs, () => {
      if (isWaitedFor()) onStuck(worker);
    });
    return worker;
  }

  /** A home that others keep busy is left for a free worker, as long as nothing of the session runs. */
  #findHome(sessionId: string): PoolWorker | undefined {
    const home = this.#homes.get(sessionId);
    if (!home || home.calls.size === 0) return home;
    const isInUse = [...home.calls].some(({ request }) => request.sessionId === sessionId);
    return isInUse ? home : (this.#findIdle() ?? home);
  }

  /** The one that was started first: calls that come one by one find there what they read before. */
  #findIdle(): PoolWorker | undefined {
    return this.idle()[0];
  }

  #choose(call: PlacedCall, home: PoolWorker | undefined): PoolWorker | undefined {
    if (home) return home.calls.size === 0 ? home : undefined;
    const [first] = this.#workers;
    if (first && takesTurns(call) && isSharedByTurns(first)) return first;
    const sessionHome = this.#homes.get(call.request.sessionId);
    if (sessionHome?.isReady && sessionHome.calls.size === 0) return sessionHome;
    const idle = this.#findIdle();
    if (idle) return idle;
    const workers = [...this.#workers];
    // The first worker's calls wait in its port: there is no other that could be free earlier.
    if (workers.length === 0) return this.#start();
    const isUp = workers.some(({ isReady }) => isReady);
    const unused = workers.find(({ calls }) => calls.size === 0);
    if (unused && (!isUp || unused.isLate)) return unused;
    // One at a time: short calls may all be done before a second one is up.
    if (!this.#isStarting && !this.grow() && !call.isSuspect) return this.#findRoom();
    return undefined;
  }

  get #isStarting(): boolean {
    return [...this.#workers].some(({ isReady, isLate }) => !isReady && !isLate);
  }

  /**
   * Calls that wait for something share a thread at no cost. One that is given to a thread which
   * computes would wait there for its end, even where another is free before: so the call stays here,
   * and the workers are asked.
   */
  #findRoom(): PoolWorker | undefined {
    const open = [...this.#workers].filter(({ suspects }) => suspects === 0);
    const [leastBusy] = open
      .filter(({ room }) => room > 0)
      .toSorted((one, other) => one.calls.size - other.calls.size);
    if (leastBusy) return leastBusy;
    for (const worker of open) {
      if (worker.isAsked) continue;
      worker.isAsked = true;
      worker.isAskedTooEarly = false;
      worker.connection.send({ type: 'ask-free' });
    }
    return undefined;
  }

  /** Tells all but the keeper how much text others keep, and which texts they are to drop for it. */
  #tellTexts(keeper?: PoolWorker, contents: KeptHere['contents'] = []): void {
    const workers = [...this.#workers, ...this.#apart, ...this.#spent];
    const all = workers.reduce((sum, { textBytes }) => sum + textBytes, 0);
    for (const worker of workers) {
      const message = { contents, bytes: all - worker.textBytes, realms: workers.length };
      if (worker !== keeper) worker.connection.send({ type: 'kept-elsewhere', ...message });
    }
  }

  #watchIdle(): void {
    if (this.#idleTimer || this.#workers.size < 2) return;
    this.#idleTimer = this.#options.clock.after(idleMs, () => {
      this.#idleTimer = undefined;
      this.#endIdle();
      this.#watchIdle();
    });
  }

  /** The first one stays: the next call doesn't wait for a worker. */
  #endIdle(): void {
    const now = this.#options.clock.now();
    for (const worker of [...this.#workers].slice(1)) {
      if (worker.calls.size === 0 && now - worker.idleSince >= idleMs) this.end(worker);
    }
  }
}

function isSharedByTurns({ isReady, calls }: PoolWorker): boolean {
  return isReady && [...calls].every(takesTurns);
}
