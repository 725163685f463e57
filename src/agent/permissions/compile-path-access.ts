// The permission rules as the view of one call enforces them: on the real path, at operation time,
// in whatever realm the call runs. Called by `authorize.ts` for each call that is allowed.
import type { PathAccess, PathAccessRule } from '../../core/path-access.ts';
import { compileRuleGlob } from '../../core/path-glob.ts';
import type { PermissionRule, ToolPermissionContext } from '../../core/permission.ts';
import type { ValidCall } from '../validate.ts';
import { getCallPath } from './call-path.ts';
import type { CallPath } from './call-path.ts';
import { createGlobIndex } from './glob-index.ts';
import type { GlobIndex } from './glob-index.ts';
import { toPathRule } from './path-rules.ts';
import { protectedGlobs } from './protected-paths.ts';
import { listRulesAbout } from './rules-about.ts';

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
  return {
    cwd,
    roots: [cwd, ...permissions.additionalWorkingDirectories.keys()],
    readOnlyRoots: [sessionDirectory],
    rules: listOpenRules(readPathRules(permissions, call, cwd), call, cwd),
    // Security: a call that was let through because it reads gets no way to write.
    write: call.traits.isReadOnly ? 'deny' : 'allow',
  };
}

/** The rules on paths for all calls of a tool that read only, or all that don't. */
interface PathRules {
  readonly rules: readonly PathAccessRule[];
  /** Those that ask. */
  readonly asking: GlobIndex<PathAccessRule>;
}

/** By the rules about the call's tools, the working directory, and whether the call reads only. */
const known = new WeakMap<readonly PermissionRule[], Map<string, PathRules>>();

function readPathRules(
  permissions: ToolPermissionContext,
  call: ValidCall,
  cwd: string,
): PathRules {
  const about = listRulesAbout(permissions.rules, call);
  const ofTool = known.get(about) ?? new Map<string, PathRules>();
  known.set(about, ofTool);
  const key = `${call.traits.isReadOnly ? 'reads' : 'writes'} ${cwd}`;
  const pathRules = ofTool.get(key) ?? toPathRules(about, call, cwd);
  ofTool.set(key, pathRules);
  return pathRules;
}

function toPathRules(about: readonly PermissionRule[], call: ValidCall, cwd: string): PathRules {
  const rules = about.flatMap((rule): PathAccessRule[] => {
    const { behavior: effect } = rule;
    const onPath = effect === 'allow' ? undefined : toPathRule(rule, call);
    if (!onPath || effect === 'allow') return [];
    return [{ effect, operation: onPath.operation, glob: onPath.glob }];
  });
  for (const glob of protectedGlobs()) rules.push({ effect: 'ask', operation: 'write', glob });
  const asking = rules.filter(({ effect }) => effect === 'ask');
  return { rules, asking: createGlobIndex(asking, cwd, ({ glob }) => glob) };
}

/** As much of the rules as is left of their questions; mostly all of it, and then the same list. */
function listOpenRules(
  { rules, asking }: PathRules,
  call: ValidCall,
  cwd: string,
): readonly PathAccessRule[] {
  const target = getCallPath(call, cwd);
  const findOpenPart = createOpenPartFinder(call, cwd, target);
  const isJudgedAtCommit = call.tool.authorizesChangesAt === 'commit';
  const near = target.type === 'path' ? asking.list(target.path) : [];
  if (!isJudgedAtCommit && near.every((rule) => findOpenPart(rule) === rule)) return rules;
  return rules.flatMap((rule) => (rule.effect === 'ask' ? (findOpenPart(rule) ?? []) : rule));
}

/** As much of a rule as is left when its question was answered; the rule itself for all of it. */
type OpenPartFinder = (rule: PathAccessRule) => PathAccessRule | undefined;

/**
 * Has the rule's question been put, or will it be? For the path that the call names it has, else
 * the call would not be allowed. For what is judged when it is committed, a cell's changes and those
 * of its nested calls, it will be: then nothing of the rule is left, undefined.
 *
 * Security: a link may lead from the named path to another one, which the question wasn't about. So
 * the rule holds elsewhere.
 */
function createOpenPartFinder(call: ValidCall, cwd: string, target: CallPath): OpenPartFinder {
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
