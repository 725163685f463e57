// Sorts the rules of the workspace's settings and definitions by whether they can apply here.
import { SdkError } from '../../core/errors.ts';
import type {
  PermissionBehavior,
  PermissionRule,
  PermissionRuleSource,
} from '../../core/permissions/permission.ts';
import { parseRule } from '../../core/permissions/rule.ts';
import { isOnCommands, parseRules, suggestRule } from './rules.ts';

/** Rules, sorted by whether they can apply. */
export interface WantedRules {
  /** As they are written. */
  readonly allow: readonly string[];
  readonly rules: readonly PermissionRule[];
  /** The rules that can't apply here, such as rules on a shell. */
  readonly cannotHold: readonly string[];
}

/**
 * A person is only informed of an allow rule that can't apply, because without it permissions are
 * stricter.
 */
export function sortWantedRules(
  wanted: readonly string[],
  source: PermissionRuleSource,
): WantedRules {
  const parsed = wanted.map((rule) => ({ rule, rules: tryParse(rule, source) }));
  return {
    allow: parsed.flatMap(({ rule, rules }) => (rules ? [rule] : [])),
    rules: parsed.flatMap(({ rules }) => rules ?? []),
    cannotHold: parsed.flatMap(({ rule, rules }) => (rules ? [] : [rule])),
  };
}

function tryParse(rule: string, source: PermissionRuleSource): PermissionRule[] | undefined {
  try {
    return parseRules([rule], 'allow', source);
  } catch (error) {
    if (SdkError.isInstance(error)) return undefined;
    throw error;
  }
}

/**
 * Sorts rules that deny or ask. For rules on a shell's commands a person gets the replacement to
 * write. Such a file is written for Claude Code too, and here no shell can run those commands.
 *
 * @throws SdkError `invalid-input` for any other rule that can't apply
 */
export function sortTighteningRules(
  wanted: readonly string[],
  behavior: Exclude<PermissionBehavior, 'allow'>,
  source: PermissionRuleSource,
): Omit<WantedRules, 'allow'> & { readonly problem: string | undefined } {
  const isLost = (rule: string) => isOnCommands({ ...parseRule(rule), behavior, source });
  const cannotHold = wanted.filter(isLost);
  const rules = parseRules(
    wanted.filter((rule) => !isLost(rule)),
    behavior,
    source,
  );
  return { rules, cannotHold, problem: cannotHold.length > 0 ? describe(cannotHold) : undefined };
}

function describe(cannotHold: readonly string[]): string {
  const better = [...new Set(cannotHold.map((rule) => suggestRule(parseRule(rule))))];
  return `has ${cannotHold.join(', ')}, and there is no shell here: ${cannotHold.length > 1 ? 'they hold' : 'it holds'} for nothing. What cells do is ruled by rules on Repl, such as ${better.join(' and ')}.`;
}
