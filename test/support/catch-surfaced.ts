// Catches errors that are surfaced as uncaught (src/core/async/surface.ts), for tests of listeners that throw.
import { onTestFinished, vi } from 'vitest';

/** Returns an array that collects the errors until the test's end. */
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
