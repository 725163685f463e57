// Removes a file that could not be written completely.
import type { LogMedium } from './log-medium.ts';

/**
 * Removes a closed file, because on a full medium it takes space that commits need. Never rejects:
 * a file that stays only takes space, and the caller reports the earlier failure.
 */
export async function discardFile(medium: LogMedium, name: string): Promise<void> {
  try {
    // The next owner may have accepted the file. Then it must stay.
    await medium.checkFence();
    await medium.remove(name);
  } catch {
    // Ignored on purpose: see above.
  }
}
