// The kinds of sub-agents as the model is told of them. create-request.ts tells them before a request.
import type { AgentListing } from '../../core/agents/agents.ts';
import { matchesWildcard } from '../../core/permissions/match-wildcard.ts';
import type { PermissionRule } from '../../core/permissions/permission.ts';
import type { Announcement } from '../context/announce-items.ts';

/** The name that the tool has in rules and in the pool. */
const agentToolName = 'Agent';

/** Does a rule deny agents of this kind, or all? */
export function isKindDenied(rules: readonly PermissionRule[], kind: string): boolean {
  return rules.some(
    ({ behavior, toolName, ruleContent }) =>
      behavior === 'deny' &&
      toolName === agentToolName &&
      (ruleContent === undefined || matchesWildcard(ruleContent, kind)),
  );
}

/** Without those that a rule denies. */
export function toAgentAnnouncement(
  agents: readonly AgentListing[],
  rules: readonly PermissionRule[],
): Announcement {
  const named = rules.filter(({ toolName }) => toolName === agentToolName);
  return {
    kind: 'agents',
    toolName: agentToolName,
    heading: '# Agents\n\nValues of subagent_type for Agent.',
    items: agents
      .filter(({ name }) => !isKindDenied(named, name))
      .map(({ name, description }) => ({ name, description })),
  };
}
