// Handles a page that the browser suspends in its back/forward cache. Its workers would keep their
// locks without answering: WebKit suspends them in the middle of a transaction.

/**
 * Calls back when the page is being cached. What has ended then can't continue, so the page is
 * reloaded when it is shown again.
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
