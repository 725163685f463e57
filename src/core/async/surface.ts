// Listeners of the host: an error that they throw is shown, and costs the caller nothing.

/** Makes the error an uncaught one, so that it is shown. */
export function surface(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

/** Calls a listener, if there is one. Never throws. */
export function tellSafely<Told>(listener: ((told: Told) => void) | undefined, told: Told): void {
  try {
    listener?.(told);
  } catch (error) {
    surface(error);
  }
}
