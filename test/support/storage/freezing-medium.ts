// Simulates the medium of a killed process: nothing is written or closed any more. A new writer can
// open the underlying medium and continue with its content.
import type { LogMedium } from '../../../src/workspace/log/log-medium.ts';

/** A new promise for each caller, because one that is never settled would keep all of its callers in memory. */
const never = () => new Promise<never>(() => undefined);

/** Writes to `medium` until it is frozen; a write never ends from then on. */
export function withFreeze(medium: LogMedium, isFrozen: () => boolean): LogMedium {
  return {
    ...medium,
    create: async (name) => {
      if (isFrozen()) return never();
      const file = await medium.create(name);
      const { append, truncate } = file;
      return {
        ...file,
        append: (bytes, durability) => (isFrozen() ? never() : append(bytes, durability)),
        truncate: (length) => (isFrozen() ? never() : truncate(length)),
      };
    },
    remove: (name) => (isFrozen() ? never() : medium.remove(name)),
    close: async () => undefined,
  };
}
