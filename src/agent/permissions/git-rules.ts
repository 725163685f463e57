// Rules on commands of git, such as `Repl(git:push)`: which a call may not run, and what they say of what git
// did for it. Used by calls/authorize.ts before a call, by calls/authorize-errand.ts before a command reaches
// a server, and by calls/authorize-changes.ts after the call.
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

/** Names of commands, or patterns of them, that the call's code may not run. */
export function listDeniedCommands(
  call: Pick<ValidCall, 'tool' | 'caller'>,
  { rules }: ToolPermissionContext,
): string[] {
  const about = { rules: listRulesAbout(rules, call) };
  return findGitRules(call, about, 'deny').map(({ command }) => command);
}

/** The first rule of the behaviour that is about one of the deeds. */
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

/** If rules allow all of the deeds: a rule that allows one of them. */
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
