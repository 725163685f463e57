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

/** Is the rule about the call that the matcher was made for? Never throws. */
export type RuleMatcher = (rule: PermissionRule) => boolean;

/**
 * Prepares what all rules are matched with: the call's path, and the tool's own matcher. A relative path
 * starts where the session works, relative globs of rules where it began.
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
    // Security: if a server has changed its tool's definition since it was allowed, a person is asked again.
    if (rule.definition !== undefined && rule.definition !== definition) return false;
    const capability = readCapability(rule.ruleContent);
    if (call.caller && capability && ruleNamesTool(rule.toolName, call.caller)) {
      if (capability.type === 'tools') return ruleNamesTool(capability.name, tool);
      // Security: a tool that code calls mustn't read a host that the code may not reach.
      if (capability.type === 'net' && rule.behavior !== 'allow') {
        return getCallHosts(call).some((host) => hostRuleMeans(capability.host, host, true));
      }
      // Files that a deny rule hides from the caller's fs are absent from this call's view. An ask
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
      // Other capabilities are judged by what the call really does: files by its view and at
      // commit, tools as they are called. Hosts are allowed by all rules together: `findHostRule`.
      const isHeldBack = capability.type === 'net' && cautious;
      return (
        isHeldBack && getCallHosts(call).some((host) => hostRuleMeans(capability.host, host, true))
      );
    }
    if (isNamed && matchContent) return matchContent(ruleContent) ?? cautious;
    // A tool that is called without a path works on the whole working directory. Files that the
    // rule keeps from it are absent from its view. A tool that knows no paths can't be judged at
    // all.
    return tool.getPath ? false : cautious;
  };
}

/** Has the tool this capability? If not, it can't be decided whether a rule on it matches. */
function hasCapability(tool: Tool, { type }: Capability): boolean {
  if (type === 'net') return tool.getNetworkHosts !== undefined;
  if (type === 'remove') return tool.authorizesChangesAt === 'commit';
  return type === 'fs' || tool.callsTools === true;
}

// Read rules also apply to other tools that read the path they name, Edit rules to those that write it.
function governsByPath(call: ValidCall, rule: PermissionRule): boolean {
  if (call.tool.getPath === undefined) return false;
  // Security: permission to read a file isn't permission to send it, which an open-world tool may do.
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

/** `none`: the call names no file. `unknown`: the tool failed to say which, or none can have that path. */
export type CallPath =
  | { readonly type: 'path'; readonly path: string }
  | { readonly type: 'none' }
  | { readonly type: 'unknown' };

// 4096 bytes: the longest path of a file. Security: matching a longer one with every rule would take too long.
const maxPathLength = 4_096;

/** Absolute and normal, so that no spelling of a path escapes a rule. */
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
 * Does the call write the file that it names, and nothing else? Then it is an edit, whatever the
 * tool is called. Only a worker's draft is known to hold all that was done.
 */
export function isEdit(call: Pick<ValidCall, 'tool' | 'traits'>): boolean {
  const { tool, traits } = call;
  const writesDraft = tool.runsIn === 'worker' && !traits.isReadOnly && !traits.isOpenWorld;
  return writesDraft && tool.getPath !== undefined;
}
