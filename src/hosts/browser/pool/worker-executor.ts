// Stage 7 in a tab: sends calls to tool workers and receives replies. It knows nothing of tools,
// permissions or deadlines: dispatch.ts decides when a call is interrupted or killed. Every started
// call replies exactly once, whatever happens to its worker.
import { createAbortError } from '../../../core/async/abort.ts';
import { createDeferred } from '../../../core/async/deferred.ts';
import { toSerializedError, type SdkError } from '../../../core/errors.ts';
import { refuseNestedCalls, type NestedCallListener } from '../../../core/tool/nested-call.ts';
import type {
  Clock,
  Executor,
  RunningWork,
  WorkListeners,
  WorkPart,
  WorkReply,
  WorkRequest,
} from '../../../core/tool/ports.ts';
import { systemClock } from '../../../core/async/system-clock.ts';
import { savedStateKey } from '../../run-handler.ts';
import type { GitCredentials } from '../../../workspace/git/remote/network.ts';
import { assembleStates } from '../../assemble-states.ts';
import { createClosedHostError } from '../../closed-host.ts';
import { toControlResult } from '../wire/control-result.ts';
import type { FromToolWorker } from '../wire/protocol.ts';
import { choosePoolSize } from './pool-size.ts';
import {
  isRepeatable,
  reasonOfLoss,
  type RetriedCall,
  type WorkerLoss,
} from '../../../core/tool/restart-rules.ts';
import { isLargeState, keysOf, SavedStates } from './saved-states.ts';
import type { ConnectToolWorker } from './worker-connection.ts';
import { WorkerPool, type PoolCall, type PoolWorker } from './worker-pool.ts';

/** Dispose of it to end its workers. Every running call then replies `lost`. */
export interface WorkerExecutor extends Executor, Disposable {
  /** Starts a worker if there is none, because a call is expected soon. */
  warm(): void;
}

export interface WorkerExecutorOptions {
  /**
   * The most workers at a time. @defaultValue depends on the device's cores and memory, two to four
   */
  readonly size?: number | undefined;
  /** The clock for stopping idle workers, and those that don't start. */
  readonly clock?: Clock;
  /** Left out: requests for credentials are ignored. */
  readonly credentials?: AskForCredentials | undefined;
}

/**
 * Requests credentials for a call's git from the page. Security: the requesting worker runs tools,
 * so here it is checked whether this call may reach the host. `signal` is aborted when the call was
 * stopped or has ended.
 */
export type AskForCredentials = (
  request: WorkRequest,
  host: string,
  signal: AbortSignal,
) => Promise<GitCredentials | undefined>;

/** A started call that hasn't replied. */
interface Call extends PoolCall, RetriedCall {
  /** Its number in messages, because a tool use's id is unique only within its conversation. */
  readonly id: number;
  readonly onProgress: (progress: unknown) => void;
  readonly onNestedCall: NestedCallListener;
  readonly onClockStart: () => void;
  readonly onDownload: () => void;
  readonly onWorker: (worker: string) => void;
  readonly settle: (reply: WorkReply) => void;
  /** Parts of it that other workers are doing. */
  readonly parts: Set<RunningWork>;
  /** Aborts requests to the page for this call. Undefined if there were none. */
  asking: AbortController | undefined;
  /** A state that the handler saved, adopted with its reply. */
  unconfirmedState: Uint8Array | undefined;
  /** The state before the adopted one. */
  stateBefore: Uint8Array | undefined;
  hasClockStarted: boolean;
  isRepeatable: boolean;
  isAlone: boolean;
}

type CredentialsMessage = Extract<FromToolWorker, { readonly type: 'credentials' }>;
type NestedCallMessage = Extract<FromToolWorker, { readonly type: 'nested-call' }>;

/**
 * Runs calls in a pool of tool workers, and each background call in a worker of its own, which ends
 * with it. The first worker starts with the first call or by `warm`, and further ones when all are
 * busy.
 */
export function createWorkerExecutor(
  connect: ConnectToolWorker,
  {
    size = choosePoolSize(navigator),
    clock = systemClock,
    credentials,
  }: WorkerExecutorOptions = {},
): WorkerExecutor {
  /** In the order of their start. */
  const calls = new Map<number, Call>();
  const states = new SavedStates();
  const pool = new WorkerPool<Call>({
    connect,
    size,
    clock,
    mayPlace: (call) => !mustFollow(call),
    onPlaced: send,
    onMessage: receive,
    onEnd: retire,
    // No replacement is started here: only a call starts one.
    onStuck: (worker, ms) => end(worker, `It took more than ${ms / 1000} s to start.`),
  });
  let lastId = 0;
  let isDisposed = false;

  /**
   * True if the call must wait for the previous one: its session has a large state. Only after the
   * previous reply is it known whether the worker still has that state or must be sent it again.
   */
  function mustFollow({ request }: Call): boolean {
    const key = savedStateKey(request);
    if (request.isStateless || !isLargeState(states.get(key))) return false;
    return [...calls.values()].some((other) => {
      const isBefore = other.worker !== undefined && other.worker.role !== 'apart';
      return isBefore && !other.request.isStateless && savedStateKey(other.request) === key;
    });
  }

  function send(call: Call, { connection, knownStates, name }: PoolWorker): void {
    const { id, request } = call;
    const key = savedStateKey(request);
    const isStale = states.isStale(key, knownStates);
    const savedState = isStale ? (states.get(key) ?? null) : null;
    try {
      // The worker has a state that was withdrawn meanwhile.
      if (isStale && !savedState) {
        connection.send({ type: 'discard', stateKey: key, savedState });
      }
      connection.send({ type: 'start', id, request, savedState });
      states.set(key, states.get(key), knownStates);
    } catch (error) {
      // An input that can't be cloned, such as a function added by a hook, never leaves the page.
      finish(call, { type: 'failed', error: toSerializedError(error) });
      return;
    }
    // Called last, because a listener may cut the call or start another.
    call.onWorker(name);
  }

  /**
   * Returns the call of this number in this worker. Security: a worker can't speak for a call of
   * another worker, or for one that was settled.
   */
  function find(id: number, worker: PoolWorker): Call | undefined {
    const call = calls.get(id);
    return call?.worker === worker ? call : undefined;
  }

  /** In the order of their start. */
  function callsOf(worker: PoolWorker): Call[] {
    return [...calls.values()].filter((call) => call.worker === worker);
  }

  /** Returns the worker of the outer call, which has the draft that the nested call needs. */
  function findOuterWorker({ sessionId, outerCallId }: WorkRequest): PoolWorker | undefined {
    if (outerCallId === undefined) return undefined;
    for (const { request, worker } of calls.values()) {
      if (request.callId === outerCallId && request.sessionId === sessionId) return worker;
    }
    return undefined;
  }

  function receive(worker: PoolWorker, message: FromToolWorker): void {
    if (message.type === 'refused') {
      // The two sides don't understand each other, probably because the worker's file has another
      // version.
      const reason = `${message.reason} Is assets.toolWorker of the same version as the page?`;
      pool.end(worker);
      decide(callsOf(worker), { type: 'unusable', message: reason });
      return;
    }
    if (message.type === 'kept-texts') return pool.noteTexts(worker, message);
    if (message.type === 'spent') return pool.noteSpent(worker);
    const call = find(message.id, worker);
    if (!call) return;
    if (message.type === 'progress') call.onProgress(message.progress);
    else if (message.type === 'effect') call.isRepeatable = false;
    else if (message.type === 'saved-state') call.unconfirmedState = message.state;
    else if (message.type === 'clock-started') startClock(call);
    else if (message.type === 'download') call.onDownload();
    else if (message.type === 'nested-call') void answerNested(call, worker, message);
    else if (message.type === 'credentials') void answerCredentials(call, worker, message);
    else if (message.type === 'parts') shareWork(call, worker, message.parts);
    else {
      adoptState(call, worker);
      // The handler had saved its state before it was told to stop.
      if (message.reply.type === 'failed' && call.unconfirmedState) discard(call);
      finish(call, message.reply);
    }
  }

  function adoptState(call: Call, worker: PoolWorker): void {
    const { request, unconfirmedState } = call;
    const key = savedStateKey(request);
    call.stateBefore = states.get(key);
    if (unconfirmedState && savesState(call, worker)) {
      states.set(key, unconfirmedState, worker.knownStates);
    }
  }

  // Starts the call's clock once. Security: a worker can't delay the deadline by repeating the
  // message.
  function startClock(call: Call): void {
    if (call.hasClockStarted) return;
    call.hasClockStarted = true;
    call.onClockStart();
  }

  async function answerNested(
    call: Call,
    worker: PoolWorker,
    { id, nestedId, call: asked }: NestedCallMessage,
  ): Promise<void> {
    call.isRepeatable = false;
    const reply = await call.onNestedCall(asked);
    if (find(id, worker) !== call) return;
    try {
      worker.connection.send({ type: 'nested-reply', id, nestedId, reply });
    } catch (error) {
      // The output of a tool that ran on the page may be any value.
      const { callId } = reply;
      const failed = { type: 'failed', callId, error: toSerializedError(error) } as const;
      worker.connection.send({ type: 'nested-reply', id, nestedId, reply: failed });
    }
  }

  async function answerCredentials(
    call: Call,
    worker: PoolWorker,
    { id, askedId, host }: CredentialsMessage,
  ): Promise<void> {
    const { signal } = (call.asking ??= new AbortController());
    const reply = await toControlResult(async () => credentials?.(call.request, host, signal));
    if (find(id, worker) !== call) return;
    worker.connection.send({ type: 'credentials-reply', id, askedId, reply });
  }

  /**
   * Distributes the parts: the first go to the call's own worker, others to idle workers. The
   * distribution is always the same, because what a part reads is cached in one worker. The call
   * doesn't wait for missing workers; one is started for later calls.
   */
  function shareWork(call: Call, { connection }: PoolWorker, parts: readonly WorkPart[]): void {
    const helpers = pool.idle();
    if (helpers.length === 0) {
      pool.grow();
      return;
    }
    const share = Math.ceil(parts.length / (helpers.length + 1));
    connection.send({ type: 'parts-taken', id: call.id, from: share });
    for (const [number, helper] of helpers.entries()) {
      const from = (number + 1) * share;
      void doParts(call, helper, [...parts.entries()].slice(from, from + share));
    }
  }

  /**
   * Does parts in sequence until one fails, the worker gets other work, or the call has replied.
   */
  async function doParts(
    call: Call,
    helper: PoolWorker,
    parts: readonly (readonly [at: number, part: WorkPart])[],
  ): Promise<void> {
    const { worker, request } = call;
    let isDoing = true;
    for (const [at, part] of parts) {
      let output: unknown;
      // Another call may have been given to the worker meanwhile.
      isDoing &&= helper.calls.size === 0;
      if (isDoing) {
        const { callId, address } = request;
        const asked: WorkRequest = {
          ...request,
          callId: `${callId}/${at}`,
          address: { ...address, minSeq: part.seq },
          knownVersions: [],
          isStateless: true,
          part,
        };
        const work = start(asked, () => {}, {}, helper);
        call.parts.add(work);
        const reply = await work.reply;
        call.parts.delete(work);
        isDoing = reply.type === 'done';
        if (reply.type === 'done') output = reply.output;
      }
      if (!worker || find(call.id, worker) !== call) return;
      worker.connection.send({ type: 'part-reply', id: call.id, at, output });
    }
  }

  function discard(call: Call): void {
    const { request, worker, stateBefore } = call;
    // An unadopted state is dropped, and what a background call's worker keeps ends with it.
    if (!worker || !savesState(call, worker)) return;
    // The state was kept, or replaced by a later one, or the session has ended.
    if (stateBefore && states.isFreed(stateBefore)) return;
    const stateKey = savedStateKey(request);
    const given = states.get(stateKey);
    states.set(stateKey, stateBefore, worker.knownStates);
    states.free(given);
    // A worker that is gone took its state with it.
    if (!pool.has(worker)) return;
    const isLarge = isLargeState(stateBefore);
    // It is sent with the next call. Otherwise two copies would wait for it.
    if (isLarge) worker.knownStates.delete(stateKey);
    const savedState = isLarge ? null : (stateBefore ?? null);
    worker.connection.send({ type: 'discard', stateKey, savedState });
  }

  function finish(call: Call, reply: WorkReply): void {
    settle(call, reply);
    if (call.worker && call.request.isBackground) {
      pool.end(call.worker);
      const message = 'The call that made this one is over.';
      for (const nested of callsOf(call.worker)) settle(nested, { type: 'lost', message });
    }
    pool.place();
  }

  function settle(call: Call, reply: WorkReply): void {
    calls.delete(call.id);
    // A part that continues after the call caches what the next call will need in its worker.
    if (reply.type !== 'done') for (const part of call.parts) part.interrupt('The call is over.');
    call.asking?.abort(createAbortError('The call is over.'));
    pool.remove(call);
    call.settle(reply);
  }

  /** Their worker is gone. Each call is lost, or tried once more. */
  function decide(bereft: readonly Call[], loss: WorkerLoss): void {
    const retried: Call[] = [];
    for (const call of bereft) {
      const message = reasonOfLoss(call, loss);
      if (message !== undefined) {
        settle(call, { type: 'lost', message });
        continue;
      }
      call.isAlone = true;
      call.hasClockStarted = false;
      call.unconfirmedState = undefined;
      retried.push(call);
    }
    pool.addFirst(retried);
    pool.place();
  }

  /** Called when a worker has ended by itself. */
  function retire(worker: PoolWorker, { message }: SdkError): void {
    const { isReady, role } = worker;
    if (isReady && role !== 'apart') pool.warm();
    // If the only worker can't be started, waiting calls fail. The next call tries again.
    const hopeless = !isReady && pool.isEmpty ? pool.waiting() : [];
    for (const call of hopeless) settle(call, { type: 'lost', message });
    decide(callsOf(worker), { type: isReady ? 'died' : 'unusable', message });
  }

  function kill(culprit: Call, reason: string): void {
    if (!calls.has(culprit.id)) return;
    const { worker, parts } = culprit;
    // These parts were interrupted with the call but didn't stop.
    for (const part of parts) part.kill(reason);
    settle(culprit, { type: 'lost', message: reason });
    if (worker) end(worker, reason);
    else pool.place();
    if (worker && worker.role !== 'apart') pool.warm();
  }

  function end(worker: PoolWorker, reason: string): void {
    pool.end(worker);
    decide(callsOf(worker), { type: 'ended', message: `Its worker was ended: ${reason}` });
  }

  function interrupt(call: Call, reason: string): void {
    if (!calls.has(call.id)) return;
    call.isRepeatable = false;
    for (const part of call.parts) part.interrupt(reason);
    call.asking?.abort(createAbortError(reason));
    if (call.worker) call.worker.connection.send({ type: 'interrupt', id: call.id, reason });
    else finish(call, { type: 'failed', error: toSerializedError(createAbortError(reason)) });
  }

  /** True if an earlier call still runs in its worker, or waits for one. */
  function isBehind(call: Call): boolean {
    if (!calls.has(call.id) || call.request.outerCallId !== undefined) return false;
    const [first] = call.worker?.calls ?? [];
    return first !== call;
  }

  /** Copying a large state would cost too much, so the call runs in its session's worker. */
  function placeable(request: WorkRequest): WorkRequest {
    const { isStateless, ...ordinary } = request;
    const state = isStateless ? states.get(savedStateKey(request)) : undefined;
    return isLargeState(state) ? ordinary : request;
  }

  /** Starts the call in `helper` if given, otherwise where there is a place. */
  function start(
    asked: WorkRequest,
    onProgress: (progress: unknown) => void,
    listeners: WorkListeners = {},
    helper?: PoolWorker,
  ): RunningWork {
    const { onNestedCall = refuseNestedCalls } = listeners;
    const { onClockStart = () => {}, onDownload = () => {}, onWorker = () => {} } = listeners;
    if (isDisposed) return createRefusedWork(createClosedHostError());
    const { promise: reply, resolve: settleReply } = createDeferred<WorkReply>();
    const request = placeable(asked);
    const call: Call = {
      id: (lastId += 1),
      request,
      onProgress,
      onNestedCall,
      onClockStart,
      onDownload,
      onWorker,
      settle: settleReply,
      parts: new Set(),
      asking: undefined,
      worker: undefined,
      unconfirmedState: undefined,
      stateBefore: undefined,
      hasClockStarted: false,
      isRepeatable: isRepeatable(request),
      isAlone: false,
    };
    calls.set(call.id, call);
    const own = helper ?? (request.isBackground ? pool.startApart() : findOuterWorker(request));
    if (own) pool.addTo(own, call);
    else pool.add(call);
    return {
      reply,
      interrupt: (reason) => interrupt(call, reason),
      isBehind: () => isBehind(call),
      kill: (reason) => kill(call, reason),
      discard: () => discard(call),
      keep: () => states.free(call.stateBefore),
    };
  }

  return {
    warm: () => pool.warm(),
    start,
    endSession(sessionId) {
      states.endSession(sessionId);
      for (const { connection, knownStates } of pool.endSession(sessionId)) {
        for (const stateKey of keysOf(sessionId, knownStates)) {
          knownStates.delete(stateKey);
          connection.send({ type: 'discard', stateKey, savedState: null });
        }
      }
    },
    async restoreStates(sessionId, chains) {
      // Each worker is told with its next call of the session.
      states.restore(sessionId, await assembleStates(sessionId, chains));
    },
    [Symbol.dispose]() {
      isDisposed = true;
      pool[Symbol.dispose]();
      for (const call of calls.values()) {
        settle(call, { type: 'lost', message: 'The host was closed.' });
      }
    },
  };
}

/** A background call's state is dropped with its copy. A call that needs no state may save none. */
function savesState({ request }: Call, { role }: PoolWorker): boolean {
  return role !== 'apart' && !request.isStateless;
}

function createRefusedWork(error: SdkError): RunningWork {
  const nothing = () => {};
  const reply = Promise.resolve<WorkReply>({ type: 'failed', error: toSerializedError(error) });
  return { reply, interrupt: nothing, isBehind: () => false, kill: nothing, discard: nothing };
}
