// Rules that allow, as settings and definitions of the workspace write them: some can't hold here. What a person
// is asked about, and what then holds, is sorted out here.
import { SdkError } from '../../core/errors.ts';
import type { PermissionRule, PermissionRuleSource } from '../../core/permissions/permission.ts';
import { parseRules } from './rules.ts';

/** Sorted by whether they can hold. */
export interface WantedRules {
  /** As they are written. */
  readonly allow: readonly string[];
  readonly rules: readonly PermissionRule[];
  /** Those that can't hold here, such as those on a shell. */
  readonly cannotHold: readonly string[];
}

/** A rule that allows and can't hold is only told of: without it all is tighter. */
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
