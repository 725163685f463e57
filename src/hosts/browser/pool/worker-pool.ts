// Which worker a call runs in. A session's calls stick to their home worker. A stateless call takes an idle
// worker; the others wait, first in, first out. The pool starts workers on demand and stops idle ones.
// It knows nothing of messages about calls: worker-executor.ts does.
import type { SdkError } from '../../../core/errors.ts';
import type { Clock, WorkRequest } from '../../../core/tool/ports.ts';
import type { KeptHere } from '../../../search/index/content-index.ts';
import type { KnownStates } from './saved-states.ts';
import type { ConnectToolWorker, ToolWorkerConnection } from './worker-connection.ts';
import type { FromToolWorker } from '../wire/protocol.ts';

/** What the pool must know of a call. */
export interface PoolCall {
  readonly request: WorkRequest;
  /** It is tried once more after its worker was lost: nothing else runs in the worker that it gets. */
  isAlone: boolean;
  /** Undefined while it waits for one. */
  worker: PoolWorker | undefined;
}

/** A worker, whether it is up already or still starting. */
export interface PoolWorker {
  /** For people: a number that no other of this pool ever has. */
  readonly name: string;
  readonly connection: ToolWorkerConnection;
  readonly knownStates: KnownStates;
  /** The calls that it was given and hasn't answered. */
  readonly calls: Set<PoolCall>;
  /**
   * `shared`: takes calls. `apart`: one background call's own, and ends with it. `spent`: takes no more
   * calls, and ends after the last that it has.
   */
  role: 'shared' | 'apart' | 'spent';
  /** It booted. */
  isReady: boolean;
  /** Its tools whose calls yield the thread: they may run beside each other. */
  yieldingTools: ReadonlySet<string>;
  /** When it answered its last call, by the pool's clock. */
  idleSince: number;
  /** How much decoded text its searches keep. */
  textBytes: number;
}

export interface WorkerPoolOptions<Call extends PoolCall> {
  readonly connect: ConnectToolWorker;
  /** The most shared workers at a time. */
  readonly size: number;
  readonly clock: Clock;
  /** May the call be sent now, given what runs? Asked each time that a call may get a worker. */
  readonly mayPlace: (call: Call) => boolean;
  /** The call has its worker now. It may call anything here. */
  readonly onPlaced: (call: Call, worker: PoolWorker) => void;
  readonly onMessage: (worker: PoolWorker, message: FromToolWorker) => void;
  /** The worker is gone by itself; it is out of the pool already. */
  readonly onEnd: (worker: PoolWorker, reason: SdkError) => void;
  /** The worker has not started after `ms`, and may never get ready. It is still in the pool. */
  readonly onStuck: (worker: PoolWorker, ms: number) => void;
}

// A minute: longer than a model thinks between two steps, so that a turn keeps its workers.
const idleMs = 60_000;

// 30 s: a worker whose code is loaded starts within 50 ms, on a busy machine within some hundreds. With load 14 on two slow
// cores it took more than 10 s.
const stuckMs = 30_000;

// 45 s, after one that was given up: the machine or the network may be what is slow. With load 13
// on two cores, workers took more than 2 s. Each that is given up has to load its code again, so a
// short limit would end them all.
const patientStuckMs = 45_000;

/** Dispose it to end all workers; whoever runs calls in them hears nothing. */
export class WorkerPool<Call extends PoolCall> implements Disposable {
  readonly #options: WorkerPoolOptions<Call>;
  /** In the order of their start. */
  readonly #workers = new Set<PoolWorker>();
  /** Calls without a worker, in lines: what has no worker for the first of a line has none for the others. */
  readonly #lines = new Map<string, Set<Call>>();
  /** Their numbers: of two lines the one whose first call has the lower number comes first. */
  readonly #numbers = new Map<Call, number>();
  #lastNumber = 0;
  #firstNumber = 0;
  /** The worker that has the state of a session's tools, by session. */
  readonly #homes = new Map<string, PoolWorker>();
  #started = 0;
  /** False after a worker that failed to start, until one gets ready. */
  #mayGrow = true;
  #isDisposed = false;
  #idleTimer: Disposable | undefined;

  constructor(options: WorkerPoolOptions<Call>) {
    this.#options = options;
  }

  /** Starts a worker where there is none: a call is to be expected soon. */
  warm(): void {
    if (!this.#isDisposed && this.isEmpty) this.#start('shared');
  }

  /** Starts a further worker, unless one is on its way or there may be none. */
  grow(): void {
    const shared = this.#shared();
    const isStarting = shared.some(({ isReady }) => !isReady);
    if (this.#mayGrow && !isStarting && shared.length < this.#options.size) this.#start('shared');
  }

  /** The call gets a worker as soon as there is one for it. */
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

  /** The call runs in this worker, whatever else does. */
  addTo(worker: PoolWorker, call: Call): void {
    this.#leaveLine(call);
    worker.calls.add(call);
    call.worker = worker;
    this.#options.onPlaced(call, worker);
  }

  /** A worker of one call's own. */
  startApart(): PoolWorker {
    return this.#start('apart');
  }

  /** They get their workers before all that wait: they have had their turn already. */
  addFirst(calls: readonly Call[]): void {
    for (const call of calls.toReversed()) {
      call.worker = undefined;
      this.#numbers.set(call, (this.#firstNumber -= 1));
      const line = this.#lines.get(lineOf(call)) ?? [];
      this.#lines.set(lineOf(call), new Set([call, ...line]));
    }
  }

  /** The call has its reply, or is cut. Call {@link WorkerPool.place} afterwards. */
  remove(call: Call): void {
    this.#leaveLine(call);
    const { worker } = call;
    if (!worker?.calls.delete(call) || worker.calls.size > 0 || !this.has(worker)) return;
    if (worker.role === 'spent') this.end(worker);
    worker.idleSince = this.#options.clock.now();
    this.#watchIdle();
  }

  /** Gives workers to the calls that wait, as far as there are any for them. */
  place(): void {
    const place = (call: Call) => {
      const worker = this.#choose(call);
      if (!worker) return false;
      const { sessionId, isStateless } = call.request;
      if (!isStateless) this.#homes.set(sessionId, worker);
      this.addTo(worker, call);
      return true;
    };
    // Looked up again after each: whoever hears of a placed call may change the lines.
    while (this.#firstOfLines().some(place));
  }

  /** In the order in which they get workers. */
  waiting(): readonly Call[] {
    return [...this.#numbers.keys()].toSorted(this.#compare);
  }

  /** The worker's memory can be had back by its end alone: another takes its place. */
  noteSpent(worker: PoolWorker): void {
    if (worker.role !== 'shared' || !this.has(worker)) return;
    worker.role = 'spent';
    this.#leaveHomes(worker);
    if (worker.calls.size === 0) this.end(worker);
    this.warm();
  }

  /** The worker keeps these texts now: no other one is to. */
  noteTexts(worker: PoolWorker, { contents, bytes }: KeptHere): void {
    worker.textBytes = bytes;
    this.#tellTexts(worker, contents);
  }

  /** No further call of the session will come. Returns the workers that may keep something of it. */
  endSession(sessionId: string): readonly PoolWorker[] {
    this.#homes.delete(sessionId);
    return [...this.#workers].filter(({ role }) => role !== 'apart');
  }

  /** Shared workers that are up and have nothing to do, in the order of their start. */
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

  /** A home that other sessions keep busy is left for an idle worker, while nothing of its own runs there. */
  #chooseFor({ request }: Call, home: PoolWorker): PoolWorker {
    const isOwn = (other: PoolCall) => other.request.sessionId === request.sessionId;
    if (home.calls.size === 0 || [...home.calls].some(isOwn)) return home;
    return this.idle()[0] ?? home;
  }

  #chooseAny(call: Call, home: PoolWorker | undefined): PoolWorker | undefined {
    const shared = this.#shared();
    const [first, ...others] = shared;
    if (!first) return this.#start('shared');
    // The first of those that run nothing else: what one search has read, the next one finds there.
    const sharing = shared.find(
      (each) => each.isReady && yieldsThread(call, each) && runsOnlyYielding(each),
    );
    if (sharing) return sharing;
    const idle = this.idle();
    // Of two idle ones the one that was started first has more at hand.
    const worker = home && idle.includes(home) ? home : idle[0];
    if (worker) return worker;
    // Before the first worker is up, its call waits in its port.
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

  /** Tells all but the keeper how much text others keep, and which texts they are to drop for it. */
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

  /** The first one stays: the next call doesn't wait for a worker. */
  #endIdle(): void {
    const now = this.#options.clock.now();
    for (const worker of this.#shared().slice(1)) {
      if (worker.calls.size === 0 && now - worker.idleSince >= idleMs) this.end(worker);
    }
  }
}

/** Calls of one line differ in nothing that decides about a place. A session's calls that share a state are one. */
function lineOf({ request: { isStateless, sessionId, toolName }, isAlone }: PoolCall): string {
  return isStateless ? `tool ${isAlone} ${toolName}` : `session ${sessionId}`;
}

function hasCallAlone({ calls }: PoolWorker): boolean {
  return [...calls].some(({ isAlone }) => isAlone);
}

/** Calls that yield the thread take turns on it; they may run beside each other, and nothing else. */
function yieldsThread({ request, isAlone }: PoolCall, { yieldingTools }: PoolWorker): boolean {
  return !isAlone && request.isStateless === true && yieldingTools.has(request.toolName);
}

function runsOnlyYielding(worker: PoolWorker): boolean {
  return [...worker.calls].every((call) => yieldsThread(call, worker));
}
