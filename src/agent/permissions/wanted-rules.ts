// Rules as settings and definitions of the workspace write them: some can't hold here. What a person is asked about
// or told of, and what then holds, is sorted out here.
import { SdkError } from '../../core/errors.ts';
import type {
  PermissionBehavior,
  PermissionRule,
  PermissionRuleSource,
} from '../../core/permissions/permission.ts';
import { parseRule } from '../../core/permissions/rule.ts';
import { isOnCommands, parseRules, suggestRule } from './rules.ts';

/** Sorted by whether they can hold. */
export interface WantedRules {
  /** As they are written. */
  readonly allow: readonly string[];
  readonly rules: readonly PermissionRule[];
  /** The rules that can't hold here, such as those on a shell. */
  readonly cannotHold: readonly string[];
}

/** A person is only told of an allow rule that can't hold: without it everything is tighter. */
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
 * Rules that deny or ask. For rules on a shell's commands a person is told what to write instead. Such a file is
 * written for Claude Code as well, and here no shell can do what they forbid.
 *
 * @throws SdkError `invalid-input` for any other that can't hold.
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
