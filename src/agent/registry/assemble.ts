// Which tools one request offers, and in which order. Assembled anew for every request; the order
// is a promise: the same tools give the same bytes, so the prompt cache holds.
import type { ToolPermissionContext } from '../../core/permission.ts';
import type { Tool, Tools } from '../../core/tool.ts';
import { ruleNamesTool } from '../permissions/rule-names-tool.ts';

/** The pool of one request, as things stand now. */
export function assemblePool(
  builtIn: Tools,
  others: Tools,
  permissions: ToolPermissionContext,
): Tools {
  return assembleToolPool(getTools(builtIn, permissions), getTools(others, permissions));
}

/** What is enabled now and not denied as a whole. */
function getTools(tools: Tools, permissions: ToolPermissionContext): Tools {
  return filterToolsByDenyRules(tools, permissions).filter(isEnabled);
}

/** Without those that a deny rule without content names: the model needn't know what it may never use. */
function filterToolsByDenyRules(tools: Tools, permissions: ToolPermissionContext): Tools {
  const blanket = permissions.rules.filter(
    (rule) => rule.behavior === 'deny' && rule.ruleContent === undefined,
  );
  return tools.filter((tool) => !blanket.some((rule) => ruleNamesTool(rule.toolName, tool)));
}

/**
 * Built-in tools sorted by name, then the others sorted by name. Of one name the first stays, so
 * nothing that comes later can take a built-in's place.
 */
export function assembleToolPool(builtIn: Tools, others: Tools = []): Tools {
  const pool = new Map<string, Tool>();
  for (const tool of [...sortByName(builtIn), ...sortByName(others)]) {
    if (!pool.has(tool.name)) pool.set(tool.name, tool);
  }
  return [...pool.values()];
}

// By UTF-16 code unit, never by locale: every machine sorts alike.
function sortByName(tools: Tools): Tools {
  return tools.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

// A tool that can't say whether it is enabled isn't offered.
function isEnabled(tool: Tool): boolean {
  try {
    return tool.isEnabled();
  } catch {
    return false;
  }
}
