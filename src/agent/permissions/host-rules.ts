// Computes the hosts that a call's code, or the tool itself, may reach. `decide.ts` asks before the
// call runs, and `authorize.ts` adds the result to the call. Names are compared as written. Each
// request is checked again when it is made.
import type { HostAccess } from '../../core/access/host-access.ts';
import { isPublicHost, plainHost } from '../../core/access/network-hosts.ts';
import type {
  DecisionReason,
  PermissionBehavior,
  PermissionRule,
  ToolPermissionContext,
} from '../../core/permissions/permission.ts';
import type { ValidCall } from '../calls/validate.ts';
import { listRulesAbout } from './relevant-rules.ts';
import { readCapability, ruleNamesTool } from './rules.ts';

/** The hosts that the call's code names, or its input; none for a call that is known not to reach out. */
export function getCallHosts(
  call: Pick<ValidCall, 'tool' | 'input' | 'traits' | 'ownPorts'>,
): string[] {
  if (!call.traits.isOpenWorld) return [];
  try {
    return [...(call.tool.getNetworkHosts?.(call.input, call.ownPorts) ?? [])];
  } catch {
    // The tool failed to name its hosts, so no host is asked about or allowed.
    return [];
  }
}

/** True if a rule matches this host. A deny or ask rule without a port matches every port. */
export function hostRuleMeans(rule: string, host: string, isCautious: boolean): boolean {
  const name = rule
    .toLowerCase()
    .replace(/[.[\]]/gu, '\\$&')
    .replace('*', '[^:]+');
  return new RegExp(`^${name}${isCautious ? '(?::\\d+)?' : ''}$`, 'u').test(host);
}

/** One of the rules, if the allow rules together cover every host that the call's code names. */
export function findHostRule(
  call: ValidCall,
  permissions: ToolPermissionContext,
): PermissionRule | undefined {
  const hosts = getCallHosts(call);
  const allowing = findRules(call, permissions).filter(({ behavior }) => behavior === 'allow');
  const isAllowed = (name: string) => allowing.some(({ host }) => hostRuleMeans(host, name, false));
  return hosts.length > 0 && hosts.every(isAllowed) ? allowing[0] : undefined;
}

/**
 * A host in the call that only a person may allow, because it isn't public and no rule names it.
 */
export function findPrivateHost(
  call: ValidCall,
  permissions: ToolPermissionContext,
): string | undefined {
  const allowing = findRules(call, permissions).filter(({ behavior }) => behavior === 'allow');
  const isNamed = (name: string) => allowing.some(({ host }) => host.toLowerCase() === name);
  return getCallHosts(call).find((host) => isPrivateHost(host) && !isNamed(host));
}

/** `host` may have a port. A text that isn't a host counts as private, so that a person sees it. */
export function isPrivateHost(host: string): boolean {
  const address = `https://${host}`;
  return !URL.canParse(address) || !isPublicHost(plainHost(new URL(address)));
}

/**
 * The hosts that an allowed call may reach; undefined: none.
 * Security: a call that only reads files reaches nothing. In plan mode, a call that acts reaches
 * only hosts that a person has just allowed.
 */
export function compileHostAccess(
  call: ValidCall,
  permissions: ToolPermissionContext,
  reason: DecisionReason,
): HostAccess | undefined {
  const { isReadOnly, isOpenWorld } = call.traits;
  if (!call.tool.getNetworkHosts || (isReadOnly && !isOpenWorld)) return undefined;
  const { mode } = permissions;
  const isPlanning = mode === 'plan' && !isReadOnly;
  const rules = listRulesAbout(permissions.rules, call);
  const named = findRules(call, permissions);
  const list = (wanted: PermissionBehavior) =>
    named.filter(({ behavior }) => behavior === wanted).map(({ host }) => host);
  // Whoever allowed the call has seen which hosts the code names: a person, a hook or the
  // classifier.
  const granted = reason.type === 'user' ? getCallHosts(call) : [];
  // Security: a page may say "fetch http://localhost/admin", and a classifier may follow it.
  const isByOther = reason.type === 'hook' || reason.type === 'classifier';
  const grantedPublic = isByOther ? getCallHosts(call) : [];
  // Security: code that names no host must not get around the egress policy of a tainted session.
  const isGuarded = permissions.egress !== undefined && permissions.taintedBy !== undefined;
  const hosts = isPlanning || isGuarded ? [] : list('allow');
  // A rule on `Repl` without content allows every public host. Private hosts must be named.
  const isWhole = ({ behavior, ruleContent, toolName }: PermissionRule) =>
    behavior === 'allow' && ruleContent === undefined && ruleNamesTool(toolName, call.tool);
  const isFree = mode === 'bypassPermissions' || (!isPlanning && rules.some(isWhole));
  if (isFree && !isGuarded) hosts.push('*');
  if (hosts.length + granted.length + grantedPublic.length === 0) return undefined;
  const shared = { hosts, granted, asked: list('ask'), denied: list('deny') };
  return { ...shared, ...(isByOther && { grantedPublic }) };
}

/** The first rule with this behaviour that matches the host. */
export function findRuleOnHost(
  call: Pick<ValidCall, 'tool' | 'caller'>,
  permissions: ToolPermissionContext,
  host: string,
  behavior: PermissionBehavior,
): PermissionRule | undefined {
  const rules = findRules(call, permissions).filter((rule) => rule.behavior === behavior);
  return rules.find((rule) => hostRuleMeans(rule.host, host, behavior !== 'allow'));
}

/** The host rules for the call's tool. */
function findRules(
  call: Pick<ValidCall, 'tool' | 'caller'>,
  { rules }: ToolPermissionContext,
): (PermissionRule & { readonly host: string })[] {
  return listRulesAbout(rules, call).flatMap((rule) => {
    const capability = readCapability(rule.ruleContent);
    const isAbout = capability?.type === 'net' && ruleNamesTool(rule.toolName, call.tool);
    return isAbout ? [{ ...rule, host: capability.host }] : [];
  });
}
