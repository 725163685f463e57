// 250 ms: a page in the background has no frames.
const waitMs = 250;

/** Resolves when the browser begins the next frame: after events of size and scrolling, and what the app draws then. */
export function nextFrame(): Promise<void> {
  return new Promise((resolve) => {
    window.requestAnimationFrame(() => resolve());
    window.setTimeout(resolve, waitMs);
  });
}
