// Compiles the permission rules to the PathAccess of one call. The call's view of the files
// enforces it for each operation on real paths, in any realm. authorize.ts calls it for each
// allowed call.
import { getOrMake } from '../../core/values/get-or-make.ts';
import { compileRulePaths, withGitStore } from '../../core/access/path-access.ts';
import { listOriginals, meansPath } from '../../core/access/rule-place.ts';
import type { RulePlace } from '../../core/access/rule-place.ts';
import type { PathAccess, PathAccessRule } from '../../core/access/path-access.ts';
import type { PermissionRule, ToolPermissionContext } from '../../core/permissions/permission.ts';
import type { ValidCall } from '../calls/validate.ts';
import { getCallPath } from './match-rule.ts';
import { limitToOwnNotes } from './own-notes.ts';
import { listRulesAbout } from './relevant-rules.ts';
import { findWritablePlan } from './plan-file.ts';
import { toPathRule } from './rules.ts';

/** Absolute and normal paths. */
export interface PathAccessOptions {
  /** The session's working directory. */
  readonly cwd: string;
  /**
   * The directory in which the session began. Rules are relative to it, and it limits what the
   * session may reach.
   */
  readonly rulesFrom: RulePlace;
  /**
   * The directories of the session's own files, and those of the session that it was forked from.
   * They are readable and never writable.
   */
  readonly sessionDirectories: readonly string[];
  /** The directories of read-only mounts. Default: none. */
  readonly readOnlyMounts?: readonly string[] | undefined;
  /** The plan's file, which may be written in plan mode. Left out: there is no plan. */
  readonly planPath?: string | undefined;
}

/**
 * The paths that this call may read and write. It includes every deny rule, whatever allowed the
 * call.
 */
export function compilePathAccess(
  call: ValidCall,
  permissions: ToolPermissionContext,
  { cwd, rulesFrom, sessionDirectories, readOnlyMounts = [], planPath }: PathAccessOptions,
): PathAccess {
  const writableFile = findWritablePlan(call, permissions.mode, planPath, cwd);
  const target = getCallPath(call, cwd);
  const rules = listOpenRules(listPathRules(permissions, call), call, cwd, rulesFrom);
  return {
    cwd,
    ...toRulesFrom(cwd, rulesFrom),
    roots: [rulesFrom.cwd, ...listReach(permissions)],
    readOnlyRoots: sessionDirectories,
    ...(readOnlyMounts.length > 0 && { readOnlyMounts }),
    ...(writableFile !== undefined && { writableFile }),
    rules: target.type === 'path' ? limitToOwnNotes(rules, target.path, permissions) : rules,
    // Security: a call that was allowed because it only reads must not write.
    write: call.traits.isReadOnly ? 'deny' : 'allow',
  };
}

/** The directories that the session may reach besides its working directory. */
export function listReach({
  additionalWorkingDirectories,
  notes,
}: Pick<ToolPermissionContext, 'additionalWorkingDirectories' | 'notes'>): readonly string[] {
  return [...additionalWorkingDirectories.keys(), ...(notes ? [notes.directory] : [])];
}

/**
 * The field of an access that has the base of the rules' globs. It is left out if that is the
 * working directory.
 */
export function toRulesFrom(cwd: string, { copies = [], ...from }: RulePlace) {
  if (from.cwd === cwd && copies.length === 0) return {};
  return { rulesFrom: { ...from, ...(copies.length > 0 && { copies }) } };
}

/**
 * A cache of compiled rules. The key has the rules about the call's tools, whether the call only
 * reads, and whether the session is tainted.
 */
const known = new WeakMap<readonly PermissionRule[], Map<string, readonly PathAccessRule[]>>();

/** The path rules of all calls of these tools with the same `isReadOnly`. */
function listPathRules(
  permissions: ToolPermissionContext,
  call: ValidCall,
): readonly PathAccessRule[] {
  const about = listRulesAbout(permissions.rules, call);
  const isTainted = permissions.taintedBy !== undefined;
  const make = () =>
    withGitStore([
      ...about.flatMap((rule): readonly PathAccessRule[] => {
        const { behavior: effect } = rule;
        const onPath = effect === 'allow' ? undefined : toPathRule(rule, call);
        if (!onPath || effect === 'allow') return [];
        return [{ effect, operation: onPath.operation, glob: onPath.glob }];
      }),
      { effect: 'ask', operation: 'write', isProtection: true } as const,
      ...(isTainted
        ? [{ effect: 'ask', operation: 'write', isForInstructions: true } as const]
        : []),
    ]);
  return getOrMake(
    getOrMake(known, about, () => new Map()),
    `${call.traits.isReadOnly} ${isTainted}`,
    make,
  );
}

/**
 * The rules that still apply after their questions were answered. Usually all apply, and the same
 * list is given.
 */
function listOpenRules(
  rules: readonly PathAccessRule[],
  call: ValidCall,
  cwd: string,
  rulesFrom: RulePlace,
): readonly PathAccessRule[] {
  const findOpenPart = createOpenPartFinder(call, cwd, rulesFrom);
  const toOpen = (rule: PathAccessRule) => (rule.effect === 'ask' ? findOpenPart(rule) : rule);
  if (rules.every((rule) => toOpen(rule) === rule)) return rules;
  return rules.flatMap((rule) => toOpen(rule) ?? []);
}

/**
 * Gives the part of a rule that still applies after its question was answered; undefined if none.
 */
type OpenPartFinder = (rule: PathAccessRule) => PathAccessRule | undefined;

/**
 * Finds the part of an ask rule that still has to ask. The question about the path in the call's
 * input was answered, or the call wouldn't be allowed. Changes by a cell and its nested calls are
 * judged at commit, so nothing of the rule remains for them.
 *
 * Security: a link may lead from that path to another one, which the question wasn't about. So the
 * rule still applies to other paths.
 */
function createOpenPartFinder(call: ValidCall, cwd: string, rulesFrom: RulePlace): OpenPartFinder {
  const target = getCallPath(call, cwd);
  const originals = target.type === 'path' ? listOriginals(target.path, rulesFrom) : [];
  const isJudgedAtCommit = call.tool.authorizesChangesAt === 'commit';
  return (rule) => {
    const { operation } = rule;
    if (operation === 'write' && isJudgedAtCommit) return undefined;
    if (target.type !== 'path') return rule;
    if (!meansPath(compileRulePaths(rule, rulesFrom.cwd), target.path, originals)) return rule;
    // A nested call's changes at other paths are judged at its caller's commit.
    if (operation === 'write' && call.caller) return undefined;
    return { ...rule, except: target.path };
  };
}
