// Binds a person's permission for a server's tool to the definition that they saw. Used by
// authorize.ts for each answer.
import type { PermissionRuleValue, PermissionUpdate } from '../../core/permissions/permission.ts';
import type { Tool } from '../../core/tool/tool.ts';

/**
 * The same updates, bound to the tool's present definition where they allow the whole tool.
 * Security: a server may change a tool once it is allowed.
 */
export async function bindToDefinition(
  updates: readonly PermissionUpdate[],
  tool: Pick<Tool, 'name' | 'getDefinition'>,
): Promise<readonly PermissionUpdate[]> {
  const { name } = tool;
  const definition = await readDefinition(tool);
  if (definition === undefined) return updates;
  // An untyped answer may contain any value. Invalid rules are refused when they are applied.
  const bind = (rule: PermissionRuleValue) => {
    const isAbout =
      rule?.ruleContent === undefined
        ? rule?.toolName === name
        : rule.ruleContent === `tools:${name}`;
    return isAbout ? { ...rule, definition } : rule;
  };
  return updates.map((update) => {
    const isAllowing = update.type === 'addRules' || update.type === 'replaceRules';
    if (!isAllowing || update.behavior !== 'allow' || !Array.isArray(update.rules)) return update;
    return { ...update, rules: update.rules.map(bind) };
  });
}

const known = new WeakMap<object, Promise<string | undefined>>();

/** Undefined: the tool isn't a server's, or its server can't give a definition. Never rejects. */
export function readDefinition(
  tool: Pick<Tool, 'getDefinition'>,
): Promise<string | undefined> | undefined {
  if (!tool.getDefinition) return undefined;
  const read = known.get(tool) ?? askForDefinition(tool);
  known.set(tool, read);
  return read;
}

async function askForDefinition(tool: Pick<Tool, 'getDefinition'>): Promise<string | undefined> {
  try {
    return await tool.getDefinition?.();
  } catch {
    return undefined;
  }
}
