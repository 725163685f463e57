// Records a step in the journal: a reply and the results of its calls, or the part of a void reply
// that stays. Called by loop.ts, and by resume-turn.ts for a step that was interrupted.
import { isEmptyText, isToolUseBlock } from '../../core/messages/blocks.ts';
import type { AssistantMessage, MessageParam } from '../../core/messages/messages.ts';
import type { ReplyRecord, UsageRecord } from '../../core/session/journal.ts';
import { toObservableInput } from '../../core/tool/observable-input.ts';
import { toSystemReminder } from '../../core/messages/system-reminder.ts';
import { toDefinition } from '../../core/tool/listed-tool.ts';
import type { KnownTools } from '../../core/tool/listed-tool.ts';
import { findToolByName } from '../../core/tool/tool.ts';
import type { Tools } from '../../core/tool/tool.ts';
import { applyMessageBudget } from '../calls/budget.ts';
import { forgetUnseen } from '../calls/forget-unseen.ts';
import { toContext } from '../journal/record-context.ts';
import type { Pool } from '../registry/prepare-pool.ts';
import type { Session } from '../session/session.ts';
import type { Settled } from '../calls/settled.ts';
import { toNoticeMessage } from '../messages/to-sdk-message.ts';
import { explainCutCall } from './turn-end.ts';
import { noteDenial, noteTurnEnd } from '../calls/turn.ts';
import type { Turn } from '../calls/turn.ts';
import { describeForModel, describeForViewer, toStayingMessage } from '../messages/void-attempt.ts';

/** Records the reply, which is then part of the conversation, and its usage, if a model gave it. */
export async function recordReply(
  { journal, ids }: Session,
  pool: Pool,
  message: AssistantMessage,
  isWhole: boolean,
  usage: readonly UsageRecord[],
): Promise<void> {
  const step = journal.fold.lastStep;
  await journal.record(
    {
      type: 'reply',
      step,
      uuid: ids.of('reply', step),
      end: isWhole ? 'whole' : 'cut',
      message,
      ...toObserved(message, await loadCalled(pool.tools, message)),
    },
    ...usage,
  );
}

/** Records the results of the message's calls after it, when the last call has settled. */
export async function recordResults(
  session: Session,
  pool: Pool,
  turn: Turn,
  message: AssistantMessage,
  calls: readonly Promise<Settled>[],
): Promise<void> {
  const { journal } = session;
  const tools = await loadCalled(pool.tools, message);
  // In the order of the blocks, as the API requires, whichever call settled first.
  const settled = (await Promise.all(calls)).map((call) => explainCutCall(call, message));
  for (const call of settled) {
    noteDenial(turn, call);
    noteTurnEnd(turn, call, findToolByName(tools, call.toolUse.name));
  }
  if (settled.length === 0) return;
  // The message's calls aren't complete, so nothing may follow the reply yet.
  turn.putOff = session.agent ? undefined : settled.find((call) => call.isDeferred)?.toolUse;
  if (turn.putOff) return;
  const results = settled.map(({ result, toolUse, output, preview }) => ({
    block: result,
    tool: findToolByName(tools, toolUse.name),
    output,
    ...(preview && { preview }),
  }));
  const unseen = new Set<Settled>();
  const blocks = await applyMessageBudget(results, session.spill, (at) => {
    const call = settled[at];
    if (call) unseen.add(call);
  });
  forgetUnseen(settled, unseen, session.readFileState);
  const reads = session.readFileState.takeChanges();
  // Read from the journal, because the call may have run before a reload of the page.
  const notes = settled.flatMap(({ toolUse }) => {
    return journal.fold.calls.get(toolUse.id)?.settled?.notes ?? [];
  });
  await journal.record(
    {
      type: 'results',
      step: journal.fold.lastStep,
      message: { role: 'user', content: blocks },
      ...(reads.length > 0 && { reads }),
    },
    ...toContext(
      'tool',
      settled.flatMap(({ newMessages }) => newMessages ?? []),
    ),
    ...toContext('hook', notes.map(toSystemReminder)),
  );
  const heard = await session.hooks?.afterBatch(settled, turn.signal);
  const read = [...session.readFileState.entries()].map(([path]) => path);
  const instructions = await session.memory.afterReads(read);
  await journal.record(...toContext('hook', heard));
  await recordMemory(journal, session.memory, instructions);
  await endWithUser(session);
}

/**
 * Records the instructions that were sent together with the memory's present state, so a resumed
 * session sends nothing twice.
 */
export async function recordMemory(
  journal: Session['journal'],
  { record }: Session['memory'],
  told: readonly MessageParam[],
): Promise<void> {
  if (told.length === 0) return;
  await journal.record(...toContext('memory', told), {
    type: 'state',
    key: 'memory',
    value: record,
  });
}

/**
 * Adds a user message at the end. The API would continue an assistant message at the end of a
 * request.
 */
export async function endWithUser(session: Session, reminder: string = goOn): Promise<void> {
  if (session.messages.at(-1)?.role === 'assistant') await remind(session, reminder);
}

export async function remind({ journal }: Session, reminder: string): Promise<void> {
  await journal.record(...toContext('reminder', [toSystemReminder(reminder)]));
}

const goOn = 'The last message above was added by a tool. Go on with the task.';

/** Removes a refused reply from the conversation. Viewers get the uuids of its messages. */
export async function recordRetracted(
  { journal, ids }: Session,
  message: AssistantMessage,
): Promise<readonly string[]> {
  const content = message.content.filter((block) => !isToolUseBlock(block) && !isEmptyText(block));
  if (content.length === 0) return [];
  const step = journal.fold.lastStep;
  const uuid = ids.of('void', step, journal.fold.length);
  await journal.record({
    type: 'reply',
    step,
    uuid,
    end: 'void',
    message: { ...message, content },
  });
  return [uuid];
}

/**
 * Explains the output limit in the result of a call that the limit has cut, before viewers get the
 * result.
 */
export async function explainCut(
  { journal }: Session,
  message: AssistantMessage,
  calls: readonly Promise<Settled>[],
): Promise<void> {
  const last = message.stop_reason === 'max_tokens' ? await calls.at(-1) : undefined;
  if (!last) return;
  const { toolUse, state, result } = explainCutCall(last, message);
  if (result === last.result) return;
  await journal.record({ type: 'amended', id: toolUse.id, state, result });
}

/**
 * Records the completed calls of a void message. The conversation has them before the new attempt,
 * because they ran earlier. Viewers get these calls with their results.
 */
export async function recordVoid(
  session: Session,
  { tools }: Pool,
  turn: Turn,
  message: AssistantMessage,
  calls: readonly Promise<Settled>[],
): Promise<void> {
  const settled = await Promise.all(calls);
  const staying = settled.filter(({ hasActed }) => hasActed);
  const { journal, ids } = session;
  const shown = toStayingMessage(message, staying);
  const step = journal.fold.lastStep;
  const reminders = staying.length > 0 ? [toSystemReminder(describeForModel(staying))] : [];
  for (const call of staying) noteDenial(turn, call);
  await journal.record(
    {
      type: 'reply',
      step,
      uuid: ids.of('void', step, journal.fold.length),
      end: 'void',
      message: shown,
      ...toObserved(shown, await loadCalled(tools, message)),
    },
    ...toContext('void', reminders),
  );
  if (staying.length > 0) {
    session.emit(toNoticeMessage(session, describeForViewer(staying), 'warning'));
  }
}

/**
 * The tools of the message's calls. A tool whose code can't be loaded is left out: its call has
 * failed.
 */
async function loadCalled(tools: KnownTools, message: AssistantMessage): Promise<Tools> {
  const uses = message.content.filter(isToolUseBlock);
  const called = new Set(uses.flatMap(({ name }) => findToolByName(tools, name) ?? []));
  const loaded = await Promise.allSettled([...called].map(toDefinition));
  return loaded.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
}

/** The inputs of calls that viewers get in another form than the model gave them. */
function toObserved({ content }: AssistantMessage, tools: Tools): Pick<ReplyRecord, 'observed'> {
  const observed = content.filter(isToolUseBlock).flatMap(({ id, name, input }) => {
    const seen = toObservableInput(findToolByName(tools, name), input);
    return seen === input ? [] : [[id, seen] as const];
  });
  return observed.length > 0 ? { observed: Object.fromEntries(observed) } : {};
}
