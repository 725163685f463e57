// A promise with its two ends in hand.

export interface Deferred {
  readonly promise: Promise<void>;
  resolve(): void;
  reject(error: unknown): void;
}

/** It may be rejected before anybody waits for it: that is no unhandled rejection. */
export function createDeferred(): Deferred {
  let resolve: () => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<void>((onDone, onError) => {
    resolve = onDone;
    reject = onError;
  });
  promise.catch(() => {});
  return { promise, resolve, reject };
}
