// The receiver of fan-out: an isolate that runs calls of a session in another isolate, on a copy of
// its workspace. It changes nothing itself: a call's writes are returned as its change set.
import { createAbortError } from '../../core/async/abort.ts';
import { SdkError, toSerializedError } from '../../core/errors.ts';
import { refuseNestedCalls } from '../../core/tool/nested-call.ts';
import type { WorkReply, WorkRequest } from '../../core/tool/ports.ts';
import { systemClock } from '../../core/async/system-clock.ts';
import { createReplica, type Replica } from '../../workspace/feed/replica.ts';
import { SearchService } from '../../search/search-service.ts';
import { createInlineRealm } from '../inline/inline-realm.ts';
import { OpenCalls } from '../open-calls.ts';
import { runHandler, type HostRealm, type WorkerToolEntry } from '../run-handler.ts';
import { encodeFrame, readFrames } from '../../core/bytes/frames.ts';
import {
  behindStatus,
  isolateHost,
  readToIsolate,
  refusedStatus,
  type FromIsolate,
  type ToIsolate,
} from './isolate-wire.ts';
import { edgeSearch } from './search-memory.ts';

/** Options that only the isolate's own module can provide. */
export interface ServeCallsOptions {
  /**
   * Required for cells, as in `createEdgeHost`. Left out: a cell fails because its engine is
   * missing.
   */
  readonly wasm?: WebAssembly.Module;
}

/** The workspace of the session that sent the last call, and its calls' kept values. */
interface Followed {
  readonly workspace: string;
  readonly replica: Replica;
  readonly realm: HostRealm;
  /** The number of calls that run on it. */
  running: number;
  /** True if its copy can't be updated, so a snapshot must be sent. */
  readonly needs: { snapshot: boolean };
}

/**
 * Creates the `fetch` handler of an isolate that runs calls; `fanOut` of `createEdgeHost` sends
 * them. Create it once, in the class of a Durable Object or at the top of a Worker's module. It
 * keeps a copy of one session's workspace at a time.
 *
 * Security: every sender of a request can run the tools. Bind the isolate only to the session's
 * Worker, and route no outside requests to it. A request with another host name than the sender's
 * is refused.
 *
 * @example
 * ```ts
 * import { serveCalls, workers } from 'rockpool/edge';
 * import wasm from 'rockpool/quickjs.wasm';
 *
 * export class Calls extends DurableObject {
 *   fetch = serveCalls(workers, { wasm });
 * }
 * ```
 */
export function serveCalls(
  entries: readonly WorkerToolEntry[],
  { wasm }: ServeCallsOptions = {},
): (request: Request) => Promise<Response> {
  const openCalls = new OpenCalls();
  // Shared by the views of one workspace at a time, because each workspace numbers its own eras.
  const search = new SearchService(edgeSearch);
  let followed: Followed | undefined;

  /**
   * Disposes what tools keep for a session, such as a VM. Otherwise it would stay while many
   * sessions follow each other.
   */
  function tidy(following: Followed): void {
    if (following !== followed && following.running === 0) following.realm[Symbol.dispose]();
  }

  function follow(workspace: string): Followed {
    const before = followed;
    before?.replica[Symbol.dispose]();
    const needs = { snapshot: true };
    const replica = createReplica({
      subscribe: () => void (needs.snapshot = true),
      clock: systemClock,
    });
    const realm = createInlineRealm(() => (wasm ? Promise.resolve(wasm) : refuseWasm()));
    followed = { workspace, replica, realm, needs, running: 0 };
    if (before) tidy(before);
    return followed;
  }

  function takeFeed({ workspace, messages }: ToIsolate & { readonly type: 'feed' }): Response {
    const isOther = followed?.workspace !== workspace;
    if (isOther && messages[0]?.type !== 'snapshot') return answer(behindStatus);
    const following = isOther || !followed ? follow(workspace) : followed;
    for (const message of messages) {
      if (message.type === 'snapshot') following.needs.snapshot = false;
      following.replica.receive(message);
    }
    return answer(following.needs.snapshot ? behindStatus : 204);
  }

  function startCall({ workspace, request }: ToIsolate & { readonly type: 'call' }): Response {
    const following = followed;
    const isBehind =
      following?.workspace !== workspace ||
      following.needs.snapshot ||
      following.replica.seq() < request.address.minSeq;
    if (!following || isBehind) return answer(behindStatus);
    const controller = new AbortController();
    const stream = new ReadableStream<Uint8Array>({
      start(sink) {
        const send = (message: FromIsolate) => sink.enqueue(encodeFrame(message));
        void run(request, following, controller.signal, send).then(() => {
          // The stream of a closed request is closed already.
          if (!controller.signal.aborted) sink.close();
        });
      },
      cancel: () => controller.abort(createAbortError('The request was closed.')),
    });
    return new Response(stream);
  }

  async function run(
    request: WorkRequest,
    following: Followed,
    signal: AbortSignal,
    send: (message: FromIsolate) => void,
  ): Promise<void> {
    const { replica: views, realm } = following;
    following.running += 1;
    const tell = (message: FromIsolate) => {
      if (!signal.aborted) send(message);
    };
    const reply = await runHandler(
      request,
      { entries, views, search, realm, openCalls, savedStates: noStates },
      {
        signal,
        onProgress: (progress) => tell({ type: 'progress', progress }),
        onClockStart: () => tell({ type: 'clock-started' }),
        onEffect: () => {},
        // A standalone isolate downloads nothing.
        onDownload: () => {},
        onNestedCall: refuseNestedCalls,
      },
    );
    following.running -= 1;
    tidy(following);
    try {
      tell({ type: 'reply', reply });
    } catch (error) {
      // An output that can't be serialized is an error of the tool; the call must still get an
      // answer.
      tell({ type: 'reply', reply: toFailed(error) });
    }
  }

  return async (request) => {
    const isOurs = new URL(request.url).hostname === isolateHost && request.method === 'POST';
    if (!isOurs) return answer(404);
    try {
      const message = await readMessage(request);
      return message.type === 'feed' ? takeFeed(message) : startCall(message);
    } catch (error) {
      return new Response(toSerializedError(error).message, { status: refusedStatus });
    }
  };
}

/** The states of calls that use none. */
const noStates = { get: () => undefined, set: () => {} };

const answer = (status: number) => new Response(null, { status });

async function readMessage({ body }: Request): Promise<ToIsolate> {
  if (body) for await (const message of readFrames(body)) return readToIsolate(message);
  throw new SdkError('invalid-input', 'Refused a request without a message.');
}

function toFailed(error: unknown): WorkReply {
  return { type: 'failed', error: toSerializedError(error) };
}

function refuseWasm(): Promise<WebAssembly.Module> {
  return Promise.reject(
    new SdkError(
      'unsupported-environment',
      'The Repl has no engine in this isolate: pass wasm to serveCalls.',
      { data: { missing: 'wasm' } },
    ),
  );
}
