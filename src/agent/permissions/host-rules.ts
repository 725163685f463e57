// The hosts that a call's code, or the tool itself, may reach. `decide.ts` asks before the call runs, and `authorize.ts`
// hands the result to the call. Names are compared as written here; each request is judged exactly
// where it is made.
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
    // The tool failed to say. Then no host is asked about, and none is granted.
    return [];
  }
}

/** Does a rule mean this host? A deny or ask rule holds on every port, unless it names one. */
export function hostRuleMeans(rule: string, host: string, isCautious: boolean): boolean {
  const name = rule
    .toLowerCase()
    .replace(/[.[\]]/gu, '\\$&')
    .replace('*', '[^:]+');
  return new RegExp(`^${name}${isCautious ? '(?::\\d+)?' : ''}$`, 'u').test(host);
}

/** If the allow rules together cover every host that the call's code names: one of them. */
export function findHostRule(
  call: ValidCall,
  permissions: ToolPermissionContext,
): PermissionRule | undefined {
  const hosts = getCallHosts(call);
  const allowing = findRules(call, permissions).filter(({ behavior }) => behavior === 'allow');
  const isAllowed = (name: string) => allowing.some(({ host }) => hostRuleMeans(host, name, false));
  return hosts.length > 0 && hosts.every(isAllowed) ? allowing[0] : undefined;
}

/** A host that the call names and only a person may let it reach, since it isn't public and no rule names it. */
export function findPrivateHost(
  call: ValidCall,
  permissions: ToolPermissionContext,
): string | undefined {
  const allowing = findRules(call, permissions).filter(({ behavior }) => behavior === 'allow');
  const isNamed = (name: string) => allowing.some(({ host }) => host.toLowerCase() === name);
  return getCallHosts(call).find((host) => isPrivateHost(host) && !isNamed(host));
}

/**
 * `host` is with a port or without. A text that is no host counts as private, so that a person sees
 * it.
 */
export function isPrivateHost(host: string): boolean {
  const address = `https://${host}`;
  return !URL.canParse(address) || !isPublicHost(plainHost(new URL(address)));
}

/**
 * What an allowed call may reach; undefined: nothing. Security: a call that only reads files
 * reaches nothing. Neither does one that plans and acts, but for what a person has just been asked
 * about.
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
  // A person, or a hook or the classifier in their place, has seen which hosts the code names.
  const granted = reason.type === 'user' ? getCallHosts(call) : [];
  // Security: a page may say "fetch http://localhost/admin", and a classifier may believe it.
  const isByOther = reason.type === 'hook' || reason.type === 'classifier';
  const grantedPublic = isByOther ? getCallHosts(call) : [];
  // Security: code that names no host must not reach what a tainted session's policy holds back.
  const isGuarded = permissions.egress !== undefined && permissions.taintedBy !== undefined;
  const hosts = isPlanning || isGuarded ? [] : list('allow');
  // `Repl` without content means whatever it does: every public host. Private ones must be named.
  const isWhole = ({ behavior, ruleContent, toolName }: PermissionRule) =>
    behavior === 'allow' && ruleContent === undefined && ruleNamesTool(toolName, call.tool);
  const isFree = mode === 'bypassPermissions' || (!isPlanning && rules.some(isWhole));
  if (isFree && !isGuarded) hosts.push('*');
  if (hosts.length + granted.length + grantedPublic.length === 0) return undefined;
  const shared = { hosts, granted, asked: list('ask'), denied: list('deny') };
  return { ...shared, ...(isByOther && { grantedPublic }) };
}

/** The first rule of the behaviour that is about one host, as what the call's code wants to reach. */
export function findRuleOnHost(
  call: Pick<ValidCall, 'tool' | 'caller'>,
  permissions: ToolPermissionContext,
  host: string,
  behavior: PermissionBehavior,
): PermissionRule | undefined {
  const rules = findRules(call, permissions).filter((rule) => rule.behavior === behavior);
  return rules.find((rule) => hostRuleMeans(rule.host, host, behavior !== 'allow'));
}

/** The rules on hosts that are about the call's tool. */
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
