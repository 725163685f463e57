// Detects when the page is idle: nothing is loading, and nothing has changed for a moment.

export interface Rest {
  /** The page isn't idle while the work runs. */
  whileBusy<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Resolves when the page is idle, or after `atMostMs`. */
  come(atMostMs: number): Promise<void>;
}

// 100 ms: an app usually reacts to a click within the next frames.
const quietMs = 100;
const lookMs = 20;
// 3 looks in a row: while the page computes, time passes, and what it does next hasn't begun.
const quietLooks = 3;

export function createRest(): Rest {
  // Saved now, because an app may replace the global timers.
  const later = window.setTimeout.bind(window);
  const now = performance.now.bind(performance);
  let pending = 0;
  let changedAt = now();
  let looks = 0;
  const noteChange = () => {
    changedAt = now();
    looks = 0;
  };
  new MutationObserver(noteChange).observe(document, {
    subtree: true,
    childList: true,
    attributes: true,
    characterData: true,
  });
  return {
    async whileBusy(work) {
      pending += 1;
      try {
        return await work();
      } finally {
        pending -= 1;
        // An action begins now.
        noteChange();
      }
    },
    async come(atMostMs) {
      const began = now();
      // Changes started by the action count.
      noteChange();
      while (now() - began < atMostMs) {
        const isStill = document.readyState === 'complete' && pending === 0 && !isMoving();
        if (isStill && looks >= quietLooks && now() - changedAt >= quietMs) return;
        const lookedAt = now();
        await new Promise((resolve) => later(resolve, lookMs));
        // A hidden page looks once a second.
        looks = now() - lookedAt > quietMs && !document.hidden ? 0 : looks + 1;
      }
    },
  };
}

/** True while a transition or animation runs that comes to an end. */
function isMoving(): boolean {
  return document
    .getAnimations()
    .some(
      ({ playState, timeline, effect }) =>
        playState === 'running' &&
        timeline === document.timeline &&
        Number.isFinite(effect?.getComputedTiming().endTime),
    );
}
