// The limits of one client, and of the number of clients. Enforced by serve-session.ts.

/** Each can be set. A client that exceeds one is disconnected with a message. */
export interface WireLimits {
  /** The most clients of one session at a time. @defaultValue 64 */
  readonly clients: number;
  /** The most messages per second of one client, averaged over ten seconds. @defaultValue 50 */
  readonly messagesPerSecond: number;
  /** The most bytes per second of one client, averaged over ten seconds. @defaultValue 1 MiB */
  readonly bytesPerSecond: number;
  /** The limit of one client message. @defaultValue 8 MiB: a prompt with images, a file that is saved */
  readonly messageBytes: number;
  /** The most unanswered requests of one client. @defaultValue 32 */
  readonly openRequests: number;
  /**
   * The total size of the files that a client follows, which are sent as a whole. @defaultValue 32
   * MiB
   */
  readonly filesBytes: number;
}

export const defaultWireLimits: WireLimits = {
  clients: 64,
  messagesPerSecond: 50,
  bytesPerSecond: 1_048_576,
  messageBytes: 8_388_608,
  openRequests: 32,
  filesBytes: 33_554_432,
};

// 10 s: a client that reconnects repeats its open requests at once, and a saved file has several
// frames.
const burstSeconds = 10;

/** A token bucket. */
export interface RateLimiter {
  /** Takes the amount. Returns false if less is available. */
  take(amount: number, now: number): boolean;
}

/** Full at first. */
export function createRateLimiter(perSecond: number): RateLimiter {
  const most = perSecond * burstSeconds;
  let tokens = most;
  let filledAt: number | undefined;
  return {
    take(amount, now) {
      const passed = Math.max(0, now - (filledAt ?? now));
      filledAt = now;
      tokens = Math.min(most, tokens + (passed / 1000) * perSecond);
      tokens -= amount;
      return tokens >= 0;
    },
  };
}
