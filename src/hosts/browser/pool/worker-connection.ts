// One tool worker from the pool's side: a port, so that tests can play the workers. Real ones come
// from connect-tool-worker.ts.
import type { SdkError } from '../../../core/errors.ts';
import type { FromToolWorker, ToolWorkerFacts, ToToolWorker } from '../wire/protocol.ts';

/** After `onEnd`, or after `end` was called, nothing more is called. */
export interface ToolWorkerListeners {
  /** The worker has booted and accepts calls. */
  onReady(facts: ToolWorkerFacts): void;
  onMessage(message: FromToolWorker): void;
  /** The worker has ended by itself, or has never started. */
  onEnd(reason: SdkError): void;
}

/** One worker, from its start to its end. It may end by itself at any time. */
export interface ToolWorkerConnection {
  /** Sends a message. It waits if the worker isn't up yet. Throws if it can't be cloned. */
  send(message: ToToolWorker): void;
  /** Ends the worker for good: nothing that it does afterwards has any effect. */
  end(): void;
}

/** The port between the pool and real workers. */
export type ConnectToolWorker = (listeners: ToolWorkerListeners) => ToolWorkerConnection;
