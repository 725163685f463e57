// The agent's loop, and the only file that knows the order of the stations: request, stream, calls,
// results, next request, until the model rests. `query.ts` runs one turn for each prompt.
import { createChildController } from '../core/abort.ts';
import { isEmptyText, isTextBlock, isToolUseBlock, toResultText } from '../core/blocks.ts';
import { describeThrown, toSerializedError } from '../core/errors.ts';
import type { SerializedError } from '../core/errors.ts';
import type { AssistantMessage, MessageParam, ModelEvent } from '../core/messages.ts';
import type { SDKPermissionDenial } from '../core/sdk-message.ts';
import { loadOnce } from '../core/load-once.ts';
import { toObservableInput } from '../core/tool/observable-input.ts';
import { toSystemReminder } from '../core/system-reminder.ts';
import { findToolByName } from '../core/tool/tool.ts';
import type { Tools } from '../core/tool/tool.ts';
import type { CallPhase } from '../trace/trace.ts';
import type { Model, ModelRequest } from '../model/model.ts';
import { authorize } from './calls/authorize.ts';
import type { AllowedCall } from './calls/authorize.ts';
import { applyMessageBudget } from './calls/budget.ts';
import type { CallKit } from './calls/call-kit.ts';
import { toCallKind } from './calls/classify-call.ts';
import { createCallSlots } from './calls/call-slots.ts';
import type { CallSlot } from './calls/call-slots.ts';
import { collect } from './messages/collect.ts';
import type { ToolUse } from './messages/collect.ts';
import { buildSystemPrompt } from './context/system-prompt.ts';
import type { HookEnd } from './hooks/hooks.ts';
import { getCallPath } from './permissions/match-rule.ts';
import { toNamesDelta, toNamesMessage } from './registry/announce-tools.ts';
import { preparePool } from './registry/prepare-pool.ts';
import type { Pool } from './registry/prepare-pool.ts';
import { writeMessages, writeTools } from './registry/write-request.ts';
import { runWork } from './calls/run-work.ts';
import { createToolUseContext, toPoolContext } from './session/session.ts';
import type { Session } from './session/session.ts';
import type { CallEnd } from './calls/schedule.ts';
import { settle } from './calls/settle.ts';
import { settleUnstarted, settleWithError } from './calls/settled.ts';
import type { Settled } from './calls/settled.ts';
import {
  toAssistantMessage,
  toNoticeMessage,
  toRetryMessage,
  toStreamEvent,
} from './messages/to-sdk-message.ts';
import { reportCall } from './calls/turn.ts';
import type { CallScope, Turn, TurnOptions } from './calls/turn.ts';
import { toOrigin, validate } from './calls/validate.ts';
import {
  describeForModel,
  describeForViewer,
  mayHaveActed,
  toStayingMessage,
} from './messages/void-attempt.ts';

/** How a turn ended. */
export type TurnEnd =
  | { readonly type: 'completed'; readonly message: AssistantMessage }
  | HookEnd
  | { readonly type: 'max-turns'; readonly maxTurns: number }
  | { readonly type: 'stopped'; readonly during: 'streaming' | 'tools' }
  | { readonly type: 'failed'; readonly error: SerializedError };

/** What `query.ts` makes the `result` message of. */
export interface TurnResult {
  readonly end: TurnEnd;
  /** How many requests it took. */
  readonly steps: number;
  readonly denials: readonly SDKPermissionDenial[];
}

const loadStartTask = loadOnce(() => import('./calls/start-task.ts'));
const loadNestedCalls = loadOnce(() => import('./calls/nested-calls.ts'));
const callKit: CallKit = {
  authorize,
  createToolUseContext,
  getCallPath,
  reportCall,
  runWork,
  settle,
  settleWithError,
  toOrigin,
  toResultText,
  validate,
};

/**
 * Runs one turn and appends it to the session's messages. Never rejects.
 *
 * Every tool use that a message gives out settles exactly once, and is answered by exactly one
 * `tool_result`, whatever happens: so the conversation stays one that the API accepts.
 */
export async function runTurn(
  session: Session,
  prompt: MessageParam,
  options: TurnOptions,
): Promise<TurnResult> {
  const controller = createChildController(options.signal);
  const turn: Turn = {
    ...options,
    signal: controller.signal,
    stop: () => controller.abort(),
    isSuperseded: false,
    denials: [],
    contextModifiers: [],
  };
  const { hooks } = session;
  hooks?.startTurn(turn);
  session.messages.push(...session.tasks.takeNotifications());
  try {
    const taken = turn.isTaskNews ? undefined : await hooks?.takePrompt(prompt, turn.signal);
    if (taken?.end) return { end: taken.end, steps: 0, denials: [] };
    if (!turn.isTaskNews) session.prompts.push(readPrompt(prompt));
    session.messages.push(prompt, ...(taken?.context ?? []));
    for (let steps = 1; ; steps += 1) {
      const step = await runStep(session, turn);
      const own = toTurnEnd(step, steps, turn);
      const isOver = own === undefined || !goesOn(own, steps, session, turn);
      const heard = isOver ? own : undefined;
      const end =
        hooks && isOver ? await hooks.hearEnd(heard, steps, session.messages, turn) : heard;
      if (end) return { end, steps, denials: turn.denials };
      // Each end of a background task is told once, with the request that comes next.
      session.messages.push(...session.tasks.takeNotifications());
    }
  } finally {
    controller[Symbol.dispose]();
  }
}

/** One request and its calls. */
type Step =
  | { readonly type: 'answered'; readonly message: AssistantMessage; readonly calls: number }
  /** The message never became whole: stopped, refused by the server, or broken off. */
  | { readonly type: 'cut'; readonly error: unknown };

/** Is the turn over after this step, and how? Undefined: the next request follows. */
function toTurnEnd(step: Step, steps: number, turn: Turn): TurnEnd | undefined {
  const isStopped = turn.signal.aborted || turn.isSuperseded;
  if (step.type === 'cut') {
    return isStopped
      ? { type: 'stopped', during: 'streaming' }
      : { type: 'failed', error: toSerializedError(step.error) };
  }
  const { message, calls } = step;
  // The server interrupted its own work; the same conversation sent again lets it go on.
  const isPaused = message.stop_reason === 'pause_turn';
  const isRefused = message.stop_reason === 'refusal';
  if (isRefused || (calls === 0 && !isPaused)) return { type: 'completed', message };
  if (isStopped) return { type: 'stopped', during: 'tools' };
  const { maxTurns } = turn;
  if (maxTurns !== undefined && steps >= maxTurns) return { type: 'max-turns', maxTurns };
  return undefined;
}

/** The model came to rest, but a task of its own has ended meanwhile: it is told, and asked again. */
function goesOn(end: TurnEnd, steps: number, session: Session, { maxTurns }: Turn): boolean {
  if (end.type !== 'completed' || end.message.stop_reason === 'refusal') return false;
  return session.tasks.hasNews() && (maxTurns === undefined || steps < maxTurns);
}

/** Stations 1 and 2, and 3 to 10 for each call as its block closes. Never rejects. */
async function runStep(session: Session, turn: Turn): Promise<Step> {
  const { clock } = session.host;
  // `setModel` may come meanwhile; what is written for one model isn't sent to another.
  const { model } = session;
  let pool: Pool;
  let request: ModelRequest;
  try {
    pool = await preparePool(toPoolContext(session), {
      mode: session.toolSearchMode,
      model,
      messages: session.messages,
      params: session.toolParams,
      cwd: session.host.cwd,
    });
    request = await createRequest(session, pool);
  } catch (error) {
    return { type: 'cut', error };
  }
  const startedAt = clock.now();
  const { record: note } = session.trace;
  note({ type: 'request-start', model: model.name });
  const collection = collect(openStream(session.id, model, request, turn));
  // Slots and signal belong to one message: a restart begins with fresh ones.
  const start = () => startCalls(session, pool, turn, collection.partial);
  let calls = start();
  // What stands if the iteration ended without a message, which `collect` promises not to do.
  let step: Step = { type: 'cut', error: new TypeError('The reply had no end.') };
  try {
    for await (const item of collection) {
      if (item.type === 'event' && turn.includePartialMessages) {
        turn.emit(toStreamEvent(session.id, item.event));
      } else if (item.type === 'tool-use') {
        calls.add(item.toolUse);
      } else if (item.type === 'restart') {
        // What the first attempt asked for is void: it is cut, and has no results in the conversation.
        await calls.cancel();
        await tellOfVoid(session, pool, turn, collection.partial(), calls);
        calls[Symbol.dispose]();
        calls = start();
      } else if (item.type === 'message') {
        calls.close();
        step = { type: 'answered', message: item.message, calls: calls.inOrder().length };
      }
    }
  } catch (error) {
    // What a broken-off message asked for is cut too; what it had done by then stays, with its result.
    await calls.cancel();
    step = { type: 'cut', error };
  }
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
    session.usage.add(message.model, message.usage, clock.now() - startedAt);
    await record(session, pool, turn, message, isWhole, calls);
  }
  calls[Symbol.dispose]();
  return step;
}

/** Station 11: the conversation so far, with the tools and the prompt as they stand now. */
async function createRequest(session: Session, pool: Pool): Promise<ModelRequest> {
  const { toolParams, tellsNamesOnce } = session;
  const news = tellsNamesOnce && toNamesDelta(pool, session.messages);
  if (news) session.messages.push(news);
  const head = tellsNamesOnce ? undefined : toNamesMessage(pool);
  const messages = await writeMessages(session.messages, pool, toolParams);
  return {
    system: await buildSystemPrompt(
      session.systemPrompt,
      pool.promptOptions,
      session.mcpServers?.instructions,
    ),
    messages: head ? [head, ...messages] : messages,
    tools: await writeTools(pool, toolParams),
  };
}

// A generator of its own, so that an adapter which throws at once fails like one that throws later.
async function* openStream(
  sessionId: string,
  model: Model,
  request: ModelRequest,
  turn: Turn,
): AsyncGenerator<ModelEvent, void> {
  yield* model.stream(request, {
    signal: turn.signal,
    onRetry: (retry) => turn.emit(toRetryMessage(sessionId, retry)),
  });
}

/** Appends the message and, in the order of its blocks, the results of its calls. */
async function record(
  session: Session,
  { tools }: Pool,
  turn: Turn,
  message: AssistantMessage,
  isWhole: boolean,
  calls: Calls,
): Promise<void> {
  const content = message.content.filter((block) => !isEmptyText(block));
  if (isWhole || content.length > 0) {
    turn.emit(toAssistantMessage(session.id, toObservableMessage(message, tools), !isWhole));
  }
  // The API takes no message without content.
  if (content.length > 0) session.messages.push({ role: 'assistant', content });

  // In the order of the blocks, whichever call settled first: so the API wants them.
  const settled: Settled[] = [];
  for (const pending of calls.inOrder()) {
    const call = await pending;
    settled.push(call);
    reportCall(session, turn, call, null);
  }
  if (settled.length === 0) return;
  const results = settled.map(({ result, toolUse, output, preview }) => ({
    block: result,
    tool: findToolByName(tools, toolUse.name),
    output,
    ...(preview && { preview }),
  }));
  const blocks = await applyMessageBudget(results, session.spill);
  session.messages.push({ role: 'user', content: blocks });
  session.messages.push(...settled.flatMap(({ newMessages }) => newMessages ?? []));
  session.messages.push(...((await session.hooks?.afterBatch(settled, turn.signal)) ?? []));
  // A request must not end with the assistant: the API would take it for the beginning of the answer.
  if (session.messages.at(-1)?.role === 'assistant') session.messages.push(toSystemReminder(goOn));
}

const goOn = 'The last message above was added by a tool. Go on with the task.';

/**
 * What the calls of a void message had done stays. The model is told before the new attempt in the
 * conversation, as it happened before; the viewer gets these calls with their results.
 */
async function tellOfVoid(
  session: Session,
  { tools }: Pool,
  turn: Turn,
  message: AssistantMessage | undefined,
  calls: Calls,
): Promise<void> {
  const settled = await Promise.all(calls.inOrder());
  const staying = settled.filter(({ hasActed }) => hasActed);
  if (staying.length === 0 || !message) return;
  const shown = toObservableMessage(toStayingMessage(message, staying), tools);
  turn.emit(toAssistantMessage(session.id, shown, true));
  for (const call of staying) reportCall(session, turn, call, null);
  turn.emit(toNoticeMessage(session.id, describeForViewer(staying), 'warning'));
  session.messages.push(toSystemReminder(describeForModel(staying)));
}

/** The calls of one message, from its first block on. */
interface Calls extends Disposable {
  add(toolUse: ToolUse): void;
  /** No more will come. */
  close(): void;
  /** Each settles exactly once and never rejects. */
  inOrder(): readonly Promise<Settled>[];
  /** Cuts what runs, never starts what waits, and waits until all are settled. */
  cancel(): Promise<void>;
}

function startCalls(
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
  const scope = { session, hooks, pool, turn, partial, hearPrompt, signal, kit: callKit };
  return {
    add(toolUse) {
      const call = runCall(toolUse, slots.take(), scope).then((settled) => {
        // A refusal may stop the turn, and with it the calls beside this one: at once.
        if (settled.denial?.interrupt) turn.stop();
        return hooks?.refused(settled, signal) ?? settled;
      });
      calls.push(call);
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

/** Stations 3 to 10 for one call. Never rejects: the call has exactly one result. */
async function runCall(toolUse: ToolUse, slot: CallSlot, scope: CallScope): Promise<Settled> {
  const { id: callId, name: toolName } = toolUse;
  const { record: note } = scope.session.trace;
  const enter = (phase: CallPhase) => note({ type: 'call-delta', callId, phase });
  note({ type: 'call-start', callId, toolName });
  const settled = await runStations(toolUse, slot, scope, enter).catch((error: unknown) =>
    // A station never throws but by a mistake of ours; the call is owed its result all the same.
    settleWithError(toolUse, `${toolName} failed inside the agent: ${describeThrown(error)}`),
  );
  const { kept } = settled;
  const state = settled.isStopped ? 'stopped' : settled.state;
  note({ type: 'call-end', callId, state, kept });
  slot.release(toCallEnd(settled));
  return settled;
}

async function runStations(
  toolUse: ToolUse,
  slot: CallSlot,
  scope: CallScope,
  enter: (phase: CallPhase) => void,
): Promise<Settled> {
  const { session, pool } = scope;
  const { controller } = slot;
  const { signal } = controller;
  const context = createToolUseContext(session, pool, controller);
  const valid = await validate(toolUse, context);
  if (valid.stage === 'settled') return valid;
  slot.classify(toCallKind(valid.tool, valid.traits));
  // Sema's policy: each is asked about when those before it are done.
  const isAskedInTurn = session.schedule.policy === 'sema';
  if (isAskedInTurn) enter('queued');
  if (isAskedInTurn && !(await slot.awaitTurn())) return settleUnstarted(toolUse, signal);

  const allowed = await authorize(valid, context, session);
  if (allowed.stage === 'settled') return allowed;
  // A person's answer may have changed the input, and with it the kind of call.
  const kind = toCallKind(allowed.tool, allowed.traits);
  slot.classify(kind);

  enter('queued');
  // The message as it is then: ten thousand calls that wait must not hold one each.
  const parentMessage = (await slot.takeTurn()) ? scope.partial() : undefined;
  if (!parentMessage) return settleUnstarted(toolUse, signal);
  enter('running');
  const running = session.tasks.enterCall();
  const callOff = kind.isCutByPrompt ? session.whenPrompted(scope.hearPrompt) : undefined;
  try {
    if (isForBackground(allowed)) {
      const { startTask } = await loadStartTask();
      return { ...(await startTask(allowed, parentMessage, scope)), hasActed: true };
    }
    const own = allowed.tool.callsTools && (await loadNestedCalls());
    const code = own && own.createNestedCalls(allowed, parentMessage, scope);
    const options = { parentMessage, ...(code?.nested && { nested: code.nested }) };
    const outcome = await runWork(allowed, context, scope, options);
    slot.endWork();
    enter('settling');
    const { workspace } = session.host;
    const ports = { ...session, workspace, ...(code && { isApproved: code.approvals.covers }) };
    const settled = await settle(allowed, outcome, ports, signal);
    return mayHaveActed(allowed, settled) ? { ...settled, hasActed: true } : settled;
  } finally {
    callOff?.();
    running[Symbol.dispose]();
  }
}

function toCallEnd({ denial, state, isStopped }: Settled): CallEnd {
  if (isStopped) return 'cut';
  if (denial) return 'refused';
  return state === 'output-error' ? 'failed' : 'done';
}

function isForBackground({ tool, input }: AllowedCall): boolean {
  return tool.background?.isAskedFor(input) === true;
}

function toObservableMessage(message: AssistantMessage, tools: Tools): AssistantMessage {
  const content = message.content.map((block) => {
    if (!isToolUseBlock(block)) return block;
    const input = toObservableInput(findToolByName(tools, block.name), block.input);
    return { ...block, input };
  });
  return { ...message, content };
}

function readPrompt({ content }: MessageParam): string {
  if (typeof content === 'string') return content;
  return content.flatMap((block) => (isTextBlock(block) ? block.text : [])).join('\n');
}
