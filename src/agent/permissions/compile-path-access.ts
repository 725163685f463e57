// Compiles the permission rules to the PathAccess of one call. The call's view enforces it on real
// paths with each operation, in any realm. authorize.ts calls it for each allowed call.
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
  /** Where the session works. */
  readonly cwd: string;
  /** Where it began: its rules are taken from there, and what it may reach is there. */
  readonly rulesFrom: RulePlace;
  /** Where the session's own files are, and those that a fork has taken over: readable, never writable. */
  readonly sessionDirectories: readonly string[];
  /** Where what is mounted can only be read. Left out: nowhere. */
  readonly readOnlyMounts?: readonly string[] | undefined;
  /** The plan's file, which may be written in plan mode. Left out: there is none. */
  readonly planPath?: string | undefined;
}

/** What this call may touch. Every deny rule is in it, whatever allowed the call. */
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
    // Security: a call that was let through because it reads gets no way to write.
    write: call.traits.isReadOnly ? 'deny' : 'allow',
  };
}

/** Beside the working directory. */
export function listReach({
  additionalWorkingDirectories,
  notes,
}: Pick<ToolPermissionContext, 'additionalWorkingDirectories' | 'notes'>): readonly string[] {
  return [...additionalWorkingDirectories.keys(), ...(notes ? [notes.directory] : [])];
}

/**
 * The field of an access that says where rules are taken from. It is left out if that is the
 * working directory.
 */
export function toRulesFrom(cwd: string, { copies = [], ...from }: RulePlace) {
  if (from.cwd === cwd && copies.length === 0) return {};
  return { rulesFrom: { ...from, ...(copies.length > 0 && { copies }) } };
}

/**
 * The compiled rules, by the rules about the call's tools, whether the call reads only, and whether
 * the session is tainted.
 */
const known = new WeakMap<readonly PermissionRule[], Map<string, readonly PathAccessRule[]>>();

/** The rules on paths for all calls of these tools that read only, or all that don't. */
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
 * The rules that are left after their questions were answered. Mostly all are left, and the list is
 * the same one.
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

/** What is left of a rule after its question was answered; undefined if nothing. */
type OpenPartFinder = (rule: PathAccessRule) => PathAccessRule | undefined;

/**
 * Which part of a rule still has to ask? For the path that the call names, the question was put, or the
 * call wouldn't be allowed. Changes of a cell, and those of its nested calls, are judged at commit.
 * For them the question will be put then, so nothing of the rule is left.
 *
 * Security: a link may lead from the named path to another one, which the question wasn't about. So
 * the rule holds elsewhere.
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
    // A nested call's changes at other paths are asked about at its caller's commit.
    if (operation === 'write' && call.caller) return undefined;
    return { ...rule, except: target.path };
  };
}
