// Finds the MCP servers that a rule denies as a whole, with their tools, resources, prompts and
// skills.
import { buildMcpToolName } from '../../core/mcp/mcp-tool-name.ts';
import type { ToolPermissionContext } from '../../core/permissions/permission.ts';
import { ruleNamesTool } from '../permissions/rules.ts';

/** Returns the servers that no rule denies. */
export function withoutDeniedServers<Named extends { readonly name: string }>(
  servers: readonly Named[],
  { rules }: ToolPermissionContext,
): readonly Named[] {
  const denying = rules.filter(
    ({ behavior, ruleContent }) => behavior === 'deny' && ruleContent === undefined,
  );
  return servers.filter(({ name: serverName }) => {
    // No tool has this name, so only a rule on the whole server matches.
    const mcpInfo = { serverName, toolName: '(all)' };
    const tool = { name: buildMcpToolName(mcpInfo), mcpInfo };
    return !denying.some(({ toolName }) => ruleNamesTool(toolName, tool));
  });
}
