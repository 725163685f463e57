// Station 7 in a tab: calls cross to tool workers and replies come back. Knows nothing of tools,
// permissions or deadlines: dispatch.ts decides when a call is interrupted or killed.
// Every started call replies exactly once, whatever becomes of its worker.
import { createAbortError } from '../../../core/async/abort.ts';
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

/** Dispose it to end its workers; every call that still runs then replies `lost`. */
export interface WorkerExecutor extends Executor, Disposable {
  /** Starts a worker where there is none: a call is to be expected soon. */
  warm(): void;
}

export interface WorkerExecutorOptions {
  /** The most workers at a time. @defaultValue by the device's cores and memory, two to four */
  readonly size?: number | undefined;
  /** For stopping idle workers, and those that don't start. */
  readonly clock?: Clock;
  /** Left out: nobody is asked, and no worker should. */
  readonly credentials?: AskForCredentials | undefined;
}

/**
 * What a call's git wants to know of the page. Security: a worker asks, which runs tools: whether this call may
 * reach the host is judged here. `signal`: the call was stopped, or is over.
 */
export type AskForCredentials = (
  request: WorkRequest,
  host: string,
  signal: AbortSignal,
) => Promise<GitCredentials | undefined>;

/** One started call that hasn't replied. */
interface Call extends PoolCall, RetriedCall {
  /** On the wire: a tool use's own id is unique in its conversation only. */
  readonly id: number;
  readonly onProgress: (progress: unknown) => void;
  readonly onNestedCall: NestedCallListener;
  readonly onClockStart: () => void;
  readonly onDownload: () => void;
  readonly onWorker: (worker: string) => void;
  readonly settle: (reply: WorkReply) => void;
  /** What other workers do of it. */
  readonly parts: Set<RunningWork>;
  /** Ends what the page is asked for the call. Undefined: it was asked for nothing yet. */
  asking: AbortController | undefined;
  /** Saved by the handler, adopted with its reply. */
  unconfirmedState: Uint8Array | undefined;
  /** What was adopted before its reply. */
  stateBefore: Uint8Array | undefined;
  hasClockStarted: boolean;
  isRepeatable: boolean;
  isAlone: boolean;
}

type CredentialsMessage = Extract<FromToolWorker, { readonly type: 'credentials' }>;
type NestedCallMessage = Extract<FromToolWorker, { readonly type: 'nested-call' }>;

/**
 * Runs calls in a pool of tool workers, and each background call in a worker of its own, which ends
 * with it. The first worker starts with the first call, or by `warm`; a further one when all are busy.
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
    // No other is started in its place: only a call has one started.
    onStuck: (worker, ms) => end(worker, `It took more than ${ms / 1000} s to start.`),
  });
  let lastId = 0;
  let isDisposed = false;

  /**
   * A call of a session with a large state is sent when the one before it has replied. Only then is
   * it known whether their worker still has the state, or must be sent it again.
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
      // The worker keeps a state that was taken back meanwhile.
      if (isStale && !savedState) {
        connection.send({ type: 'discard', stateKey: key, savedState });
      }
      connection.send({ type: 'start', id, request, savedState });
      states.set(key, states.get(key), knownStates);
    } catch (error) {
      // An input that can't be cloned (a hook put a function into it) never leaves the page.
      finish(call, { type: 'failed', error: toSerializedError(error) });
      return;
    }
    // Last: whoever hears it may cut the call, or start another.
    call.onWorker(name);
  }

  /**
   * The call of this number in this worker. Security: one worker can't speak for a call that runs in
   * another, nor for one that was settled meanwhile.
   */
  function find(id: number, worker: PoolWorker): Call | undefined {
    const call = calls.get(id);
    return call?.worker === worker ? call : undefined;
  }

  /** In the order of their start. */
  function callsOf(worker: PoolWorker): Call[] {
    return [...calls.values()].filter((call) => call.worker === worker);
  }

  /** Where the call runs that made this one: the draft that it needs is there. */
  function findOuterWorker({ sessionId, outerCallId }: WorkRequest): PoolWorker | undefined {
    if (outerCallId === undefined) return undefined;
    for (const { request, worker } of calls.values()) {
      if (request.callId === outerCallId && request.sessionId === sessionId) return worker;
    }
    return undefined;
  }

  function receive(worker: PoolWorker, message: FromToolWorker): void {
    if (message.type === 'refused') {
      // The two halves don't understand each other: a worker file of another version, most likely.
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
      // It had saved its state already when it was told to stop.
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

  // Security: a worker can't put off its call's deadline by saying so again.
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
      // The output of a tool that ran on the page may be anything.
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
   * Divides the parts among the call's own worker, which has the first ones, and the workers that
   * have nothing to do. It does so always in the same way, because what a part reads is at hand in
   * one worker only. The call waits for none that isn't there; one is started for those after it.
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

  /** One after the other, until one fails, the worker has something else to do, or the call has replied. */
  async function doParts(
    call: Call,
    helper: PoolWorker,
    parts: readonly (readonly [at: number, part: WorkPart])[],
  ): Promise<void> {
    const { worker, request } = call;
    let isDoing = true;
    for (const [at, part] of parts) {
      let output: unknown;
      // Another call may have come to it meanwhile.
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
    // What it saved was never adopted, and what a background call's worker keeps ends with it.
    if (!worker || !savesState(call, worker)) return;
    // It was kept, or a later one was; or the session is over.
    if (stateBefore && states.isFreed(stateBefore)) return;
    const stateKey = savedStateKey(request);
    const given = states.get(stateKey);
    states.set(stateKey, stateBefore, worker.knownStates);
    states.free(given);
    // A worker that is gone meanwhile took what it kept with it.
    if (!pool.has(worker)) return;
    const isLarge = isLargeState(stateBefore);
    // It comes with the next call: two copies would wait for that one.
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
    // One that goes on after the call is done makes its worker know what it will be asked the next time.
    if (reply.type !== 'done') for (const part of call.parts) part.interrupt('The call is over.');
    call.asking?.abort(createAbortError('The call is over.'));
    pool.remove(call);
    call.settle(reply);
  }

  /** Their worker is gone: each is lost, or tried once more. */
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

  /** The worker is gone by itself. */
  function retire(worker: PoolWorker, { message }: SdkError): void {
    const { isReady, role } = worker;
    if (isReady && role !== 'apart') pool.warm();
    // Where the only worker can't be started, the calls that wait get no further: the next one tries.
    const hopeless = !isReady && pool.isEmpty ? pool.waiting() : [];
    for (const call of hopeless) settle(call, { type: 'lost', message });
    decide(callsOf(worker), { type: isReady ? 'died' : 'unusable', message });
  }

  function kill(culprit: Call, reason: string): void {
    if (!calls.has(culprit.id)) return;
    const { worker, parts } = culprit;
    // They were interrupted with it, and didn't stop either.
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

  /** Does an earlier call run in its worker, or has it none yet? */
  function isBehind(call: Call): boolean {
    if (!calls.has(call.id) || call.request.outerCallId !== undefined) return false;
    const [first] = call.worker?.calls ?? [];
    return first !== call;
  }

  /** A copy of a large state would cost as much again: the call is one of its session's then. */
  function placeable(request: WorkRequest): WorkRequest {
    const { isStateless, ...ordinary } = request;
    const state = isStateless ? states.get(savedStateKey(request)) : undefined;
    return isLargeState(state) ? ordinary : request;
  }

  /** In `helper`, if that is given; else where there is a place. */
  function start(
    asked: WorkRequest,
    onProgress: (progress: unknown) => void,
    listeners: WorkListeners = {},
    helper?: PoolWorker,
  ): RunningWork {
    const { onNestedCall = refuseNestedCalls } = listeners;
    const { onClockStart = () => {}, onDownload = () => {}, onWorker = () => {} } = listeners;
    if (isDisposed) return createRefusedWork(createClosedHostError());
    let settleReply!: (reply: WorkReply) => void;
    const reply = new Promise<WorkReply>((resolve) => void (settleReply = resolve));
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
      // Each worker is told with the next call that it gets of the session.
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

/** What a background call saves is dropped with its copy; what needs no state may leave none. */
function savesState({ request }: Call, { role }: PoolWorker): boolean {
  return role !== 'apart' && !request.isStateless;
}

function createRefusedWork(error: SdkError): RunningWork {
  const nothing = () => {};
  const reply = Promise.resolve<WorkReply>({ type: 'failed', error: toSerializedError(error) });
  return { reply, interrupt: nothing, isBehind: () => false, kill: nothing, discard: nothing };
}
