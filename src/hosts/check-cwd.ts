// The working directory that a host's options name, checked at the door by every host alike.
import { SdkError } from '../core/errors.ts';
import { normalizePath } from '../core/path.ts';
import { isSessionPath } from '../core/session/session-path.ts';

const defaultCwd = '/workspace';

/**
 * The directory as a normal path; the default where none is given.
 *
 * @throws SdkError `bad-usage` for what isn't an absolute path below the root. The root itself can't
 * be it, nor can /session: the sessions' own files stand beside the user's tree, not in it.
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
