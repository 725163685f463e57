// Chooses the worker for each call. A session's calls run in its home worker. A stateless call
// takes an idle worker; otherwise calls wait in order. The pool starts workers on demand and stops
// idle ones. Messages about calls are the task of worker-executor.ts.
import type { SdkError } from '../../../core/errors.ts';
import type { Clock, WorkRequest } from '../../../core/tool/ports.ts';
import type { KeptHere } from '../../../search/index/content-index.ts';
import type { KnownStates } from './saved-states.ts';
import type { ConnectToolWorker, ToolWorkerConnection } from './worker-connection.ts';
import type { FromToolWorker } from '../wire/protocol.ts';

/** What the pool must know about a call. */
export interface PoolCall {
  readonly request: WorkRequest;
  /** True if it is retried after its worker was lost. Nothing else runs in its worker then. */
  isAlone: boolean;
  /** Undefined while it waits for a worker. */
  worker: PoolWorker | undefined;
}

/** A worker that is running or starting. */
export interface PoolWorker {
  /** A unique number in this pool, for people. */
  readonly name: string;
  readonly connection: ToolWorkerConnection;
  readonly knownStates: KnownStates;
  /** The calls that it was given and hasn't answered. */
  readonly calls: Set<PoolCall>;
  /**
   * `shared` workers accept calls. `apart`: belongs to one background call and ends with it.
   * `spent`: accepts no more calls and ends after its last one.
   */
  role: 'shared' | 'apart' | 'spent';
  /** It booted. */
  isReady: boolean;
  /** Tools whose calls yield the thread, so that they may run side by side. */
  yieldingTools: ReadonlySet<string>;
  /** When it answered its last call, on the pool's clock. */
  idleSince: number;
  /** The size of decoded text that its searches cache. */
  textBytes: number;
}

export interface WorkerPoolOptions<Call extends PoolCall> {
  readonly connect: ConnectToolWorker;
  /** The most shared workers at a time. */
  readonly size: number;
  readonly clock: Clock;
  /**
   * True if the call may be sent now, given what runs. Checked whenever a call may get a worker.
   */
  readonly mayPlace: (call: Call) => boolean;
  /** Called when a call has got its worker. The listener may call any method. */
  readonly onPlaced: (call: Call, worker: PoolWorker) => void;
  readonly onMessage: (worker: PoolWorker, message: FromToolWorker) => void;
  /** Called when a worker has ended by itself. It is no longer in the pool. */
  readonly onEnd: (worker: PoolWorker, reason: SdkError) => void;
  /** Called when the worker hasn't started after `ms`. It is still in the pool. */
  readonly onStuck: (worker: PoolWorker, ms: number) => void;
}

// 1 minute: longer than a model usually thinks between two steps, so that a turn keeps its workers.
const idleMs = 60_000;

// 30 s: a worker with cached code starts within 50 ms, and within some hundreds on a busy machine.
// At load 14 on two slow cores it took more than 10 s.
const stuckMs = 30_000;

// 45 s after a worker was given up, because the machine or the network may be slow. At load 13 on
// two cores, workers took more than 2 s. Each replacement loads its code again, so a short limit
// would end them all.
const patientStuckMs = 45_000;

/** Dispose of it to end all workers, without notifying listeners. */
export class WorkerPool<Call extends PoolCall> implements Disposable {
  readonly #options: WorkerPoolOptions<Call>;
  /** In the order of their start. */
  readonly #workers = new Set<PoolWorker>();
  /**
   * Waiting calls, grouped in lines. If the first call of a line can't be placed, the others can't
   * either.
   */
  readonly #lines = new Map<string, Set<Call>>();
  /** Numbers of waiting calls. Lines are ordered by the number of their first call. */
  readonly #numbers = new Map<Call, number>();
  #lastNumber = 0;
  #firstNumber = 0;
  /** The worker that has the state of a session's tools, by session. */
  readonly #homes = new Map<string, PoolWorker>();
  #started = 0;
  /** False after a worker failed to start, until one is ready. */
  #mayGrow = true;
  #isDisposed = false;
  #idleTimer: Disposable | undefined;

  constructor(options: WorkerPoolOptions<Call>) {
    this.#options = options;
  }

  /** Starts a worker if there is none, because a call is expected soon. */
  warm(): void {
    if (!this.#isDisposed && this.isEmpty) this.#start('shared');
  }

  /** Starts another worker, unless one is starting or the limit is reached. */
  grow(): void {
    const shared = this.#shared();
    const isStarting = shared.some(({ isReady }) => !isReady);
    if (this.#mayGrow && !isStarting && shared.length < this.#options.size) this.#start('shared');
  }

  /** Queues a call, which gets a worker as soon as possible. */
  add(call: Call): void {
    this.#numbers.set(call, (this.#lastNumber += 1));
    const line = this.#lines.get(lineOf(call));
    if (line) {
      line.add(call);
      return;
    }
    this.#lines.set(lineOf(call), new Set([call]));
    this.place();
  }

  /** Gives the call to this worker, even if it is busy. */
  addTo(worker: PoolWorker, call: Call): void {
    this.#leaveLine(call);
    worker.calls.add(call);
    call.worker = worker;
    this.#options.onPlaced(call, worker);
  }

  /** Starts a worker for a single call. */
  startApart(): PoolWorker {
    return this.#start('apart');
  }

  /** Queues calls before all others, because they had their turn already. */
  addFirst(calls: readonly Call[]): void {
    for (const call of calls.toReversed()) {
      call.worker = undefined;
      this.#numbers.set(call, (this.#firstNumber -= 1));
      const line = this.#lines.get(lineOf(call)) ?? [];
      this.#lines.set(lineOf(call), new Set([call, ...line]));
    }
  }

  /** Removes a call that has replied or was cut. Call {@link WorkerPool.place} afterwards. */
  remove(call: Call): void {
    this.#leaveLine(call);
    const { worker } = call;
    if (!worker?.calls.delete(call) || worker.calls.size > 0 || !this.has(worker)) return;
    if (worker.role === 'spent') this.end(worker);
    worker.idleSince = this.#options.clock.now();
    this.#watchIdle();
  }

  /** Gives workers to waiting calls as far as possible. */
  place(): void {
    const place = (call: Call) => {
      const worker = this.#choose(call);
      if (!worker) return false;
      const { sessionId, isStateless } = call.request;
      if (!isStateless) this.#homes.set(sessionId, worker);
      this.addTo(worker, call);
      return true;
    };
    // The lines are read again after each call, because listeners may change them.
    while (this.#firstOfLines().some(place));
  }

  /** In the order in which they get workers. */
  waiting(): readonly Call[] {
    return [...this.#numbers.keys()].toSorted(this.#compare);
  }

  /** The worker's memory can only be freed by ending it. Another one will replace it. */
  noteSpent(worker: PoolWorker): void {
    if (worker.role !== 'shared' || !this.has(worker)) return;
    worker.role = 'spent';
    this.#leaveHomes(worker);
    if (worker.calls.size === 0) this.end(worker);
    this.warm();
  }

  /** Records that this worker caches these texts, so that others needn't. */
  noteTexts(worker: PoolWorker, { contents, bytes }: KeptHere): void {
    worker.textBytes = bytes;
    this.#tellTexts(worker, contents);
  }

  /** No further call of the session will come. Returns the workers that may have state of it. */
  endSession(sessionId: string): readonly PoolWorker[] {
    this.#homes.delete(sessionId);
    return [...this.#workers].filter(({ role }) => role !== 'apart');
  }

  /** Returns ready shared workers without work, in the order of their start. */
  idle(): readonly PoolWorker[] {
    return this.#shared().filter(({ isReady, calls }) => isReady && calls.size === 0);
  }

  get isEmpty(): boolean {
    return this.#shared().length === 0;
  }

  has(worker: PoolWorker): boolean {
    return this.#workers.has(worker);
  }

  /** Ends it for good. */
  end(worker: PoolWorker): void {
    worker.connection.end();
    this.#workers.delete(worker);
    this.#leaveHomes(worker);
    if (worker.textBytes > 0) this.#tellTexts();
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#idleTimer?.[Symbol.dispose]();
    this.#lines.clear();
    this.#numbers.clear();
    for (const worker of [...this.#workers]) this.end(worker);
  }

  #shared(): readonly PoolWorker[] {
    return [...this.#workers].filter(({ role }) => role === 'shared');
  }

  readonly #compare = (one: Call, other: Call) =>
    (this.#numbers.get(one) ?? 0) - (this.#numbers.get(other) ?? 0);

  #firstOfLines(): readonly Call[] {
    const firsts: Call[] = [];
    for (const line of this.#lines.values()) {
      const first = line.values().next();
      if (!first.done) firsts.push(first.value);
    }
    return firsts.toSorted(this.#compare);
  }

  #leaveLine(call: Call): void {
    if (!this.#numbers.delete(call)) return;
    const line = this.#lines.get(lineOf(call));
    line?.delete(call);
    if (line?.size === 0) this.#lines.delete(lineOf(call));
  }

  #choose(call: Call): PoolWorker | undefined {
    if (!this.#options.mayPlace(call)) return undefined;
    const { sessionId, isStateless } = call.request;
    const home = this.#homes.get(sessionId);
    const worker = !isStateless && home ? this.#chooseFor(call, home) : this.#chooseAny(call, home);
    if (!worker || hasCallAlone(worker)) return undefined;
    return call.isAlone && worker.calls.size > 0 ? undefined : worker;
  }

  /**
   * If other sessions keep a home worker busy and none of its own calls run there, the session
   * moves to an idle worker.
   */
  #chooseFor({ request }: Call, home: PoolWorker): PoolWorker {
    const isOwn = (other: PoolCall) => other.request.sessionId === request.sessionId;
    if (home.calls.size === 0 || [...home.calls].some(isOwn)) return home;
    return this.idle()[0] ?? home;
  }

  #chooseAny(call: Call, home: PoolWorker | undefined): PoolWorker | undefined {
    const shared = this.#shared();
    const [first, ...others] = shared;
    if (!first) return this.#start('shared');
    // Chooses the first worker that runs nothing else, because it caches what earlier searches have
    // read.
    const sharing = shared.find(
      (each) => each.isReady && yieldsThread(call, each) && runsOnlyYielding(each),
    );
    if (sharing) return sharing;
    const idle = this.idle();
    // Of two idle workers, the one that was started first has more cached.
    const worker = home && idle.includes(home) ? home : idle[0];
    if (worker) return worker;
    // A call for the first worker waits in its port until it has started.
    if (others.length === 0 && !first.isReady && first.calls.size === 0) return first;
    this.grow();
    return undefined;
  }

  #start(role: 'shared' | 'apart'): PoolWorker {
    const { connect, clock, onMessage, onEnd, onStuck } = this.#options;
    this.#started += 1;
    const worker: PoolWorker = {
      name: String(this.#started),
      connection: connect({
        onReady: ({ yieldingTools }) => {
          worker.isReady = true;
          worker.yieldingTools = new Set(yieldingTools);
          this.#mayGrow = true;
          this.#tellTexts();
          this.place();
        },
        onMessage: (message) => onMessage(worker, message),
        onEnd: (reason) => {
          this.end(worker);
          if (role === 'shared' && !worker.isReady) this.#mayGrow = false;
          onEnd(worker, reason);
        },
      }),
      knownStates: new Map(),
      calls: new Set(),
      role,
      isReady: false,
      yieldingTools: new Set(),
      idleSince: clock.now(),
      textBytes: 0,
    };
    this.#workers.add(worker);
    if (role === 'shared') {
      const limitMs = this.#mayGrow ? stuckMs : patientStuckMs;
      clock.after(limitMs, () => {
        if (worker.isReady || !this.has(worker)) return;
        this.#mayGrow = false;
        onStuck(worker, limitMs);
      });
    }
    return worker;
  }

  #leaveHomes(worker: PoolWorker): void {
    for (const [sessionId, home] of this.#homes) {
      if (home === worker) this.#homes.delete(sessionId);
    }
  }

  /**
   * Tells all workers except `keeper` how much text others cache, and which texts to drop because
   * `keeper` has them.
   */
  #tellTexts(keeper?: PoolWorker, contents: KeptHere['contents'] = []): void {
    const all = [...this.#workers].reduce((sum, { textBytes }) => sum + textBytes, 0);
    const realms = this.#workers.size;
    for (const worker of this.#workers) {
      const bytes = all - worker.textBytes;
      if (worker !== keeper) {
        worker.connection.send({ type: 'kept-elsewhere', contents, bytes, realms });
      }
    }
  }

  #watchIdle(): void {
    if (this.#isDisposed || this.#idleTimer || this.#shared().length < 2) return;
    this.#idleTimer = this.#options.clock.after(idleMs, () => {
      this.#idleTimer = undefined;
      this.#endIdle();
      this.#watchIdle();
    });
  }

  /** The first worker stays, so that the next call doesn't wait. */
  #endIdle(): void {
    const now = this.#options.clock.now();
    for (const worker of this.#shared().slice(1)) {
      if (worker.calls.size === 0 && now - worker.idleSince >= idleMs) this.end(worker);
    }
  }
}

/**
 * Calls in one line have the same requirements for a worker. A session's calls that share a state
 * are one line.
 */
function lineOf({ request: { isStateless, sessionId, toolName }, isAlone }: PoolCall): string {
  return isStateless ? `tool ${isAlone} ${toolName}` : `session ${sessionId}`;
}

function hasCallAlone({ calls }: PoolWorker): boolean {
  return [...calls].some(({ isAlone }) => isAlone);
}

/** True if the call yields the thread, so that it may run beside other such calls. */
function yieldsThread({ request, isAlone }: PoolCall, { yieldingTools }: PoolWorker): boolean {
  return !isAlone && request.isStateless === true && yieldingTools.has(request.toolName);
}

function runsOnlyYielding(worker: PoolWorker): boolean {
  return [...worker.calls].every((call) => yieldsThread(call, worker));
}
