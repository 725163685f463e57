// Stage 7 with other isolates. It sends concurrency-safe calls that need no session state to
// other isolates and runs all others here. The scheduler orders the results. Every started call
// replies exactly once, even if its isolate ends.
import { createAbortError } from '../../core/async/abort.ts';
import type { ConnectionGate } from '../../core/async/connection-gate.ts';
import { SdkError, hasCode, messageOf, toSerializedError } from '../../core/errors.ts';
import { createId } from '../../core/ids.ts';
import type { Executor, WorkListeners, WorkReply, WorkRequest } from '../../core/tool/ports.ts';
import { FeedPacker } from '../../workspace/feed/feed-packer.ts';
import type { FeedSource } from '../../workspace/feed/serve-feed.ts';
import { readFrames } from '../../core/bytes/frames.ts';
import { IsolateGate } from './isolate-gate.ts';
import { answerError, IsolateLink } from './isolate-link.ts';
import { readFromIsolate, refusedStatus, type CallIsolate } from './isolate-wire.ts';

/** Which calls are sent to other isolates, to which isolates, and how many at once. */
export interface FanOutOptions {
  /**
   * The names of the tools whose calls are sent. A call is sent only if it is concurrency-safe and
   * uses no state that its tool keeps for the session. Sending is worthwhile for long computations,
   * such as a search in many files. It costs about a millisecond per call, and each isolate has a
   * copy of the workspace.
   */
  readonly tools: readonly string[];
  /**
   * Returns the isolate with this number, counted from 0. `serveCalls` runs in it. Called at the
   * first use, and again after a call was lost, because a Durable Object's stub is dead once its
   * object has failed. One stub per number guarantees separate isolates, which keep their copies of
   * the workspace. A service binding may lead to any isolate.
   *
   * @example
   * ```ts
   * isolate: (at) => env.CALLS.getByName(`${sessionName}-${at}`)
   * ```
   */
  readonly isolate: (at: number) => CallIsolate;
  /**
   * The most isolates that run calls at once. @defaultValue 4, the limit of running Dynamic Workers
   * per request: https://developers.cloudflare.com/dynamic-workers/platform/limits/
   */
  readonly maxIsolates?: number;
  /**
   * The most requests to isolates that wait for their headers. @defaultValue 5: a Worker's
   * invocation may have six, and one is left for the model:
   * https://developers.cloudflare.com/workers/platform/limits/#simultaneous-open-connections
   */
  readonly maxConnections?: number;
}

export interface FanOutPorts {
  /** Runs the calls that aren't sent. Its creator disposes it. */
  readonly local: Executor;
  /** The workspace's feed. */
  readonly source: FeedSource;
  /** Limits all requests of the host. Left out: the host makes no other requests. */
  readonly gate?: ConnectionGate;
}

/** Dispose it to cancel the calls that were sent; each of them then replies `lost`. */
export function createFanOutExecutor(
  { local, source, gate: shared }: FanOutPorts,
  { tools, isolate, maxIsolates = 4, maxConnections = 5 }: FanOutOptions,
): Executor & Disposable {
  checkLimits({ maxIsolates, maxConnections });
  const gate = new IsolateGate({ maxIsolates, maxConnections, shared });
  // The bytes are copied, because isolates don't share memory with the writer.
  const packer = new FeedPacker(source, (bytes) => bytes.slice());
  const workspace = { name: createId(), source, packer };
  const links = new Map<number, IsolateLink>();
  const kills = new Set<(reason: string) => void>();

  /** An isolate that can't be obtained is treated like one that breaks. */
  function isolateAt(at: number): CallIsolate {
    try {
      return isolate(at);
    } catch (error) {
      return { fetch: () => Promise.reject(error) };
    }
  }

  function linkTo(at: number): IsolateLink {
    const link = links.get(at) ?? new IsolateLink(isolateAt(at), workspace);
    links.set(at, link);
    return link;
  }

  function dropLink(at: number, link: IsolateLink): void {
    link[Symbol.dispose]();
    if (links.get(at) === link) links.delete(at);
  }

  /** Rejects if no reply can be obtained. */
  async function send(
    request: WorkRequest,
    signal: AbortSignal,
    listeners: SentListeners,
  ): Promise<WorkReply> {
    const disconnect = await gate.connect(signal);
    const at = gate.enter();
    const link = linkTo(at);
    try {
      listeners.onSent(`isolate ${at + 1}`);
      const response = await link.call(request, signal).finally(disconnect);
      return await readReply(response, signal, listeners);
    } catch (error) {
      // A cancelled call has already brought the isolate its part of the workspace, so the link is
      // kept.
      if (hasCode(error, 'worker-lost') && !signal.aborted) dropLink(at, link);
      throw error;
    } finally {
      gate.leave(at);
      // Another call has dropped this link, or the host was closed. Then this link must stop
      // following the workspace.
      if (links.get(at) !== link) link[Symbol.dispose]();
    }
  }

  function startSent(
    request: WorkRequest,
    onProgress: (progress: unknown) => void,
    { onClockStart, onWorker }: WorkListeners,
  ): ReturnType<Executor['start']> {
    const controller = new AbortController();
    let isSent = false;
    let isOver = false;
    let settle: (reply: WorkReply) => void = () => {};
    const reply = new Promise<WorkReply>((resolve) => {
      settle = (settled) => {
        isOver = true;
        kills.delete(kill);
        resolve(settled);
      };
    });
    const cut = (reason: string, settled: WorkReply) => {
      if (isOver) return;
      settle(settled);
      controller.abort(createAbortError(reason));
    };
    const kill = (reason: string) => cut(reason, { type: 'lost', message: reason });
    kills.add(kill);
    send(request, controller.signal, {
      onSent(worker) {
        isSent = true;
        onWorker?.(worker);
      },
      onProgress: (progress) => {
        if (!isOver) onProgress(progress);
      },
      onClockStart: () => {
        if (!isOver) onClockStart?.();
      },
    }).then(
      (replied) => void (isOver || settle(replied)),
      (error: unknown) => void (isOver || settle(toFailure(request, error))),
    );
    return {
      reply,
      // The isolate notices only that the request is closed. The partial output of the call is
      // lost.
      interrupt: (reason) =>
        cut(reason, { type: 'failed', error: toSerializedError(createAbortError(reason)) }),
      isBehind: () => !isSent && !isOver,
      kill,
      // The call stores nothing.
      discard: () => {},
    };
  }

  /**
   * A nested call belongs to another call. A call that may call tools needs answers while it runs.
   * Neither is sent.
   */
  function maySend(request: WorkRequest): boolean {
    const { toolName, isStateless, outerCallId, isBackground, tools: callable = [] } = request;
    if (!isStateless || outerCallId !== undefined || isBackground) return false;
    return tools.includes(toolName) && callable.length === 0;
  }

  return {
    start(request, onProgress, listeners = {}) {
      if (!maySend(request)) return local.start(request, onProgress, listeners);
      // An empty list has no meaning, so it isn't sent.
      const { tools: _none, ...sent } = request;
      return startSent(sent, onProgress, listeners);
    },
    endSession: (sessionId) => local.endSession?.(sessionId),
    restoreStates: async (sessionId, chains) => local.restoreStates?.(sessionId, chains),
    [Symbol.dispose]() {
      // Iterates over a copy, because each kill removes itself from the set.
      for (const kill of [...kills]) kill('The host was closed.');
      for (const [at, link] of links) dropLink(at, link);
      packer[Symbol.dispose]();
    },
  };
}

interface SentListeners {
  readonly onSent: (worker: string) => void;
  readonly onProgress: (progress: unknown) => void;
  readonly onClockStart: () => void;
}

/** Rejects with `worker-lost` for every kind of invalid answer. */
async function readReply(
  response: Response,
  signal: AbortSignal,
  { onProgress, onClockStart }: SentListeners,
): Promise<WorkReply> {
  if (response.status === refusedStatus) {
    throw new SdkError('worker-lost', await response.text());
  }
  if (!response.ok || !response.body) {
    // An unread body keeps its connection open, and an invocation has only a few.
    await response.body?.cancel();
    throw answerError(response.status);
  }
  try {
    for await (const frame of readFrames(response.body, signal)) {
      const message = readFromIsolate(frame);
      if (message.type === 'progress') onProgress(message.progress);
      else if (message.type === 'clock-started') onClockStart();
      else return message.reply;
    }
  } catch (error) {
    throw new SdkError('worker-lost', messageOf(error), { cause: error });
  }
  throw new SdkError('worker-lost', 'It ended before it had answered.');
}

function toFailure({ toolName }: WorkRequest, error: unknown): WorkReply {
  // A value that can't be serialized is the fault of the call, and the error says so.
  if (SdkError.isInstance(error) && !hasCode(error, 'worker-lost')) {
    return { type: 'failed', error: toSerializedError(error) };
  }
  return {
    type: 'lost',
    message:
      `The isolate that ran ${toolName} was lost: ${messageOf(error)} ` +
      'Nothing of the call was kept; it may be made again.',
  };
}

function checkLimits(limits: Readonly<Record<'maxIsolates' | 'maxConnections', number>>): void {
  for (const [name, limit] of Object.entries(limits)) {
    if (Number.isInteger(limit) && limit >= 1) continue;
    throw new SdkError('bad-usage', `${name} must be a whole number, at least 1.`, {
      data: limits,
    });
  }
}
