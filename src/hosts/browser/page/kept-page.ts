// A page that the browser keeps, suspended, for the way back. It would keep what its workers hold, and nobody would
// answer for it: WebKit suspends them in the middle of a transaction.

/**
 * Calls back when the page is left and kept. What has ended then doesn't go on, so a page that is shown again is loaded
 * anew, as one is that wasn't kept.
 */
export function endWhenKept(end: () => void): Disposable {
  const endKept = ({ persisted }: PageTransitionEvent): void => {
    if (!persisted) return;
    addEventListener('pageshow', () => location.reload(), { once: true });
    end();
  };
  addEventListener('pagehide', endKept);
  return { [Symbol.dispose]: () => removeEventListener('pagehide', endKept) };
}
