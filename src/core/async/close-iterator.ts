// Ends iterators of foreign code early.

/**
 * Closes an iterator without awaiting it, because a waiting iterator reacts only at the end of its
 * wait. Later errors are ignored, because the reader has finished or was stopped.
 */
export function closeIterator(iterator: AsyncIterator<unknown>): void {
  try {
    iterator.return?.().then(undefined, () => undefined);
  } catch {
    // An iterator without types may throw at once, or give no promise.
  }
}
