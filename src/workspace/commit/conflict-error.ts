// The error of a commit whose paths were changed by an earlier commit. A git ref is named as git
// names it.
import { SdkError } from '../../core/errors.ts';

/** `data.paths` has all paths. `data.refs` has those that are git refs, if there are any. */
export function conflictError(paths: readonly string[]): SdkError {
  const refs = paths.flatMap((path) => findRef(path) ?? []);
  const shown = paths.slice(0, 5).join(', ') + (paths.length > 5 ? ', …' : '');
  const moved =
    refs.length > 0 ? `git's ${refs.slice(0, 5).join(', ')} moved on (${shown})` : shown;
  return new SdkError(
    'ECONFLICT',
    `ECONFLICT: changed since it was read: ${moved}. Nothing was written; read again and redo it.`,
    { data: { paths, ...(refs.length > 0 && { refs }) } },
  );
}

/**
 * Returns `refs/heads/main` for `/p/.git/refs/heads/main`, and `HEAD` also for that of a work tree.
 */
function findRef(path: string): string | undefined {
  return /\/\.git\/(?:worktrees\/[^/]+\/)?(HEAD|refs\/.+)$/u.exec(path)?.[1];
}
