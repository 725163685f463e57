// What is surfaced as an uncaught error (src/core/async/surface.ts), for tests of listeners that throw.
import { onTestFinished, vi } from 'vitest';

/** From here to the test's end: the errors so far. */
export function catchSurfaced(): readonly unknown[] {
  const caught: unknown[] = [];
  const queue = globalThis.queueMicrotask.bind(globalThis);
  const surfacing = vi.spyOn(globalThis, 'queueMicrotask').mockImplementation((act) =>
    queue(() => {
      try {
        act();
      } catch (error) {
        caught.push(error);
      }
    }),
  );
  onTestFinished(() => surfacing.mockRestore());
  return caught;
}
