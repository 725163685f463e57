// A client's connection, whatever carries it. Adapters: open-socket.ts and open-events.ts.
import type { SdkError } from '../core/errors.ts';
import type { WireFrame } from './pieces.ts';

/** Frames arrive in the order in which they were sent. Dispose it to close the connection; idempotent. */
export interface WireLink extends Disposable {
  /** Sends a frame. Does nothing if the link is closed. */
  send(frame: WireFrame): void;
}

/** What a connection tells its client, until that disposes of it. */
export interface LinkEvents {
  onFrame(frame: string | ArrayBuffer | Uint8Array): void;
  /** The link is closed. `refusal`: it was refused for good, and trying again is no use. */
  onClose(refusal?: SdkError): void;
}

/** Resolves when frames may be sent. Rejects where no connection comes about. */
export type OpenLink = (ticket: string, events: LinkEvents) => Promise<WireLink>;
