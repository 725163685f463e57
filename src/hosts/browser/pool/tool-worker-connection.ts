// One tool worker as the executor sees it: a port, so that tests can play the workers. The real ones
// are made by connect-tool-worker.ts.
import type { SdkError } from '../../../core/errors.ts';
import type { WorkReply, WorkRequest } from '../../../core/tool/ports.ts';
import type { FromToolWorker, ToToolWorker } from '../wire/protocol.ts';

/** After `onEnd`, or once `end` was called, nothing more is called back. */
export interface ToolWorkerListeners {
  /** It booted, and takes calls. */
  onReady(): void;
  onMessage(report: ToolWorkerReport): void;
  /** It is gone by itself, or never started. */
  onEnd(reason: SdkError): void;
}

/** What the executor has to say; how it is cut into messages is the connection's affair. */
export type ToolWorkerOrder =
  | Exclude<ToToolWorker, { readonly type: 'settings' | 'start' }>
  | {
      readonly type: 'start';
      readonly id: number;
      readonly request: WorkRequest;
      readonly savedState: Uint8Array | null;
    };

/** What the executor hears of it; as {@link ToolWorkerOrder}. */
export type ToolWorkerReport =
  | Exclude<FromToolWorker, { readonly type: 'reply' }>
  | { readonly type: 'reply'; readonly id: number; readonly reply: WorkReply };

/** One worker, from its start to its end. It may end by itself at any time. */
export interface ToolWorkerConnection {
  /** Messages wait where the worker isn't up yet. Throws where a message can't be cloned. */
  send(order: ToolWorkerOrder): void;
  /** Ends it for good: from here on nothing that it does has any effect. */
  end(): void;
}

/** The port between the executor and real workers. */
export type ConnectToolWorker = (listeners: ToolWorkerListeners) => ToolWorkerConnection;
