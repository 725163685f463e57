// Decides about a call in a fixed order. First come deny rules, the tool's own denial, ask rules, a
// tainted session's egress policy, and the tool's other opinions. Then come the mode, a hook that
// allows, and allow rules. A person is asked if nothing has decided, or if a hook asks. Pure except
// for the tool's own members.
import { isInstructionPath } from '../../core/access/protected-paths.ts';
import type { RulePlace } from '../../core/access/rule-place.ts';
import { SdkError, describeThrown } from '../../core/errors.ts';
import { permissionModes } from '../../core/permissions/permission.ts';
import type {
  CallDecision,
  DecisionReason,
  PermissionBehavior,
  PermissionMode,
  PermissionRule,
  PermissionUpdate,
  ToolPermissionContext,
  ToolPermissionResult,
} from '../../core/permissions/permission.ts';
import type { Denial } from '../../core/session/journal.ts';
import type { ToolUseContext } from '../../core/tool/context.ts';
import { explainReason } from '../../trace/explain-reason.ts';
import type { AllowedCall } from '../calls/authorize.ts';
import type { ValidCall } from '../calls/validate.ts';
import { createRuleMatcher, getCallPath, isEdit } from './match-rule.ts';
import { isGuardedPath, isInOwnNotes } from './own-notes.ts';
import type { CallPath } from './match-rule.ts';
import { listRulesFor } from './relevant-rules.ts';
import { findHostRule, findPrivateHost, getCallHosts } from './host-rules.ts';
import { isPlanEdit } from './plan-file.ts';
import { narrowPermissions, toPrincipal } from './principal.ts';

/** The decision of rules and modes about a call, with its reason. */
export type Decision =
  | {
      readonly behavior: 'allow';
      readonly reason: DecisionReason;
      /** The input that the tool wants instead. It hasn't been judged yet. */
      readonly updatedInput?: Record<string, unknown>;
    }
  | { readonly behavior: 'deny'; readonly reason: DecisionReason; readonly message: string }
  | {
      readonly behavior: 'ask';
      /** Undefined: no rule, mode, hook or tool matched the call. */
      readonly reason?: DecisionReason;
      readonly message: string;
      /** The tool's own suggestions, if the tool asks. */
      readonly suggestions?: readonly PermissionUpdate[];
      /** The input that the tool wants instead. A person is asked about this input. */
      readonly updatedInput?: Record<string, unknown> | undefined;
    };

/**
 * Decides about one call by the current permissions. Globs of rules are relative to `rulesFrom`.
 * The call's path is relative to the working directory of its context. Never rejects.
 */
export async function decide(
  call: ValidCall,
  session: ToolPermissionContext,
  context: ToolUseContext,
  rulesFrom: RulePlace,
): Promise<Decision> {
  const permissions = narrowPermissions(session, call);
  const decided = await decideOrAsk(call, permissions, context, rulesFrom);
  // Security: a hook that asks replaces an allow. It also replaces a question without a rule,
  // because the classifier could answer that one. It never replaces a denial.
  const { opinion } = call;
  const isOpen = decided.behavior === 'allow' || (decided.behavior === 'ask' && !decided.reason);
  const isAsked = opinion?.behavior === 'ask' && isOpen;
  const byHook: DecisionReason = { type: 'hook', message: opinion?.message ?? '' };
  const { updatedInput } = decided.behavior === 'deny' ? {} : decided;
  const decision = isAsked ? { ...question(call, byHook), updatedInput } : decided;
  const isClosed = decision.behavior === 'ask' && permissions.mode === 'dontAsk';
  return isClosed ? refuse(call, { type: 'mode', mode: 'dontAsk' }) : decision;
}

async function decideOrAsk(
  call: ValidCall,
  permissions: ToolPermissionContext,
  context: ToolUseContext,
  rulesFrom: RulePlace,
): Promise<Decision> {
  const target = getCallPath(call, context.cwd);
  const matches = await createRuleMatcher(call, rulesFrom, target);
  const rules = listRulesFor(permissions.rules, call, rulesFrom, target);
  const find = (behavior: PermissionBehavior) =>
    rules.find((rule) => rule.behavior === behavior && matches(rule));

  const deny = find('deny');
  if (deny) return refuse(call, { type: 'rule', rule: deny });
  // Security: the tool's denial comes before every question, because a person's yes would overrule
  // it.
  const own = await askTool(call, context);
  if (own.behavior === 'deny') {
    const { message } = own;
    return { behavior: 'deny', reason: { type: 'tool', message }, message };
  }
  const ask = find('ask');
  const guarded = findGuardedPath(call, target, permissions);
  const decision =
    (ask && question(call, { type: 'rule', rule: ask })) ??
    guardEgress(call, permissions) ??
    (guarded && question(call, guarded)) ??
    decideByTool(call, own, permissions) ??
    decideByMode(call, permissions, context) ??
    decideByHook(call, permissions) ??
    decideByNotes(call, target, permissions) ??
    decideByAllowRule(find('allow') ?? findHostRule(call, permissions)) ??
    question(call, undefined);
  const isRewritten = own.behavior === 'allow' && own.updatedInput && !call.isToolsInput;
  if (!isRewritten || decision.behavior === 'deny') return decision;
  // Security: the call runs with this input, whoever allows it.
  return { ...decision, updatedInput: own.updatedInput };
}

/** The decision by the tool's opinion; undefined: none. The tool's denial was handled before. */
function decideByTool(
  call: ValidCall,
  own: Exclude<ToolPermissionResult, { behavior: 'deny' }>,
  { mode }: ToolPermissionContext,
): Decision | undefined {
  if (own.behavior === 'ask') {
    const { message, suggestions } = own;
    const asked = question(call, { type: 'tool', message });
    return suggestions ? { ...asked, suggestions } : asked;
  }
  if (call.traits.needsPerson) {
    return question(call, { type: 'tool', message: 'it needs a person.' });
  }
  if (own.behavior !== 'allow') return undefined;
  const { isReadOnly, changesOnlySession } = call.traits;
  // Security: in plan mode the agent changes nothing, even if a tool allows its own calls.
  if (mode === 'plan' && !isReadOnly && !changesOnlySession) return undefined;
  const isOpen = call.tool.authorizesChangesAt === 'commit' && !isReadOnly;
  const message = 'such calls need no question.';
  return { behavior: 'allow', reason: isOpen ? { type: 'at-commit' } : { type: 'tool', message } };
}

// Security: checked before the tool's allow, the mode and allow rules. None of these know what the
// model has read.
function guardEgress(
  call: ValidCall,
  { egress, taintedBy, mode }: ToolPermissionContext,
): Decision | undefined {
  if (!egress || taintedBy === undefined || !call.traits.isOpenWorld) return undefined;
  // The egress policy only restricts: a call that plan mode denies must not become a question.
  const { isReadOnly, claimsReadOnly } = call.traits;
  if (mode === 'plan' && !isReadOnly && !claimsReadOnly) {
    return refuse(call, { type: 'mode', mode });
  }
  const reason = { type: 'egress', taintedBy } as const;
  return egress === 'deny' ? refuse(call, reason) : question(call, reason);
}

/** The decision by the mode; undefined if the mode doesn't decide. */
function decideByMode(
  call: ValidCall,
  { mode, isDraft }: ToolPermissionContext,
  { plan, agentId, cwd }: ToolUseContext,
): Decision | undefined {
  const { isReadOnly, claimsReadOnly, isOpenWorld } = call.traits;
  const byMode: DecisionReason = { type: 'mode', mode };
  if (mode === 'bypassPermissions') return { behavior: 'allow', reason: byMode };
  if (isReadOnly && !isOpenWorld) return { behavior: 'allow', reason: { type: 'read-only' } };
  const isJudgedLater = call.tool.authorizesChangesAt === 'commit' || (isDraft && isEdit(call));
  if (isJudgedLater && !isOpenWorld) return { behavior: 'allow', reason: { type: 'at-commit' } };
  if (mode === 'plan' && agentId === undefined && isPlanEdit(call, plan.path, cwd)) {
    return { behavior: 'allow', reason: byMode };
  }
  // A call that reads from the network changes nothing here, so plan mode asks instead of denying.
  if (mode === 'plan' && !isReadOnly && !claimsReadOnly) return refuse(call, byMode);
  if (mode === 'acceptEdits' && isEdit(call)) return { behavior: 'allow', reason: byMode };
  return undefined;
}

function decideByHook(call: ValidCall, permissions: ToolPermissionContext): Decision | undefined {
  const { opinion } = call;
  if (opinion?.behavior !== 'allow') return undefined;
  // Security: a mode can't allow a private host. If it did, the call would run and its request
  // would fail.
  if (findPrivateHost(call, permissions) !== undefined) return undefined;
  return { behavior: 'allow', reason: { type: 'hook', message: opinion.message } };
}

function decideByNotes(
  call: ValidCall,
  target: CallPath,
  permissions: ToolPermissionContext,
): Decision | undefined {
  if (target.type !== 'path' || !isEdit(call) || !isInOwnNotes(target.path, permissions)) {
    return undefined;
  }
  return { behavior: 'allow', reason: { type: 'tool', message: 'it keeps notes there.' } };
}

function decideByAllowRule(rule: PermissionRule | undefined): Decision | undefined {
  return rule && { behavior: 'allow', reason: { type: 'rule', rule } };
}

function refuse(call: ValidCall, reason: DecisionReason): Decision {
  const hint =
    reason.type === 'mode' && reason.mode === 'plan'
      ? ' Say what you would do instead; nothing is changed before the plan is accepted.'
      : ' Do without it, or say what you would need it for.';
  return {
    behavior: 'deny',
    reason,
    message: `${call.tool.name} was refused: ${explainReason(reason)}.${hint}`,
  };
}

function question(
  call: ValidCall,
  reason: DecisionReason | undefined,
): Extract<Decision, { behavior: 'ask' }> {
  const hosts = getCallHosts(call).join(', ');
  const what = `${call.tool.name} ${hosts ? `to reach ${hosts}` : 'for this'}`;
  // Security: a yes allows all hosts that the code names, so the question lists them.
  const named = hosts && `; it names ${hosts}`;
  const why = reason ? `${explainReason(reason)}${named}` : `nothing allows ${what} yet`;
  return { behavior: 'ask', ...(reason && { reason }), message: why };
}

/**
 * Finds a path in the call that needs a question. Either writes to it always ask, or it holds
 * instructions for the agent of a tainted session.
 */
function findGuardedPath(
  { traits }: ValidCall,
  target: CallPath,
  permissions: ToolPermissionContext,
): DecisionReason | undefined {
  const { taintedBy } = permissions;
  if (traits.isReadOnly || target.type !== 'path') return undefined;
  const { path } = target;
  if (isGuardedPath(path, permissions)) return { type: 'protected-path', path };
  if (taintedBy === undefined || !isInstructionPath(path)) return undefined;
  return { type: 'instructions', path, taintedBy };
}

// Security: a tool's check that fails or gives no answer counts as a question.
async function askTool(call: ValidCall, context: ToolUseContext): Promise<ToolPermissionResult> {
  try {
    const result = await call.tool.checkPermissions(call.input, context);
    if (!opinions.has(result.behavior)) {
      return { behavior: 'ask', message: 'its own check gave no answer.' };
    }
    if (result.behavior === 'allow' || result.behavior === 'passthrough') return result;
    const { message } = result;
    return typeof message === 'string'
      ? result
      : { ...result, message: 'its own check gave no reason.' };
  } catch (error) {
    return { behavior: 'ask', message: `its own check failed (${describeThrown(error)}).` };
  }
}

const opinions: ReadonlySet<string> = new Set<ToolPermissionResult['behavior']>([
  'allow',
  'deny',
  'ask',
  'passthrough',
]);

/**
 * The SDK's form of a decision. For an allowed call, `denial` and `kept` are about its changes.
 * Gives undefined if the question was withdrawn before a decision.
 */
export function toCallDecision(
  call: ValidCall | AllowedCall,
  denial: Denial | undefined,
  kept?: DecisionReason,
): CallDecision | undefined {
  const shared = { toolName: call.tool.name, principal: toPrincipal(call) };
  if (call.stage === 'valid') {
    return denial && { ...shared, behavior: 'deny', reason: denial.reason };
  }
  const reason = denial?.reason ?? kept;
  const changes = reason && { behavior: denial ? ('deny' as const) : ('allow' as const), reason };
  return { ...shared, behavior: 'allow', reason: call.reason, ...(changes && { changes }) };
}

// A Set of strings, because a caller without types may pass anything.
const modes: ReadonlySet<string> = new Set(permissionModes);

/** @throws SdkError `bad-usage` if the value isn't a permission mode. */
export function checkMode(mode: PermissionMode): PermissionMode {
  if (modes.has(mode)) return mode;
  throw new SdkError(
    'bad-usage',
    `"${String(mode)}" is not a permission mode. Use one of ${[...modes].join(', ')}.`,
    { data: { mode } },
  );
}
