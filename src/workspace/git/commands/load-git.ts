// Loads git, which is a file of its own beside the tool worker's: nobody who doesn't use it fetches it.
import { SdkError, messageOf } from '../../../core/errors.ts';
import type * as Git from './git-runner.ts';

/**
 * Once a realm; the second call costs nothing.
 *
 * @throws SdkError `unsupported-environment` where it can't be fetched
 */
export async function loadGit(): Promise<typeof Git> {
  try {
    return await import('./git-runner.ts');
  } catch (error) {
    throw new SdkError(
      'unsupported-environment',
      `Git could not be loaded: ${messageOf(error)}. Check the ` +
        "network, and that the library's git-commands.js is served beside the tool worker's file, then try again.",
      { cause: error },
    );
  }
}
