// The queue of questions to the person, one at a time and in order. If an answer also settles the
// next question ("always allow"), the next one isn't asked. Every question ends with an answer.
import { describeThrown } from '../../core/errors.ts';
import type { FileChange } from '../../core/change-set.ts';
import { createSerialQueue } from '../../core/async/serial-queue.ts';
import type { Denial } from '../../core/session/journal.ts';
import { asSentence } from '../../core/text/as-sentence.ts';
import type {
  CanUseTool,
  CanUseToolOptions,
  DecisionReason,
  PermissionResult,
  PermissionRuleValue,
  PermissionUpdate,
} from '../../core/permissions/permission.ts';
import { toMcpServer } from '../../core/mcp/mcp-server.ts';
import { isForeign } from '../../core/permissions/principal.ts';
import type { Principal } from '../../core/permissions/principal.ts';
import type { DescriptionOptions } from '../../core/tool/tool.ts';
import { readSummary } from '../../trace/call-display.ts';
import type { TraceInput } from '../../trace/trace.ts';
import type { ValidCall } from '../calls/validate.ts';
import type { Hooks } from '../hooks/hooks.ts';
import type { TurnWork } from '../session/turn-work.ts';
import { explainBadAnswer } from './check-answer.ts';
import { getCallHosts } from './host-rules.ts';
import { isEdit } from './match-rule.ts';

/**
 * The arguments of the host's `canUseTool`, without the signal and the question's id, which are
 * added here.
 */
export interface Question extends Omit<CanUseToolOptions, 'signal' | 'requestId'> {
  readonly toolName: string;
  readonly input: Record<string, unknown>;
}

/** The end of a question: exactly one of these. */
export type Answer =
  | {
      readonly type: 'allowed';
      /** Who answered: a person or a hook. */
      readonly reason: DecisionReason;
      readonly updatedInput?: Record<string, unknown>;
      readonly updatedPermissions: readonly PermissionUpdate[];
    }
  /** `isUnattended`: nobody was there to answer. */
  | { readonly type: 'refused'; readonly denial: Denial; readonly isUnattended?: true }
  /** The turn was stopped before the answer. */
  | { readonly type: 'withdrawn' };

/** Asks the person of one session. */
export interface Questions {
  /**
   * Runs `work`, which asks about the call, after all earlier questions are answered. `hasWaited`:
   * there were earlier questions, so an earlier decision may be out of date.
   */
  inTurn<T>(callId: string, work: (hasWaited: boolean) => Promise<T>): Promise<T>;
  /** Asks the host. A host that fails counts as a refusal. Never rejects. */
  put(question: Question, signal: AbortSignal): Promise<Answer>;
}

/** Records questions and answers in the journal, which gives questions their ids. */
export interface QuestionRecorder {
  /**
   * Gives the question's id. It also gives the answer, if the journal has one from before the
   * session was resumed. `waited`: the question was asked before the session was closed. Rejects if
   * the journal is broken: then nobody may be asked.
   */
  ask(question: Question): Promise<{
    readonly requestId: string;
    readonly answer?: PermissionResult;
    readonly waited?: true;
  }>;
  /** Resolves when the answer may take effect. Rejects if the journal is broken. */
  answer(requestId: string, result: PermissionResult | null): Promise<void>;
}

/** Answers the questions that hooks leave open. */
export type Answerer =
  | { readonly type: 'person'; readonly canUseTool: CanUseTool }
  /** A server's tool that answers for a person. */
  | { readonly type: 'tool'; readonly toolName: string; readonly canUseTool: CanUseTool }
  /**
   * Every question that is left open is refused. `why`: the option that causes this, or that is
   * missing.
   */
  | { readonly type: 'nobody'; readonly why: string };

/** The parts of the session that its agents' questions share. */
interface QuestionsParts {
  readonly record: (event: TraceInput) => void;
  readonly queue: QuestionQueue;
  /** The turns that wait for the answers. */
  readonly turnWork: TurnWork;
  /** The id of the sub-agent that asks. Left out: the session's own agent. */
  readonly agentID?: string;
}

/** Hooks are asked first, then `answerer`. */
export function createQuestions(
  answerers: Answerers,
  { record, queue, turnWork, agentID }: QuestionsParts,
): Questions {
  const whose = agentID !== undefined && { agentID };
  return {
    inTurn(callId, work) {
      const tell = (isAsked: boolean) => record({ type: 'call-delta', callId, isAsked });
      tell(true);
      // Within the queue's turn, so that code that waits for this question continues before the
      // next one is asked.
      return turnWork.wait(() => queue((hasWaited) => work(hasWaited).finally(() => tell(false))));
    },
    put: (question, signal) =>
      turnWork.wait(() => putQuestion({ ...question, ...whose }, answerers, signal)),
  };
}

/**
 * One queue for all agents of a session, because their person gets one question at a time. Works
 * like `Questions.inTurn`.
 */
export type QuestionQueue = <T>(work: (hasWaited: boolean) => Promise<T>) => Promise<T>;

/** Starts empty. */
export function createQuestionQueue(): QuestionQueue {
  const inTurn = createSerialQueue();
  /** The number of questions that are open or waiting. */
  let open = 0;
  return (work) => {
    const hasWaited = open > 0;
    open += 1;
    return inTurn(async () => {
      try {
        return await work(hasWaited);
      } finally {
        open -= 1;
      }
    });
  };
}

/** The answerers, in the order in which they are asked. */
export interface Answerers {
  readonly answerer: Answerer;
  readonly hooks: Hooks | undefined;
  readonly recorder: QuestionRecorder;
}

/** Never rejects: a host that fails, or gives an invalid answer, counts as a refusal. */
async function putQuestion(
  question: Question,
  { answerer, hooks, recorder }: Answerers,
  signal: AbortSignal,
): Promise<Answer> {
  if (signal.aborted) return { type: 'withdrawn' };
  const answer = await hooks?.answer(question, signal);
  if (signal.aborted) return { type: 'withdrawn' };
  if (answer) return answer;
  if (answerer.type === 'nobody') {
    const nobody = refuse(`${describe(question)} Nobody is here to ask (${answerer.why}).`);
    return { ...nobody, isUnattended: true };
  }
  const { canUseTool } = answerer;
  const by = answerer.type === 'tool' ? answerer.toolName : undefined;
  const { toolName, input, ...options } = question;
  const withdrawal = listenForAbort(signal);
  try {
    const { requestId, answer: known, waited } = await recorder.ask(question);
    if (known) return toAnswer(known, question, by);
    if (answerer.type === 'person' && !waited) hooks?.notify(question);
    const ask = async () =>
      signal.aborted ? null : canUseTool(toolName, input, { ...options, signal, requestId });
    const asked = ask().then(
      (result) => {
        const fault = result === null ? undefined : explainBadAnswer(result);
        if (fault === undefined) return { result, answer: toAnswer(result, question, by) };
        // Security: any other value isn't an answer. The call stays blocked, and nothing is
        // recorded.
        return {
          result: null,
          answer: refuse(`${describe(question)} The answer is none: ${fault}`),
        };
      },
      (error: unknown) => ({ result: null, answer: toFailure(error, question) }),
    );
    const withdrawn = withdrawal.promise.then(
      () => ({ result: null, answer: { type: 'withdrawn' } }) as const,
    );
    const { result, answer } = await Promise.race([asked, withdrawn]);
    const isWithdrawn = signal.aborted;
    await recorder.answer(requestId, isWithdrawn ? null : result);
    return isWithdrawn ? { type: 'withdrawn' } : answer;
  } catch (error) {
    // An answer that can't be recorded has no effect.
    if (signal.aborted) return { type: 'withdrawn' };
    return toFailure(error, question);
  } finally {
    withdrawal[Symbol.dispose]();
  }
}

function toFailure(error: unknown, question: Question): Answer {
  return refuse(`${describe(question)} Asking failed: ${asSentence(describeThrown(error))}`);
}

/** `by`: the tool that answers for a person. */
function toAnswer(
  result: PermissionResult | null,
  question: Question,
  by: string | undefined,
): Answer {
  const reason = { type: 'user', ...(by !== undefined && { by }) } as const;
  if (result?.behavior === 'allow') {
    return {
      type: 'allowed',
      reason,
      ...(result.updatedInput && { updatedInput: result.updatedInput }),
      updatedPermissions: result.updatedPermissions ?? [],
    };
  }
  if (result?.behavior === 'deny') {
    const { message: given } = result;
    // An untyped host may give any value, but the model must get a text.
    const isTold = typeof given === 'string' && given !== '';
    const message = isTold ? given : `${by ?? 'The user'} refused ${question.toolName}.`;
    const interrupt = result.interrupt === true;
    return { type: 'refused', denial: { reason, message, interrupt } };
  }
  // Security: the call stays blocked if the answer is null.
  return refuse(`${describe(question)} It was not answered here.`);
}

function describe(question: Question): string {
  return asSentence(
    `${question.toolName} needs permission: ${question.decisionReason ?? 'it is asked'}`,
  );
}

function refuse(message: string): Extract<Answer, { type: 'refused' }> {
  const reason = { type: 'no-answer', message } as const;
  return { type: 'refused', denial: { reason, message, interrupt: false } };
}

function listenForAbort(
  signal: AbortSignal,
): Disposable & { readonly promise: Promise<'withdrawn'> } {
  let listener: () => void = () => undefined;
  const promise = new Promise<'withdrawn'>((resolve) => {
    listener = () => resolve('withdrawn');
    signal.addEventListener('abort', listener, { once: true });
  });
  return { promise, [Symbol.dispose]: () => signal.removeEventListener('abort', listener) };
}

/** The call that is asked about, and the reason. */
export interface AskedCall {
  readonly call: ValidCall;
  /** The input that the person sees: the call's, or the one that the tool has completed. */
  readonly input: Record<string, unknown>;
  readonly principal: Principal;
  /** The options of the tool's own sentence about the call. */
  readonly options: DescriptionOptions;
  /** The reason, in one sentence. */
  readonly why: string;
  /** Undefined: no rule, mode, hook or tool decided about the call. */
  readonly reason: DecisionReason | undefined;
  /** The tool's own suggestions, if the tool asks. */
  readonly ownSuggestions: readonly PermissionUpdate[] | undefined;
  /** Updates that would avoid the next question of this kind. */
  readonly suggestions: readonly PermissionUpdate[];
  /** What the call would change; undefined where that isn't known. */
  readonly proposed: readonly FileChange[] | undefined;
}

/** Never rejects: if a display member fails, the question must still reach the person. */
export async function writeQuestion(asked: AskedCall): Promise<Question> {
  const { call, input, principal, reason } = asked;
  const { tool, toolUse } = call;
  const description = await describeInput(call, asked.options);
  const asker = principal.kind === 'agent' ? '' : ` (${nameAsker(principal)} asks)`;
  return {
    toolName: tool.name,
    input,
    toolUseID: toolUse.id,
    decisionReason: `${asked.why}${asker}`,
    ...nameCall(call),
    ...(description !== '' && { description }),
    ...(tool.mcpInfo && { mcpServer: toMcpServer(tool.mcpInfo) }),
    ...(principal.kind !== 'agent' && { principal }),
    ...offerAnswers(asked),
    ...(asked.proposed?.length && { proposedChanges: asked.proposed }),
    ...(reason?.type === 'rule' && { matchedAskRule: reason.rule }),
    ...((reason?.type === 'protected-path' || reason?.type === 'instructions') && {
      blockedPath: reason.path,
    }),
  };
}

type Offer = Pick<CanUseToolOptions, 'defaultToNo' | 'suggestions' | 'suppressAlwaysAllowRule'>;

/** Suggests no rule for a call that can't be undone: a person should look at each such call. */
function offerAnswers(asked: AskedCall): Offer {
  const { call, principal, reason, ownSuggestions, suggestions } = asked;
  if (call.traits.isDestructive) return { defaultToNo: true, suppressAlwaysAllowRule: true };
  // A permission for the session applies to the agent. It wouldn't avoid the next question about a
  // server.
  if (isForeign(principal)) return { suppressAlwaysAllowRule: true };
  // An ask rule asks even if an allow rule matches, so offering an allow rule would be misleading.
  if (reason === undefined) return { suggestions };
  return Array.isArray(ownSuggestions) ? { suggestions: ownSuggestions } : {};
}

function nameAsker(principal: Exclude<Principal, { kind: 'agent' }>): string {
  switch (principal.kind) {
    case 'code':
      return `code in ${principal.toolName}`;
    case 'tool':
      return principal.toolName;
    case 'remote':
      return `the server ${principal.serverName}`;
    case 'page':
      return "the browser's agent";
  }
}

function nameCall({ tool, input }: ValidCall): { title: string; displayName: string } {
  try {
    const displayName = tool.userFacingName(input);
    const title = tool.genToolPermission?.(input).title;
    if (title) return { displayName, title };
    const summary = readSummary(tool, input);
    return { displayName, title: summary ? `${displayName}: ${summary}` : displayName };
  } catch {
    return { displayName: tool.name, title: tool.name };
  }
}

async function describeInput(
  { tool, input }: ValidCall,
  options: DescriptionOptions,
): Promise<string> {
  try {
    const { summary, content } = tool.genToolPermission?.(input) ?? {};
    if (summary) return summary;
    if (content) return typeof content === 'string' ? content : JSON.stringify(content);
    return await tool.description(input, options);
  } catch {
    return '';
  }
}

/**
 * The reason of an allow. It says whether the person changed the input that they were asked about.
 */
export function nameChange(
  reason: DecisionReason,
  call: ValidCall,
  allowed: ValidCall,
): DecisionReason {
  if (reason.type !== 'user' || call.input === allowed.input) return reason;
  return isSameInput(call, allowed) ? reason : { ...reason, changedInput: true };
}

function isSameInput({ tool, input }: ValidCall, allowed: ValidCall): boolean {
  try {
    if (tool.inputsEquivalent) return tool.inputsEquivalent(input, allowed.input);
  } catch {
    // The tool failed to compare. Then inputs are the same only if their JSON is the same.
  }
  return JSON.stringify(input) === JSON.stringify(allowed.input);
}

/** Suggests the mode `acceptEdits` for edits, and rules on the tool otherwise. All end with the session. */
export function suggestUpdates(call: ValidCall): PermissionUpdate[] {
  const isAboutEdits = isEdit(call) || call.tool.authorizesChangesAt === 'commit';
  if (isAboutEdits && !call.traits.isOpenWorld) return [acceptEdits];
  const rules = suggestRules(call);
  return [{ type: 'addRules', rules, behavior: 'allow', destination: 'session' }];
}

/** The suggestion for a question about changes that have already been made. */
export const acceptEdits: PermissionUpdate = {
  type: 'setMode',
  mode: 'acceptEdits',
  destination: 'session',
};

/** Suggests rules that are as narrow as the question. */
function suggestRules(call: ValidCall): PermissionRuleValue[] {
  const { tool, caller } = call;
  const hosts = getCallHosts(call);
  if (hosts.length > 0) {
    const word = tool.callsTools ? 'net' : 'domain';
    return hosts.map((host) => ({ toolName: tool.name, ruleContent: `${word}:${host}` }));
  }
  return [
    caller ? { toolName: caller.name, ruleContent: `tools:${tool.name}` } : { toolName: tool.name },
  ];
}
