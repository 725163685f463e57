// Checks which files the session's rules allow to be read. Instructions and definitions that calls
// may not read aren't sent either.
import { createPathJudge } from '../../core/access/path-access.ts';
import type { PathJudge } from '../../core/access/path-access.ts';
import type { PermissionRule, ToolPermissionContext } from '../../core/permissions/permission.ts';
import { listReadRules } from '../permissions/rules.ts';

/** Judges paths by the rules on reading only. Relative globs start at `cwd`. */
function createReadJudge(cwd: string, given: readonly PermissionRule[]): PathJudge {
  const rules = listReadRules(given);
  return createPathJudge({ cwd, roots: ['/'], readOnlyRoots: [], rules, write: 'deny' });
}

/** Returns a function that checks a path by the current rules. */
export function createReadCheck(
  cwd: string,
  permissions: () => Pick<ToolPermissionContext, 'rules'>,
): (path: string) => boolean {
  let judge: PathJudge = () => 'deny';
  let judged: readonly PermissionRule[] | undefined;
  return (path) => {
    const { rules } = permissions();
    if (judged !== rules) judge = createReadJudge(cwd, (judged = rules));
    return judge('read', path) === 'allow';
  };
}
