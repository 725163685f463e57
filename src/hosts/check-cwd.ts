// Validates the working directory option. Every host uses it.
import { SdkError } from '../core/errors.ts';
import { normalizePath } from '../core/path.ts';
import { isSessionPath } from '../core/session/session-path.ts';

const defaultCwd = '/workspace';

/**
 * Returns the normalized directory, or the default if none is given.
 *
 * @throws SdkError `bad-usage` if the path isn't absolute or is the root or /session. The sessions'
 * own files are stored below /session, outside the user's tree.
 */
export function checkCwd(cwd: string = defaultCwd): string {
  const path = normalizePath(cwd);
  if (cwd.startsWith('/') && path !== '/' && !isSessionPath(path)) return path;
  throw new SdkError(
    'bad-usage',
    `The working directory must be an absolute path below /, such as /workspace, and not in /session; not "${cwd}".`,
    { data: { cwd } },
  );
}
