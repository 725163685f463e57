// The page's end of the port to the FS worker: numbers requests, matches answers, passes events on.
import { createAbortError, throwIfAborted } from '../../core/abort.ts';
import { fromSerializedError, SdkError } from '../../core/errors.ts';
import type { ChangeEvent } from '../../workspace/workspace.ts';
import type { FsRequest, ImportProgress, ToFsWorker } from './protocol.ts';
import { readFromFsWorker } from './read-message.ts';

/** For requests that take long, or bring much. */
export interface FsRequestOptions {
  /** Buffers of the request that move with it instead of being cloned. */
  readonly transfer?: readonly ArrayBuffer[];
  readonly onProgress?: (progress: ImportProgress) => void;
  /** Cancels in the worker; the request then rejects with what the worker answers. */
  readonly signal?: AbortSignal | undefined;
}

/** Requests to the FS worker and what it announces. Dispose it to reject what is open. */
export interface FsWorkerPort extends Disposable {
  /** Resolves with the request's value, checked for being an answer, not for its shape. */
  request(request: FsRequest, options?: FsRequestOptions): Promise<unknown>;
  /** In the order of the log. Dispose it to stop. */
  onChange(listener: (event: ChangeEvent) => void): Disposable;
  /** Rejects what is open and all that follows: the worker is gone. */
  fail(reason: SdkError): void;
}

interface OpenRequest {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly onProgress: ((progress: ImportProgress) => void) | undefined;
}

/** Owns `port`: it is closed when the worker fails, breaks the protocol, or the port is disposed. */
export function createFsWorkerPort(port: MessagePort): FsWorkerPort {
  const open = new Map<number, OpenRequest>();
  const listeners = new Set<(event: ChangeEvent) => void>();
  let nextId = 1;
  let failure: SdkError | undefined;
  const send = (message: ToFsWorker, transfer: readonly ArrayBuffer[] = []) =>
    port.postMessage(message, [...transfer]);

  function fail(reason: SdkError): void {
    failure ??= reason;
    port.close();
    for (const request of open.values()) request.reject(failure);
    open.clear();
  }

  function receive(data: unknown): void {
    const message = readFromFsWorker(data);
    switch (message.type) {
      case 'reply':
        open.get(message.id)?.resolve(message.value);
        open.delete(message.id);
        return;
      case 'failed':
        open.get(message.id)?.reject(fromSerializedError(message.error));
        open.delete(message.id);
        return;
      case 'progress':
        open.get(message.id)?.onProgress?.(message.progress);
        return;
      case 'change':
        for (const listener of [...listeners]) callSafely(listener, message.event);
        return;
      case 'refused':
        throw new SdkError(
          'worker-lost',
          `${message.reason} Is assets.fsWorker of the same version as the page?`,
        );
    }
  }

  port.addEventListener('message', (event) => {
    try {
      receive(event.data);
    } catch (error) {
      // Security: after one message that is on no list nothing more is taken from this worker.
      fail(SdkError.isInstance(error) ? error : new SdkError('internal', String(error)));
    }
  });
  port.start();

  return {
    request(request, { transfer, onProgress, signal } = {}) {
      return new Promise((resolve, reject) => {
        // Thrown within the promise: a rejection, like every other failure of a request.
        throwIfAborted(signal);
        if (failure) throw failure;
        const id = nextId;
        nextId += 1;
        // Throws where the request can't be cloned, and then nothing is open.
        send({ type: 'request', id, request }, transfer);
        const cancel = () => send({ type: 'cancel', id });
        signal?.addEventListener('abort', cancel, { once: true });
        const done = () => signal?.removeEventListener('abort', cancel);
        open.set(id, {
          resolve: (value) => (done(), resolve(value)),
          reject: (error) => (done(), reject(signal?.aborted ? createAbortError(error) : error)),
          onProgress,
        });
      });
    },
    onChange(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    fail,
    [Symbol.dispose]: () =>
      fail(new SdkError('bad-usage', 'The host is closed. Create a new one.')),
  };
}

/** A listener's mistake is shown as any uncaught error is, and costs the others nothing. */
function callSafely(listener: (event: ChangeEvent) => void, event: ChangeEvent): void {
  try {
    listener(event);
  } catch (error) {
    reportError(error);
  }
}
