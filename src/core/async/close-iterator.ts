// Ends iterators of foreign code early.

/**
 * Tells the iterator that its reader is done. It isn't awaited: an iterator that is waiting notices
 * only when its wait ends. Later errors are dropped, because the reader has what it wanted or was
 * stopped.
 */
export function closeIterator(iterator: AsyncIterator<unknown>): void {
  try {
    iterator.return?.().then(undefined, () => undefined);
  } catch {
    // An iterator without types may throw at once, or give no promise.
  }
}
