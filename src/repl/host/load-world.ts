// Loads the guest's world, which is in a file of its own beside the tool worker's.
import { SdkError, messageOf } from '../../core/errors.ts';
import type * as World from './guest-world.ts';

export type GuestWorld = typeof World;

/**
 * Loads the world once in each realm. Later calls return the same one.
 * @throws SdkError `unsupported-environment` if it can't be fetched
 */
export async function loadWorld(): Promise<GuestWorld> {
  try {
    return await import('./guest-world.ts');
  } catch (error) {
    throw new SdkError(
      'unsupported-environment',
      `The sandbox's world could not be loaded: ${messageOf(error)}. ` +
        "Check the network, and that the library's repl-world.js is served beside the tool " +
        "worker's file, then try again.",
      { cause: error },
    );
  }
}
