// The port by which the tabs of one workspace share its sessions: which tab may run one, and how the others reach that
// tab. hosts/browser/ provides it. Hosts whose workspace belongs to one process have none.

/** The right to run a session. Dispose it to let the next tab have it; it goes with its tab, too. Idempotent. */
export type SessionLease = Disposable;

/** The sessions of one tab. Each session has its own lease and channel. */
export interface SessionTabs {
  /** Undefined at once where another tab has it. */
  tryHold(sessionId: string): Promise<SessionLease | undefined>;
  /**
   * Waits its turn behind whoever has it or has asked before. Rejects with the signal's reason when that is
   * aborted, unless the lease was given before.
   */
  hold(sessionId: string, signal: AbortSignal): Promise<SessionLease>;
  /** The caller's to dispose. */
  openChannel(sessionId: string): SessionChannel;
}

/** Reaches all others who have a channel of the same session, in whatever tab, and in order. */
export interface SessionChannel extends Disposable {
  /** Throws where the message can't be cloned. */
  post(message: unknown): void;
  /** Called once. Messages are untrusted until they are checked. */
  listen(receive: (message: unknown) => void): void;
}
