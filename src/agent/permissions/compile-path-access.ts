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
 * the call would not be allowed; for a tool whose changes are judged at commit it will be. Then
 * nothing of the rule is left: undefined.
 *
 * Security: code that makes a call may have made a link from the named path to another one, which the
 * question wasn't about. So to read elsewhere stays open for such calls; writes elsewhere are asked
 * about at the caller's commit.
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
    return call.caller && operation === 'read' ? { ...rule, except: target.path } : undefined;
  };
}
