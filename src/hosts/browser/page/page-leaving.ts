// Is this page about to go? Its requests break off then, while its code still runs for a moment: what is
// recorded in that moment would count as what happened. Used by remote-streams.ts.

let isFollowed = false;
let staying: Promise<void> | undefined;
let stay: () => void = () => undefined;

/**
 * Undefined while the page stays. Else a promise that resolves when the page is shown again, which
 * may be never.
 */
export function whenStaying(): Promise<void> | undefined {
  return staying;
}

/** To be called before the first {@link whenStaying}. Idempotent. */
export function followLeaving(): void {
  if (isFollowed) return;
  isFollowed = true;
  // Where there is no page, nothing leaves.
  if (typeof addEventListener !== 'function') return;
  addEventListener('pagehide', () => {
    staying ??= new Promise((resolve) => (stay = resolve));
  });
  // The browser has kept the page, and it is shown again.
  addEventListener('pageshow', () => {
    stay();
    staying = undefined;
  });
}
