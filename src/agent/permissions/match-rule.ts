// Decides which rules apply to a call. decide.ts uses it for deny, ask and allow rules alike.
import { listAllowedOriginals, listOriginals, meansPath } from '../../core/access/rule-place.ts';
import type { RulePlace } from '../../core/access/rule-place.ts';
import { compileRuleGlob } from '../../core/glob/path-glob.ts';
import { resolvePath } from '../../core/path.ts';
import type { PermissionRule } from '../../core/permissions/permission.ts';
import type { Tool } from '../../core/tool/tool.ts';
import { readDefinition } from './seen-definition.ts';
import type { ValidCall } from '../calls/validate.ts';
import { getCallHosts, hostRuleMeans } from './host-rules.ts';
import { getOperationFor, readCapability, ruleNamesTool, toPathRule } from './rules.ts';
import type { Capability } from './rules.ts';

/** True if the rule applies to the matcher's call. Never throws. */
export type RuleMatcher = (rule: PermissionRule) => boolean;

/**
 * Prepares what every match needs: the call's path and the tool's own matcher. A relative path
 * starts at the session's working directory; relative globs of rules start at the session's first
 * directory.
 *
 * If a match can't be decided, deny and ask rules match and allow rules don't. So neither a crafted
 * input nor a careless tool evades a rule or profits from one.
 */
export async function createRuleMatcher(
  call: ValidCall,
  rulesFrom: RulePlace,
  callPath: CallPath,
): Promise<RuleMatcher> {
  const { tool } = call;
  const [originals, allowed] =
    callPath.type === 'path'
      ? [listOriginals(callPath.path, rulesFrom), listAllowedOriginals(callPath.path, rulesFrom)]
      : [[], []];
  const meansGlob = (glob: string, path: string, behavior: PermissionRule['behavior']) => {
    const pattern = compileRuleGlob(rulesFrom.cwd, glob);
    return meansPath((one) => pattern.test(one), path, behavior === 'allow' ? allowed : originals);
  };
  const matchContent = await prepareOwnMatcher(call);
  const definition = await readDefinition(tool);

  return (rule) => {
    // Security: a person is asked again if a server has changed its tool's definition since it was
    // allowed.
    if (rule.definition !== undefined && rule.definition !== definition) return false;
    const capability = readCapability(rule.ruleContent);
    if (call.caller && capability && ruleNamesTool(rule.toolName, call.caller)) {
      if (capability.type === 'tools') return ruleNamesTool(capability.name, tool);
      // Security: a tool that code calls mustn't read from a host that the code may not reach.
      if (capability.type === 'net' && rule.behavior !== 'allow') {
        return getCallHosts(call).some((host) => hostRuleMeans(capability.host, host, true));
      }
      // Files that a deny rule hides from the caller are also hidden from this call's view. An ask
      // rule matches here, where a person can answer.
      if (capability.type === 'fs' && rule.behavior === 'ask' && callPath.type === 'path') {
        const isConcerned = capability.operation === 'read' || !call.traits.isReadOnly;
        return isConcerned && meansGlob(capability.glob, callPath.path, rule.behavior);
      }
    }
    const isNamed = ruleNamesTool(rule.toolName, tool);
    if (!isNamed && !governsByPath(call, rule)) return false;
    const { ruleContent } = rule;
    if (ruleContent === undefined) return true;
    const cautious = rule.behavior !== 'allow';
    if (callPath.type === 'path') {
      if (isNamed && matchContent) return matchContent(ruleContent) ?? cautious;
      const glob = toPathRule(rule, call)?.glob ?? ruleContent;
      return meansGlob(glob, callPath.path, rule.behavior);
    }
    if (callPath.type === 'unknown') return cautious;
    if (capability && hasCapability(tool, capability)) {
      // Other capabilities are judged by the call's operations: files by its view and at commit,
      // tools when they are called. For hosts all allow rules count together, in `findHostRule`.
      const isHeldBack = capability.type === 'net' && cautious;
      return (
        isHeldBack && getCallHosts(call).some((host) => hostRuleMeans(capability.host, host, true))
      );
    }
    if (isNamed && matchContent) return matchContent(ruleContent) ?? cautious;
    // A tool that is called without a path works on the whole working directory. The view hides
    // files that the rule denies. A tool without paths can't be judged by a path rule.
    return tool.getPath ? false : cautious;
  };
}

/**
 * True if the tool has this capability. Otherwise it can't be decided whether a rule on it matches.
 */
function hasCapability(tool: Tool, { type }: Capability): boolean {
  if (type === 'net') return tool.getNetworkHosts !== undefined;
  if (type === 'remove') return tool.authorizesChangesAt === 'commit';
  return type === 'fs' || tool.callsTools === true;
}

// True if the call's path decides whether the rule applies. Read rules also apply to other tools
// that read the path, Edit rules to those that write it.
function governsByPath(call: ValidCall, rule: PermissionRule): boolean {
  if (call.tool.getPath === undefined) return false;
  // Security: permission to read a file isn't permission to send it, and an open-world tool may
  // send it.
  if (rule.behavior === 'allow' && call.traits.isOpenWorld) return false;
  return getOperationFor(rule, call) === (call.traits.isReadOnly ? 'read' : 'write');
}

/** The tool's matcher. It returns undefined if the tool's code fails. */
async function prepareOwnMatcher(
  call: ValidCall,
): Promise<((pattern: string) => boolean | undefined) | undefined> {
  const { tool, input } = call;
  if (!tool.preparePermissionMatcher) return undefined;
  try {
    const match = await tool.preparePermissionMatcher(input);
    return (pattern) => {
      try {
        return match(pattern);
      } catch {
        return undefined;
      }
    };
  } catch {
    return () => undefined;
  }
}

/**
 * `none`: the call names no file. `unknown`: the tool failed to give the path, or the path is
 * impossible.
 */
export type CallPath =
  | { readonly type: 'path'; readonly path: string }
  | { readonly type: 'none' }
  | { readonly type: 'unknown' };

// 4096 bytes: the longest path of a file. Security: matching longer paths with every rule would
// take too long.
const maxPathLength = 4_096;

/** The absolute and normal path, so that no spelling of a path evades a rule. */
export function getCallPath(call: Pick<ValidCall, 'tool' | 'input'>, cwd: string): CallPath {
  try {
    const path = call.tool.getPath?.(call.input);
    if (path === undefined) return { type: 'none' };
    if (path.length > maxPathLength) return { type: 'unknown' };
    return { type: 'path', path: resolvePath(cwd, path) };
  } catch {
    return { type: 'unknown' };
  }
}

/**
 * True if the call only writes the file that its input names. Then it is an edit, whatever the
 * tool's name. Only a tool in a worker qualifies, because its draft has all of its changes.
 */
export function isEdit(call: Pick<ValidCall, 'tool' | 'traits'>): boolean {
  const { tool, traits } = call;
  const writesDraft = tool.runsIn === 'worker' && !traits.isReadOnly && !traits.isOpenWorld;
  return writesDraft && tool.getPath !== undefined;
}
