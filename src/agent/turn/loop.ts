// The agent's loop: request, stream, calls, results, next request, until the model rests. What happens to
// one call is in calls/run-call.ts. session-engine.ts runs one turn for each prompt.
import { createAbortError, createChildController } from '../../core/async/abort.ts';
import { messageOf, SdkError, toSerializedError } from '../../core/errors.ts';
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
import { isPutOffEnd, toPutOffEnd, withdrawPutOff } from './put-off.ts';
import { requireOutput } from './structured-output.ts';
import { decideNext } from './turn-end.ts';
import type { Step } from './turn-end.ts';
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

/** The result of a turn, of which `query.ts` makes the `result` message. */
export interface TurnResult {
  readonly end: TurnEnd;
  /** How many requests the turn took. */
  readonly steps: number;
  readonly denials: readonly SDKPermissionDenial[];
}

/**
 * Runs one turn and records it in the session's journal. Never rejects.
 *
 * Every tool use that a message gives out settles exactly once, and exactly one `tool_result` answers it, whatever
 * happens. So the conversation stays one that the API accepts.
 */
export async function runTurn(
  session: Session,
  prompt: Extract<MessageParam, { role: 'user' }>,
  options: TurnOptions,
): Promise<TurnResult> {
  return playTurn(session, options, async (turn) => {
    if (session.journal.fold.turn?.isPutOff) await withdrawPutOff(session, turn, 'left');
    const end = await takePrompt(session, prompt, turn);
    return { steps: 0, ...(end && { end }) };
  });
}

/** Where a turn begins: with its first request, or where it was cut. */
export interface TurnStart {
  /** How many requests have a reply. */
  readonly steps: number;
  /** The newest reply's step, if it isn't known yet whether it ended the turn. */
  readonly step?: Step;
  /** The turn's end, if it is over already. */
  readonly end?: TurnEnd;
}

/** Runs a turn from where `begin` leaves it. Never rejects. */
export async function playTurn(
  session: Session,
  options: TurnOptions,
  begin: (turn: Turn) => Promise<TurnStart>,
): Promise<TurnResult> {
  const { hooks, journal } = session;
  const controller = createChildController(options.signal);
  // A turn that can't be recorded must not go on.
  const unlink = linkAbort(journal.broken, controller);
  const turn: Turn = {
    ...options,
    signal: controller.signal,
    stop: () => controller.abort(),
    isSuperseded: false,
    denials: [],
    contextModifiers: [],
    cutReplies: 0,
    hasCompacted: false,
    mayCompact: true,
    mayClear: true,
    fallback: undefined,
    handedOver: undefined,
    putOff: undefined,
    missedOutputs: 0,
    goalCheckedAt: 0,
    idleGoalChecks: 0,
  };
  const { denials } = turn;
  let steps = 0;
  try {
    const start = await begin(turn);
    steps = start.steps;
    if (start.end) return { end: start.end, steps, denials };
    await awaitKnownServers(session, turn.signal);
    for (let known = start.step; ; known = undefined) {
      if (!known) {
        const { maxBudgetUsd = 0, isSpent, spentUsd } = session.spending;
        const gate = session.host.steps?.next(turn.signal);
        if (gate) await gate;
        const makingRoom = makeRoom(session, turn);
        if (makingRoom) await makingRoom;
        if (isSpent()) {
          const end: TurnEnd = { type: 'max-budget', maxBudgetUsd, spentUsd: spentUsd() };
          return { end, steps, denials };
        }
      }
      const isStopped = turn.signal.aborted;
      if (!known && !isStopped) steps += 1;
      const step = known ?? (isStopped ? stoppedEarly() : await runStep(session, turn));
      if (journal.broken.aborted) throw journal.broken.reason;
      const stepEnd = await follow(step, steps, session, turn);
      if (stepEnd?.type === 'completed' && session.waitsForAgents && steps !== turn.maxTurns) {
        await session.agents.whenNews(session, turn.signal);
      }
      if (!stepEnd || !hasNewsFor(stepEnd, steps, session, turn)) {
        const outputEnd = await requireOutput(stepEnd, steps, session, turn);
        const heardEnd = hooks ? await hooks.hearEnd(outputEnd, steps, turn) : outputEnd;
        const end = heardEnd && (await followGoal(heardEnd, steps, session, turn));
        if (end) {
          // A stop came meanwhile, or a hook wants no more.
          if (turn.putOff && !isPutOffEnd(end)) await withdrawPutOff(session, turn, 'stopped');
          return { end, steps, denials };
        }
      }
      // Tells the end of each background task once, with the next request. A reply that its server
      // paused must stay the conversation's last message.
      const isPaused = step.type === 'answered' && step.message.stop_reason === 'pause_turn';
      if (!isPaused) await journal.record(...toNewsContext(session.tasks.listNews()));
    }
  } catch (error) {
    // A station throws only if the journal can't be written, or by a mistake of ours.
    return { end: { type: 'failed', error: toSerializedError(error) }, steps, denials };
  } finally {
    session.permissions.endTurn();
    unlink();
    controller[Symbol.dispose]();
  }
}

/**
 * The step of a turn that was stopped before its request. A function, because an error at module scope
 * makes V8 parse the module twice (docs/decisions/0049-a-start-is-text.md).
 */
function stoppedEarly(): Step {
  return { type: 'cut', error: wasStopped() };
}

const wasStopped = () => createAbortError('The turn was stopped.');

/** Puts the prompt into the conversation. A hook may refuse it, which ends the turn. */
async function takePrompt(
  session: Session,
  message: Extract<MessageParam, { role: 'user' }>,
  { promptId, origin, tells, client_composed, signal, ...turn }: Turn,
): Promise<TurnEnd | undefined> {
  const { journal, hooks, tasks, ids, memory, skills, agents, model, permissions } = session;
  // Ends the rules of a turn that was cut together with its page.
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
  // The prompt of a sub-agent is the model's text, so it is never a command.
  const isPersons = !origin && !session.agent;
  const line = isPersons && !client_composed ? readCommandLine(message) : undefined;
  const command = line && (await runCommand(session, { line, promptId: uuid, signal }));
  if (command?.type === 'end') return command.end;
  if (!tells) await journal.record(...toNewsContext(tasks.listNews()));
  await recordMemory(journal, memory, await memory.beforePrompt(model.name));
  await Promise.all([skills.list(), agents.list()]);
  const taken = isPersons ? await hooks?.takePrompt(message, signal) : undefined;
  const isBlocked = taken?.end && { isBlocked: true as const };
  const said = session.agent ? hooks?.takeContext() : taken?.context;
  const context = [
    ...(command?.states ?? []),
    ...toContext('hook', [...(command?.context ?? []), ...(said ?? [])]),
  ];
  const expanded = command && {
    message: command.message,
    ...(command.model !== undefined && { model: command.model }),
  };
  const record = { type: 'turn', prompt: uuid, ...isBlocked, ...expanded } as const;
  await recordTurn(session, record, message, context);
  // News that came after the news that begins this turn follows it: a task's end follows its last
  // lines.
  if (tells) await journal.record(...toNewsContext(tasks.listNews()));
  return taken?.end;
}

/** Loads the code of commands with the first one. */
async function runCommand(...asked: Parameters<typeof RunCommand>): Promise<TakenCommand> {
  const code = await import('./run-command.ts');
  return code.runCommand(...asked);
}

/** Loads the code of goals with the first one. Otherwise as its `followGoal`. */
async function followGoal(...asked: Parameters<typeof FollowGoal>): Promise<TurnEnd | undefined> {
  const [end, , { journal }] = asked;
  if (!journal.fold.states.has(goalState)) return end;
  const code = await import('./follow-goal.ts');
  return code.followGoal(...asked);
}

/** Does what follows from the step. Resolves to the turn's end, or to undefined if another request follows. */
async function follow(
  step: Step,
  steps: number,
  session: Session,
  turn: Turn,
): Promise<TurnEnd | undefined> {
  if (turn.putOff && !turn.signal.aborted) return toPutOffEnd(session, turn.putOff);
  // Even if the reply broke off after the call: the call's result stands.
  if (step.type !== 'retracted' && turn.handedOver !== undefined && !turn.signal.aborted) {
    return { type: 'handed-over', output: turn.handedOver };
  }
  const isCutByLimit = step.type === 'answered' && step.message.stop_reason === 'max_tokens';
  turn.cutReplies = isCutByLimit ? turn.cutReplies + 1 : 0;
  const fallback = nextFallback(session, turn.fallback);
  const next = decideNext(step, {
    steps,
    maxTurns: turn.maxTurns,
    isStopped: turn.signal.aborted || turn.isSuperseded,
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
      // The one place where an overflow leads to a compaction.
      const isCut = session.messages.at(-1)?.role === 'assistant';
      const hasRoom = await compactAfterOverflow(session, turn);
      if (turn.signal.aborted) return { type: 'stopped', during: 'streaming' };
      if (!hasRoom) return next.otherwise;
      // Told after the words of hooks about the compaction.
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
 * True if another request is due although the model came to rest, because one of its background
 * tasks has ended meanwhile. If a prompt waits, that prompt's turn tells the news.
 */
function hasNewsFor(end: TurnEnd, steps: number, session: Session, { maxTurns }: Turn): boolean {
  if (end.type !== 'completed' || end.message.stop_reason === 'refusal') return false;
  if (session.journal.fold.waiting.length > 0) return false;
  return session.tasks.hasNews() && (maxTurns === undefined || steps < maxTurns);
}

/** Stations 1 and 2, and 3 to 10 for each call as its block closes. Never rejects. */
async function runStep(session: Session, turn: Turn): Promise<Step> {
  const { clock } = session.host;
  const { journal } = session;
  // `setModel` may be called meanwhile, but a request that is written for one model isn't sent to another.
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
  const collection = collect(openStream(session, model, request, turn));
  // Slots and signal belong to one message: a restart begins with fresh ones.
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
        // The calls of the first attempt are void: they are cut, and have no results in the conversation.
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
    // The calls of a broken-off message are cut too. Work that they had done by then stays, with
    // its result.
    await calls.cancel();
    ended = { type: 'cut', error };
  }
  // `ended` is undefined only if the iteration ended without a message. `collect` promises that
  // this doesn't happen.
  let step: Step = ended ?? { type: 'cut', error: new TypeError('The reply had no end.') };
  const isWhole = step.type === 'answered';
  const message = step.type === 'answered' ? step.message : collection.partial();
  // Without the content: a trace holds no texts of the conversation.
  const { content: _, ...reply } = message ?? {};
  note({
    type: 'request-end',
    reply,
    error: step.type === 'cut' ? toSerializedError(step.error).code : undefined,
  });
  if (message) {
    const usage = session.usage.add({
      requestId: session.ids.of('request', number),
      purpose: 'turn',
      model: message.model,
      askedModel: model.name,
      usage: message.usage,
      apiMs: msSince(startedAt, clock),
    });
    const isRefusal = isWhole && message.stop_reason === 'refusal' && !turn.signal.aborted;
    if (isRefusal && nextFallback(session, turn.fallback)) {
      // A refused reply leaves the conversation, and another model is asked.
      await calls.cancel();
      await journal.record(usage);
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

// A generator, so that an adapter that throws at once fails in the same way as one that throws later.
async function* openStream(
  session: Session,
  model: Model,
  request: ModelRequest,
  turn: Turn,
): AsyncGenerator<ModelEvent, void> {
  // Aborted while the request was written: an adapter that only listens for the event would miss it.
  if (turn.signal.aborted) throw wasStopped();
  const working = session.host.steps?.work();
  try {
    yield* model.stream(request, {
      signal: turn.signal,
      onRetry: (retry) => session.emit(toRetryMessage(session, retry)),
    });
  } catch (error) {
    throw SdkError.isInstance(error) || turn.signal.aborted ? error : toModelFailure(model, error);
  } finally {
    working?.[Symbol.dispose]();
  }
}

/** A host's own adapter may throw anything, so the result says that it came from the model. */
function toModelFailure({ name }: Model, cause: unknown): SdkError {
  const why = messageOf(cause).replace(/\.$/u, '');
  const message = `The model ${name} failed: ${why}. Try again; if it happens again, look at its adapter.`;
  return new SdkError('model-server', message, { cause });
}

/** The calls of one message, from its first block on. */
export interface Calls extends Disposable {
  /** Starts the call when its turn comes. Never rejects; see {@link Calls.inOrder}. */
  add(toolUse: ToolUse): Promise<Settled>;
  /** No more calls will come. */
  close(): void;
  /** Each settles exactly once and never rejects. */
  inOrder(): readonly Promise<Settled>[];
  /** Cuts running calls, never starts waiting ones, and waits until all are settled. */
  cancel(): Promise<void>;
}

/** `partial` gives the calls' message as far as it has arrived. */
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

/** Aborts `controller` when `signal` is aborted. Call the returned function to stop that. */
function linkAbort(signal: AbortSignal, controller: AbortController): () => void {
  const abort = () => controller.abort();
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return () => signal.removeEventListener('abort', abort);
}
