// Parses and formats permission rules: `Tool`, `Tool(content)`, and the colon form `Tool:pattern`.
import { SdkError } from '../errors.ts';
import type { PermissionRuleValue } from './permission.ts';

const ruleForm = /^(?<tool>[\w*-]+)(?:\((?<content>.+)\)|:(?<pattern>.+))?$/su;

/**
 * Parses a rule string. Inverse: {@link formatRule}.
 *
 * @throws SdkError `invalid-input` with the reason if the string isn't a rule. An invalid rule is refused when it is
 * set, never ignored
 */
export function parseRule(rule: string): PermissionRuleValue {
  // Rules may come from settings files, whose lists may contain values of any type.
  const groups = typeof rule === 'string' ? ruleForm.exec(rule.trim())?.groups : undefined;
  if (!groups?.['tool']) {
    throw new SdkError(
      'invalid-input',
      `"${String(rule)}" is not a permission rule. Write Tool or Tool(content), as in Edit(src/**).`,
      { data: { rule } },
    );
  }
  const ruleContent = groups['content'] ?? groups['pattern'];
  return {
    toolName: groups['tool'],
    ...(ruleContent !== undefined && { ruleContent }),
  };
}

/** The inverse of {@link parseRule}, always in the form `Tool(content)`. */
export function formatRule(rule: PermissionRuleValue): string {
  return rule.ruleContent === undefined ? rule.toolName : `${rule.toolName}(${rule.ruleContent})`;
}
