// Indexes the rules that may apply to a call: those that name its tool, and path rules whose
// directory it touches. A host may have thousands of rules; the others are never evaluated.
import { listOriginals } from '../../core/access/rule-place.ts';
import type { RulePlace } from '../../core/access/rule-place.ts';
import { getOrMake } from '../../core/values/get-or-make.ts';
import { getGlobDirectory } from '../../core/glob/path-glob.ts';
import type { PermissionRule } from '../../core/permissions/permission.ts';
import type { Tool } from '../../core/tool/tool.ts';
import type { ValidCall } from '../calls/validate.ts';
import type { CallPath } from './match-rule.ts';
import { isFileRule, readCapability, ruleNamesTool } from './rules.ts';

/** By the tool that is called, and by the one whose code calls it. */
type ByTools<T> = WeakMap<Tool, Map<Tool | undefined, T>>;

// Each update of the permissions makes a new list, so nothing here is ever out of date.
const byName = new WeakMap<readonly PermissionRule[], ByTools<readonly PermissionRule[]>>();

/** By the rules that have a call's tools in their names, and the working directory. */
const byPath = new WeakMap<readonly PermissionRule[], Map<string, GlobIndex<PermissionRule>>>();

type Call = Pick<ValidCall, 'tool' | 'caller'>;

/**
 * The rules that name the call's tool or its caller, and those on paths, which may govern any tool; in
 * their order. The same list for the same rules and tools.
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
 * Those of {@link listRulesAbout} whose globs may mean the path that the call names, and those that
 * aren't judged by a glob; in their order. What is left out doesn't match the call. Security: `target`
 * must be what the matcher goes by, too, for a tool may say something else when it is asked again.
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

/** The glob that the rule is held against a path by; undefined where it may be judged otherwise. */
function getGlob({ toolName, ruleContent }: PermissionRule, tool: Tool): string | undefined {
  const isOwn = tool.preparePermissionMatcher && ruleNamesTool(toolName, tool);
  return isOwn || readCapability(ruleContent) ? undefined : ruleContent;
}

interface GlobIndex<T> {
  /** All whose glob may match one of these normal absolute paths, and all without one; in their order. */
  list(paths: readonly string[]): readonly T[];
}

/** An item without a glob is in every list. */
function createGlobIndex<T>(
  items: readonly T[],
  cwd: string,
  getGlob: (item: T) => string | undefined,
): GlobIndex<T> {
  /** The places of the items, by directory; undefined: without a glob. */
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
