// The agent's loop: request, stream, calls, results, next request, until the model has finished.
// calls/run-call.ts runs one call. session-engine.ts runs one turn for each prompt.
import { createAbortError, createChildController } from '../../core/async/abort.ts';
import { toSerializedError } from '../../core/errors.ts';
import type { AssistantMessage, MessageParam, ModelEvent } from '../../core/messages/messages.ts';
import { msSince } from '../../core/async/ms-since.ts';
import { goalState } from '../../core/session/goal.ts';
import type { SDKPermissionDenial } from '../../core/messages/sdk-message.ts';
import type { Model, ModelRequest } from '../../model/model.ts';
import { createCallSlots } from '../calls/call-slots.ts';
import { readCommandLine } from '../commands/command-line.ts';
import type { TakenCommand } from '../commands/take-command.ts';
import { collect } from '../messages/collect.ts';
import type { ToolUse } from '../messages/collect.ts';
import { cellReminder, endCell, readCellPrompt, sayCell } from './cell-prompt.ts';
import { prepareRequest } from './create-request.ts';
import { currentModel, nextFallback } from './fallback.ts';
import type { followGoal as FollowGoal } from './follow-goal.ts';
import type { TurnEnd } from '../hooks/hooks.ts';
import { toContext, toNewsContext } from '../journal/record-context.ts';
import type { Pool } from '../registry/prepare-pool.ts';
import type { runCommand as RunCommand } from './run-command.ts';
import { runCall } from '../calls/run-call.ts';
import { recordTurn } from '../session/files/checkpoints.ts';
import { awaitKnownServers } from '../session/mcp/await-servers.ts';
import { compactAfterOverflow, makeRoom } from './make-room.ts';
import type { Session } from '../session/session.ts';
import type { Settled } from '../calls/settled.ts';
import {
  toNoticeMessage,
  toRefusalFallbackMessage,
  toRetryMessage,
  toStreamEvent,
} from '../messages/to-sdk-message.ts';
import { hasJoining, joinPrompts } from './join-prompts.ts';
import { toModelFailure } from './model-failure.ts';
import { isPutOffEnd, toPutOffEnd, withdrawPutOff } from './put-off.ts';
import { requireOutput } from './structured-output.ts';
import { decideNext } from './turn-end.ts';
import type { Step } from './turn-end.ts';
import { createTurn } from '../calls/turn.ts';
import type { Turn, TurnOptions } from '../calls/turn.ts';
import {
  endWithUser,
  explainCut,
  recordMemory,
  recordReply,
  recordResults,
  recordRetracted,
  recordVoid,
  remind,
} from './record-step.ts';

/** The result of a turn. `query.ts` turns it into the `result` message. */
export interface TurnResult {
  readonly end: TurnEnd;
  /** The number of requests in the turn. */
  readonly steps: number;
  readonly denials: readonly SDKPermissionDenial[];
}

/**
 * Runs one turn and records it in the session's journal. Never rejects.
 *
 * Every tool use of a message settles exactly once, and exactly one `tool_result` answers it,
 * whatever happens. So the API accepts the conversation.
 */
export async function runTurn(
  session: Session,
  prompt: Extract<MessageParam, { role: 'user' }>,
  options: TurnOptions,
): Promise<TurnResult> {
  return playTurn(session, options, async (turn) => {
    if (session.journal.fold.turn?.isPutOff) await withdrawPutOff(session, turn, 'left');
    return { steps: 0, ...(await takePrompt(session, prompt, turn)) };
  });
}

/** The state in which a turn begins: before its first request, or where it was interrupted. */
export interface TurnStart {
  /** The number of requests with a reply. */
  readonly steps: number;
  /** The newest reply's step, if it isn't decided yet whether it has ended the turn. */
  readonly step?: Step;
  /** The turn's end, if the turn is already over. */
  readonly end?: TurnEnd;
  /** The code, if the prompt is a person's cell. The model isn't asked. */
  readonly cell?: string;
}

/** Runs a turn from the state that `begin` gives. Never rejects. */
export async function playTurn(
  session: Session,
  options: TurnOptions,
  begin: (turn: Turn) => Promise<TurnStart>,
): Promise<TurnResult> {
  const { journal } = session;
  const controller = createChildController(options.signal);
  // A turn that can't be recorded must stop.
  const unlink = linkAbort(journal.broken, controller);
  const turn = createTurn({ ...options, signal: controller.signal }, () => controller.abort());
  const { denials } = turn;
  let steps = 0;
  try {
    const start = await begin(turn);
    steps = start.steps;
    if (start.end) return { end: start.end, steps, denials };
    if (start.cell !== undefined) {
      return { end: await playCell(session, turn, start.cell, start.step), steps: 0, denials };
    }
    await awaitKnownServers(session, turn.signal);
    for (let known = start.step; ; known = undefined) {
      const spent = known ? undefined : await prepareStep(session, turn);
      if (spent) return { end: spent, steps, denials };
      const isStopped = turn.signal.aborted;
      if (!known && !isStopped) steps += 1;
      const step = known ?? (isStopped ? stoppedEarly() : await runStep(session, turn));
      if (journal.broken.aborted) throw journal.broken.reason;
      const stepEnd = await follow(step, steps, session, turn);
      const end = await confirmEnd(stepEnd, steps, session, turn);
      if (end) return { end, steps, denials };
      // Reports the end of each background task once, with the next request. A reply that its
      // server has paused must stay the last message.
      const isPaused = step.type === 'answered' && step.message.stop_reason === 'pause_turn';
      if (isPaused) continue;
      await journal.record(...toNewsContext(session.tasks.listNews()));
      await joinPrompts(session, turn);
    }
  } catch (error) {
    // A stage throws only if the journal can't be written, or because of a bug.
    return { end: { type: 'failed', error: toSerializedError(error) }, steps, denials };
  } finally {
    session.permissions.endTurn();
    unlink();
    controller[Symbol.dispose]();
  }
}

/** Waits until a request may be made. Resolves to the turn's end if its budget is spent. */
async function prepareStep(session: Session, turn: Turn): Promise<TurnEnd | undefined> {
  const { maxBudgetUsd = 0, isSpent, spentUsd } = session.spending;
  await session.host.steps?.next(turn.signal);
  await makeRoom(session, turn);
  return isSpent() ? { type: 'max-budget', maxBudgetUsd, spentUsd: spentUsd() } : undefined;
}

/** Resolves to undefined if something else asks for another request: news, a hook or a goal. */
async function confirmEnd(
  stepEnd: TurnEnd | undefined,
  steps: number,
  session: Session,
  turn: Turn,
): Promise<TurnEnd | undefined> {
  const { hooks } = session;
  if (stepEnd?.type === 'completed' && session.waitsForAgents && steps !== turn.maxTurns) {
    await session.turnWork.wait(() => session.agents.whenNews(session, turn.signal));
  }
  if (stepEnd && hasNewsFor(stepEnd, steps, session, turn)) return undefined;
  const outputEnd = await requireOutput(stepEnd, steps, session, turn);
  const heardEnd = hooks ? await hooks.hearEnd(outputEnd, steps, turn) : outputEnd;
  const end = heardEnd && (await followGoal(heardEnd, steps, session, turn));
  // The turn was stopped meanwhile, or a hook has ended it.
  if (end && turn.putOff && !isPutOffEnd(end)) await withdrawPutOff(session, turn, 'stopped');
  return end;
}

/** Runs a person's cell. `known`: its step, if it was recorded before the page was closed. */
async function playCell(
  session: Session,
  turn: Turn,
  code: string,
  known: Step | undefined,
): Promise<TurnEnd> {
  if (!known) await session.host.steps?.next(turn.signal);
  const isStopped = turn.signal.aborted;
  const step = known ?? (isStopped ? stoppedEarly() : await runStep(session, turn, code));
  if (session.journal.broken.aborted) throw session.journal.broken.reason;
  const end = endCell(step, session, turn);
  return (await confirmEnd(end, 0, session, turn)) ?? end;
}

/**
 * The step of a turn that was stopped before its request. A function, because an error at module scope
 * makes V8 parse the module twice (docs/decisions/0049-a-start-is-text.md).
 */
function stoppedEarly(): Step {
  return { type: 'cut', error: wasStopped() };
}

const wasStopped = () => createAbortError('The turn was stopped.');

/** Adds the prompt to the conversation. A hook may refuse it, which ends the turn. */
async function takePrompt(
  session: Session,
  message: Extract<MessageParam, { role: 'user' }>,
  { promptId, origin, tells, client_composed, signal, ...turn }: Turn,
): Promise<Pick<TurnStart, 'end' | 'cell'>> {
  const { journal, hooks, tasks, ids, memory, skills, agents, model, permissions } = session;
  // Ends the turn rules of a turn that was interrupted with its page.
  permissions.endTurn();
  const uuid = promptId ?? ids.of('prompt', journal.fold.promptIds.size);
  hooks?.startTurn(turn, uuid);
  if (!journal.fold.promptIds.has(uuid)) {
    const about = {
      ...(origin && { origin }),
      ...(tells && { tells }),
      ...(client_composed && { client_composed }),
    };
    await journal.recordSafely({ type: 'prompt', uuid, message, ...about });
  }
  // A sub-agent's prompt is written by the model, so it is never a command.
  const isPersons = !origin && !session.agent;
  const line = isPersons && !client_composed ? readCommandLine(message) : undefined;
  const command = line && (await runCommand(session, { line, promptId: uuid, signal }));
  if (command?.type === 'end') return { end: command.end };
  const mayBeCell = session.cellPrompts && isPersons && !client_composed;
  const cell = mayBeCell ? readCellPrompt(message) : undefined;
  if (!tells) await journal.record(...toNewsContext(tasks.listNews()));
  await recordMemory(journal, memory, await memory.beforePrompt(model.name));
  await Promise.all([skills.list(), agents.list()]);
  const taken = isPersons ? await hooks?.takePrompt(message, signal) : undefined;
  const isBlocked = taken?.end && { isBlocked: true as const };
  const said = session.agent ? hooks?.takeContext() : taken;
  const context = [
    ...(command?.states ?? []),
    ...(said?.states ?? []),
    ...toContext('hook', [...(command?.context ?? []), ...(said?.context ?? [])]),
  ];
  const expanded = command && {
    message: command.message,
    ...(command.model !== undefined && { model: command.model }),
  };
  const asCell = cell !== undefined && { message: cellReminder, cell };
  const record = { type: 'turn', prompt: uuid, ...isBlocked, ...expanded, ...asCell } as const;
  await recordTurn(session, record, message, context);
  // Notifications that came after the one that starts this turn follow it. For example, a task's
  // end follows its last lines.
  if (tells) await journal.record(...toNewsContext(tasks.listNews()));
  return { ...(taken?.end && { end: taken.end }), ...(cell !== undefined && { cell }) };
}

/** Loads the code of commands with the first command. */
async function runCommand(...asked: Parameters<typeof RunCommand>): Promise<TakenCommand> {
  const code = await import('./run-command.ts');
  return code.runCommand(...asked);
}

/** Loads the code of goals with the first goal. Otherwise like `followGoal` of that module. */
async function followGoal(...asked: Parameters<typeof FollowGoal>): Promise<TurnEnd | undefined> {
  const [end, , { journal }] = asked;
  if (!journal.fold.states.has(goalState)) return end;
  const code = await import('./follow-goal.ts');
  return code.followGoal(...asked);
}

/** Acts on the step. Resolves to the turn's end, or to undefined if another request follows. */
async function follow(
  step: Step,
  steps: number,
  session: Session,
  turn: Turn,
): Promise<TurnEnd | undefined> {
  if (turn.putOff && !turn.signal.aborted) return toPutOffEnd(session, turn.putOff);
  // This applies even if the reply was cut after the call, because the call has a result.
  if (step.type !== 'retracted' && turn.handedOver !== undefined && !turn.signal.aborted) {
    return { type: 'handed-over', output: turn.handedOver };
  }
  const isCutByLimit = step.type === 'answered' && step.message.stop_reason === 'max_tokens';
  turn.cutReplies = isCutByLimit ? turn.cutReplies + 1 : 0;
  const fallback = nextFallback(session, turn.fallback);
  const next = decideNext(step, {
    steps,
    maxTurns: turn.maxTurns,
    isStopped: turn.signal.aborted || (turn.isSuperseded && !hasJoining(session)),
    cutReplies: turn.cutReplies,
    hasCompacted: turn.hasCompacted,
    hasFallback: fallback !== undefined,
  });
  switch (next.type) {
    case 'end':
      return next.end;
    case 'request':
      if (next.reminder !== undefined) await remind(session, next.reminder);
      return undefined;
    case 'compact': {
      // The only place where an overflow causes a compaction.
      const isCut = session.messages.at(-1)?.role === 'assistant';
      const hasRoom = await compactAfterOverflow(session, turn);
      if (turn.signal.aborted) return { type: 'stopped', during: 'streaming' };
      if (!hasRoom) return next.otherwise;
      // Added after the hooks' messages about the compaction.
      if (isCut) await remind(session, brokenOff);
      return undefined;
    }
    case 'fall-back': {
      const original = currentModel(session, turn.fallback).name;
      turn.fallback = fallback;
      const models = { original, fallback: currentModel(session, fallback).name };
      if (next.because === 'refusal') {
        session.emit(toRefusalFallbackMessage(session, next.refused, models, next.uuids));
      } else {
        const notice = `The server of ${models.original} is overloaded: ${models.fallback} is asked for the rest of this turn.`;
        session.emit(toNoticeMessage(session, notice, 'warning'));
      }
    }
  }
  await endWithUser(session, brokenOff);
  return undefined;
}

const brokenOff = 'Your last message was cut off by the server. Go on where it ended.';

/**
 * True if another request is due although the model has finished, because a background task has
 * ended meanwhile. If a prompt waits, its turn reports the task's end.
 */
function hasNewsFor(end: TurnEnd, steps: number, session: Session, { maxTurns }: Turn): boolean {
  if (end.type !== 'completed' || end.message.stop_reason === 'refusal') return false;
  if (session.journal.fold.waiting.length > 0) return false;
  return session.tasks.hasNews() && (maxTurns === undefined || steps < maxTurns);
}

/**
 * Stages 1 and 2, and stages 3 to 10 for each call when its block is complete. Never rejects.
 * `cell`: a person's, which takes the place of the model's reply.
 */
async function runStep(session: Session, turn: Turn, cell?: string): Promise<Step> {
  const { clock } = session.host;
  const { journal } = session;
  // `setModel` may be called meanwhile, but a request for one model isn't sent to another.
  const model = currentModel(session, turn.fallback);
  let pool: Pool;
  let request: ModelRequest;
  const number = journal.fold.lastStep + 1;
  try {
    ({ pool, request } = await prepareRequest(session, model));
    await journal.record({
      type: 'request',
      step: number,
      model: model.name,
      ...session.hashRequest(request),
      messages: request.messages.length,
    });
  } catch (error) {
    return { type: 'cut', error };
  }
  const startedAt = clock.now();
  const { record: note } = session.trace;
  note({ type: 'request-start', model: model.name });
  const stream =
    cell === undefined ? openStream(session, model, request, turn) : sayCell(session, cell, number);
  const collection = collect(stream);
  // Slots and signal belong to one message: a retry starts with new ones.
  const start = () => startCalls(session, pool, turn, collection.partial);
  let calls = start();
  let ended: Step | undefined;
  try {
    for await (const item of collection) {
      for (const closed of collection.takeClosed()) {
        journal.note({ type: 'block', step: number, ...closed });
      }
      if (item.type === 'event' && turn.includePartialMessages) {
        session.emit(toStreamEvent(session, item.event));
      } else if (item.type === 'tool-use') {
        void calls.add(item.toolUse);
      } else if (item.type === 'restart') {
        // The calls of the first attempt are void: they are aborted, and the conversation has no
        // results for them.
        await calls.cancel();
        const partial = collection.partial();
        if (partial) await recordVoid(session, pool, turn, partial, calls.inOrder());
        calls[Symbol.dispose]();
        calls = start();
      } else if (item.type === 'message') {
        calls.close();
        const { message, cutCall } = item;
        ended = { type: 'answered', message, calls: calls.inOrder().length, cutCall };
      }
    }
  } catch (error) {
    // The calls of an incomplete message are aborted too. Their completed work stays, with its
    // result.
    await calls.cancel();
    ended = { type: 'cut', error };
  }
  // `ended` is undefined only if the stream ended without a message. `collect` guarantees that this
  // doesn't happen.
  let step: Step = ended ?? { type: 'cut', error: new TypeError('The reply had no end.') };
  const isWhole = step.type === 'answered';
  const message = step.type === 'answered' ? step.message : collection.partial();
  // Without the content, because a trace contains no texts of the conversation.
  const { content: _, ...reply } = message ?? {};
  note({
    type: 'request-end',
    reply,
    error: step.type === 'cut' ? toSerializedError(step.error).code : undefined,
  });
  if (message) {
    const answered = {
      requestId: session.ids.of('request', number),
      purpose: 'turn',
      model: message.model,
      askedModel: model.name,
      usage: message.usage,
      apiMs: msSince(startedAt, clock),
    } as const;
    const usage = cell === undefined ? [session.usage.add(answered)] : [];
    const isRefusal = isWhole && message.stop_reason === 'refusal' && !turn.signal.aborted;
    if (isRefusal && nextFallback(session, turn.fallback)) {
      // A refused reply is removed from the conversation, and another model is asked.
      await calls.cancel();
      await journal.record(...usage);
      const uuids = await recordRetracted(session, message);
      const settled = await Promise.all(calls.inOrder());
      const isTold = uuids.length > 0 && !settled.some(({ hasActed }) => hasActed);
      if (!isTold) await recordVoid(session, pool, turn, message, calls.inOrder());
      step = { type: 'retracted', message, uuids };
    } else {
      await explainCut(session, message, calls.inOrder());
      await recordReply(session, pool, message, isWhole, usage);
      await recordResults(session, pool, turn, message, calls.inOrder());
    }
  }
  calls[Symbol.dispose]();
  return step;
}

// A generator, so that an adapter that throws at once fails like one that throws later.
async function* openStream(
  session: Session,
  model: Model,
  request: ModelRequest,
  turn: Turn,
): AsyncGenerator<ModelEvent, void> {
  // Aborted before the request was sent: an adapter that only listens for the event would miss it.
  if (turn.signal.aborted) throw wasStopped();
  const working = session.host.steps?.work();
  try {
    yield* model.stream(request, {
      signal: turn.signal,
      onRetry: (retry) => session.emit(toRetryMessage(session, retry)),
    });
  } catch (error) {
    throw turn.signal.aborted ? error : toModelFailure(model, error);
  } finally {
    working?.[Symbol.dispose]();
  }
}

/** The calls of one message, starting with its first block. */
export interface Calls extends Disposable {
  /** Starts the call when the schedule allows it. Never rejects; see {@link Calls.inOrder}. */
  add(toolUse: ToolUse): Promise<Settled>;
  /** No more calls will come. */
  close(): void;
  /** Each promise settles exactly once and never rejects. */
  inOrder(): readonly Promise<Settled>[];
  /** Aborts running calls, never starts waiting ones, and resolves when all are settled. */
  cancel(): Promise<void>;
}

/** `partial` gives the received part of the calls' message. */
export function startCalls(
  session: Session,
  pool: Pool,
  turn: Turn,
  partial: () => AssistantMessage | undefined,
): Calls {
  const controller = createChildController(turn.signal);
  const slots = createCallSlots(session.schedule, controller.signal);
  const calls: Promise<Settled>[] = [];
  const hearPrompt = () => {
    if (slots.hearPrompt()) turn.isSuperseded = true;
  };
  const { hooks } = session;
  const { signal } = controller;
  const scope = { session, hooks, pool, turn, signal };
  return {
    add(toolUse) {
      const origin = { type: 'model', slot: slots.take(), partial, hearPrompt } as const;
      const call = runCall(toolUse, origin, scope).then(({ settled }) => settled);
      calls.push(call);
      return call;
    },
    close: slots.close,
    inOrder: () => calls,
    async cancel() {
      controller.abort();
      await Promise.all(calls);
    },
    [Symbol.dispose]: () => controller[Symbol.dispose](),
  };
}

/** Aborts `controller` when `signal` is aborted. The returned function removes the listener. */
function linkAbort(signal: AbortSignal, controller: AbortController): () => void {
  const abort = () => controller.abort();
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return () => signal.removeEventListener('abort', abort);
}
