// Station 7 with other isolates: concurrency-safe calls that need no state of their session are sent to them; all others
// run here. The scheduler decides the order of results. Every started call replies exactly once, even if its isolate
// ends.
import { createAbortError } from '../../core/async/abort.ts';
import type { ConnectionGate } from '../../core/async/connection-gate.ts';
import { SdkError, messageOf, toSerializedError } from '../../core/errors.ts';
import { createId } from '../../core/ids.ts';
import type { Executor, WorkListeners, WorkReply, WorkRequest } from '../../core/tool/ports.ts';
import { FeedPacker } from '../../workspace/feed/feed-packer.ts';
import type { FeedSource } from '../../workspace/feed/serve-feed.ts';
import { readFrames } from '../../core/bytes/frames.ts';
import { IsolateGate } from './isolate-gate.ts';
import { answerError, IsolateLink } from './isolate-link.ts';
import { readFromIsolate, refusedStatus, type CallIsolate } from './isolate-wire.ts';

/** Which calls go to other isolates, to which, and to how many at once. */
export interface FanOutOptions {
  /**
   * Names of the tools whose calls are sent, as far as a call is concurrency-safe and uses nothing that
   * its tool keeps for the session. Worth it for what computes long, as a search through many
   * files. One call more crosses in about a millisecond, and each isolate has a copy of the
   * workspace.
   */
  readonly tools: readonly string[];
  /**
   * The isolate of this number, counted from 0, which `serveCalls` serves. It is asked for when it
   * is first needed, and again after a call was lost. A Durable Object's stub serves no more once
   * its object has broken. A stub for each number is sure to be an isolate of its own, and keeps
   * its copy of the workspace. A service binding may lead to any.
   *
   * @example
   * ```ts
   * isolate: (at) => env.CALLS.getByName(`${sessionName}-${at}`)
   * ```
   */
  readonly isolate: (at: number) => CallIsolate;
  /**
   * The most isolates that have calls at a time. @defaultValue 4, as many Dynamic Workers as one request
   * to a Worker may have at work: https://developers.cloudflare.com/dynamic-workers/platform/limits/
   */
  readonly maxIsolates?: number;
  /**
   * The most requests to them that wait for their headers. @defaultValue 5: a Worker's invocation may have
   * six, and one is left for the model: https://developers.cloudflare.com/workers/platform/limits/#simultaneous-open-connections
   */
  readonly maxConnections?: number;
}

export interface FanOutPorts {
  /** Runs what isn't sent. Stays its maker's to dispose. */
  readonly local: Executor;
  /** The workspace's. */
  readonly source: FeedSource;
  /** What the host asks of others takes turns. Left out: nothing else is asked. */
  readonly gate?: ConnectionGate;
}

/** Dispose it to cut what was sent; each such call then replies `lost`. */
export function createFanOutExecutor(
  { local, source, gate: shared }: FanOutPorts,
  { tools, isolate, maxIsolates = 4, maxConnections = 5 }: FanOutOptions,
): Executor & Disposable {
  checkLimits({ maxIsolates, maxConnections });
  const gate = new IsolateGate({ maxIsolates, maxConnections, shared });
  // Copies: an isolate has none of the writer's memory.
  const packer = new FeedPacker(source, (bytes) => bytes.slice());
  const workspace = { name: createId(), source, packer };
  const links = new Map<number, IsolateLink>();
  const kills = new Set<(reason: string) => void>();

  /** One that can't be had is lost like one that breaks. */
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

  /** Rejects where there is no reply to be had. */
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
      // One whose call was cut has what it had of the workspace.
      if (isLost(error) && !signal.aborted) dropLink(at, link);
      throw error;
    } finally {
      gate.leave(at);
      // Another call has lost it, or the host was closed: what this one began to follow ends with it.
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
      // Closing the request is all that reaches the isolate: what the call had by then is gone with it.
      interrupt: (reason) =>
        cut(reason, { type: 'failed', error: toSerializedError(createAbortError(reason)) }),
      isBehind: () => !isSent && !isOver,
      kill,
      // It saves nothing.
      discard: () => {},
    };
  }

  /** Nested calls are another call's part, and what may call tools has to be answered while it runs. */
  function maySend(request: WorkRequest): boolean {
    const { toolName, isStateless, outerCallId, isBackground, tools: callable = [] } = request;
    if (!isStateless || outerCallId !== undefined || isBackground) return false;
    return tools.includes(toolName) && callable.length === 0;
  }

  return {
    start(request, onProgress, listeners = {}) {
      if (!maySend(request)) return local.start(request, onProgress, listeners);
      // An empty list says nothing.
      const { tools: _none, ...sent } = request;
      return startSent(sent, onProgress, listeners);
    },
    endSession: (sessionId) => local.endSession?.(sessionId),
    restoreStates: async (sessionId, chains) => local.restoreStates?.(sessionId, chains),
    [Symbol.dispose]() {
      // A copy: each kill takes itself out of the set.
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

/** Rejects with `worker-lost`, whatever is wrong with the answer. */
async function readReply(
  response: Response,
  signal: AbortSignal,
  { onProgress, onClockStart }: SentListeners,
): Promise<WorkReply> {
  if (response.status === refusedStatus) {
    throw new SdkError('worker-lost', await response.text());
  }
  if (!response.ok || !response.body) {
    // Unread it would hold its connection, of which an invocation has few.
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
  // What can't cross is the call's own fault, and the error says so.
  if (SdkError.isInstance(error) && !isLost(error)) {
    return { type: 'failed', error: toSerializedError(error) };
  }
  return {
    type: 'lost',
    message:
      `The isolate that ran ${toolName} was lost: ${messageOf(error)} ` +
      'Nothing of the call was kept; it may be made again.',
  };
}

function isLost(error: unknown): boolean {
  return SdkError.isInstance(error) && error.code === 'worker-lost';
}

function checkLimits(limits: Readonly<Record<'maxIsolates' | 'maxConnections', number>>): void {
  for (const [name, limit] of Object.entries(limits)) {
    if (Number.isInteger(limit) && limit >= 1) continue;
    throw new SdkError('bad-usage', `${name} must be a whole number, at least 1.`, {
      data: limits,
    });
  }
}
