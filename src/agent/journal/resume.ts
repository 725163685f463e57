// Plans from the journal how a session continues whose page was closed. Pure. resume-turn.ts carries the plan out.
import { isToolUseBlock, toResultText } from '../../core/messages/blocks.ts';
import type { TurnOutput } from '../../core/messages/output-format.ts';
import type { ContentBlock } from '../../core/messages/blocks.ts';
import type {
  CallRecord,
  PromptRecord,
  ReplyRecord,
  SettledRecord,
  TaskRecord,
} from '../../core/session/journal.ts';
import { clipText } from '../../core/text/clip-text.ts';
import type { AssistantMessage } from '../../core/messages/messages.ts';
import { deriveId } from '../../core/hashes/seeded-ids.ts';
import type { TaskStatus } from '../../core/tool/background.ts';
import { writeNotification } from '../background/task-messages.ts';
import type { ToolUse } from '../messages/collect.ts';
import type { FoldedRequest, FoldedTurn } from './branch.ts';
import type { SessionFold } from './fold.ts';
import type { FoldedCall } from './folded.ts';

/** What a tool says about a call that had started. */
export interface ResumeTraits {
  readonly isReadOnly: boolean;
  readonly isOpenWorld: boolean;
  /** True if the tool has a `resumeCall`. */
  readonly resumesItself: boolean;
}

/** The steps, in the order in which they must be carried out. */
export interface ResumePlan {
  /** The open turn. Undefined: there is none. */
  readonly turn: TurnPlan | undefined;
  /** The ends of tasks that ran in the background. The model is told of them before its next request. */
  readonly tasks: readonly TaskPlan[];
  /** The ends of apps' calls, which must be recorded. Nobody waits for these calls any more. */
  readonly apps: readonly SettledRecord[];
  /** Prompts without a turn, oldest first. Each begins a turn after the open one. */
  readonly prompts: readonly PromptRecord[];
}

/** The end of a task, which must be recorded. */
export interface TaskPlan {
  /** The end of the task's call, if the journal doesn't have it. */
  readonly settled?: SettledRecord;
  /** The task's record, with the notification for the model. */
  readonly task: TaskRecord;
}

/** How a turn without a result continues. */
export interface TurnPlan {
  readonly open: FoldedTurn;
  /** True if the turn was resumed three times without progress: a person decides whether it continues. */
  readonly asksFirst: boolean;
  /** Must be recorded first: the end of a reply that was cut. */
  readonly broken?: ReplyRecord;
  /** The reply with which the loop continues once its calls have results. Undefined: a request is next. */
  readonly message?: AssistantMessage;
  /** The reply's calls, in the order of their blocks. Empty if the conversation has their results. */
  readonly calls: readonly CallPlan[];
  /** The turn ends once its calls have results and no question is open. `blocked`: by a hook, before any request. */
  readonly ending?: 'blocked' | 'stopped';
  /** A call of the reply has ended the turn with this result. */
  readonly handedOver?: TurnOutput;
}

/** How one call continues. */
export type CallPlan =
  /** The call has its result, and never runs again. */
  | { readonly type: 'kept'; readonly toolUse: ToolUse; readonly settled: SettledRecord }
  /** The call runs like a new one; `resume`: by the tool's `resumeCall`. */
  | {
      readonly type: 'run' | 'resume';
      readonly toolUse: ToolUse;
      /** From 1. */
      readonly attempt: number;
    }
  /** The call may not run again. Its result must be recorded, after those of its nested calls. */
  | {
      readonly type: 'interrupted';
      readonly toolUse: ToolUse;
      readonly settled: readonly SettledRecord[];
    };

// 3: the first loss may be bad luck. A turn that fails three times will fail again, and each time costs money.
const MAX_LOSSES = 3;

/**
 * Plans how the session continues, once the new opening is recorded. `traitsOf` gives what the call's tool says about
 * it; undefined if the tool doesn't exist any more. `isStopped`: a person has stopped the turn, so nothing of it
 * runs.
 */
export function planResume(
  fold: SessionFold,
  traitsOf: (call: CallRecord) => ResumeTraits | undefined,
  isStopped = false,
): ResumePlan {
  // A sub-agent continues from its own entries.
  const running = [...fold.tasks.values()].filter(
    ({ id, status }) => status === 'running' && !fold.agents.has(id),
  );
  return {
    turn: fold.turn && planTurn(fold.turn, fold, traitsOf, isStopped),
    tasks: running.map((task) => endTask(task, fold)),
    apps: [...fold.calls.values()].flatMap(({ id, call, settled }) =>
      call?.origin === 'app' && !settled
        ? [settleInterrupted(id, call.tool, call, toReason(call, fold))]
        : [],
    ),
    prompts: [...fold.waiting],
  };
}

function planTurn(
  open: FoldedTurn,
  fold: SessionFold,
  traitsOf: (call: CallRecord) => ResumeTraits | undefined,
  isRefused: boolean,
): TurnPlan {
  const wasStopped = open.isStopped === true;
  const isWithdrawn = isRefused || wasStopped;
  const asksFirst = !wasStopped && fold.lossesInARow > MAX_LOSSES;
  const stopped = isWithdrawn && { ending: 'stopped' as const };
  const base = { open, asksFirst, calls: [], ...stopped };
  const { newest } = open;
  if (open.turn.isBlocked) return { ...base, ending: 'blocked' };
  if (!newest) return base;
  const broken = newest.reply ? undefined : endReply(newest, fold);
  const reply = newest.reply ?? broken;
  if (!reply || reply.end === 'void') return { ...base, ...(broken && { broken }) };
  const { message } = reply;
  const toolUses = toToolUses(reply, newest);
  // The turn already has its answer, so there is nothing to stop.
  const isAnswer = message.stop_reason === 'end_turn' && toolUses.length === 0;
  if (wasStopped && !isRefused && reply.end === 'whole' && isAnswer) {
    return { open, asksFirst, calls: [], message };
  }
  const isStopped =
    isWithdrawn ||
    // The model isn't asked to continue after a cut text, because that text would look like the beginning of its
    // answer.
    (reply.end === 'cut' && toolUses.length === 0) ||
    // A person has refused a call and stopped the turn.
    toolUses.some(({ id }) => fold.calls.get(id)?.settled?.denial?.interrupt);
  const handedOver = toolUses
    .map(({ id }) => fold.calls.get(id)?.settled?.denial?.result)
    .find((result) => result !== undefined);
  return {
    ...base,
    ...(broken && { broken }),
    ...(handedOver !== undefined && { handedOver: { result: handedOver } }),
    message,
    calls: newest.hasResults
      ? []
      : toolUses.map((toolUse) => planCall(toolUse, fold, traitsOf, isStopped)),
    ...(isStopped && { ending: 'stopped' }),
  };
}

/** The blocks up to the last call stay. Without a call the turn can't continue from the reply. */
function endReply({ request, blocks }: FoldedRequest, fold: SessionFold): ReplyRecord | undefined {
  if (blocks.size === 0) return undefined;
  const inOrder = [...blocks].sort(([a], [b]) => a - b).map(([, { block }]) => block);
  const last = inOrder.findLastIndex(isToolUseBlock);
  const { step } = request;
  const uuid = deriveId(fold.session?.seed ?? '', 'broken', step, fold.length);
  return {
    type: 'reply',
    step,
    uuid,
    end: last === -1 ? 'void' : 'cut',
    message: toBrokenMessage(uuid, request.model, inOrder.slice(0, last + 1)),
  };
}

/** The message of a cut reply. The server's other fields were lost with the page. */
function toBrokenMessage(
  id: string,
  model: string,
  content: readonly ContentBlock[],
): AssistantMessage {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 0, output_tokens: 0 },
  };
}

function toToolUses({ message, lostInputs }: ReplyRecord, { blocks }: FoldedRequest): ToolUse[] {
  const mistakes = new Map(
    [...blocks.values()].flatMap(({ block, inputError }) =>
      isToolUseBlock(block) && inputError !== undefined ? [[block.id, inputError] as const] : [],
    ),
  );
  return message.content.flatMap((block, index) => {
    if (!isToolUseBlock(block)) return [];
    const { id, name, input } = block;
    const inputError = mistakes.get(id) ?? lostInputs?.[id];
    return { id, name, input, index, ...(inputError !== undefined && { inputError }) };
  });
}

function planCall(
  toolUse: ToolUse,
  fold: SessionFold,
  traitsOf: (call: CallRecord) => ResumeTraits | undefined,
  isStopped: boolean,
): CallPlan {
  const folded = fold.calls.get(toolUse.id);
  if (folded?.settled) return { type: 'kept', toolUse, settled: folded.settled };
  const call = folded?.call;
  if (!call) {
    return isStopped
      ? interrupt(toolUse, folded, fold, 'was never started, because the turn was stopped.')
      : { type: 'run', toolUse, attempt: 1 };
  }
  const traits = isStopped ? undefined : traitsOf(call);
  const attempt = call.attempt + 1;
  if (traits?.resumesItself) return { type: 'resume', toolUse, attempt };
  // A task that the call has started was lost, and has its own end.
  const hasTask = [...fold.tasks.values()].some(({ callId }) => callId === toolUse.id);
  if (traits && !hasTask && mayRunAgain(call, folded, traits)) {
    return { type: 'run', toolUse, attempt };
  }
  return interrupt(toolUse, folded, fold, toReason(call, fold));
}

/**
 * A call may run again once, if the cut run had no lasting effect. Work in a worker was only a draft, and a call that
 * reads has changed nothing. Nested calls may have had a lasting effect.
 */
function mayRunAgain(call: CallRecord, { nested }: FoldedCall, traits: ResumeTraits): boolean {
  const onlyReads = traits.isReadOnly && !traits.isOpenWorld;
  return call.attempt === 1 && nested.length === 0 && (call.repeatable || onlyReads);
}

function toReason({ attempt }: CallRecord, fold: SessionFold): string {
  const again = attempt > 1 ? `, as it was in ${attempt - 1} of its runs before` : '';
  return `was interrupted: ${toCause(fold)} while it ran${again}. ${advice}`;
}

function toCause({ isCutByMove }: SessionFold): string {
  return isCutByMove ? 'the session was moved to another place' : 'the session was cut off';
}

const advice =
  'It may have done a part of its work: check how things stand before you do it again.';

function interrupt(
  toolUse: ToolUse,
  folded: FoldedCall | undefined,
  fold: SessionFold,
  reason: string,
): CallPlan {
  const { id, name } = toolUse;
  const below = listUnsettled(folded?.nested ?? [], fold);
  return {
    type: 'interrupted',
    toolUse,
    settled: [
      ...below.map((one) => settleInterrupted(one.id, one.tool, one, toReason(one, fold))),
      settleInterrupted(id, name, folded?.call, reason),
    ],
  };
}

/** The nested calls without a result, the innermost first. */
function listUnsettled(nested: readonly string[], fold: SessionFold): CallRecord[] {
  return nested.flatMap((id) => {
    const one = fold.calls.get(id);
    if (!one?.call) return [];
    return [...listUnsettled(one.nested, fold), ...(one.settled ? [] : [one.call])];
  });
}

function settleInterrupted(
  id: string,
  tool: string,
  call: CallRecord | undefined,
  reason: string,
): SettledRecord {
  const content = `${tool} ${reason}`;
  return {
    type: 'settled',
    id,
    ...(call?.parent !== undefined && { parent: call.parent }),
    tool,
    state: 'output-error',
    result: { type: 'tool_result', tool_use_id: id, content, is_error: true },
    reads: [],
    isStopped: true,
    ...(call?.decision && { decision: call.decision }),
  };
}

/** Plans a task's end. The task may have ended before the page was closed, without a notification. */
function endTask(task: TaskRecord, fold: SessionFold): TaskPlan {
  const { call, settled } = fold.calls.get(task.id) ?? {};
  const whole = `The task in the background (${task.description})`;
  if (settled) {
    const isDone = settled.state === 'output-available';
    // 1 000 characters, as in the notification of any task.
    const result = clipText(toResultText(settled.result), 1_000);
    const summary = `${whole} ${isDone ? 'is done' : 'failed'}: ${result}`;
    return { task: tellEnd(task, isDone ? 'completed' : 'failed', summary) };
  }
  const reason = `was interrupted: ${toCause(fold)} while it ran. ${advice}`;
  return {
    ...(call && { settled: settleInterrupted(task.id, call.tool, call, reason) }),
    task: tellEnd(task, 'stopped', `${whole} ${reason}`),
  };
}

function tellEnd(task: TaskRecord, status: TaskStatus, summary: string): TaskRecord {
  const { id, callId, outputPath } = task;
  const end = { taskId: id, toolUseId: callId, status, outputPath, summary };
  return { ...task, status, summary, notification: writeNotification(end) };
}
