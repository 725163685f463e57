// The agent's loop: request, stream, calls, results, next request, until the model rests. What happens to
// one call is told by calls/run-call.ts. `query.ts` runs one turn for each prompt.
import { createAbortError, createChildController } from '../../core/async/abort.ts';
import { messageOf, SdkError, toSerializedError } from '../../core/errors.ts';
import type { AssistantMessage, MessageParam, ModelEvent } from '../../core/messages/messages.ts';
import { msSince } from '../../core/async/ms-since.ts';
import type { SDKPermissionDenial } from '../../core/messages/sdk-message.ts';
import type { Model, ModelRequest } from '../../model/model.ts';
import { createCallSlots } from '../calls/call-slots.ts';
import { readCommandLine } from '../commands/command-line.ts';
import type { TakenCommand } from '../commands/take-command.ts';
import { collect } from '../messages/collect.ts';
import type { ToolUse } from '../messages/collect.ts';
import { prepareRequest } from './create-request.ts';
import { currentModel, nextFallback } from './fallback.ts';
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

/** What `query.ts` makes the `result` message of. */
export interface TurnResult {
  readonly end: TurnEnd;
  /** How many requests it took. */
  readonly steps: number;
  readonly denials: readonly SDKPermissionDenial[];
}

/**
 * Runs one turn and records it in the session's journal. Never rejects.
 *
 * Every tool use that a message gives out settles exactly once, and is answered by exactly one
 * `tool_result`, whatever happens: so the conversation stays one that the API accepts.
 */
export async function runTurn(
  session: Session,
  prompt: Extract<MessageParam, { role: 'user' }>,
  options: TurnOptions,
): Promise<TurnResult> {
  return playTurn(session, options, async (turn) => {
    const end = await takePrompt(session, prompt, turn);
    return { steps: 0, ...(end && { end }) };
  });
}

/** Where a turn begins: with its first request, or where it was cut. */
export interface TurnStart {
  /** How many requests have a reply. */
  readonly steps: number;
  /** The newest of them, where it isn't known yet whether the turn is over with it. */
  readonly step?: Step;
  /** It is over already. */
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
  // What can't be recorded must not go on.
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
    missedOutputs: 0,
  };
  const { denials } = turn;
  let steps = 0;
  try {
    const start = await begin(turn);
    steps = start.steps;
    if (start.end) return { end: start.end, steps, denials };
    await awaitKnownServers(session, turn.signal);
    for (let known = start.step; ; known = undefined) {
      const { maxBudgetUsd = 0, isSpent, spentUsd } = session.spending;
      const gate = known ? undefined : session.host.steps?.next(turn.signal);
      if (gate) await gate;
      const makingRoom = known ? undefined : makeRoom(session, turn);
      if (makingRoom) await makingRoom;
      if (!known && isSpent()) {
        return { end: { type: 'max-budget', maxBudgetUsd, spentUsd: spentUsd() }, steps, denials };
      }
      const isStopped = turn.signal.aborted;
      if (!known && !isStopped) steps += 1;
      const step = known ?? (isStopped ? stoppedEarly() : await runStep(session, turn));
      if (journal.broken.aborted) throw journal.broken.reason;
      const own = await follow(step, steps, session, turn);
      if (own?.type === 'completed' && session.waitsForAgents && steps !== turn.maxTurns) {
        await session.agents.whenNews(session, turn.signal);
      }
      const hasNews = own !== undefined && goesOn(own, steps, session, turn);
      const isOver = own === undefined || !hasNews;
      const heard = hasNews ? undefined : await requireOutput(own, steps, session, turn);
      const end = hooks && isOver ? await hooks.hearEnd(heard, steps, turn) : heard;
      if (end) return { end, steps, denials };
      // Each end of a background task is told once, with the request that comes next. What its server
      // is to go on with must be the end of the conversation.
      const isPaused = step.type === 'answered' && step.message.stop_reason === 'pause_turn';
      if (!isPaused) await journal.record(...toNewsContext(session.tasks.listNews()));
    }
  } catch (error) {
    // No station throws but where the journal can't be written, or by a mistake of ours.
    return { end: { type: 'failed', error: toSerializedError(error) }, steps, denials };
  } finally {
    session.permissions.endTurn();
    unlink();
    controller[Symbol.dispose]();
  }
}

/** Before there was a request. Made when it is needed: an error's stack makes V8 parse its module once more. */
function stoppedEarly(): Step {
  return { type: 'cut', error: wasStopped() };
}

const wasStopped = () => createAbortError('The turn was stopped.');

/** The prompt stands in the conversation from here on, unless a hook refuses it: that ends the turn. */
async function takePrompt(
  session: Session,
  message: Extract<MessageParam, { role: 'user' }>,
  { promptId, origin, tells, signal, ...turn }: Turn,
): Promise<TurnEnd | undefined> {
  const { journal, hooks, tasks, ids, memory, skills, agents, model, permissions } = session;
  // What a turn was allowed that ended with its page.
  permissions.endTurn();
  const uuid = promptId ?? ids.of('prompt', journal.fold.promptIds.size);
  hooks?.startTurn(turn, uuid);
  if (!journal.fold.promptIds.has(uuid)) {
    const about = { ...(origin && { origin }), ...(tells && { tells }) };
    await journal.recordSafely({ type: 'prompt', uuid, message, ...about });
  }
  // What an agent is told is the model's word: it is no command.
  const isPersons = !origin && !session.agent;
  const line = isPersons ? readCommandLine(message) : undefined;
  const command = line && (await runCommand(session, { line, promptId: uuid, signal }));
  if (command?.type === 'end') return command.end;
  if (!tells) await journal.record(...toNewsContext(tasks.listNews()));
  await recordMemory(journal, memory, await memory.beforePrompt(model.name));
  await Promise.all([skills.list(), agents.list()]);
  const taken = isPersons ? await hooks?.takePrompt(message, signal) : undefined;
  const isBlocked = taken?.end && { isBlocked: true as const };
  const said = session.agent ? hooks?.takeContext() : taken?.context;
  const context = toContext('hook', [...(command?.context ?? []), ...(said ?? [])]);
  const expanded = command && {
    message: command.message,
    ...(command.model !== undefined && { model: command.model }),
  };
  const record = { type: 'turn', prompt: uuid, ...isBlocked, ...expanded } as const;
  await recordTurn(session, record, message, context);
  // What has come since the news that begin this turn stands behind them: a task's end behind its last lines.
  if (tells) await journal.record(...toNewsContext(tasks.listNews()));
  return taken?.end;
}

/** A feature of its own: its code is fetched for the first command. */
async function runCommand(...asked: Parameters<typeof RunCommand>): Promise<TakenCommand> {
  const code = await import('./run-command.ts');
  return code.runCommand(...asked);
}

/** Does what has to follow the step. Gives the turn's end; undefined: the next request follows. */
async function follow(
  step: Step,
  steps: number,
  session: Session,
  turn: Turn,
): Promise<TurnEnd | undefined> {
  // Also where the reply broke off behind the call: its result stands.
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
      // Behind what hooks have said of the compaction.
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
 * The model came to rest, but a task of its own has ended meanwhile: it is told, and asked again. Where a prompt waits,
 * it is told with that one.
 */
function goesOn(end: TurnEnd, steps: number, session: Session, { maxTurns }: Turn): boolean {
  if (end.type !== 'completed' || end.message.stop_reason === 'refusal') return false;
  if (session.journal.fold.waiting.length > 0) return false;
  return session.tasks.hasNews() && (maxTurns === undefined || steps < maxTurns);
}

/** Stations 1 and 2, and 3 to 10 for each call as its block closes. Never rejects. */
async function runStep(session: Session, turn: Turn): Promise<Step> {
  const { clock } = session.host;
  const { journal } = session;
  // `setModel` may come meanwhile; what is written for one model isn't sent to another.
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
        // What the first attempt asked for is void: it is cut, and has no results in the conversation.
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
    // What a broken-off message asked for is cut too; what it had done by then stays, with its result.
    await calls.cancel();
    ended = { type: 'cut', error };
  }
  // Without one: the iteration ended without a message, which `collect` promises not to do.
  let step: Step = ended ?? { type: 'cut', error: new TypeError('The reply had no end.') };
  const isWhole = step.type === 'answered';
  const message = step.type === 'answered' ? step.message : collection.partial();
  // Without its content: a trace holds none of what was said.
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

// A generator of its own, so that an adapter which throws at once fails like one that throws later.
async function* openStream(
  session: Session,
  model: Model,
  request: ModelRequest,
  turn: Turn,
): AsyncGenerator<ModelEvent, void> {
  // While the request was written. An adapter may hear the abort alone, and that has been.
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

/** An adapter of the host's own may throw anything: whoever reads the result must know where it came from. */
function toModelFailure({ name }: Model, cause: unknown): SdkError {
  const why = messageOf(cause).replace(/\.$/u, '');
  const message = `The model ${name} failed: ${why}. Try again; if it happens again, look at its adapter.`;
  return new SdkError('model-server', message, { cause });
}

/** The calls of one message, from its first block on. */
export interface Calls extends Disposable {
  /** Its end; see {@link Calls.inOrder}. */
  add(toolUse: ToolUse): Promise<Settled>;
  /** No more will come. */
  close(): void;
  /** Each settles exactly once and never rejects. */
  inOrder(): readonly Promise<Settled>[];
  /** Cuts what runs, never starts what waits, and waits until all are settled. */
  cancel(): Promise<void>;
}

/** `partial`: their message, as far as it has come. */
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

/** Aborts `controller` with `signal`, until it is called. */
function linkAbort(signal: AbortSignal, controller: AbortController): () => void {
  const abort = () => controller.abort();
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return () => signal.removeEventListener('abort', abort);
}
