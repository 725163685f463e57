// Stage 4 decides whether a call may run. It is the only code that creates an AllowedCall, so an
// unauthorized call can't be dispatched. The order of rules and modes is in permissions/decide.ts.
import { toSerializedError } from '../../core/errors.ts';
import type { Denial } from '../../core/session/journal.ts';
import type { ToolUseContext } from '../../core/tool/context.ts';
import type { HostAccess } from '../../core/access/host-access.ts';
import type { PathAccess } from '../../core/access/path-access.ts';
import type { FileChange } from '../../core/change-set.ts';
import type { DecisionReason } from '../../core/permissions/permission.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { isSameData } from '../../core/values/same-data.ts';
import type { Tool, UnattendedRefusal } from '../../core/tool/tool.ts';
import { leavePrivateHost } from '../permissions/auto-mode.ts';
import type { AutoMode } from '../permissions/auto-mode.ts';
import { decide, toCallDecision } from '../permissions/decide.ts';
import { listDeniedCommands } from '../permissions/git-rules.ts';
import { compileHostAccess, findPrivateHost } from '../permissions/host-rules.ts';
import { bindToDefinition } from '../permissions/seen-definition.ts';
import { compilePathAccess } from '../permissions/compile-path-access.ts';
import { describeOutOfReach } from '../permissions/out-of-reach.ts';
import type { Decision } from '../permissions/decide.ts';
import { explainReason } from '../../trace/explain-reason.ts';
import type { PermissionState } from '../permissions/permission-state.ts';
import type { Answer, Questions } from '../permissions/questions.ts';
import { narrowPermissions, toPrincipal } from '../permissions/principal.ts';
import { nameChange, suggestUpdates, writeQuestion } from '../permissions/questions.ts';
import type { CallHooks } from '../hooks/hooks.ts';
import type { WorkPlace } from '../session/files/work-place.ts';
import { decideOrAsk } from './decide-or-ask.ts';
import type { Heard, Judgement, Open } from './decide-or-ask.ts';
import type { Rehearse } from './rehearse.ts';
import { settleStopped, settleWithDenial, settleWithError } from './settled.ts';
import type { Settled } from './settled.ts';
import { pickCallingTools, validateInput } from './validate.ts';
import type { ValidCall } from './validate.ts';

// Security: the brand is private, so other code can't construct the type. TypeScript would accept a
// copy with changed fields, but such a copy isn't in `made`.
const brand: unique symbol = Symbol('AllowedCall');
const made = new WeakSet<AllowedCall>();

/** A call that rules, the mode or a person have allowed, with the allowed input. Immutable. */
export interface AllowedCall extends Omit<ValidCall, 'stage'> {
  readonly [brand]: true;
  readonly stage: 'allowed';
  readonly reason: DecisionReason;
  /** The input that a person was asked about, where they allowed another one. */
  readonly askedInput?: Record<string, unknown>;
  /** What the call may do to files, enforced in its view. */
  readonly access: PathAccess;
  /** The hosts that its code may reach; undefined: none. */
  readonly network: HostAccess | undefined;
  /** The git commands that its code may not run, by names or patterns. */
  readonly deniedGit: readonly string[];
}

/** The parts of the session that a decision needs. */
export interface AuthorizePorts {
  readonly permissions: PermissionState;
  readonly questions: Questions;
  readonly autoMode: AutoMode;
  /**
   * Relative globs of rules are resolved from the session's first working directory, even if it
   * works elsewhere now.
   */
  readonly place: Pick<WorkPlace, 'rulesFrom'>;
  /** The directories of the session's own files, which every call may read. */
  readonly sessionDirectories: readonly string[];
  /** The current paths of read-only mounts. */
  readonly readOnlyMounts?: () => readonly string[];
  /** Left out if the call works in another call's draft, or its files aren't known. */
  readonly rehearse?: Rehearse;
  /** Undefined if the session has none. */
  readonly hooks: CallHooks | undefined;
}

type AskDecision = Extract<Decision, { behavior: 'ask' }>;

/** Runs the hooks, decides, and asks a person if necessary. An abort withdraws the question. */
export async function authorize(
  asked: ValidCall,
  context: ToolUseContext,
  ports: AuthorizePorts,
): Promise<AllowedCall | Settled> {
  const judged = await judge(asked, context, ports);
  if (judged.stage === 'allowed') return judged;
  const decision = toCallDecision(asked, judged.denial);
  return decision ? { ...judged, decision } : judged;
}

async function judge(
  asked: ValidCall,
  context: ToolUseContext,
  ports: AuthorizePorts,
): Promise<AllowedCall | Settled> {
  const heard = ports.hooks?.beforeUse(asked, context);
  const given = heard ? await heard : asked;
  if (given.stage === 'settled') return given;
  let rounds = 0;
  return decideOrAsk<ValidCall, OpenCall, AllowedCall | Settled>(
    given,
    {
      judge: (call) => decideFinal(call, context, ports),
      async classify({ call }) {
        const privateHost = findPrivateHost(
          call,
          narrowPermissions(ports.permissions.current(), call),
        );
        if (privateHost !== undefined) return leavePrivateHost(privateHost);
        return ports.autoMode.judge(call, context.abortController.signal);
      },
      ask(open, undecided) {
        rounds += 1;
        return ask(open, rounds, context, ports, undecided);
      },
      allow(call, reason, from) {
        const named = nameChange(reason, from, call);
        const isChanged = named.type === 'user' && named.changedInput;
        return allow(call, named, context, ports, isChanged ? from.input : undefined);
      },
      refuse(call, reason) {
        const message = `${call.tool.name} was refused: ${explainReason(reason)}. Do without it, or ask the user.`;
        return settleWithDenial(call.toolUse, { reason, message, interrupt: false });
      },
    },
    ports,
  );
}

interface OpenCall extends Open<ValidCall> {
  readonly decision: AskDecision;
  /** What the call would change; undefined where it wasn't rehearsed. */
  readonly proposed: readonly FileChange[] | undefined;
}

/**
 * Decides, also about an input with which the tool replaces the given one. Security: that input is
 * parsed and judged like any other. A hook's allow applied to the old input; a hook's question
 * remains.
 */
async function decideFinal(
  call: ValidCall,
  context: ToolUseContext,
  ports: AuthorizePorts,
): Promise<CallJudgement> {
  const { permissions, place } = ports;
  const decision = await decide(call, permissions.current(), context, place.rulesFrom);
  if (decision.behavior === 'deny' || !decision.updatedInput) {
    return toJudgement(call, decision, context, ports);
  }
  const { toolUse, tool, opinion, isAnswer } = call;
  const valid = await validateInput(toolUse, tool, decision.updatedInput, context, isAnswer);
  if (valid.stage === 'settled') return { type: 'refused', end: valid };
  const kept = opinion?.behavior === 'ask' && { opinion };
  const next = { ...valid, ...pickCallingTools(call), ...kept, isToolsInput: true as const };
  const again = await decide(next, permissions.current(), context, place.rulesFrom);
  return toJudgement(next, again, context, ports);
}

type CallJudgement = Judgement<ValidCall, OpenCall, AllowedCall | Settled>;

function toJudgement(
  call: ValidCall,
  decision: Decision,
  context: ToolUseContext,
  ports: AuthorizePorts,
): CallJudgement | Promise<CallJudgement> {
  if (decision.behavior === 'allow') {
    return { type: 'allowed', call, end: allow(call, decision.reason, context, ports) };
  }
  if (decision.behavior === 'deny') {
    const { reason, message } = decision;
    const denial = { reason, message, interrupt: false };
    return { type: 'refused', end: settleWithDenial(call.toolUse, denial) };
  }
  return refuseOrOpen(call, decision, context, ports);
}

/** Opens the question, unless the call would fail whatever the answer is. Then it ends here. */
async function refuseOrOpen(
  call: ValidCall,
  decision: AskDecision,
  context: ToolUseContext,
  ports: AuthorizePorts,
): Promise<CallJudgement> {
  const access = toAccess(call, context, ports);
  const fail = (failure: string) =>
    ({ type: 'refused', end: settleWithError(call.toolUse, failure) }) as const;
  const outOfReach = describeOutOfReach(call, access);
  if (outOfReach !== undefined) return fail(outOfReach);
  const rehearsal = await ports.rehearse?.(call, access, context);
  if (rehearsal?.type === 'fails') return fail(rehearsal.failure);
  const proposed = rehearsal?.changes;
  return { type: 'open', call, reason: decision.reason, decision, proposed };
}

function toAccess(
  call: ValidCall,
  { cwd, plan, agentId }: ToolUseContext,
  ports: AuthorizePorts,
): PathAccess {
  const permissions = narrowPermissions(ports.permissions.current(), call);
  const { sessionDirectories } = ports;
  const { rulesFrom } = ports.place;
  // Only the session's main agent has a plan; agents that it has started report to it.
  const planPath = agentId === undefined ? plan.path : undefined;
  const readOnlyMounts = ports.readOnlyMounts?.();
  const options = { cwd, rulesFrom, sessionDirectories, readOnlyMounts, planPath };
  return compilePathAccess(call, permissions, options);
}

/** True if {@link authorize} has created this call. Later stages accept no others. */
export function isAllowedCall(call: AllowedCall): boolean {
  return made.has(call);
}

/** Asks the question and applies the input of its answer. */
async function ask(
  { call, decision, proposed }: OpenCall,
  round: number,
  context: ToolUseContext,
  ports: AuthorizePorts,
  /** Why the classifier has left the decision to a person, if it was asked. */
  undecided: string | undefined,
): Promise<Heard<ValidCall, AllowedCall | Settled>> {
  // 3: an answer may change the input so that another rule asks. A host that never stops doing so
  // is refused.
  if (round > 3) {
    const why = 'The answers changed the input again and again; each time another rule asked.';
    return { end: refuse(call, why) };
  }
  const { message, reason } = decision;
  const input = await fillInput(call, context);
  if (typeof input === 'string') return { end: settleWithError(call.toolUse, input) };
  const question = await writeQuestion({
    call,
    input,
    principal: toPrincipal(call),
    options: {
      permissionContext: context.getPermissionContext(),
      tools: context.options.tools,
      cwd: context.cwd,
    },
    why: undecided ? `${message} (auto mode: ${undecided})` : message,
    reason,
    suggestions: suggestUpdates(call),
    ownSuggestions: decision.suggestions,
    proposed,
  });
  const { signal } = context.abortController;
  const answer = await ports.questions.put(question, signal);
  if (answer.type === 'withdrawn') return { end: settleStopped(call.toolUse, signal.reason) };
  if (answer.type === 'refused') return { end: settleRefusal(call, answer, input) };
  try {
    ports.permissions.update(await bindToDefinition(answer.updatedPermissions, call.tool));
  } catch (error) {
    const why = `The answer's permission rules can't be understood: ${String(error)}`;
    return { end: refuse(call, why) };
  }
  // Security: an answer's input is parsed like the model's.
  const { updatedInput } = answer;
  const isChanged = updatedInput && !isSameData(updatedInput, input);
  const answered = isChanged ? await takeInput(updatedInput, call, context) : call;
  return answered.stage === 'settled'
    ? { end: answered }
    : { call: answered, reason: answer.reason };
}

const toolsFault = 'This is a fault of the tool; try another way.';

/**
 * Returns the input for the question, or a reason if the call would fail whatever the answer is.
 */
async function fillInput(
  { tool, input }: ValidCall,
  context: ToolUseContext,
): Promise<Record<string, unknown> | string> {
  if (!tool.fillQuestion) return input;
  try {
    const filled: unknown = await tool.fillQuestion(input, context);
    return isRecord(filled) ? filled : `${tool.name} gave no question. ${toolsFault}`;
  } catch (error) {
    return toSerializedError(error).message || `${tool.name} gave no question. ${toolsFault}`;
  }
}

/** The result of a call that a person has denied, or for which nobody could be asked. */
function settleRefusal(
  { tool, toolUse }: ValidCall,
  { denial, isUnattended }: Extract<Answer, { type: 'refused' }>,
  question: Record<string, unknown>,
): Settled {
  return settleWithDenial(toolUse, {
    ...denial,
    ...(isUnattended && readUnattended(tool, question)),
  });
}

/** The tool's text for a question that nobody can answer; empty if the tool's function throws. */
function readUnattended(tool: Tool, question: Record<string, unknown>): Partial<Denial> {
  try {
    const { message, result }: Partial<UnattendedRefusal> = tool.refuseUnattended?.(question) ?? {};
    if (typeof message !== 'string') return {};
    return { message, ...(typeof result === 'string' && { result }) };
  } catch {
    return {};
  }
}

/** Returns the call with the answer's input, which is often that of the question. */
async function takeInput(
  updatedInput: Record<string, unknown>,
  call: ValidCall,
  context: ToolUseContext,
): Promise<ValidCall | Settled> {
  const valid = await validateInput(call.toolUse, call.tool, updatedInput, context, true);
  if (valid.stage === 'settled') {
    // The message says that the answer was invalid, so that it isn't taken for the model's mistake.
    const why = `The answer's updatedInput can't be used: ${String(valid.result.content)}`;
    return settleWithError(call.toolUse, why);
  }
  return isSameData(valid.input, call.input) ? call : { ...valid, ...pickCallingTools(call) };
}

function refuse(call: ValidCall, message: string): Settled {
  const reason = { type: 'no-answer', message } as const;
  return settleWithDenial(call.toolUse, { reason, message, interrupt: false });
}

function allow(
  call: ValidCall,
  reason: DecisionReason,
  context: ToolUseContext,
  ports: AuthorizePorts,
  askedInput?: Record<string, unknown>,
): AllowedCall {
  const permissions = narrowPermissions(ports.permissions.current(), call);
  const allowed: AllowedCall = Object.freeze({
    ...call,
    [brand]: true as const,
    stage: 'allowed' as const,
    reason,
    ...(askedInput && { askedInput }),
    access: toAccess(call, context, ports),
    network: compileHostAccess(call, permissions, reason),
    deniedGit: listDeniedCommands(call, permissions),
  });
  made.add(allowed);
  return allowed;
}
