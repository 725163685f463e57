// The page's end of the port to the FS worker: numbers requests, matches answers, passes events on.
// While there is no worker requests wait, and what one left unanswered is asked of its successor.
import { tellSafely } from '../../../core/async/surface.ts';
import { createAbortError, throwIfAborted } from '../../../core/async/abort.ts';
import { fromSerializedError, SdkError } from '../../../core/errors.ts';
import type { CommitOrigin } from '../../../workspace/state/record.ts';
import type { ChangeEvent } from '../../../workspace/workspace.ts';
import { createClosedHostError } from '../../closed-host.ts';
import { bytesAmong, createOutbox, type Posted } from '../wire/outbox.ts';
import { OpenRequests } from '../wire/request-port.ts';
import type {
  FromFsWorker,
  FsRequest,
  ImportProgress,
  StreamLength,
  ToFsWorker,
  UnansweredCommit,
} from '../wire/protocol.ts';

/** For requests that take long, or bring much. */
export interface FsRequestOptions {
  /** Buffers of the request that move with it instead of being cloned. */
  readonly transfer?: readonly ArrayBuffer[];
  readonly onProgress?: (progress: ImportProgress) => void;
  /**
   * Cancels in the worker; the request then rejects with what the worker answers. Without a worker it
   * rejects at once.
   */
  readonly signal?: AbortSignal | undefined;
}

/** Requests to the FS worker and what it announces. Dispose it to reject what is open. */
export interface FsWorkerClient extends Disposable {
  /** Resolves with the request's value, whose shape isn't checked: our own worker answers. */
  request(request: FsRequest, options?: FsRequestOptions): Promise<unknown>;
  /** In the order of the log. Dispose it to stop. */
  onChange(listener: (event: ChangeEvent) => void): Disposable;
  /**
   * Of each stream that has changed; with undefined when another worker was connected, which tells
   * nothing of what came before. Dispose it to stop.
   */
  onStreams(listener: (changed: StreamLength | undefined) => void): Disposable;
  /**
   * Sends what is open through this port from now on. `applied` are the requests whose commit the worker
   * before had done without answering, and the record of each: they are answered, not done again.
   * `seq` is the last record of the workspace as the worker opened it.
   */
  connect(
    port: MessagePort,
    applied?: readonly (readonly [id: number, seq: number])[],
    seq?: number,
  ): void;
  /** The worker is gone, and another will come: what is open waits, and what follows. */
  disconnect(): void;
  /** The number of the last record that a worker has told of. */
  readonly seq: number;
  /** Has the connected worker, or else the last one, answered anything? */
  readonly hasAnswered: boolean;
  /** Open requests that a worker had begun to commit. */
  unanswered(): UnansweredCommit[];
  /** From now on nothing is recorded in a stream: such requests reject. All else goes on. */
  endRecords(): void;
  /** Rejects what is open and all that follows: the worker is gone for good. */
  fail(reason: SdkError): void;
}

interface OpenRequest {
  readonly request: FsRequest;
  /** About how many it brings. */
  readonly bytes: number;
  readonly transfer: readonly ArrayBuffer[] | undefined;
  /** To how many workers it was sent. */
  sends: number;
  /** The origin of the request's commit, and its result. */
  commit: { readonly origin: CommitOrigin; readonly value: unknown } | undefined;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly onProgress: ((progress: ImportProgress) => void) | undefined;
  readonly signal: AbortSignal | undefined;
}

// 5: a request is seldom to blame for a worker's death, and never for five in a row.
const maxSends = 5;

/** Owns the ports that it is given: each is closed when its worker fails or breaks the protocol. */
export function createFsWorkerClient(): FsWorkerClient {
  let port: MessagePort | undefined;
  const open = new OpenRequests<OpenRequest>();
  const listeners = new Set<(event: ChangeEvent) => void>();
  const streamListeners = new Set<(changed: StreamLength | undefined) => void>();
  let failure: SdkError | undefined;
  let hasAnswered = false;
  let mayRecord = true;
  let lastSeq = 0;
  const outbox = createOutbox<ToFsWorker>({
    post: (posted, transfer) => port?.postMessage(posted, transfer),
    onUnsendable: ({ id }, error) => open.take(id)?.reject(error),
  });

  function fail(reason: SdkError): void {
    failure ??= reason;
    disconnect();
    for (const request of open.takeAll()) request.reject(failure);
  }

  function disconnect(): void {
    outbox.flush();
    port?.close();
    port = undefined;
  }

  function sendRequest(id: number, entry: OpenRequest): void {
    if (!port) return;
    const { request, bytes, transfer } = entry;
    outbox.add({ type: 'request', id, request }, { bytes, transfer });
    entry.sends += 1;
  }

  /** Resumes a request that the worker before had got and not answered. */
  function resume(id: number, entry: OpenRequest, seq: number | undefined): void {
    const { request, commit } = entry;
    if (entry.sends === 0) sendRequest(id, entry);
    // The request was cancelled, and its worker ended meanwhile.
    else if (entry.signal?.aborted) open.take(id)?.reject(createAbortError());
    else if (request.type === 'import') open.take(id)?.reject(createCutImportError());
    else if (seq === undefined) {
      if (entry.sends === maxSends) {
        open.take(id)?.reject(createDeadlyError());
        return;
      }
      if (isMovedAway(entry)) {
        open.take(id)?.reject(createCutCommitError());
        return;
      }
      entry.commit = undefined;
      sendRequest(id, entry);
    } else if (request.type === 'commit') open.take(id)?.resolve({ seq });
    else if (request.type === 'fs' || request.type === 'streams')
      open.take(id)?.resolve(commit?.value);
    else open.take(id)?.reject(createUntoldError());
  }

  function receive(message: FromFsWorker): void {
    switch (message.type) {
      case 'reply':
        hasAnswered = true;
        open.take(message.id)?.resolve(message.value);
        return;
      case 'failed':
        hasAnswered = true;
        open.take(message.id)?.reject(fromSerializedError(message.error));
        return;
      case 'progress':
        tellSafely(open.get(message.id)?.onProgress, message.progress);
        return;
      case 'committing': {
        const entry = open.get(message.id);
        if (entry) entry.commit = { origin: message.origin, value: message.value };
        return;
      }
      case 'change':
        lastSeq = Math.max(lastSeq, message.event.seq);
        for (const listener of [...listeners]) tellSafely(listener, message.event);
        return;
      case 'stream':
        for (const listener of [...streamListeners]) tellSafely(listener, message.changed);
        return;
      case 'refused':
        throw new SdkError(
          'worker-lost',
          `${message.reason} Is assets.fsWorker of the same version as the page?`,
        );
    }
  }

  function hear(event: MessageEvent<Posted<FromFsWorker>>): void {
    try {
      for (const message of [event.data].flat()) {
        // The rest comes from a worker that has a successor, or whose host a listener has closed.
        if (event.target !== port) return;
        receive(message);
      }
    } catch (error) {
      // Page and worker are of different versions: nothing more is taken from this worker.
      fail(SdkError.isInstance(error) ? error : new SdkError('internal', String(error)));
    }
  }

  return {
    connect(next, applied = [], seq = 0) {
      port = next;
      // Set before anything is answered, as the worker before may not have told of all its records.
      lastSeq = Math.max(lastSeq, seq);
      hasAnswered = false;
      port.addEventListener('message', hear);
      port.start();
      const seqs = new Map(applied);
      for (const [id, entry] of open.entries()) resume(id, entry, seqs.get(id));
      for (const listener of [...streamListeners]) tellSafely(listener, undefined);
    },
    disconnect,
    get seq() {
      return lastSeq;
    },
    get hasAnswered() {
      return hasAnswered;
    },
    unanswered: () =>
      open.entries().flatMap(([id, { commit }]) => (commit ? [{ id, origin: commit.origin }] : [])),
    request(request, { transfer, onProgress, signal } = {}) {
      return new Promise((resolve, reject) => {
        // Thrown within the promise, so that it is a rejection like every other failure of a
        // request.
        throwIfAborted(signal);
        if (failure) throw failure;
        if (!mayRecord && appendsToStream(request)) throw createClosedHostError();
        const cancel = () => {
          if (port) outbox.add({ type: 'cancel', id });
          else open.take(id)?.reject(createAbortError());
        };
        const done = () => signal?.removeEventListener('abort', cancel);
        const entry: OpenRequest = {
          request,
          // Measured before the request is open, as a caller's own getter may throw.
          bytes: bytesOf(request),
          transfer,
          sends: 0,
          commit: undefined,
          resolve: (value) => (done(), resolve(value)),
          reject: (error) => (done(), reject(signal?.aborted ? createAbortError(error) : error)),
          onProgress,
          signal,
        };
        const id = open.add(entry);
        signal?.addEventListener('abort', cancel, { once: true });
        sendRequest(id, entry);
      });
    },
    onChange(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    onStreams(listener) {
      streamListeners.add(listener);
      return { [Symbol.dispose]: () => void streamListeners.delete(listener) };
    },
    endRecords: () => void (mayRecord = false),
    fail,
    [Symbol.dispose]: () => fail(createClosedHostError()),
  };
}

/** Alone, or with what it changes. */
function appendsToStream(request: FsRequest): boolean {
  switch (request.type) {
    case 'streams':
      return request.operation === 'append';
    case 'commit':
      return Object(request.options).append !== undefined;
    case 'roots':
      return request.parameters.some((parameter) => Object(parameter).append !== undefined);
    default:
      return false;
  }
}

/** The request's bytes went to the worker that is gone, so they can't be sent again. */
function isMovedAway({ request }: OpenRequest): boolean {
  const isPacked = request.type === 'commit' && request.changeSet instanceof Uint8Array;
  return isPacked && request.changeSet.byteLength === 0;
}

/** The rough size of the request's texts and bytes. The worker checks the request itself. */
function bytesOf(request: FsRequest): number {
  if (request.type === 'fs') return bytesAmong(request.parameters);
  if (request.type !== 'commit') return 0;
  if (request.changeSet instanceof Uint8Array) return request.changeSet.length;
  const { changes } = Object(request.changeSet) as { readonly changes?: unknown };
  if (!Array.isArray(changes)) return 0;
  return bytesAmong(changes.map((change: unknown) => Object(change).content));
}

function createCutImportError(): SdkError {
  return new SdkError(
    'worker-lost',
    'The FS worker ended in the middle of the import. Whole batches of it are there; import again.',
  );
}

function createCutCommitError(): SdkError {
  return new SdkError(
    'worker-lost',
    'The FS worker ended before it had committed what the command changed. Nothing of it is there; run it again.',
  );
}

function createDeadlyError(): SdkError {
  return new SdkError(
    'worker-lost',
    `The FS worker ended ${maxSends} times while it was at this request, which is not tried again.`,
  );
}

function createUntoldError(): SdkError {
  return new SdkError(
    'worker-lost',
    'The FS worker ended before it could answer. What was asked for is done; look at roots.list() or history.list().',
  );
}
