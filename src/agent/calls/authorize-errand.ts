// Station 4 for what git is about to do at a server: a cell runs and asks, by its worker, before a byte leaves.
// `run-errand.ts` calls it.
import type { AskedErrand } from '../../core/git-errand.ts';
import type {
  CanUseToolOptions,
  ClassifierVerdict,
  DecisionReason,
  PermissionRule,
  ToolPermissionContext,
} from '../../core/permission.ts';
import { isSameData } from '../../core/same-data.ts';
import { explainReason } from '../../trace/explain-reason.ts';
import { isForClassifier } from '../permissions/auto-mode.ts';
import { findAllowedDeeds, findDeedRule } from '../permissions/git-rules.ts';
import { findRuleOnHost } from '../permissions/host-rules.ts';
import { narrowPermissions, toPrincipal } from '../permissions/principal.ts';
import { ruleNamesTool } from '../permissions/rules.ts';
import type { AllowedCall, AuthorizePorts } from './authorize.ts';
import type { Denial } from './settled.ts';

/** May the command go on? */
export type ErrandDecision =
  | { readonly type: 'allowed' }
  | { readonly type: 'refused'; readonly denial: Denial }
  /** The call was cut while it was asked. */
  | { readonly type: 'withdrawn' };

interface OpenErrand {
  readonly type: 'open';
  /** Undefined: nobody said anything about such a command. */
  readonly reason: DecisionReason | undefined;
  readonly isHostAllowed: boolean;
}

const allowed = { type: 'allowed' } as const;

/**
 * Deny rules, ask rules, the egress policy, the mode, allow rules; what is then open is a question for a person,
 * by what the command means. Never rejects.
 */
export async function authorizeErrand(
  call: AllowedCall,
  errand: AskedErrand,
  ports: AuthorizePorts,
  signal: AbortSignal,
): Promise<ErrandDecision> {
  const first = judge(call, errand, ports);
  if (first.type !== 'open') return first;
  const verdict = await askClassifier(call, errand, first, ports, signal);
  const judged = verdict && hearVerdict(verdict, call, errand, ports);
  if (judged) return judged;
  return ports.questions.inTurn(call.toolUse.id, async (hasWaited) => {
    // What was answered meanwhile, by the classifier or to a question before this one, may settle it.
    const isStale = hasWaited || verdict !== undefined;
    const open = isStale ? judge(call, errand, ports) : first;
    return open.type === 'open' ? ask(call, errand, open, ports, signal, verdict) : open;
  });
}

function judge(
  call: AllowedCall,
  errand: AskedErrand,
  ports: AuthorizePorts,
): ErrandDecision | OpenErrand {
  const { command, host } = errand;
  const permissions = narrowPermissions(ports.permissions.current(), call);
  const findRule = (behavior: 'deny' | 'ask') =>
    findDeedRule([{ command }], call, permissions, behavior) ??
    findRuleOnHost(call, permissions, host, behavior);
  const deny = findRule('deny');
  if (deny) return refuse(errand, { type: 'rule', rule: deny });
  // Security: the worker judged the host by the rules of the call's beginning.
  const isHostAllowed =
    errand.isHostAllowed || findRuleOnHost(call, permissions, host, 'allow') !== undefined;
  const open = (reason: DecisionReason | undefined): OpenErrand | ErrandDecision =>
    permissions.mode === 'dontAsk'
      ? refuse(errand, { type: 'mode', mode: 'dontAsk' })
      : { type: 'open', reason, isHostAllowed };
  const { mode, egress, taintedBy } = permissions;
  if (mode === 'plan') return refuse(errand, { type: 'mode', mode });
  const asking = findRule('ask');
  if (asking) return open({ type: 'rule', rule: asking });
  if (egress && taintedBy !== undefined) {
    const reason = { type: 'egress', taintedBy } as const;
    return egress === 'deny' ? refuse(errand, reason) : open(reason);
  }
  // Security: which server a remote is, the cell may have changed: a rule on the command alone doesn't say it.
  if (!isHostAllowed) return open(undefined);
  const isFree =
    command !== 'push' ||
    mode === 'bypassPermissions' ||
    findAllowedDeeds([{ command }], call, permissions) !== undefined ||
    isWholeAllowed(call, permissions);
  return isFree ? allowed : open(undefined);
}

/** `Repl` without content means whatever it does. */
function isWholeAllowed({ tool }: AllowedCall, { rules }: ToolPermissionContext): boolean {
  return rules.some(
    ({ behavior, ruleContent, toolName }: PermissionRule) =>
      behavior === 'allow' && ruleContent === undefined && ruleNamesTool(toolName, tool),
  );
}

/** In mode `auto`; undefined: it isn't the classifier's to answer. */
async function askClassifier(
  call: AllowedCall,
  { command, host, told, isDestructive }: AskedErrand,
  { reason }: OpenErrand,
  { permissions, autoMode }: AuthorizePorts,
  signal: AbortSignal,
): Promise<ClassifierVerdict | undefined> {
  const current = narrowPermissions(permissions.current(), call);
  if (!isForClassifier(current, reason)) return undefined;
  const { tool, input } = call;
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

/** Undefined: a person must be asked. */
function hearVerdict(
  { behavior, message }: ClassifierVerdict,
  call: AllowedCall,
  errand: AskedErrand,
  ports: AuthorizePorts,
): ErrandDecision | undefined {
  if (behavior === 'deny') return refuse(errand, { type: 'classifier', message });
  if (behavior === 'ask') return undefined;
  // Security: what was set while the classifier thought holds for this command too.
  const again = judge(call, errand, ports);
  if (again.type !== 'open') return again;
  const permissions = narrowPermissions(ports.permissions.current(), call);
  return isForClassifier(permissions, again.reason) ? allowed : undefined;
}

async function ask(
  call: AllowedCall,
  errand: AskedErrand,
  open: OpenErrand,
  ports: AuthorizePorts,
  signal: AbortSignal,
  undecided: ClassifierVerdict | undefined,
): Promise<ErrandDecision> {
  const { tool, input, toolUse } = call;
  const { command, host, told } = errand;
  const { reason } = open;
  const why = reason ? explainReason(reason) : `nothing allows git ${command} at ${host} yet`;
  const principal = toPrincipal(call);
  const answer = await ports.questions.put(
    {
      toolName: tool.name,
      input,
      toolUseID: toolUse.id,
      title: `git ${told}?`,
      description: `git ${told}\nBefore it happens: what the server has then can't be taken back.`,
      decisionReason: undecided ? `${why} (auto mode: ${undecided.message})` : why,
      ...offerAnswers(call, errand, open),
      ...(principal.kind === 'remote' && { principal }),
      ...(reason?.type === 'rule' && { matchedAskRule: reason.rule }),
    },
    signal,
  );
  if (answer.type === 'withdrawn') return answer;
  if (answer.type === 'refused') {
    const { denial } = answer;
    return {
      type: 'refused',
      denial: { ...denial, message: `${denial.message} ${unsent(errand)}` },
    };
  }
  if (answer.updatedInput && !isSameData(answer.updatedInput, input)) {
    return refuseAnswer(errand, 'The answer changed the input of a call that is running already.');
  }
  try {
    ports.permissions.update(answer.updatedPermissions);
  } catch (error) {
    return refuseAnswer(
      errand,
      `The answer's permission rules can't be understood: ${String(error)}`,
    );
  }
  // Security: what was set while the question was open holds for this command too.
  const again = judge(call, errand, ports);
  if (again.type !== 'open') return again;
  const isSame = again.reason === undefined || isSameData(again.reason, reason);
  return isSame ? allowed : ask(call, errand, again, ports, signal, undecided);
}

/** What may lose something at the server is to be looked at each time. */
function offerAnswers(
  call: AllowedCall,
  { command, host, isDestructive }: AskedErrand,
  { reason, isHostAllowed }: OpenErrand,
): Pick<CanUseToolOptions, 'defaultToNo' | 'suggestions' | 'suppressAlwaysAllowRule'> {
  if (isDestructive) return { defaultToNo: true, suppressAlwaysAllowRule: true };
  // What is allowed for the session is the agent's, and would not spare a server's next question.
  if (toPrincipal(call).kind === 'remote') return { suppressAlwaysAllowRule: true };
  // A rule that asks, asks also where another rule allows: offering one would be a lie.
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

function refuseAnswer(errand: AskedErrand, why: string): ErrandDecision {
  const denial = { reason: { type: 'user' } as const, interrupt: false };
  return { type: 'refused', denial: { ...denial, message: `${why} ${unsent(errand)}` } };
}

function unsent({ host }: AskedErrand): string {
  return `Nothing was sent to ${host}. Do without it, or say what you would need it for.`;
}
