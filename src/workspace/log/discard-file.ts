// Removes a file that could not be written whole.
import type { LogMedium } from './log-medium.ts';

/**
 * Removes the file, because on a full medium it takes room that commits need. It must be closed.
 * Never rejects: a file that stays only costs room, and the caller reports the failure that came
 * before.
 */
export async function discardFile(medium: LogMedium, name: string): Promise<void> {
  try {
    // The next owner may have accepted the file; then it must stay.
    await medium.checkFence();
    await medium.remove(name);
  } catch {
    // Deliberately not reported: see above.
  }
}
