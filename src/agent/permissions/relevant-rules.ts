// Indexes the rules that may apply to a call: rules that name its tool, and path rules about its
// path's directory. A host may have thousands of rules; the others are never evaluated.
import { listOriginals } from '../../core/access/rule-place.ts';
import type { RulePlace } from '../../core/access/rule-place.ts';
import { getOrMake } from '../../core/values/get-or-make.ts';
import { getGlobDirectory } from '../../core/glob/path-glob.ts';
import type { PermissionRule } from '../../core/permissions/permission.ts';
import type { Tool } from '../../core/tool/tool.ts';
import type { ValidCall } from '../calls/validate.ts';
import type { CallPath } from './match-rule.ts';
import { isFileRule, readCapability, ruleNamesTool } from './rules.ts';

/** Keyed by the called tool, then by the tool whose code calls it. */
type ByTools<T> = WeakMap<Tool, Map<Tool | undefined, T>>;

// Each permission update creates a new list of rules, so the cache is never out of date.
const byName = new WeakMap<readonly PermissionRule[], ByTools<readonly PermissionRule[]>>();

/** Keyed by the rules that name a call's tools, then by the working directory. */
const byPath = new WeakMap<readonly PermissionRule[], Map<string, GlobIndex<PermissionRule>>>();

type Call = Pick<ValidCall, 'tool' | 'caller'>;

/**
 * The rules that name the call's tool or its caller, and path rules, which may apply to any tool.
 * They are in their order. The same rules and tools give the same list.
 */
export function listRulesAbout(
  rules: readonly PermissionRule[],
  { tool, caller }: Call,
): readonly PermissionRule[] {
  const ofRules = getOrMake(byName, rules, () => new WeakMap());
  return getOrMake(
    getOrMake(ofRules, tool, () => new Map()),
    caller,
    () =>
      rules.filter(
        (rule) =>
          isFileRule(rule) ||
          ruleNamesTool(rule.toolName, tool) ||
          (caller && ruleNamesTool(rule.toolName, caller)),
      ),
  );
}

/**
 * The rules of {@link listRulesAbout} that may match the call's path, and those without a glob, in
 * their order. Every other rule doesn't match the call. Security: `target` must be the path that
 * the matcher uses, because a tool may give another path when it is asked again.
 */
export function listRulesFor(
  rules: readonly PermissionRule[],
  call: Call,
  rulesFrom: RulePlace,
  target: CallPath,
): readonly PermissionRule[] {
  const about = listRulesAbout(rules, call);
  if (target.type !== 'path') return about;
  const indexes = getOrMake(byPath, about, () => new Map());
  const { cwd } = rulesFrom;
  const { path } = target;
  const makeIndex = () => createGlobIndex(about, cwd, (rule) => getGlob(rule, call.tool));
  return getOrMake(indexes, cwd, makeIndex).list([path, ...listOriginals(path, rulesFrom)]);
}

/**
 * The glob that the rule compares with a path; undefined if the rule may be judged in another way.
 */
function getGlob({ toolName, ruleContent }: PermissionRule, tool: Tool): string | undefined {
  const isOwn = tool.preparePermissionMatcher && ruleNamesTool(toolName, tool);
  return isOwn || readCapability(ruleContent) ? undefined : ruleContent;
}

interface GlobIndex<T> {
  /**
   * The items whose glob may match one of these normal absolute paths, and all items without a
   * glob. They are in their order.
   */
  list(paths: readonly string[]): readonly T[];
}

/** Indexes items by the directory of their glob. An item without a glob is in every list. */
function createGlobIndex<T>(
  items: readonly T[],
  cwd: string,
  getGlob: (item: T) => string | undefined,
): GlobIndex<T> {
  /** The indices of the items by directory; undefined: items without a glob. */
  const places = new Map<string | undefined, number[]>();
  for (const [at, item] of items.entries()) {
    const glob = getGlob(item);
    const directory = glob === undefined ? undefined : getGlobDirectory(cwd, glob);
    getOrMake(places, directory, () => []).push(at);
  }
  return {
    list(paths) {
      const near = new Set(places.get(undefined));
      for (const path of paths) {
        for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) {
          for (const at of places.get(path.slice(0, end)) ?? []) near.add(at);
        }
      }
      return [...near].sort((left, right) => left - right).flatMap((at) => items[at] ?? []);
    },
  };
}
