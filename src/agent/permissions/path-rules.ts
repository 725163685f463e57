// The permission rules that speak of paths. They are named after Read and Edit, but they govern
// every tool: whoever may not Read a file may not find it with Grep or open it in the Repl.
import type { PathOperation } from '../../core/path-access.ts';
import type { PermissionRule } from '../../core/permission.ts';
import type { ValidCall } from '../validate.ts';
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

const capability = /^fs\.(?<operation>read|write):(?<glob>.+)$/su;

/** `Tool(fs.write:glob)`: what the tool may do to files, whichever files its input names. */
export function isCapabilityRule(rule: PermissionRule): boolean {
  return capability.test(rule.ruleContent ?? '');
}

/** What the rule's own name says: is it one on reading or on writing files? */
export function getRuleOperation(rule: PermissionRule): PathOperation | undefined {
  return operations.get(rule.toolName);
}

/**
 * The rule as one on paths, as far as it concerns this call; undefined when it doesn't. A rule on
 * Read or Edit without content is about every path.
 */
export function toPathRule(
  rule: PermissionRule,
  call: Pick<ValidCall, 'tool' | 'traits'>,
): PathRule | undefined {
  const { ruleContent } = rule;
  const operation = getRuleOperation(rule);
  if (operation) return { operation, glob: ruleContent ?? '/**' };
  if (ruleContent === undefined || !ruleNamesTool(rule.toolName, call.tool)) return undefined;
  const groups = capability.exec(ruleContent)?.groups;
  if (groups?.['glob']) {
    return { operation: groups['operation'] === 'read' ? 'read' : 'write', glob: groups['glob'] };
  }
  // `Grep(secrets/**)`: the tool's contents are globs, so they hold in its view as well.
  const hasGlobs = call.tool.getPath !== undefined && !call.tool.preparePermissionMatcher;
  if (!hasGlobs) return undefined;
  return { operation: call.traits.isReadOnly ? 'read' : 'write', glob: ruleContent };
}
