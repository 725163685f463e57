// One clock for a page and its workers.

/** Milliseconds, comparable between the realms of one browser. */
export function moment(): number {
  return performance.timeOrigin + performance.now();
}
