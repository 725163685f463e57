// Judges one changed path as an edit: deny rules, ask rules, mode, allow rules. A change that takes
// away what was there before the session is judged as a removal too. Called by
// `authorize-changes.ts` for each path of a change set.
import { createPathJudge, toRulePlace } from '../../core/access/path-access.ts';
import type { PathAccess, PathJudge } from '../../core/access/path-access.ts';
import { isInstructionPath, isProtectedPath } from '../../core/access/protected-paths.ts';
import { listAllowedOriginals, listOriginals, meansPath } from '../../core/access/rule-place.ts';
import { SdkError } from '../../core/errors.ts';
import { compileRuleGlob } from '../../core/glob/path-glob.ts';
import { dirname, resolvePath } from '../../core/path.ts';
import type {
  DecisionReason,
  PermissionBehavior,
  PermissionRule,
  ToolPermissionContext,
} from '../../core/permissions/permission.ts';
import type { FileSystem } from '../../workspace/files/file-system.ts';
import type { AllowedCall } from '../calls/authorize.ts';
import { readCapability, ruleNamesTool, toPathRule } from './rules.ts';
import type { RuledCall } from './rules.ts';

/** `ask` without a reason: nobody said anything about this path. */
export type ChangeVerdict =
  | { readonly behavior: 'allow'; readonly reason: DecisionReason }
  | { readonly behavior: 'deny'; readonly reason: DecisionReason }
  | { readonly behavior: 'ask'; readonly reason?: DecisionReason };

/**
 * `loss`: what stood there before the session is removed or emptied. `removal`: something goes, and
 * nothing is lost by it: a directory, what was moved, what the session itself has made.
 */
export type ChangeKind = 'edit' | 'removal' | 'loss';

/** What the judge goes by: a call, or a branch that is to be merged. */
export interface JudgedCall extends RuledCall {
  readonly access: PathAccess;
}

/** What was made at a path. */
export interface Making {
  readonly isDirectory: boolean;
  /** Git makes such a file of a new repository, so nobody need be asked for its path's sake. */
  readonly isHarmless: boolean;
}

const unknownMaking: Making = { isDirectory: false, isHarmless: false };

/** Prepares the judge of one call's changes. Paths are absolute and normal. */
export function createChangeJudge(
  call: JudgedCall,
  permissions: ToolPermissionContext,
): (path: string, kind: ChangeKind, making?: Making) => ChangeVerdict {
  // Only git has written to git's store, as the view lets nobody else write there. Its names follow
  // from its contents, so nobody learns anything by what is kept.
  const onPaths = call.access.rules.filter((rule) => !('isForGitStore' in rule));
  const judgeAccess = createPathJudge({ ...call.access, rules: onPaths });
  const place = toRulePlace(call.access);
  const rules = permissions.rules.flatMap((rule) => {
    const onPath = toPathRule(rule, call);
    // A rule on `Repl` without content means every path; a rule with another kind of content
    // doesn't.
    const isWhole = rule.ruleContent === undefined && ruleNamesTool(rule.toolName, call.tool);
    const glob = onPath?.operation === 'write' ? onPath.glob : isWhole ? '/**' : undefined;
    return glob === undefined ? [] : [{ rule, pattern: compileRuleGlob(place.cwd, glob) }];
  });
  const removalRules = permissions.rules.flatMap((rule) => {
    const capability = readCapability(rule.ruleContent);
    if (capability?.type !== 'remove' || !namesCall(rule, call)) return [];
    return [{ rule, pattern: compileRuleGlob(place.cwd, capability.glob) }];
  });
  const findIn = (list: typeof rules, behavior: PermissionBehavior, path: string) => {
    const listThem = behavior === 'allow' ? listAllowedOriginals : listOriginals;
    const originals = list.length === 0 ? [] : listThem(path, place);
    return list.find(
      ({ rule, pattern }) =>
        rule.behavior === behavior && meansPath((one) => pattern.test(one), path, originals),
    )?.rule;
  };

  return (path, kind, { isDirectory, isHarmless } = unknownMaking) => {
    const isLoss = kind === 'loss';
    const find = (behavior: PermissionBehavior) => findIn(rules, behavior, path);
    const findRemoval = (behavior: PermissionBehavior) => findIn(removalRules, behavior, path);
    const deny = find('deny') ?? (isLoss ? findRemoval('deny') : undefined);
    if (deny) return { behavior: 'deny', reason: { type: 'rule', rule: deny } };
    // Security: the view refused such writes already; a change set that has one was forged.
    const access = judgeAccess('write', path, isDirectory);
    if (access !== 'allow' && access !== 'ask') {
      return { behavior: 'deny', reason: { type: 'tool', message: `${path} is out of reach.` } };
    }
    const ask = find('ask') ?? (isLoss ? findRemoval('ask') : undefined);
    if (ask) return { behavior: 'ask', reason: { type: 'rule', rule: ask } };
    if (!isHarmless && isProtectedPath(path, isDirectory)) {
      return { behavior: 'ask', reason: { type: 'protected-path', path } };
    }
    const { mode, taintedBy, isDraft } = permissions;
    if (taintedBy !== undefined && isInstructionPath(path, isDirectory)) {
      return { behavior: 'ask', reason: { type: 'instructions', path, taintedBy } };
    }
    if (mode === 'bypassPermissions') return { behavior: 'allow', reason: { type: 'mode', mode } };
    // A file that is lost on a branch is still where the branch began.
    if (isDraft) return { behavior: 'allow', reason: { type: 'at-commit' } };
    // Security: a mode or a rule that allows writing a path doesn't allow removing what stood
    // there.
    const mayRemove = kind === 'edit' ? undefined : findRemoval('allow');
    if (isLoss && !mayRemove) return { behavior: 'ask', reason: { type: 'removal', path } };
    if (mode === 'acceptEdits') return { behavior: 'allow', reason: { type: 'mode', mode } };
    const allow = mayRemove ?? find('allow');
    return allow
      ? { behavior: 'allow', reason: { type: 'rule', rule: allow } }
      : { behavior: 'ask' };
  };
}

/** A rule on removals by code holds for the tools that the code calls, too. */
function namesCall({ toolName }: PermissionRule, { tool, caller }: JudgedCall): boolean {
  return ruleNamesTool(toolName, tool) || (caller !== undefined && ruleNamesTool(toolName, caller));
}

type Links = Pick<FileSystem, 'lstat' | 'realpath'>;

/**
 * Why the call may not be made, for the model; undefined: it may. `path` is the one that was judged,
 * `judge` that of the call's access. Security: a link in a directory that rules allow may lead anywhere.
 */
export async function judgeRealPath(
  { tool, traits }: Pick<AllowedCall, 'tool' | 'traits'>,
  path: string,
  judge: PathJudge,
  fs: Links,
): Promise<string | undefined> {
  const real = await findRealPath(path, fs);
  if (real === path) return undefined;
  const refusal = `${tool.name} was refused: ${path} is a link, or behind one`;
  if (real === undefined) return `${refusal}, and leads nowhere. Name the file itself.`;
  if (judge(traits.isReadOnly ? 'read' : 'write', real) === 'allow') return undefined;
  return `${refusal}, and leads to ${real}, which it may not reach so. Name the file itself.`;
}

/** Links followed, as far as the path exists; undefined for a link that leads nowhere. */
async function findRealPath(path: string, fs: Links): Promise<string | undefined> {
  try {
    return await fs.realpath(path);
  } catch (error) {
    if (!SdkError.isInstance(error) || error.code !== 'ENOENT') return undefined;
  }
  const isThere = await fs.lstat(path).then(
    () => true,
    () => false,
  );
  // The link is there, and its target isn't.
  if (isThere || path === '/') return undefined;
  const parent = await findRealPath(dirname(path), fs);
  const name = path.slice(path.lastIndexOf('/') + 1);
  return parent === undefined ? undefined : resolvePath(parent, name);
}
