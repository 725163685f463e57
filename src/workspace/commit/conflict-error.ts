// The error of a commit that others were quicker than. A ref of git that has moved on is named as git
// names it.
import { SdkError } from '../../core/errors.ts';

/** `data.paths` are all of them; `data.refs`, where there are any, those among them that are refs. */
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

/** `refs/heads/main` of `/p/.git/refs/heads/main`, `HEAD` of a work tree's own, too. */
function findRef(path: string): string | undefined {
  return /\/\.git\/(?:worktrees\/[^/]+\/)?(HEAD|refs\/.+)$/u.exec(path)?.[1];
}
