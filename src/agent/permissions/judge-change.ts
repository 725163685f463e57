// Judges one changed path as an edit, by deny rules, ask rules, the mode, and allow rules. A change
// that removes content from before the session is also judged as a removal. Called by
// `authorize-changes.ts` for each path of a change set.
import { createPathJudge, toRulePlace } from '../../core/access/path-access.ts';
import type { PathAccess, PathJudge } from '../../core/access/path-access.ts';
import { isInstructionPath, isProtectedPath } from '../../core/access/protected-paths.ts';
import { listAllowedOriginals, listOriginals, meansPath } from '../../core/access/rule-place.ts';
import { hasCode } from '../../core/errors.ts';
import { compileRuleGlob } from '../../core/glob/path-glob.ts';
import { basename, dirname, resolvePath } from '../../core/path.ts';
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

/** `ask` without a reason: no rule or mode decided about this path. */
export type ChangeVerdict =
  | { readonly behavior: 'allow'; readonly reason: DecisionReason }
  | { readonly behavior: 'deny'; readonly reason: DecisionReason }
  | { readonly behavior: 'ask'; readonly reason?: DecisionReason };

/**
 * `loss`: content from before the session is removed or emptied. `removal`: a path is removed
 * without a loss, because it is a directory, was moved, or was created by the session.
 */
export type ChangeKind = 'edit' | 'removal' | 'loss';

/** The call, or the branch to be merged, that the changes belong to. */
export interface JudgedCall extends RuledCall {
  readonly access: PathAccess;
}

/** A new file or directory at a path. */
export interface Making {
  readonly isDirectory: boolean;
  /**
   * Git creates such a file in a new repository, so its path alone is no reason to ask a person.
   */
  readonly isHarmless: boolean;
}

const unknownMaking: Making = { isDirectory: false, isHarmless: false };

/** Creates the judge for one call's changes. Paths are absolute and normal. */
export function createChangeJudge(
  call: JudgedCall,
  permissions: ToolPermissionContext,
): (path: string, kind: ChangeKind, making?: Making) => ChangeVerdict {
  // Only git has written to git's store, because the view denies other writes there. The store's
  // file names are hashes of the contents, so their paths need no rules.
  const onPaths = call.access.rules.filter((rule) => !('isForGitStore' in rule));
  const judgeAccess = createPathJudge({ ...call.access, rules: onPaths });
  const place = toRulePlace(call.access);
  const rules = permissions.rules.flatMap((rule) => {
    const onPath = toPathRule(rule, call);
    // A rule on `Repl` without content matches every path. A rule with another kind of content
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
    // Security: the view refuses such writes, so a change set with one was forged.
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
    // A file that is removed on a branch still exists at the branch's base.
    if (isDraft) return { behavior: 'allow', reason: { type: 'at-commit' } };
    // Security: a mode or a rule that allows writing a path doesn't allow removing the earlier
    // content.
    const mayRemove = kind === 'edit' ? undefined : findRemoval('allow');
    if (isLoss && !mayRemove) return { behavior: 'ask', reason: { type: 'removal', path } };
    if (mode === 'acceptEdits') return { behavior: 'allow', reason: { type: 'mode', mode } };
    const allow = mayRemove ?? find('allow');
    return allow
      ? { behavior: 'allow', reason: { type: 'rule', rule: allow } }
      : { behavior: 'ask' };
  };
}

/**
 * True if the rule names the call's tool or its caller. A rule on removals by code also applies to
 * the tools that the code calls.
 */
function namesCall({ toolName }: PermissionRule, { tool, caller }: JudgedCall): boolean {
  return ruleNamesTool(toolName, tool) || (caller !== undefined && ruleNamesTool(toolName, caller));
}

type Links = Pick<FileSystem, 'lstat' | 'realpath'>;

/**
 * The reason for the model why the call isn't allowed; undefined: it is. `path` is the path that
 * was judged, `judge` the judge of the call's access. Security: a link in an allowed directory may
 * lead to any path.
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

/** Follows links as far as the path exists. Gives undefined for a link to nothing. */
async function findRealPath(path: string, fs: Links): Promise<string | undefined> {
  try {
    return await fs.realpath(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) return undefined;
  }
  const isThere = await fs.lstat(path).then(
    () => true,
    () => false,
  );
  // The link exists, and its target doesn't.
  if (isThere || path === '/') return undefined;
  const parent = await findRealPath(dirname(path), fs);
  return parent === undefined ? undefined : resolvePath(parent, basename(path));
}
