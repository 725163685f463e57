// Station 7 in a tab: calls cross to tool workers and replies come back. Knows nothing of tools,
// permissions or deadlines: dispatch.ts decides when a call is interrupted or killed.
// Every started call replies exactly once, whatever becomes of its worker.
import { toSerializedError } from '../../core/errors.ts';
import { refuseNestedCalls, type NestedCallListener } from '../../core/nested-call.ts';
import type { Executor, RunningWork, WorkReply, WorkRequest } from '../../core/ports.ts';
import { savedStateKey } from '../run-handler.ts';
import type { ConnectToolWorker, ToolWorkerConnection } from './connect-tool-worker.ts';
import type { FromToolWorker } from './protocol.ts';

/** Dispose it to end its worker; every call that still runs then replies `lost`. */
export interface WorkerExecutor extends Executor, Disposable {
  /** Starts a worker where there is none: a call is to be expected soon. */
  warm(): void;
}

/** One started call that hasn't replied. */
interface Call {
  /** On the wire: a tool use's own id is unique in its conversation only. */
  readonly id: number;
  readonly request: WorkRequest;
  readonly onProgress: (progress: unknown) => void;
  readonly onNestedCall: NestedCallListener;
  readonly onClockStart: () => void;
  readonly settle: (reply: WorkReply) => void;
  /** It runs in the background, or a call that does made it: what it saves is dropped. */
  readonly isApart: boolean;
  worker: PooledWorker;
  /** Saved by the handler, adopted with its reply. */
  unconfirmedState: Uint8Array | undefined;
  /** What was adopted before it. */
  stateBefore: Uint8Array | undefined;
  hasClockStarted: boolean;
  /** Once, and neither after an interrupt nor where something of it can't be undone. */
  mayRestart: boolean;
}

type NestedCallMessage = Extract<FromToolWorker, { type: 'nested-call' }>;

/** A worker, whether it is up already or still starting. */
interface PooledWorker {
  readonly connection: ToolWorkerConnection;
  /** The states that this worker has in its newest form. */
  readonly knownStates: Set<string>;
  isReady: boolean;
}

/**
 * Runs calls in a pool of tool workers (of one, for now), and each background call in a worker of its
 * own, which ends with it. The pool's worker starts with the first call, or by `warm`; one that is
 * killed is replaced at once, one that dies by itself with the next call.
 */
export function createWorkerExecutor(connect: ConnectToolWorker): WorkerExecutor {
  const calls = new Map<number, Call>();
  let nextId = 1;
  /** What handlers saved, by session and tool: here, because a worker may have to be killed. */
  const states = new Map<string, Uint8Array>();
  let isDisposed = false;
  let pooled: PooledWorker | undefined;

  function startWorker(): PooledWorker {
    const worker: PooledWorker = {
      connection: connect({
        onReady: () => {
          worker.isReady = true;
        },
        onMessage: (message) => receive(worker, message),
        onEnd: (reason) => retire(worker, reason.message),
      }),
      knownStates: new Set(),
      isReady: false,
    };
    return worker;
  }

  function send(call: Call): void {
    const { request } = call;
    const key = savedStateKey(request);
    const savedState = call.worker.knownStates.has(key) ? null : (states.get(key) ?? null);
    try {
      call.worker.connection.send({ type: 'start', id: call.id, request, savedState });
      call.worker.knownStates.add(key);
    } catch (error) {
      // An input that can't be cloned (a hook put a function into it) never leaves the page.
      finish(call, { type: 'failed', error: toSerializedError(error) });
    }
  }

  function receive(worker: PooledWorker, message: FromToolWorker): void {
    if (message.type === 'refused') {
      // The two halves don't understand each other: a worker file of another version, most likely.
      worker.connection.end();
      retire(worker, `${message.reason} Is assets.toolWorker of the same version as the page?`);
      return;
    }
    const call = calls.get(message.id);
    // The rest of a call that was settled meanwhile. Security: nor may one worker answer a call that
    // runs in another.
    if (call?.worker !== worker) return;
    if (message.type === 'progress') call.onProgress(message.progress);
    else if (message.type === 'effect') call.mayRestart = false;
    else if (message.type === 'saved-state') call.unconfirmedState = message.state;
    else if (message.type === 'clock-started') startClock(call);
    else if (message.type === 'nested-call') void answerNested(call, message);
    else {
      const key = savedStateKey(call.request);
      call.stateBefore = states.get(key);
      if (call.unconfirmedState && !call.isApart) states.set(key, call.unconfirmedState);
      finish(call, message.reply);
    }
  }

  // Security: a worker can't put off its call's deadline by saying so again.
  function startClock(call: Call): void {
    if (call.hasClockStarted) return;
    call.hasClockStarted = true;
    call.onClockStart();
  }

  async function answerNested(call: Call, message: NestedCallMessage): Promise<void> {
    const { id, nestedId } = message;
    const { worker } = call;
    call.mayRestart = false;
    const reply = await call.onNestedCall(message.call);
    if (calls.get(id) !== call) return;
    try {
      worker.connection.send({ type: 'nested-reply', id, nestedId, reply });
    } catch (error) {
      // The output of a tool that ran on the page may be anything.
      const { callId } = reply;
      const failed = { type: 'failed', callId, error: toSerializedError(error) } as const;
      worker.connection.send({ type: 'nested-reply', id, nestedId, reply: failed });
    }
  }

  function isBehind({ id, worker }: Call): boolean {
    return [...calls.values()].some((other) => other.id < id && other.worker === worker);
  }

  function discard({ request, worker, stateBefore, isApart }: Call): void {
    // What it saved was never adopted, and what it keeps ends with its worker.
    if (isApart) return;
    const stateKey = savedStateKey(request);
    if (stateBefore) states.set(stateKey, stateBefore);
    else states.delete(stateKey);
    // A worker that is gone meanwhile took what it kept with it.
    if (pooled !== worker) return;
    worker.connection.send({ type: 'discard', stateKey, savedState: stateBefore ?? null });
  }

  function finish(call: Call, reply: WorkReply): void {
    calls.delete(call.id);
    call.settle(reply);
    if (call.request.isBackground) endWorker(call.worker, 'The call that made this one is over.');
  }

  /** For good, with all calls that it still has. */
  function endWorker(worker: PooledWorker, reason: string): void {
    worker.connection.end();
    for (const call of [...calls.values()]) {
      if (call.worker === worker) finish(call, { type: 'lost', message: reason });
    }
  }

  /** Nested calls run where the draft of their outer call is. */
  function chooseWorker({ isBackground, sessionId, outerCallId }: WorkRequest): PooledWorker {
    if (isBackground) return startWorker();
    const isOuter = ({ request }: Call) =>
      request.sessionId === sessionId && request.callId === outerCallId;
    return [...calls.values()].find(isOuter)?.worker ?? (pooled ??= startWorker());
  }

  /** The worker is gone by itself: nobody can tell which of its calls was to blame. */
  function retire(worker: PooledWorker, reason: string): void {
    const wasPooled = pooled === worker;
    if (wasPooled) pooled = undefined;
    endWorker(worker, reason);
    // A worker that never got ready would not the next time either: the next call tries.
    if (wasPooled && worker.isReady && !isDisposed) pooled ??= startWorker();
  }

  function kill(culprit: Call, reason: string): void {
    if (calls.get(culprit.id) !== culprit) return;
    const { worker } = culprit;
    worker.connection.end();
    finish(culprit, { type: 'lost', message: reason });
    if (pooled !== worker) {
      endWorker(worker, `Its worker was ended: ${reason}`);
      return;
    }
    const replacement = (pooled = startWorker());
    for (const bystander of [...calls.values()]) {
      if (bystander.worker !== worker) continue;
      if (!bystander.mayRestart) {
        finish(bystander, { type: 'lost', message: `Its worker was ended: ${reason}` });
        continue;
      }
      // What a handler did is in its draft, which went with the worker: starting anew is safe.
      bystander.worker = replacement;
      bystander.mayRestart = false;
      bystander.hasClockStarted = false;
      bystander.unconfirmedState = undefined;
      send(bystander);
    }
  }

  return {
    warm() {
      if (!isDisposed) pooled ??= startWorker();
    },
    start(request, onProgress, listeners = {}): RunningWork {
      const { onNestedCall = refuseNestedCalls, onClockStart = () => {} } = listeners;
      if (isDisposed) {
        const message = 'The host is closed. Create a new one.';
        const reply = Promise.resolve<WorkReply>({ type: 'lost', message });
        const nothing = () => {};
        return {
          reply,
          interrupt: nothing,
          isBehind: () => false,
          kill: nothing,
          discard: nothing,
        };
      }
      let settle!: (reply: WorkReply) => void;
      const reply = new Promise<WorkReply>((resolve) => void (settle = resolve));
      const worker = chooseWorker(request);
      const isApart = worker !== pooled;
      const call: Call = {
        id: nextId,
        request,
        onProgress,
        onNestedCall,
        onClockStart,
        settle,
        isApart,
        worker,
        unconfirmedState: undefined,
        stateBefore: undefined,
        hasClockStarted: false,
        // The draft of a nested call is a fork of one that went with the worker, and what was sent
        // over the network can't be taken back.
        mayRestart: request.outerCallId === undefined && request.network === undefined && !isApart,
      };
      nextId += 1;
      calls.set(call.id, call);
      send(call);
      return {
        reply,
        interrupt: (reason) => {
          if (calls.get(call.id) !== call) return;
          call.mayRestart = false;
          call.worker.connection.send({ type: 'interrupt', id: call.id, reason });
        },
        isBehind: () => request.outerCallId === undefined && isBehind(call),
        kill: (reason) => kill(call, reason),
        discard: () => discard(call),
      };
    },
    [Symbol.dispose]() {
      isDisposed = true;
      pooled?.connection.end();
      for (const call of [...calls.values()]) {
        finish(call, { type: 'lost', message: 'The host was closed.' });
      }
    },
  };
}
