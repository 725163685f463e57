// The port by which the tabs of one workspace share its sessions. It decides which tab runs a
// session, and connects the others to that tab. Implemented in hosts/browser/. Hosts whose
// workspace belongs to one process have none.

/**
 * The right to run a session. Disposing it, or closing the tab, gives the right to the next tab.
 * Idempotent.
 */
export type SessionLease = Disposable;

/** The sessions of one tab. Each session has its own lease and channel. */
export interface SessionTabs {
  /** Undefined at once if another tab has the lease. */
  tryHold(sessionId: string): Promise<SessionLease | undefined>;
  /**
   * Waits for the lease in a queue. Rejects with the signal's reason when that is aborted, unless
   * the lease was given before.
   */
  hold(sessionId: string, signal: AbortSignal): Promise<SessionLease>;
  /** The caller disposes it. */
  openChannel(sessionId: string): SessionChannel;
}

/** Sends messages in order to all other channels of the same session, in all tabs. */
export interface SessionChannel extends Disposable {
  /** Throws if the message can't be cloned. */
  post(message: unknown): void;
  /** Call it once. Messages are untrusted until they are checked. */
  listen(receive: (message: unknown) => void): void;
}
