// Which rules are about this call? Asked by `decide.ts` for deny, ask and allow rules alike.
import { compileRuleGlob } from '../../core/glob/path-glob.ts';
import type { PermissionRule } from '../../core/permission.ts';
import type { Tool } from '../../core/tool/tool.ts';
import type { ValidCall } from '../calls/validate.ts';
import { getCallPath } from './call-path.ts';
import type { CallPath } from './call-path.ts';
import { readCapability } from './capability-rules.ts';
import type { Capability } from './capability-rules.ts';
import { getCallHosts, hostRuleMeans } from './host-rules.ts';
import { getRuleOperation, toPathRule } from './path-rules.ts';
import { ruleNamesTool } from './rule-names-tool.ts';

/** Is the rule about the call that the matcher was made for? Never throws. */
export type RuleMatcher = (rule: PermissionRule) => boolean;

/**
 * Prepares once what each rule is then held against: the call's path, and the tool's own matcher.
 *
 * What can't be judged counts as meant by deny and ask rules and never by allow rules, so neither
 * a crafted input nor a careless tool slips past a rule or gains by one.
 */
export async function createRuleMatcher(
  call: ValidCall,
  cwd: string,
  callPath: CallPath = getCallPath(call, cwd),
): Promise<RuleMatcher> {
  const { tool } = call;
  const matchContent = await prepareOwnMatcher(call);

  return (rule) => {
    const capability = readCapability(rule.ruleContent);
    if (call.caller && capability && ruleNamesTool(rule.toolName, call.caller)) {
      if (capability.type === 'tools') return ruleNamesTool(capability.name, tool);
      // What a rule of deny keeps from the caller's own fs is absent from this call's view. One that
      // asks is asked here, where a person can answer it.
      if (capability.type === 'fs' && rule.behavior === 'ask' && callPath.type === 'path') {
        const isConcerned = capability.operation === 'read' || !call.traits.isReadOnly;
        return isConcerned && compileRuleGlob(cwd, capability.glob).test(callPath.path);
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
      return compileRuleGlob(cwd, glob).test(callPath.path);
    }
    if (callPath.type === 'unknown') return cautious;
    if (capability && hasCapability(tool, capability)) {
      // Otherwise judged from what the call really does: files by its view and at commit, tools as
      // they are called. Hosts are allowed by all rules together: `findHostRule`.
      const isHeldBack = capability.type === 'net' && cautious;
      return (
        isHeldBack && getCallHosts(call).some((host) => hostRuleMeans(capability.host, host, true))
      );
    }
    if (isNamed && matchContent) return matchContent(ruleContent) ?? cautious;
    // A tool called without its path works on the whole working directory: what the rule keeps
    // from it is absent from its view. One that knows no paths can't be judged at all.
    return tool.getPath ? false : cautious;
  };
}

/** Of a tool without it the rule can't be judged. */
function hasCapability(tool: Tool, { type }: Capability): boolean {
  if (type === 'net') return tool.getNetworkHosts !== undefined;
  if (type === 'remove') return tool.authorizesChangesAt === 'commit';
  return type === 'fs' || tool.callsTools === true;
}

// Read rules also hold for other tools that read the path they name, Edit rules for those that write it.
function governsByPath(call: ValidCall, rule: PermissionRule): boolean {
  if (call.tool.getPath === undefined) return false;
  return getRuleOperation(rule) === (call.traits.isReadOnly ? 'read' : 'write');
}

/** The tool's matcher; it gives undefined where the tool's code fails. */
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
