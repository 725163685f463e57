// The agent's loop, and the only file that knows the order of the stations: request, stream, calls,
// results, next request, until the model rests. `query.ts` runs one turn for each prompt.
import { createChildController } from '../core/abort.ts';
import type { ContentBlock } from '../core/blocks.ts';
import { isTextBlock } from '../core/blocks.ts';
import type { ChangeSet } from '../core/change-set.ts';
import type { ToolUseContext } from '../core/context.ts';
import { toSerializedError } from '../core/errors.ts';
import type { SerializedError } from '../core/errors.ts';
import { createId } from '../core/ids.ts';
import type { AssistantMessage, MessageParam, ModelEvent } from '../core/messages.ts';
import { maxNestedCalls } from '../core/nested-call.ts';
import type { NestedCall, NestedReply } from '../core/nested-call.ts';
import type { SDKMessage, SDKPermissionDenial } from '../core/sdk-message.ts';
import { findToolByName } from '../core/tool.ts';
import type { Tools } from '../core/tool.ts';
import type { Model, ModelRequest } from '../model/model.ts';
import { authorize } from './authorize.ts';
import type { AllowedCall } from './authorize.ts';
import { startTask } from './background/start-task.ts';
import type { StartedWork } from './background/start-task.ts';
import type { RunningTask } from './background/tasks.ts';
import { applyMessageBudget } from './budget.ts';
import { createCallSlots } from './call-slots.ts';
import type { CallSlot } from './call-slots.ts';
import { createNestedCheck } from './check-nested.ts';
import { collect } from './collect.ts';
import type { ToolUse } from './collect.ts';
import { buildSystemPrompt } from './context/system-prompt.ts';
import { dispatch } from './dispatch.ts';
import type { DispatchOptions, DispatchOutcome } from './dispatch.ts';
import { createNestedApprovals } from './nested-approvals.ts';
import type { NestedApprovals } from './nested-approvals.ts';
import type { CallHooks, HookEnd } from './hooks/hooks.ts';
import { toLimitReply, toNestedReply } from './nested-reply.ts';
import { toNamesDelta, toNamesMessage } from './registry/announce-tools.ts';
import { preparePool } from './registry/prepare-pool.ts';
import type { Pool } from './registry/prepare-pool.ts';
import { writeMessages, writeTools } from './registry/write-request.ts';
import { createToolUseContext, toPoolContext } from './session/session.ts';
import type { Session } from './session/session.ts';
import { settle } from './settle.ts';
import { settleStopped, settleWithError } from './settled.ts';
import type { Settled } from './settled.ts';
import {
  toAssistantMessage,
  toDeniedMessage,
  toProgressMessage,
  toToolResultMessage,
  toRetryMessage,
  toStreamEvent,
} from './to-sdk-message.ts';
import { validate } from './validate.ts';

/** One turn's bounds, and where its messages go. */
export interface TurnOptions {
  /** Requests that the turn may take. Left out: as many as it needs. */
  readonly maxTurns?: number;
  readonly includePartialMessages: boolean;
  /** The prompt is no user's: it tells the model how a background task has ended. */
  readonly isTaskNews?: true;
  /** Gets every message of the turn but its `result`, in order. Must not throw. */
  readonly emit: (message: SDKMessage) => void;
  /** Stops the turn: what runs is cut, what waits never runs, what was done stays. */
  readonly signal: AbortSignal;
}

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

// 10: more would only take turns; the pool behind the executor has its own bounds.
const MAX_RUNNING_CALLS = 10;

/** The turn as its steps share it. */
interface Turn extends TurnOptions {
  stop(): void;
  readonly denials: SDKPermissionDenial[];
}

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
    denials: [],
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
  const isStopped = turn.signal.aborted;
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
        // What the first attempt asked for is void: it is cut and leaves nothing in the conversation.
        await calls.cancel();
        calls[Symbol.dispose]();
        calls = start();
      } else if (item.type === 'message') {
        step = { type: 'answered', message: item.message, calls: calls.count() };
      }
    }
  } catch (error) {
    // What a broken-off message asked for is cut too; what it had done by then stays, with its result.
    await calls.cancel();
    step = { type: 'cut', error };
  }
  const isWhole = step.type === 'answered';
  const message = step.type === 'answered' ? step.message : collection.partial();
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
    system: await buildSystemPrompt(session.systemPrompt, pool.promptOptions),
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
    turn.emit(toAssistantMessage(session.id, message, !isWhole));
  }
  // The API takes no message without content.
  if (content.length > 0) session.messages.push({ role: 'assistant', content });

  // In the order of the blocks, whichever call settled first: so the API wants them.
  const settled: Settled[] = [];
  for (const pending of calls.inOrder()) {
    const call = await pending;
    settled.push(call);
    report(session, turn, call, null);
  }
  if (settled.length === 0) return;
  const results = settled.map(({ result, toolUse, isPreview }) => ({
    block: result,
    tool: findToolByName(tools, toolUse.name),
    ...(isPreview && { isPreview }),
  }));
  const blocks = await applyMessageBudget(results, session.spill);
  session.messages.push({ role: 'user', content: blocks });
  session.messages.push(...settled.flatMap(({ newMessages }) => newMessages ?? []));
  session.messages.push(...((await session.hooks?.afterBatch(settled, turn.signal)) ?? []));
}

/** Tells how a call ended, its refusal first. `parentId`: of the call that made it. */
function report(session: Session, turn: Turn, settled: Settled, parentId: string | null): void {
  const { toolUse, denial } = settled;
  if (denial) {
    turn.denials.push({
      tool_name: toolUse.name,
      tool_use_id: toolUse.id,
      tool_input: toolUse.input as Record<string, unknown>,
    });
    turn.emit(toDeniedMessage(session.id, toolUse, denial));
  }
  turn.emit(toToolResultMessage(session.id, settled, parentId));
}

/** The calls of one message, from its first block on. */
interface Calls extends Disposable {
  add(toolUse: ToolUse): void;
  count(): number;
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
  const takeSlot = createCallSlots(MAX_RUNNING_CALLS, controller.signal);
  const calls: Promise<Settled>[] = [];
  return {
    add(toolUse) {
      const { hooks } = session;
      const scope = { session, hooks, pool, turn, partial, signal: controller.signal };
      const call = runCall(toolUse, takeSlot(), scope).then((settled) => {
        // A refusal may stop the turn, and with it the calls beside this one: at once.
        if (settled.denial?.interrupt) turn.stop();
        return hooks?.refused(settled, controller.signal) ?? settled;
      });
      calls.push(call);
    },
    count: () => calls.length,
    inOrder: () => calls,
    async cancel() {
      controller.abort();
      await Promise.all(calls);
    },
    [Symbol.dispose]: () => controller[Symbol.dispose](),
  };
}

/** What the calls of one message share. */
interface CallScope {
  readonly session: Session;
  /** The session's, or those of the background task that the calls belong to. */
  readonly hooks: CallHooks | undefined;
  readonly pool: Pool;
  readonly turn: Turn;
  /** The message as far as it has come: the parent that a tool's `call` is told of. */
  readonly partial: () => AssistantMessage | undefined;
  /** Aborted with the turn, and when the message turns out to be void. */
  readonly signal: AbortSignal;
}

/** Stations 3 to 10 for one call. Never rejects: the call has exactly one result. */
async function runCall(toolUse: ToolUse, slot: CallSlot, scope: CallScope): Promise<Settled> {
  const { session, pool } = scope;
  const { workspace } = session.host;
  const controller = createChildController(scope.signal);
  const context = createToolUseContext(session, pool, controller);
  let running: Disposable | undefined;
  try {
    const valid = await validate(toolUse, context);
    if (valid.stage === 'settled') return valid;
    slot.classify(valid.traits.isConcurrencySafe);

    const allowed = await authorize(valid, context, session);
    if (allowed.stage === 'settled') return allowed;
    // A person's answer may have changed the input, and with it the kind of call.
    slot.classify(allowed.traits.isConcurrencySafe);

    const parentMessage = scope.partial();
    if (!(await slot.takeTurn()) || !parentMessage) return settleStopped(toolUse);
    running = session.tasks.enterCall();
    if (isForBackground(allowed)) {
      const run = (work: StartedWork) => runInBackground(allowed, parentMessage, scope, work);
      return await startTask(allowed, run, session, scope.signal);
    }
    const caller = toCaller(allowed, parentMessage, scope);
    const outcome = await start(allowed, context, scope, {
      parentMessage,
      ...toNestedCalls(caller),
    });
    const ports = { ...session, workspace, isApproved: caller.approvals.covers };
    return await settle(allowed, outcome, ports, scope.signal);
  } catch (error) {
    // A station never throws but by a mistake of ours; the call is owed its result all the same.
    return settleWithError(toolUse, `${toolUse.name} failed inside the agent: ${String(error)}`);
  } finally {
    running?.[Symbol.dispose]();
    slot.release();
    controller[Symbol.dispose]();
  }
}

function isForBackground({ tool, input }: AllowedCall): boolean {
  return tool.background?.isAskedFor(input) === true;
}

/**
 * Stations 6 to 8 beside the conversation. They belong to the query, not to the turn: stopping the
 * turn leaves them alone, and a refusal that would stop the turn stops them.
 */
async function runInBackground(
  call: AllowedCall,
  parentMessage: AssistantMessage,
  scope: CallScope,
  { task, approvals, hooks }: StartedWork,
): Promise<DispatchOutcome> {
  const { session, pool } = scope;
  const controller = createChildController(task.signal);
  const context = createToolUseContext(session, pool, controller);
  const turn = { ...scope.turn, emit: session.emit, denials: [], stop: task.stop };
  const own = { ...scope, hooks, turn, signal: task.signal };
  const caller = toCaller(call, parentMessage, own, approvals);
  try {
    return await start(call, context, own, { parentMessage, ...toNestedCalls(caller), task });
  } finally {
    controller[Symbol.dispose]();
  }
}

/** Station 6, with what every call has of the session. */
function start(
  call: AllowedCall,
  context: ToolUseContext,
  { session, hooks, pool, turn }: CallScope,
  {
    task,
    ...options
  }: Pick<DispatchOptions, 'parentMessage' | 'outerCallId' | 'nested'> & {
    /** Where it runs in the background. */
    readonly task?: RunningTask;
  },
): Promise<DispatchOutcome> {
  const { executor, clock, workspace } = session.host;
  const startedAt = clock.now();
  hooks?.begin(call.toolUse.id);
  return dispatch(
    call,
    { executor, clock, workspace, limits: session.limits },
    {
      ...options,
      ...(task && { isBackground: true }),
      context,
      canUseTool: createNestedCheck(session, pool, call.caller),
      onProgress: (progress) => {
        const elapsedMs = clock.now() - startedAt;
        const ids = { parentId: options.outerCallId ?? null, taskId: task?.taskId };
        task?.print(toOutputText(call, progress));
        turn.emit(toProgressMessage(session.id, call.toolUse, elapsedMs, progress, ids));
      },
    },
  );
}

// A tool's own words that fail must not cost the call its progress.
function toOutputText({ tool }: AllowedCall, progress: unknown): string {
  try {
    return tool.background?.toOutputText(progress) ?? '';
  } catch {
    return '';
  }
}

/**
 * What the call's own code may call. Security: nothing where the call was let through because it
 * only reads, and no tool that would again run code.
 */
function findCallableTools({ tool, traits }: AllowedCall, { tools, insideOnly }: Pool): Tools {
  if (!tool.callsTools || traits.isReadOnly) return [];
  return [...tools, ...insideOnly].filter((candidate) => !candidate.callsTools);
}

/** A call whose code calls tools. */
interface Caller {
  readonly call: AllowedCall;
  readonly tools: Tools;
  readonly approvals: NestedApprovals;
  readonly parentMessage: AssistantMessage;
  readonly scope: CallScope;
  /** How many its code has made. */
  nestedCalls: number;
}

function toCaller(
  call: AllowedCall,
  parentMessage: AssistantMessage,
  scope: CallScope,
  approvals = createNestedApprovals(),
): Caller {
  const tools = findCallableTools(call, scope.pool);
  return { call, tools, approvals, parentMessage, scope, nestedCalls: 0 };
}

function toNestedCalls(caller: Caller): Pick<DispatchOptions, 'nested'> {
  const { tools } = caller;
  if (tools.length === 0) return {};
  return {
    nested: {
      tools: tools.map(({ name }) => name),
      run: (asked, signal) => runNestedCall(asked, caller, signal),
    },
  };
}

/**
 * Stations 3, 4, 6 to 8 and 10 for a call that the code of another call makes. It has no slot of its
 * own (station 5): it runs in its caller's, for which it would wait. What it changed is judged like
 * any call's, and then belongs to the caller's draft: nothing is committed, and neither the API nor
 * the model hears of it. Never rejects.
 */
async function runNestedCall(
  asked: NestedCall,
  caller: Caller,
  signal: AbortSignal,
): Promise<NestedReply> {
  const { session, hooks, turn, pool } = caller.scope;
  const toolUse = { id: createId(), name: asked.toolName, input: asked.input, index: 0 };
  caller.nestedCalls += 1;
  // Security: the sandbox counts them, too, but a worker's word is not enough.
  if (caller.nestedCalls > maxNestedCalls) return toLimitReply(toolUse.id);
  const outerCallId = caller.call.toolUse.id;
  const controller = createChildController(signal);
  const context = createToolUseContext(session, pool, controller, caller.tools);
  const end = async (ended: Settled, outcome?: DispatchOutcome) => {
    const settled = (await hooks?.refused(ended, signal)) ?? ended;
    // Nobody awaits it any more, and its caller's own result is told already, or will be next.
    if (!signal.aborted) report(session, turn, settled, outerCallId);
    if (settled.denial?.interrupt) turn.stop();
    hooks?.passContext(toolUse.id, outerCallId);
    return toNestedReply(settled, outcome);
  };
  try {
    const valid = await validate(toolUse, context);
    if (valid.stage === 'settled') return await end(valid);
    const nested = { ...valid, caller: caller.call.tool };
    const allowed = await authorize(nested, context, { ...session, hooks });
    if (allowed.stage === 'settled') return await end(allowed);

    const { parentMessage } = caller;
    const scope = { ...caller.scope, pool: { ...pool, tools: caller.tools } };
    const outcome = await start(allowed, context, scope, { parentMessage, outerCallId });
    const ports = { ...session, hooks, ...toDraftPorts(allowed, caller.approvals, outcome) };
    return await end(await settle(allowed, outcome, ports, signal), outcome);
  } catch (error) {
    // As in `runCall`: a mistake of ours, and the code that awaits the call is owed an answer.
    const message = `${toolUse.name} failed inside the agent: ${String(error)}`;
    return await end(settleWithError(toolUse, message));
  } finally {
    controller[Symbol.dispose]();
  }
}

/** Where a nested call's changes go, and what it has read: to its caller, by its own realm. */
function toDraftPorts(call: AllowedCall, approvals: NestedApprovals, outcome: DispatchOutcome) {
  const replaced = outcome.type === 'done' ? (outcome.replaced ?? []) : [];
  return {
    // The model has seen nothing of it, and is sent nothing of it (station 9).
    readFileState: new Map<string, number>(),
    spill: undefined,
    workspace: {
      commit: ({ baseSeq, changes }: ChangeSet) => {
        approvals.add(call, changes, replaced);
        return Promise.resolve({ seq: baseSeq });
      },
    },
  };
}

function readPrompt({ content }: MessageParam): string {
  if (typeof content === 'string') return content;
  return content.flatMap((block) => (isTextBlock(block) ? block.text : [])).join('\n');
}

function isEmptyText(block: ContentBlock): boolean {
  return isTextBlock(block) && block.text === '';
}
