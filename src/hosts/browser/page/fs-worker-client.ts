// The page's end of the port to the FS worker: numbers requests, matches answers, and forwards
// events. While there is no worker, requests wait. Unanswered requests are sent to the next worker.
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

/** For requests that are slow or large. */
export interface FsRequestOptions {
  /** Buffers of the request that are transferred instead of cloned. */
  readonly transfer?: readonly ArrayBuffer[];
  readonly onProgress?: (progress: ImportProgress) => void;
  /**
   * Cancels the request in the worker; it then rejects with the worker's answer. Without a worker
   * it rejects at once.
   */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends requests to the FS worker and receives its events. Dispose of it to reject open requests.
 */
export interface FsWorkerClient extends Disposable {
  /**
   * Resolves to the request's value. Its shape isn't validated, because the worker is Rockpool's
   * own.
   */
  request(request: FsRequest, options?: FsRequestOptions): Promise<unknown>;
  /** Events come in the order of the log. Dispose of the result to stop. */
  onChange(listener: (event: ChangeEvent) => void): Disposable;
  /**
   * Called for each changed stream. Called with undefined after another worker was connected,
   * because earlier changes may have been missed. Dispose of the result to stop.
   */
  onStreams(listener: (changed: StreamLength | undefined) => void): Disposable;
  /**
   * Sends open requests through this port from now on. `applied` has requests that the previous
   * worker committed without answering, with their records: they are answered and not repeated.
   * `seq` is the last record of the opened workspace.
   */
  connect(
    port: MessagePort,
    applied?: readonly (readonly [id: number, seq: number])[],
    seq?: number,
  ): void;
  /** The worker is gone and another one will come. Open and new requests wait. */
  disconnect(): void;
  /** The number of the last record that a worker has reported. */
  readonly seq: number;
  /** True if the current or last worker has answered any request. */
  readonly hasAnswered: boolean;
  /** Returns open requests that a worker had begun to commit. */
  unanswered(): UnansweredCommit[];
  /** From now on requests that write to a stream reject. All others continue. */
  endRecords(): void;
  /** Rejects all open and later requests, because there will be no worker any more. */
  fail(reason: SdkError): void;
}

interface OpenRequest {
  readonly request: FsRequest;
  /** Its approximate size. */
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

// 5: a request is rarely the cause of a worker's death, and never five times in a row.
const maxSends = 5;

/**
 * Owns the ports that it receives. Each is closed when its worker fails or violates the protocol.
 */
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

  /** Continues a request that the previous worker had received but not answered. */
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
        // Later messages come from a worker that was replaced, or whose host was closed by a
        // listener.
        if (event.target !== port) return;
        receive(message);
      }
    } catch (error) {
      // Page and worker have different versions, so nothing more is accepted from this worker.
      fail(SdkError.isInstance(error) ? error : new SdkError('internal', String(error)));
    }
  }

  return {
    connect(next, applied = [], seq = 0) {
      port = next;
      // Set before anything is answered, because the previous worker may not have reported all of
      // its records.
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
        // Thrown inside the promise, so that it becomes a rejection.
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
          // Computed before the request is open, because a caller's getter may throw.
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

/** True if the request changes a stream, alone or together with files. */
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

/** The request's bytes were transferred to the lost worker, so it can't be sent again. */
function isMovedAway({ request }: OpenRequest): boolean {
  const isPacked = request.type === 'commit' && request.changeSet instanceof Uint8Array;
  return isPacked && request.changeSet.byteLength === 0;
}

/** Estimates the size of a request's texts and bytes. The worker validates the request itself. */
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
