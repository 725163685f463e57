// Evaluates rules on commands of git, such as `Repl(git:push)`. They decide which commands a call
// may run, and whether its commits and other git operations are allowed. Used by calls/authorize.ts
// before a call, calls/authorize-errand.ts before a command reaches a server, and
// calls/authorize-changes.ts after the call.
import { meansGitCommand } from '../../core/git/git-commands.ts';
import type { GitDeed } from '../../core/git/git-deed.ts';
import type {
  PermissionBehavior,
  PermissionRule,
  ToolPermissionContext,
} from '../../core/permissions/permission.ts';
import type { ValidCall } from '../calls/validate.ts';
import { listRulesAbout } from './relevant-rules.ts';
import { readCapability, ruleNamesTool, type RuledCall } from './rules.ts';

interface GitRule {
  readonly rule: PermissionRule;
  readonly command: string;
}

/** The names or patterns of the git commands that the call's code may not run. */
export function listDeniedCommands(
  call: Pick<ValidCall, 'tool' | 'caller'>,
  { rules }: ToolPermissionContext,
): string[] {
  const about = { rules: listRulesAbout(rules, call) };
  return findGitRules(call, about, 'deny').map(({ command }) => command);
}

/** The first rule with this behaviour that matches one of the git operations. */
export function findDeedRule(
  deeds: readonly Pick<GitDeed, 'command'>[],
  call: RuledCall,
  context: ToolPermissionContext,
  behavior: 'deny' | 'ask',
): PermissionRule | undefined {
  const rules = findGitRules(call, context, behavior);
  return rules.find(({ command: pattern }) =>
    deeds.some(({ command }) => meansGitCommand(pattern, command)),
  )?.rule;
}

/** A rule that allows one of the operations, if rules allow all of them. */
export function findAllowedDeeds(
  deeds: readonly Pick<GitDeed, 'command'>[],
  call: RuledCall,
  context: ToolPermissionContext,
): PermissionRule | undefined {
  const rules = findGitRules(call, context, 'allow');
  const allowing = deeds.map(
    ({ command }) => rules.find(({ command: pattern }) => meansGitCommand(pattern, command))?.rule,
  );
  return allowing.every((rule) => rule !== undefined) ? allowing[0] : undefined;
}

function findGitRules(
  call: Pick<RuledCall, 'tool'>,
  { rules }: Pick<ToolPermissionContext, 'rules'>,
  wanted: PermissionBehavior,
): GitRule[] {
  return rules.flatMap((rule) => {
    const capability = readCapability(rule.ruleContent);
    const isAbout =
      rule.behavior === wanted &&
      capability?.type === 'git' &&
      ruleNamesTool(rule.toolName, call.tool);
    return isAbout ? [{ rule, command: capability.command }] : [];
  });
}
