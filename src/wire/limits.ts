// What one client may cost, and how many there may be. serve-session.ts holds them to it.

/** Each is settable; a client above one is closed with a sentence. */
export interface WireLimits {
  /** Clients of one session at a time. @defaultValue 64 */
  readonly clients: number;
  /** Messages a second of one client, over ten seconds. @defaultValue 50 */
  readonly messagesPerSecond: number;
  /** Bytes a second of one client, over ten seconds. @defaultValue 1 MiB */
  readonly bytesPerSecond: number;
  /** The limit of one client message. @defaultValue 8 MiB: a prompt with images, a file that is saved */
  readonly messageBytes: number;
  /** Requests of one client that have no answer yet. @defaultValue 32 */
  readonly openRequests: number;
  /** All contents of the files that a client follows: they cross as a whole. @defaultValue 32 MiB */
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

// 10 s: who reconnects sends what is open at once, and a file that is saved is one of several frames.
const burstSeconds = 10;

/** A token bucket. */
export interface RateLimiter {
  /** Takes so many. False: they aren't there. */
  take(amount: number, now: number): boolean;
}

/** Full to begin with. */
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
