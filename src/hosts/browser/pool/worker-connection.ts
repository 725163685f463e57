// One tool worker as the pool sees it: a port, so that tests can play the workers. The real ones
// are made by connect-tool-worker.ts.
import type { SdkError } from '../../../core/errors.ts';
import type { FromToolWorker, ToolWorkerFacts, ToToolWorker } from '../wire/protocol.ts';

/** After `onEnd`, or once `end` was called, nothing more is called back. */
export interface ToolWorkerListeners {
  /** It booted, and takes calls. */
  onReady(facts: ToolWorkerFacts): void;
  onMessage(message: FromToolWorker): void;
  /** It is gone by itself, or never started. */
  onEnd(reason: SdkError): void;
}

/** One worker, from its start to its end. It may end by itself at any time. */
export interface ToolWorkerConnection {
  /** Messages wait where the worker isn't up yet. Throws where a message can't be cloned. */
  send(message: ToToolWorker): void;
  /** Ends it for good: from here on nothing that it does has any effect. */
  end(): void;
}

/** The port between the pool and real workers. */
export type ConnectToolWorker = (listeners: ToolWorkerListeners) => ToolWorkerConnection;
