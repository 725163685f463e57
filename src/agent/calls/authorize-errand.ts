// Stage 4 for git commands that contact a server. A running cell asks by its worker, before
// anything is sent. Called by `run-errand.ts`.
import type { AskedErrand } from '../../core/git/git-errand.ts';
import type {
  CanUseToolOptions,
  ClassifierVerdict,
  DecisionReason,
  PermissionRule,
  ToolPermissionContext,
} from '../../core/permissions/permission.ts';
import { isForeign } from '../../core/permissions/principal.ts';
import type { Denial } from '../../core/session/journal.ts';
import { explainReason } from '../../trace/explain-reason.ts';
import { leavePrivateHost } from '../permissions/auto-mode.ts';
import { findAllowedDeeds, findDeedRule } from '../permissions/git-rules.ts';
import { findRuleOnHost, isPrivateHost } from '../permissions/host-rules.ts';
import { narrowPermissions, toPrincipal } from '../permissions/principal.ts';
import { ruleNamesTool } from '../permissions/rules.ts';
import type { AllowedCall, AuthorizePorts } from './authorize.ts';
import { askAboutBegun, decideOrAsk } from './decide-or-ask.ts';
import type { Heard, Judgement, Open } from './decide-or-ask.ts';

/** Whether the command may continue. */
export type ErrandDecision =
  | { readonly type: 'allowed' }
  | { readonly type: 'refused'; readonly denial: Denial }
  /** The call was stopped while the question was open. */
  | { readonly type: 'withdrawn' };

interface OpenErrand extends Open<AllowedCall> {
  readonly isHostAllowed: boolean;
}

const allowed = { type: 'allowed' } as const;

/**
 * Decides by deny rules, ask rules, the egress policy, the mode and allow rules, in this order.
 * Otherwise a person is asked, by the meaning of the command. Never rejects.
 */
export async function authorizeErrand(
  call: AllowedCall,
  errand: AskedErrand,
  ports: AuthorizePorts,
  signal: AbortSignal,
): Promise<ErrandDecision> {
  return decideOrAsk<AllowedCall, OpenErrand, ErrandDecision>(
    call,
    {
      judge: () => judge(call, errand, ports),
      classify: (open) => classify(open, errand, ports, signal),
      ask: (open, undecided) => ask(errand, open, ports, signal, undecided),
      allow: () => allowed,
      refuse: (_call, reason) => refuse(errand, reason),
    },
    ports,
  );
}

function judge(
  call: AllowedCall,
  errand: AskedErrand,
  ports: AuthorizePorts,
): Judgement<AllowedCall, OpenErrand, ErrandDecision> {
  const { command, host } = errand;
  const permissions = narrowPermissions(ports.permissions.current(), call);
  const findRule = (behavior: 'deny' | 'ask') =>
    findDeedRule([{ command }], call, permissions, behavior) ??
    findRuleOnHost(call, permissions, host, behavior);
  const deny = findRule('deny');
  const no = (reason: DecisionReason) => ({
    type: 'refused' as const,
    end: refuse(errand, reason),
  });
  if (deny) return no({ type: 'rule', rule: deny });
  // Security: the worker has judged the host by the rules at the call's start.
  const isHostAllowed =
    errand.isHostAllowed || findRuleOnHost(call, permissions, host, 'allow') !== undefined;
  const open = (reason: DecisionReason | undefined) =>
    permissions.mode === 'dontAsk'
      ? no({ type: 'mode', mode: 'dontAsk' })
      : ({ type: 'open', call, reason, isHostAllowed } as const);
  const { mode, egress, taintedBy } = permissions;
  if (mode === 'plan') return no({ type: 'mode', mode });
  const asking = findRule('ask');
  if (asking) return open({ type: 'rule', rule: asking });
  if (egress && taintedBy !== undefined) {
    const reason = { type: 'egress', taintedBy } as const;
    return egress === 'deny' ? no(reason) : open(reason);
  }
  // Security: the cell may have changed a remote's address, so a rule on the command alone doesn't
  // allow the server.
  if (!isHostAllowed) return open(undefined);
  const isFree =
    command !== 'push' ||
    mode === 'bypassPermissions' ||
    findAllowedDeeds([{ command }], call, permissions) !== undefined ||
    isWholeAllowed(call, permissions);
  return isFree ? { type: 'allowed', call, end: allowed } : open(undefined);
}

/** `Repl` without content allows everything that a cell does. */
function isWholeAllowed({ tool }: AllowedCall, { rules }: ToolPermissionContext): boolean {
  return rules.some(
    ({ behavior, ruleContent, toolName }: PermissionRule) =>
      behavior === 'allow' && ruleContent === undefined && ruleNamesTool(toolName, tool),
  );
}

/** In mode `auto`. */
async function classify(
  { call: { tool, input }, isHostAllowed }: OpenErrand,
  { command, host, told, isDestructive }: AskedErrand,
  { autoMode }: AuthorizePorts,
  signal: AbortSignal,
): Promise<ClassifierVerdict> {
  if (!isHostAllowed && isPrivateHost(host)) return leavePrivateHost(host);
  const shown = { git: command, told, host, code: tool.toAutoClassifierInput(input) };
  return autoMode.judge(
    {
      input,
      tool: { name: tool.name, toAutoClassifierInput: () => shown },
      traits: { isDestructive: isDestructive === true },
    },
    signal,
  );
}

async function ask(
  errand: AskedErrand,
  open: OpenErrand,
  ports: AuthorizePorts,
  signal: AbortSignal,
  undecided: string | undefined,
): Promise<Heard<AllowedCall, ErrandDecision>> {
  const { call, reason } = open;
  const { tool, input, toolUse } = call;
  const { command, host, told } = errand;
  const why = reason ? explainReason(reason) : `nothing allows git ${command} at ${host} yet`;
  const principal = toPrincipal(call);
  const answer = await askAboutBegun(
    {
      toolName: tool.name,
      input,
      toolUseID: toolUse.id,
      title: `git ${told}?`,
      description: `git ${told}\nBefore it happens: what the server has then can't be taken back.`,
      decisionReason: undecided ? `${why} (auto mode: ${undecided})` : why,
      ...offerAnswers(errand, open),
      ...(isForeign(principal) && { principal }),
      ...(reason?.type === 'rule' && { matchedAskRule: reason.rule }),
    },
    ports,
    { hasRun: 'is running', after: unsent(errand) },
    signal,
  );
  return answer.type === 'allowed' ? { call, reason: answer.reason } : { end: answer };
}

/**
 * A person decides about each command that may lose something at the server, so the question offers
 * no rule.
 */
function offerAnswers(
  { command, host, isDestructive }: AskedErrand,
  { call, reason, isHostAllowed }: OpenErrand,
): Pick<CanUseToolOptions, 'defaultToNo' | 'suggestions' | 'suppressAlwaysAllowRule'> {
  if (isDestructive) return { defaultToNo: true, suppressAlwaysAllowRule: true };
  // A rule of the session applies to the agent, and the server's next call would ask anyway.
  if (isForeign(toPrincipal(call))) return { suppressAlwaysAllowRule: true };
  // An ask rule overrides allow rules, so an offered allow rule would have no effect.
  if (reason !== undefined) return {};
  const contents = [`git:${command}`, ...(isHostAllowed ? [] : [`net:${host}`])];
  const rules = contents.map((ruleContent) => ({ toolName: call.tool.name, ruleContent }));
  return {
    suggestions: [{ type: 'addRules', rules, behavior: 'allow', destination: 'session' }],
  };
}

function refuse(errand: AskedErrand, reason: DecisionReason): ErrandDecision {
  const message = `git ${errand.command} was refused: ${explainReason(reason)}. ${unsent(errand)}`;
  return { type: 'refused', denial: { reason, message, interrupt: false } };
}

function unsent({ host }: AskedErrand): string {
  return `Nothing was sent to ${host}. Do without it, or say what you would need it for.`;
}
