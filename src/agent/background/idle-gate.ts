// When is the agent idle? While none of the conversation's own calls runs. What ran in the background
// is committed only then, so that no call finds files changed under it by another call.

/** One for each session. when-idle.ts waits at it. */
export interface IdleGate {
  /** One of the conversation's own calls runs, until the gate's token is disposed. */
  enter(): Disposable;
  isIdle(): boolean;
  /** Called once, and let go, when none runs any more. */
  readonly waiting: Set<() => void>;
}

/** Idle to begin with. */
export function createIdleGate(): IdleGate {
  const running = new Set<object>();
  const waiting = new Set<() => void>();
  return {
    waiting,
    isIdle: () => running.size === 0,
    enter() {
      const token = {
        [Symbol.dispose]() {
          if (!running.delete(token) || running.size > 0) return;
          for (const resume of waiting) resume();
          waiting.clear();
        },
      };
      running.add(token);
      return token;
    },
  };
}
