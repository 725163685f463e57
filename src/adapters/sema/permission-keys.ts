// Converts between our rules and the keys under which Sema Core stores what a person has allowed. There a server's
// tool is `<server>_<tool>`; here it is `mcp__<server>__<tool>`.
import { SdkError } from '../../core/errors.ts';
import { parseMcpToolName, toApiName } from '../../core/mcp/mcp-tool-name.ts';
import { formatRule, parseRule } from '../../core/permissions/rule.ts';
import type { Tool, Tools } from '../../core/tool/tool.ts';

type Named = Pick<Tool, 'name' | 'aliases' | 'mcpInfo'>;

/** `Skill(commit)` for a tool with content, `git_push` for the tool `push` of the server `git`. */
export function toPermissionKey(tool: Pick<Tool, 'name' | 'mcpInfo'>, content?: string): string {
  const toolName = toSemaName(tool);
  return formatRule({ toolName, ...(content !== undefined && { ruleContent: content }) });
}

/**
 * Converts keys of Sema Core to rules for `allowedTools` or `disallowedTools`. Rules in our form are accepted, too.
 * `git_push` and `mcp__git_push` are looked up among the servers' tools. A name that no tool has stays unchanged, and
 * a query warns of it.
 *
 * @throws SdkError `invalid-input` for a key that isn't a rule, and for a key that would allow several tools. A key
 * can mean several tools, because the single `_` doesn't show where the server's name ends. A key that denies means
 * all of them
 */
export function toPermissionRules(
  keys: readonly string[],
  behavior: 'allow' | 'deny',
  tools: Tools,
): string[] {
  return [...new Set(keys.flatMap((key) => toRules(key, behavior, tools)))];
}

function toRules(key: string, behavior: 'allow' | 'deny', tools: Tools): string[] {
  const rule = parseRule(key);
  const meant = listMeant(rule.toolName, tools).map(({ name }) => name);
  if (meant.length === 0) return [formatRule(rule)];
  if (behavior === 'allow' && meant.length > 1) {
    throw new SdkError(
      'invalid-input',
      `"${key}" may mean ${meant.join(' or ')}. Name the one that is to be allowed.`,
      { data: { rule: key, tools: meant } },
    );
  }
  return meant.map((toolName) => formatRule({ ...rule, toolName }));
}

/** The tools that a name means, in our form or in Sema Core's. */
export function listMeant<Given extends Named>(name: string, tools: readonly Given[]): Given[] {
  // Our form shows where the server's name ends.
  const exact = parseMcpToolName(name) ? tools.filter((tool) => tool.name === name) : [];
  if (exact.length > 0) return exact;
  const bare = name.replace(/^mcp__/u, '');
  return tools.filter((tool) => {
    if (tool.name === name || tool.aliases?.includes(name)) return true;
    return tool.mcpInfo !== undefined && toSemaName(tool) === bare;
  });
}

function toSemaName({ name, mcpInfo }: Named): string {
  return mcpInfo ? `${toApiName(mcpInfo.serverName)}_${toApiName(mcpInfo.toolName)}` : name;
}
