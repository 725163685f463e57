// The permission rules that speak of paths. They are named after Read and Edit, but they govern
// every tool: whoever may not Read a file may not find it with Grep or open it in the Repl.
import type { PathOperation } from '../../core/access/path-access.ts';
import type { PermissionRule } from '../../core/permission.ts';
import type { ValidCall } from '../calls/validate.ts';
import { readCapability } from './capability-rules.ts';
import { ruleNamesTool } from './rule-names-tool.ts';

/** What a rule says once its tool's name has been understood. The glob is taken from the `cwd`. */
export interface PathRule {
  readonly operation: PathOperation;
  readonly glob: string;
}

/** A rule on Edit covers whatever writes files; one on Write or NotebookEdit is read the same way. */
const operations: ReadonlyMap<string, PathOperation> = new Map([
  ['Read', 'read'],
  ['Edit', 'write'],
  ['Write', 'write'],
  ['NotebookEdit', 'write'],
]);

/** What the rule's own name says: is it one on reading or on writing files? */
export function getRuleOperation(rule: PermissionRule): PathOperation | undefined {
  return operations.get(rule.toolName);
}

// Security: what is kept from code by its fs isn't had by a tool that it calls either.
function holdsBackCaller(rule: PermissionRule, { caller }: Pick<ValidCall, 'caller'>): boolean {
  return rule.behavior !== 'allow' && caller !== undefined && ruleNamesTool(rule.toolName, caller);
}

/**
 * The rule as one on paths, as far as it concerns this call; undefined when it doesn't. A rule on
 * Read or Edit without content is about every path.
 */
export function toPathRule(
  rule: PermissionRule,
  call: Pick<ValidCall, 'tool' | 'traits' | 'caller'>,
): PathRule | undefined {
  const { ruleContent } = rule;
  const operation = getRuleOperation(rule);
  if (operation) return { operation, glob: ruleContent ?? '/**' };
  if (ruleContent === undefined) return undefined;
  const isNamed = ruleNamesTool(rule.toolName, call.tool);
  const capability = readCapability(ruleContent);
  if (capability?.type === 'fs' && (isNamed || holdsBackCaller(rule, call))) return capability;
  if (!isNamed) return undefined;
  if (capability && call.tool.callsTools) return undefined;
  // `Grep(secrets/**)`: the tool's contents are globs, so they hold in its view as well.
  const hasGlobs = call.tool.getPath !== undefined && !call.tool.preparePermissionMatcher;
  if (!hasGlobs) return undefined;
  return { operation: call.traits.isReadOnly ? 'read' : 'write', glob: ruleContent };
}
