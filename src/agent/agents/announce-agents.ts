// The kinds of sub-agents as the model is told of them. create-request.ts tells them before a request.
import type { AgentListing } from '../../core/agents.ts';
import { matchesWildcard } from '../../core/match-wildcard.ts';
import type { PermissionRule } from '../../core/permission.ts';
import type { Announcement } from '../context/announce-items.ts';

/** The name that the tool has in rules and in the pool. */
const agentToolName = 'Agent';

/** Without those that a rule denies. */
export function toAgentAnnouncement(
  agents: readonly AgentListing[],
  rules: readonly PermissionRule[],
): Announcement {
  const denied = rules.flatMap(({ behavior, toolName, ruleContent }) =>
    behavior === 'deny' && toolName === agentToolName && ruleContent !== undefined
      ? [ruleContent]
      : [],
  );
  return {
    kind: 'agents',
    toolName: agentToolName,
    heading: '# Agents\n\nValues of subagent_type for Agent.',
    items: agents
      .filter(({ name }) => !denied.some((pattern) => matchesWildcard(pattern, name)))
      .map(({ name, description }) => ({ name, description })),
  };
}
