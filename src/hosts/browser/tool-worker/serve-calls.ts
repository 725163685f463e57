// The tool worker's end of the calls port: starts handlers, interrupts them, and sends their
// messages. Several calls may interleave in one worker; the scheduler decides which ones.
import { createAbortError, throwIfAborted } from '../../../core/async/abort.ts';
import { toSerializedError } from '../../../core/errors.ts';
import { largeStateBytes, type PartListener } from '../../../core/tool/handler.ts';
import type { NestedCall, NestedReply } from '../../../core/tool/nested-call.ts';
import type { WorkReply, WorkRequest } from '../../../core/tool/ports.ts';
import type { SearchService } from '../../../search/search-service.ts';
import type { ViewSource } from '../../../workspace/draft/view.ts';
import type { GitCredentials, GitCredentialSource } from '../../../workspace/git/remote/network.ts';
import { OpenCalls } from '../../open-calls.ts';
import {
  runHandler,
  savedStateKey,
  type HostRealm,
  type WorkerToolEntry,
} from '../../run-handler.ts';
import { fromControlResult } from '../wire/control-result.ts';
import { freeBytes } from '../wire/free-bytes.ts';
import { packChanges } from '../wire/packed-changes.ts';
import type {
  ControlResult,
  FromToolWorker,
  ToolWorkerGit,
  ToToolWorker,
} from '../wire/protocol.ts';
import { OpenRequests, RunningRequests } from '../wire/request-port.ts';

/** What a booted tool worker has. */
export interface ServeCallsPorts {
  readonly entries: readonly WorkerToolEntry[];
  readonly views: ViewSource;
  readonly search: SearchService;
  readonly realm: HostRealm;
  readonly git?: ToolWorkerGit | undefined;
}

/** Serves calls on `port` until disposed of. Running calls are then aborted. */
export function serveCalls(port: MessagePort, ports: ServeCallsPorts): Disposable {
  const running = new RunningRequests();
  /**
   * States that this worker's handlers have saved, for its next calls. The page has the
   * authoritative copy, and the only one of a large state. Here a large state is kept only for the
   * call that it was sent with.
   */
  const states = new Map<string, Uint8Array>();
  const openCalls = new OpenCalls();
  const realm = {
    ...ports.realm,
    noteSpent: () => send({ type: 'spent' }),
  };
  /**
   * Nested calls that wait for the page. After a call has replied, its nested calls are never
   * answered.
   */
  const nested = new OpenRequests<{ id: number; settle: (reply: NestedReply) => void }>();
  /** Requests for credentials that wait for the page. */
  const asked = new OpenRequests<{ id: number; settle: (reply: CredentialsReply) => void }>();
  /** Listeners of calls that share their work, by call. */
  const sharing = new Map<number, PartListener>();
  const send = (message: FromToolWorker, transfer: Transferable[] = []) =>
    port.postMessage(message, transfer);

  async function start(id: number, request: WorkRequest): Promise<void> {
    const reply = await running.run(id, (signal) => runCall(id, request, signal));
    sharing.delete(id);
    takeLarge(savedStateKey(request));
    nested.takeAll((call) => call.id === id);
    asked.takeAll((question) => question.id === id);
    sendReply(id, request, reply);
  }

  function runCall(id: number, request: WorkRequest, signal: AbortSignal): Promise<WorkReply> {
    return runHandler(
      request,
      {
        ...ports,
        realm,
        openCalls,
        git: ports.git && toGitSettings(ports.git, id),
        savedStates: {
          get: (key) => states.get(key),
          set: (key, state) => {
            if (isLarge(state)) {
              states.delete(key);
              sendState(id, isWhole(state) ? state : state.slice());
              return;
            }
            // A copy, because the handler may change its bytes later. The other one is transferred
            // to the page.
            states.set(key, state.slice());
            sendState(id, state.slice());
          },
        },
      },
      {
        signal,
        onProgress: (progress) => send({ type: 'progress', id, progress }),
        onEffect: () => send({ type: 'effect', id }),
        onNestedCall: (call) => sendNestedCall(id, call),
        onClockStart: () => {
          // The handler already has what it needs of its state.
          const state = takeLarge(savedStateKey(request));
          if (state) freeBytes(state);
          send({ type: 'clock-started', id });
        },
        onDownload: () => send({ type: 'download', id }),
        onShareWork: (parts, others) => {
          sharing.set(id, others);
          send({ type: 'parts', id, parts });
        },
      },
    );
  }

  /** Removes a large state, which was sent for one call. The handler may still use it. */
  function takeLarge(stateKey: string): Uint8Array | undefined {
    const state = states.get(stateKey);
    if (!state || !isLarge(state)) return undefined;
    states.delete(stateKey);
    return state;
  }

  /** Transfers the bytes, so nothing of them stays here. */
  function sendState(id: number, state: Uint8Array<ArrayBuffer>): void {
    send({ type: 'saved-state', id, state }, [state.buffer]);
  }

  function sendNestedCall(id: number, call: NestedCall): Promise<NestedReply> {
    return new Promise((settle) => {
      send({ type: 'nested-call', id, nestedId: nested.add({ id, settle }), call });
    });
  }

  function toGitSettings({ hasCredentials, ...settings }: ToolWorkerGit, id: number) {
    return { ...settings, ...(hasCredentials && { credentials: askPage(id) }) };
  }

  /** Security: the page's answer is passed only to the command that asked. */
  function askPage(id: number): GitCredentialSource {
    return {
      async credentials(host, { signal }) {
        throwIfAborted(signal);
        const reply = await new Promise<CredentialsReply>((settle, reject) => {
          signal?.addEventListener('abort', () => reject(createAbortError(signal.reason)));
          const askedId = asked.add({ id, settle });
          send({ type: 'credentials', id, askedId, host });
        });
        return fromControlResult(reply);
      },
    };
  }

  function sendReply(id: number, { packsChanges }: WorkRequest, reply: WorkReply): void {
    try {
      if (packsChanges && reply.type === 'done' && reply.changeSet) {
        const packedChanges = packChanges(reply.changeSet);
        const packed = { ...reply, changeSet: null, packedChanges };
        send({ type: 'reply', id, reply: packed }, [packedChanges.buffer]);
      } else send({ type: 'reply', id, reply });
    } catch (error) {
      // An output that can't be cloned is an error of the tool. The call must still be answered.
      const failed = { type: 'failed', error: toSerializedError(error) } as const;
      send({ type: 'reply', id, reply: failed });
    }
  }

  function receive(message: ToToolWorker): void {
    switch (message.type) {
      case 'start':
        if (message.savedState) states.set(savedStateKey(message.request), message.savedState);
        void start(message.id, message.request);
        return;
      case 'interrupt':
        running.abort(message.id, createAbortError(message.reason));
        return;
      case 'nested-reply':
        nested.take(message.nestedId)?.settle(message.reply);
        return;
      case 'credentials-reply':
        asked.take(message.askedId)?.settle(message.reply);
        return;
      case 'part-reply':
        sharing.get(message.id)?.onDone(message.at, message.output);
        return;
      case 'parts-taken':
        sharing.get(message.id)?.onTaken(message.from);
        return;
      case 'discard':
        ports.realm.drop(message.stateKey);
        if (message.savedState) states.set(message.stateKey, message.savedState);
        else states.delete(message.stateKey);
        return;
      case 'kept-elsewhere':
        ports.search.yieldTexts(message);
        return;
      default:
        send({ type: 'refused', reason: unknownMessage(message) });
    }
  }

  port.addEventListener('message', ({ data }: MessageEvent<ToToolWorker>) => receive(data));
  port.start();

  return {
    [Symbol.dispose]() {
      running.abortAll(createAbortError('disposed'));
      port.close();
    },
  };
}

/** A page of another version may have messages that are unknown here. */
function unknownMessage(message: never): string {
  return `The worker knows no message of the type "${String(Object(message).type)}".`;
}

type CredentialsReply = ControlResult<GitCredentials | undefined>;

const isLarge = (state: Uint8Array) => state.length > largeStateBytes;

/** True if the state's buffer contains nothing else. */
function isWhole(state: Uint8Array): state is Uint8Array<ArrayBuffer> {
  return state.buffer instanceof ArrayBuffer && state.byteLength === state.buffer.byteLength;
}
