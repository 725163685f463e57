// One changed path, judged as an edit of it would be: deny rules, ask rules, mode, allow rules.
// Called by `authorize-changes.ts` for each path of a change set.
import { createPathJudge } from '../../core/path-access.ts';
import { compileRuleGlob } from '../../core/glob/path-glob.ts';
import type {
  DecisionReason,
  PermissionBehavior,
  ToolPermissionContext,
} from '../../core/permission.ts';
import { isProtectedPath } from '../../core/protected-paths.ts';
import type { AllowedCall } from '../authorize.ts';
import { toPathRule } from './path-rules.ts';
import { ruleNamesTool } from './rule-names-tool.ts';

/** `ask` without a reason: nobody said anything about this path. */
export type ChangeVerdict =
  | { readonly behavior: 'allow'; readonly reason: DecisionReason }
  | { readonly behavior: 'deny'; readonly reason: DecisionReason }
  | { readonly behavior: 'ask'; readonly reason?: DecisionReason };

/**
 * Prepares the judge of one call's changes. Paths are absolute and normal; `isDirectory`: one was made
 * there.
 */
export function createChangeJudge(
  call: AllowedCall,
  permissions: ToolPermissionContext,
): (path: string, isDirectory?: boolean) => ChangeVerdict {
  const judgeAccess = createPathJudge(call.access);
  const rules = permissions.rules.flatMap((rule) => {
    const onPath = toPathRule(rule, call);
    // `allow Repl` without content means whatever it does; a content of another kind doesn't.
    const isWhole = rule.ruleContent === undefined && ruleNamesTool(rule.toolName, call.tool);
    const glob = onPath?.operation === 'write' ? onPath.glob : isWhole ? '/**' : undefined;
    return glob === undefined ? [] : [{ rule, pattern: compileRuleGlob(call.access.cwd, glob) }];
  });
  const find = (behavior: PermissionBehavior, path: string) =>
    rules.find(({ rule, pattern }) => rule.behavior === behavior && pattern.test(path))?.rule;

  return (path, isDirectory) => {
    const deny = find('deny', path);
    if (deny) return { behavior: 'deny', reason: { type: 'rule', rule: deny } };
    // Security: the view refused such writes already; a change set that has one was forged.
    const access = judgeAccess('write', path, isDirectory);
    if (access !== 'allow' && access !== 'ask') {
      return { behavior: 'deny', reason: { type: 'tool', message: `${path} is out of reach.` } };
    }
    const ask = find('ask', path);
    if (ask) return { behavior: 'ask', reason: { type: 'rule', rule: ask } };
    if (isProtectedPath(path, isDirectory)) {
      return { behavior: 'ask', reason: { type: 'protected-path', path } };
    }
    const { mode } = permissions;
    if (mode === 'bypassPermissions' || mode === 'acceptEdits') {
      return { behavior: 'allow', reason: { type: 'mode', mode } };
    }
    const allow = find('allow', path);
    return allow
      ? { behavior: 'allow', reason: { type: 'rule', rule: allow } }
      : { behavior: 'ask' };
  };
}
