// Tells the model the kinds of sub-agents. create-request.ts does so before a request.
import type { AgentListing } from '../../core/agents/agents.ts';
import { matchesWildcard } from '../../core/permissions/match-wildcard.ts';
import type { PermissionRule } from '../../core/permissions/permission.ts';
import type { Announcement } from '../context/announce-items.ts';

/** The name of the tool in rules and in the pool. */
const agentToolName = 'Agent';

/** True if a rule denies agents of this kind, or all agents. */
export function isKindDenied(rules: readonly PermissionRule[], kind: string): boolean {
  return rules.some(
    ({ behavior, toolName, ruleContent }) =>
      behavior === 'deny' &&
      toolName === agentToolName &&
      (ruleContent === undefined || matchesWildcard(ruleContent, kind)),
  );
}

/** The kinds, without those that a rule denies. */
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
