// Loads git, which is a file of its own beside the tool worker's, so that it is only fetched when
// needed.
import { SdkError, messageOf } from '../../../core/errors.ts';
import type * as Git from './git-runner.ts';

/**
 * Loads git once in each realm. Later calls return the same one.
 *
 * @throws SdkError `unsupported-environment` if it can't be fetched
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
