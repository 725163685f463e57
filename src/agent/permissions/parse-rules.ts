// Rule strings of options and settings become rules here. A rule that can't do what its writer
// meant is refused as it is set.
import { SdkError } from '../../core/errors.ts';
import { explainBadGlob } from '../../core/glob/parse-path-glob.ts';
import type {
  PermissionBehavior,
  PermissionRule,
  PermissionRuleSource,
} from '../../core/permission.ts';
import { formatRule, parseRule } from '../../core/rule.ts';
import { checkCapability } from './capability-rules.ts';

/**
 * Parses the rules of one list.
 *
 * @throws SdkError `invalid-input` for what is no list, and for the first that is no rule, or that can't
 * hold here.
 */
export function parseRules(
  rules: readonly string[],
  behavior: PermissionBehavior,
  source: PermissionRuleSource,
): PermissionRule[] {
  if (!Array.isArray(rules)) {
    throw new SdkError(
      'invalid-input',
      `The rules that should ${behavior} are no list. Write ['Edit(src/**)'].`,
      { data: { behavior, source } },
    );
  }
  return rules.map((rule) => checkRule({ ...parseRule(rule), behavior, source }));
}

/** Shells that the Claude Agent SDK's rules name. Here the Repl stands where they did. */
const shells: ReadonlySet<string> = new Set(['Bash', 'PowerShell']);

/** The tool's name as it holds here. */
export function replaceShell(toolName: string): string {
  return shells.has(toolName) ? 'Repl' : toolName;
}

/**
 * The rule as it holds here: to deny a shell is to deny the Repl.
 *
 * @throws SdkError `invalid-input` for any other rule on a shell: there is no shell whose commands
 * it could match, and a rule that is silently never used would be worse than none; also for a
 * capability that names nothing, for a rule on cells that names none, for a pattern that is too long, and
 * for a wildcard in the name of a tool whose content is given.
 */
function checkRule(rule: PermissionRule): PermissionRule {
  checkLength(rule);
  checkWildcard(rule);
  checkCapability(rule);
  if (!shells.has(rule.toolName)) return rule;
  if (rule.behavior === 'deny' && rule.ruleContent === undefined) {
    return { ...rule, toolName: replaceShell(rule.toolName) };
  }
  throw new SdkError(
    'invalid-input',
    `The rule ${formatRule(rule)} can't hold: there is no shell here. Write one on Repl, such as Repl(fs.write:src/**).`,
    { data: { rule: formatRule(rule) } },
  );
}

/**
 * Security: which tool a content is for decides what it means. `R*d(secrets/**)` would keep Read from a
 * file, and no cell and no Grep, as `Read(secrets/**)` does.
 */
function checkWildcard(rule: PermissionRule): void {
  if (rule.ruleContent === undefined || !rule.toolName.includes('*')) return;
  throw new SdkError(
    'invalid-input',
    `The rule ${formatRule(rule)} can't hold: what stands in brackets belongs to one tool. Write a rule for each tool, by its whole name.`,
    { data: { rule: formatRule(rule) } },
  );
}

function checkLength(rule: PermissionRule): void {
  const why = explainBadGlob(rule.toolName) ?? explainBadGlob(rule.ruleContent ?? '');
  if (why === undefined) return;
  const beginning = `${formatRule(rule).slice(0, 40)}…`;
  throw new SdkError('invalid-input', `The rule ${beginning} can't hold: ${why}.`, {
    data: { rule: beginning },
  });
}
