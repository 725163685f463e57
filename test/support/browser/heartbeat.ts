// For how long a page could do nothing: the longest time between two beats of a timer.

/** 5 ms: 4 ms is the least that a browser grants to repeated timers. */
export const beatMs = 5;

/** Starts it. `stop` ends it, and says how many milliseconds lay between two beats at most. */
export function startHeartbeat(): { stop(): number } {
  let last = performance.now();
  let longest = 0;
  const beat = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(beat, beatMs);
  return {
    stop() {
      beat();
      clearInterval(timer);
      return longest;
    },
  };
}
