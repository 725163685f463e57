// Detects that this page is about to be left. Its requests are aborted then, while its code still
// runs for a moment. What is recorded in that moment would wrongly count as a result. Used by
// remote-streams.ts.

let isFollowed = false;
let staying: Promise<void> | undefined;
let stay: () => void = () => undefined;

/**
 * Returns undefined while the page stays. Otherwise returns a promise that resolves if the page is
 * shown again, which may never happen.
 */
export function whenStaying(): Promise<void> | undefined {
  return staying;
}

/** Call this before the first {@link whenStaying}. Idempotent. */
export function followLeaving(): void {
  if (isFollowed) return;
  isFollowed = true;
  // Outside of a page there is nothing to detect.
  if (typeof addEventListener !== 'function') return;
  addEventListener('pagehide', () => {
    staying ??= new Promise((resolve) => (stay = resolve));
  });
  // The browser had cached the page, and shows it again.
  addEventListener('pageshow', () => {
    stay();
    staying = undefined;
  });
}
