// A client's connection, independent of its transport. Implemented by open-socket.ts and
// open-events.ts.
import type { SdkError } from '../core/errors.ts';
import type { WireFrame } from './pieces.ts';

/**
 * Frames arrive in the order in which they were sent. Dispose it to close the connection;
 * idempotent.
 */
export interface WireLink extends Disposable {
  /** Sends a frame. Does nothing if the link is closed. */
  send(frame: WireFrame): void;
}

/** The events of a connection, until its client disposes it. */
export interface LinkEvents {
  onFrame(frame: string | ArrayBuffer | Uint8Array): void;
  /**
   * The link is closed. `refusal`: the server has refused it permanently, so a retry is useless.
   */
  onClose(refusal?: SdkError): void;
}

/** Resolves when frames may be sent. Rejects if the connection fails. */
export type OpenLink = (ticket: string, events: LinkEvents) => Promise<WireLink>;
