// When the page has come to rest: nothing is being loaded, and nothing has changed for a moment.

export interface Rest {
  /** Until the work is done the page doesn't rest. */
  whileBusy<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Resolves when it rests, or after `atMostMs`. */
  come(atMostMs: number): Promise<void>;
}

// 100 ms: what an app does after a click, it does in the next frames.
const quietMs = 100;
const lookMs = 20;

export function createRest(): Rest {
  // An app may put timers of its own in their place.
  const later = window.setTimeout.bind(window);
  const now = performance.now.bind(performance);
  let pending = 0;
  let changedAt = now();
  const noteChange = () => {
    changedAt = now();
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
        // Somebody does something with it now.
        noteChange();
      }
    },
    async come(atMostMs) {
      const began = now();
      // What the action has begun counts as a change.
      noteChange();
      while (now() - began < atMostMs) {
        const isStill = document.readyState === 'complete' && pending === 0;
        if (isStill && now() - changedAt >= quietMs) return;
        await new Promise((resolve) => later(resolve, lookMs));
      }
    },
  };
}
