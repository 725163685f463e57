// What a permission update makes of a permission context. Pure: a context is never changed.
import type {
  PermissionRule,
  PermissionUpdate,
  ToolPermissionContext,
} from '../../core/permission.ts';
import { checkRule } from './parse-rules.ts';

/**
 * The context after the update.
 *
 * @throws SdkError `invalid-input` when one of the rules can't be understood: it is refused as it
 * is set, never ignored later.
 */
export function applyUpdate(
  context: ToolPermissionContext,
  update: PermissionUpdate,
): ToolPermissionContext {
  if (update.type === 'setMode') return { ...context, mode: update.mode };
  const { behavior, destination: source } = update;
  const named: PermissionRule[] = update.rules.map((rule) => ({ ...rule, behavior, source }));
  const isOfGroup = (rule: PermissionRule) => rule.behavior === behavior && rule.source === source;
  switch (update.type) {
    case 'addRules': {
      const isKnown = (rule: PermissionRule) => context.rules.some((old) => isSameRule(old, rule));
      const added = named.map(checkRule).filter((rule) => !isKnown(rule));
      return { ...context, rules: [...context.rules, ...added] };
    }
    case 'replaceRules': {
      const others = context.rules.filter((rule) => !isOfGroup(rule));
      return { ...context, rules: [...others, ...named.map(checkRule)] };
    }
    case 'removeRules': {
      const isNamed = (rule: PermissionRule) => named.some((old) => isSameRule(old, rule));
      return { ...context, rules: context.rules.filter((rule) => !isNamed(rule)) };
    }
  }
}

function isSameRule(a: PermissionRule, b: PermissionRule): boolean {
  return (
    a.toolName === b.toolName &&
    a.ruleContent === b.ruleContent &&
    a.behavior === b.behavior &&
    a.source === b.source
  );
}
