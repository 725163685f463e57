// What becomes of a file that could not be written whole.
import type { LogMedium } from './log-medium.ts';

/**
 * Removes it: on a full medium it takes the room that commits need. It must be closed. Never rejects:
 * where it stays it only costs that room, and what made it necessary is what the caller is to tell.
 */
export async function discardFile(medium: LogMedium, name: string): Promise<void> {
  try {
    // Not what the next owner may have accepted.
    await medium.checkFence();
    await medium.remove(name);
  } catch {
    // As said above.
  }
}
