// The permission rules as the view of one call enforces them: on the real path, at operation time,
// in whatever realm the call runs. Called by `authorize.ts` for each call that is allowed.
import type { PathAccess, PathAccessRule } from '../../core/path-access.ts';
import { compileRuleGlob } from '../../core/path-glob.ts';
import type { ToolPermissionContext } from '../../core/permission.ts';
import type { ValidCall } from '../validate.ts';
import { getCallPath } from './call-path.ts';
import { toPathRule } from './path-rules.ts';
import { protectedGlobs } from './protected-paths.ts';

/** Both absolute and normal. */
export interface PathAccessOptions {
  readonly cwd: string;
  /** The session's own files: readable, never writable. */
  readonly sessionDirectory: string;
}

/** What this call may touch. Every deny rule is in it, whatever allowed the call. */
export function compilePathAccess(
  call: ValidCall,
  permissions: ToolPermissionContext,
  { cwd, sessionDirectory }: PathAccessOptions,
): PathAccess {
  const rules: PathAccessRule[] = [];
  const findOpenPart = createOpenPartFinder(call, cwd);
  for (const rule of permissions.rules) {
    const { behavior } = rule;
    const onPath = behavior === 'allow' ? undefined : toPathRule(rule, call);
    if (!onPath || behavior === 'allow') continue;
    const open = behavior === 'ask' ? findOpenPart(onPath) : onPath;
    if (open) rules.push({ effect: behavior, ...open });
  }
  for (const glob of protectedGlobs()) {
    const open = findOpenPart({ operation: 'write', glob });
    if (open) rules.push({ effect: 'ask', ...open });
  }
  return {
    cwd,
    roots: [cwd, ...permissions.additionalWorkingDirectories.keys()],
    readOnlyRoots: [sessionDirectory],
    rules,
    // Security: a call that was let through because it reads gets no way to write.
    write: call.traits.isReadOnly ? 'deny' : 'allow',
  };
}

/** As much of a rule as is left when its question was answered. */
type OpenPart = Pick<PathAccessRule, 'operation' | 'glob' | 'except'>;

/**
 * Has the rule's question been put, or will it be? For the path that the call names it has, else
 * the call would not be allowed. For what is judged when it is committed, a cell's changes and those
 * of its nested calls, it will be: then nothing of the rule is left, undefined.
 *
 * Security: a link may lead from the named path to another one, which the question wasn't about. So
 * the rule holds elsewhere.
 */
function createOpenPartFinder(
  call: ValidCall,
  cwd: string,
): (rule: OpenPart) => OpenPart | undefined {
  const target = getCallPath(call, cwd);
  const isJudgedAtCommit = call.tool.authorizesChangesAt === 'commit';
  return (rule) => {
    const { operation, glob } = rule;
    if (operation === 'write' && isJudgedAtCommit) return undefined;
    if (target.type !== 'path' || !compileRuleGlob(cwd, glob).test(target.path)) return rule;
    // Elsewhere than it was asked about, a nested call's changes are asked about at its caller's commit.
    if (operation === 'write' && call.caller) return undefined;
    return { ...rule, except: target.path };
  };
}
