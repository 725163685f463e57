// Runs one call from its tool use to its result. This is the only file that knows the order of stages 3 to 10. It
// serves every origin: the model, the code of a cell, a tool's own `call`, an app and a background task.
import { createAbortError, createChildController } from '../../core/async/abort.ts';
import { createPathJudge } from '../../core/access/path-access.ts';
import {
  describeThrown,
  fromSerializedError,
  hasCode,
  toSerializedError,
} from '../../core/errors.ts';
import { gitErrandName } from '../../core/git/git-errand.ts';
import type { AssistantMessage } from '../../core/messages/messages.ts';
import { msSince } from '../../core/async/ms-since.ts';
import type { CanUseTool } from '../../core/permissions/permission.ts';
import type { RestByTool, RestOfCall, StartedTask } from '../../core/tool/background.ts';
import type { CallContext, ToolUseContext } from '../../core/tool/context.ts';
import type { NestedCall, NestedReply } from '../../core/tool/nested-call.ts';
import type { CallPhase } from '../../trace/trace.ts';
import type { CallHooks } from '../hooks/hooks.ts';
import type { ToolUse } from '../messages/collect.ts';
import { toProgressMessage } from '../messages/to-sdk-message.ts';
import { mayHaveActed } from '../messages/void-attempt.ts';
import { judgeRealPath } from '../permissions/judge-change.ts';
import { getCallPath } from '../permissions/match-rule.ts';
import type { Pool } from '../registry/prepare-pool.ts';
import { createToolUseContext } from '../session/tool-use-context.ts';
import type { Session } from '../session/session.ts';
import { authorize } from './authorize.ts';
import type { AllowedCall } from './authorize.ts';
import {
  depthOf,
  findCodeTools,
  findDraftId,
  findLimit,
  findRefusal,
  findToolsForCode,
  isNested,
  mayCallTools,
  toCallingTools,
  toNestedReply,
  toParentId,
  toToolsOf,
} from './call-origin.ts';
import type { CallOrigin, ModelOrigin, NestedOrigin, ToolOrigin } from './call-origin.ts';
import { createNestedApprovals } from './change-target.ts';
import type { NestedApprovals } from './change-target.ts';
import { describeFailure } from './describe-failure.ts';
import { beginWork } from './begin-work.ts';
import { dispatch } from './dispatch.ts';
import type { DispatchOutcome } from './dispatch-outcome.ts';
import type { NestedCalls } from './dispatch.ts';
import { createCallRecorder } from './record-call.ts';
import type { CallRecorder } from './record-call.ts';
import type { CallEnd } from './schedule.ts';
import { createRehearse } from './rehearse.ts';
import { runErrand } from './run-errand.ts';
import { settle } from './settle.ts';
import { settleUnstarted, settleWithError } from './settled.ts';
import type { Settled } from './settled.ts';
import { noteDenial } from './turn.ts';
import type { Turn } from './turn.ts';
import { validate } from './validate.ts';
import { toCallContext, toAuthorizePorts, toSettlePorts } from './call-ports.ts';
import { awaitQuestion, takeTurn, holdTurn } from './take-turn.ts';

/** The values that the calls of one message, of one call's code or of one task share. */
export interface CallScope {
  readonly session: Session;
  /** The hooks of the session, or of the background task that the calls belong to. */
  readonly hooks: CallHooks | undefined;
  readonly pool: Pool;
  readonly turn: Turn;
  /** Aborted with the turn, the outer call or the task, or when their message is void. */
  readonly signal: AbortSignal;
}

/** A call that has ended. */
export interface EndedCall {
  readonly settled: Settled;
  /** The outcome of its work. Left out if the call never ran. */
  readonly outcome?: DispatchOutcome;
}

/**
 * Stages 3 to 10. Never rejects: a call has exactly one result. A nested call's result isn't sent to the
 * API; its changes are judged like any call's.
 */
export async function runCall(
  toolUse: ToolUse,
  origin: CallOrigin,
  scope: CallScope,
): Promise<EndedCall> {
  const { record } = scope.session.trace;
  const callId = toTraceId(toolUse, origin);
  const parentId = toParentId(toolUse, origin);
  record({
    type: 'call-start',
    callId,
    toolName: toolUse.name,
    ...(parentId !== undefined && { parentId }),
  });
  const own = origin.type === 'model' ? undefined : createChildController(scope.signal);
  const controller =
    origin.type === 'model' ? origin.slot.controller : (own ?? new AbortController());
  const recorder = createCallRecorder(toolUse, origin, scope);
  const running = runStations(toolUse, origin, scope, controller, recorder);
  const ended = await running.catch((error: unknown) => {
    // A stage throws only because of an internal error. The call still needs its one result.
    const message = `${toolUse.name} failed inside the agent: ${describeThrown(error)}`;
    return { settled: settleWithError(toolUse, message) };
  });
  own?.[Symbol.dispose]();
  return endCall(ended, origin, scope, recorder);
}

async function runStations(
  toolUse: ToolUse,
  origin: CallOrigin,
  scope: CallScope,
  controller: AbortController,
  recorder: CallRecorder,
): Promise<EndedCall> {
  const { session, hooks, turn } = scope;
  const { signal } = controller;
  const enter = (phase: CallPhase) =>
    session.trace.record({ type: 'call-delta', callId: toTraceId(toolUse, origin), phase });
  const context = { ...toCallContext(origin, scope, controller), toolUseID: toolUse.id };

  // Stages 3 and 4. A task's call has passed them in the conversation.
  const call =
    origin.type === 'background'
      ? origin.call
      : await admit(toolUse, origin, scope, context, enter);
  if (call.stage === 'settled') return { settled: call };

  // Stage 5. Nested calls run within the turn of the call that makes them, for which they would wait.
  const parentMessage =
    origin.type === 'model' ? await takeTurn(call, origin, scope, enter) : origin.parentMessage;
  if (!parentMessage) return { settled: settleUnstarted(toolUse, signal) };
  if (isNested(origin) && call.traits.isOpenWorld) origin.onOutside();
  enter('running');
  const running = origin.type === 'model' ? holdTurn(call, origin, session) : undefined;
  let working: Disposable | undefined;
  try {
    await recorder.begin(call);
    if (call.access.writableFile !== undefined) await session.plan.ready();
    if (origin.type === 'model' && isForBackground(call)) {
      const settled = await startTask(call, parentMessage, origin, scope, recorder);
      return { settled: { ...settled, hasActed: true } };
    }

    // Stages 6 to 8.
    const inner = toInnerScope(origin, scope);
    const { nested, approvals } = lendTools(call, parentMessage, origin, inner);
    const { root, executorId, limits, downloads } = session;
    const { clock, executor, workspace, web, sockets } = session.host;
    working = await beginWork(call, origin, session, signal);
    const startedAt = clock.now();
    const draftId = findDraftId(origin);
    const task = origin.type === 'background' ? origin.task : undefined;
    const goingOn =
      origin.type === 'model' && call.tool.background
        ? createGoingOn(call, parentMessage, scope)
        : undefined;
    hooks?.begin(toolUse.id);
    const dispatched = await dispatch(
      call,
      {
        ...{ executor, executorId, clock, workspace, root, limits, downloads, sockets },
        lendWorktrees: async (moving) => {
          const { createCallWorktrees } = await import('../session/files/worktrees.ts');
          return createCallWorktrees(session, moving);
        },
        openWeb:
          web &&
          (async (access) => {
            const { createCallWeb } = await import('../session/session-web.ts');
            return createCallWeb(session, web, access);
          }),
      },
      {
        context,
        parentMessage,
        contextModifiers: turn.contextModifiers,
        ...(nested && { nested }),
        ...(draftId !== undefined && { outerCallId: draftId }),
        ...(task && { isBackground: true }),
        ...(origin.type === 'background' && origin.rest && { rest: origin.rest }),
        ...(goingOn && { goOnInBackground: goingOn.start }),
        isResumed: recorder.isResumed(),
        recorded: recorder.toRecorded(),
        canUseTool: (...asked) => checkCall(call, inner, ...asked),
        onWorker: (worker) =>
          session.trace.record({ type: 'call-delta', callId: toTraceId(toolUse, origin), worker }),
        onProgress: (progress) => {
          task?.print(progress);
          const ids = { parentId: draftId ?? null, taskId: task?.taskId };
          const elapsedMs = msSince(startedAt, clock);
          session.emit(toProgressMessage(session, toolUse, elapsedMs, progress, ids));
        },
      },
    );

    const computed = goingOn ? goingOn.settle(dispatched) : dispatched;

    // Stage 10 (9 is part of it).
    const outcome = await endWork(computed, origin);
    enter('settling');
    const ports = { ...toSettlePorts(call, outcome, approvals, origin, scope), recorder };
    const settled = await settle(call, outcome, ports, signal);
    const hasActed = origin.type === 'model' && mayHaveActed(call, settled);
    return { settled: hasActed ? { ...settled, hasActed } : settled, outcome };
  } finally {
    working?.[Symbol.dispose]();
    running?.[Symbol.dispose]();
  }
}

/** Stages 3 and 4: checks whether the call is valid and may run. */
async function admit(
  toolUse: ToolUse,
  origin: ModelOrigin | NestedOrigin,
  scope: CallScope,
  context: ToolUseContext,
  enter: (phase: CallPhase) => void,
): Promise<AllowedCall | Settled> {
  const { session, hooks } = scope;
  if (origin.type === 'model' || origin.type === 'app') await session.host.documents?.flush();
  const valid = await validate(toolUse, context);
  if (valid.stage === 'settled') return valid;
  if (origin.type === 'model' && !(await awaitQuestion(valid, origin, scope, enter))) {
    return settleUnstarted(toolUse, context.abortController.signal);
  }
  const asked = { ...valid, ...toCallingTools(origin) };
  const ports = toAuthorizePorts(session, hooks);
  const rehearse = findDraftId(origin) === undefined ? createRehearse(session) : undefined;
  const allowed = await authorize(asked, context, { ...ports, ...(rehearse && { rehearse }) });
  if (allowed.stage === 'settled') return allowed;
  const refusal = findRefusal(allowed, origin);
  return refusal === undefined ? allowed : settleWithError(toolUse, refusal);
}

/** Only stages 3 and 4: the `canUseTool` for a tool's `call`. It may change the input. */
async function checkCall(
  asking: AllowedCall,
  scope: CallScope,
  ...[toolName, input, { toolUseID, signal }]: Parameters<CanUseTool>
): ReturnType<CanUseTool> {
  const toolUse: ToolUse = { id: toolUseID, name: toolName, input, index: 0 };
  const call = await admitInName(asking, toolUse, { ...scope, signal });
  if (call.stage === 'settled') {
    const { denial, result } = call;
    const message = denial?.message ?? String(result.content);
    return { behavior: 'deny', message, interrupt: denial?.interrupt ?? false };
  }
  const refusal = await findLinkRefusal(call, scope.session);
  return refusal === undefined
    ? { behavior: 'allow', updatedInput: call.input }
    : { behavior: 'deny', message: refusal };
}

/** Stages 3 and 4 of a call of another tool, on behalf of `asking`. */
async function admitInName(
  asking: AllowedCall,
  toolUse: ToolUse,
  { session, pool, signal }: CallScope,
): Promise<AllowedCall | Settled> {
  const controller = createChildController(signal);
  try {
    const shared = createToolUseContext(session, pool, controller, findToolsForCode(pool));
    const context = { ...shared, toolUseID: toolUse.id };
    const valid = await validate(toolUse, context);
    if (valid.stage === 'settled') return valid;
    const asked = { ...valid, ...toToolsOf(asking) };
    return await authorize(asked, context, toAuthorizePorts(session, session.hooks));
  } finally {
    controller[Symbol.dispose]();
  }
}

/**
 * Returns why the real path, after links, is refused. Security: the tool accesses it by its own
 * means, so nothing else checks it.
 */
async function findLinkRefusal(call: AllowedCall, { root }: Session): Promise<string | undefined> {
  const target = getCallPath(call, call.access.cwd);
  if (target.type !== 'path') return undefined;
  return judgeRealPath(call, target.path, createPathJudge(call.access), root.fs);
}

/** Returns the outcome to settle. A task's changes wait until no call of the conversation runs. */
async function endWork(computed: DispatchOutcome, origin: CallOrigin): Promise<DispatchOutcome> {
  if (origin.type === 'model') origin.slot.endWork();
  if (origin.type !== 'background') return computed;
  origin.onComputed();
  return origin.task.whenIdle().then(
    () => computed,
    () => ({ type: 'aborted' }) as const,
  );
}

/** Reports the end to the trace, the schedule, the hooks and the journal. */
async function endCall(
  { settled, ...ended }: EndedCall,
  origin: CallOrigin,
  scope: CallScope,
  recorder: CallRecorder,
): Promise<EndedCall> {
  const { session, hooks, turn, signal } = scope;
  const { toolUse } = settled;
  const callId = toTraceId(toolUse, origin);
  const state = settled.isStopped ? 'stopped' : settled.state;
  session.trace.record({ type: 'call-end', callId, state, kept: findKept(settled, origin) });
  if (origin.type === 'model') {
    origin.slot.release(toCallEnd(settled));
    // Immediately: a refusal may stop the turn and its concurrent calls.
    if (settled.denial?.interrupt) turn.stop();
  }
  const told = (await hooks?.refused(settled, signal)) ?? settled;
  if (isNested(origin)) {
    if (!signal.aborted) noteDenial(turn, told);
    if (told.denial?.interrupt) turn.stop();
    hooks?.passContext(toolUse.id, origin.outer.toolUse.id);
  }
  // A deferred call hasn't ended: the next opening runs its hooks again.
  const isPutOff = told.isDeferred && origin.type === 'model' && !session.agent;
  // A broken journal ends the turn by itself. Nothing is reported that the journal doesn't have.
  if (!isPutOff) await recorder.end(told).catch(() => undefined);
  return { ...ended, settled: told };
}

/** The changes to report as committed: not those in another call's draft, nor those of a task. */
function findKept({ kept }: Settled, origin: CallOrigin): Settled['kept'] {
  return origin.type === 'background' || findDraftId(origin) !== undefined ? undefined : kept;
}

function toCallEnd({ denial, state, isStopped }: Settled): CallEnd {
  if (isStopped) return 'cut';
  if (denial) return 'refused';
  return state === 'output-error' ? 'failed' : 'done';
}

/** The id of the call in the trace. A task has its own, different from its call's. */
function toTraceId({ id }: ToolUse, origin: CallOrigin): string {
  return origin.type === 'background' ? origin.task.taskId : id;
}

function isForBackground({ tool, input }: AllowedCall): boolean {
  return tool.background?.isAskedFor(input) === true;
}

/**
 * Starts a call in the background; its result says that it has begun. Never rejects: if the task
 * can't be started, that is an error result.
 */
async function startTask(
  call: AllowedCall,
  parentMessage: AssistantMessage,
  origin: ModelOrigin,
  scope: CallScope,
  recorder: CallRecorder,
): Promise<Settled> {
  const { session, signal } = scope;
  const { toolUse, tool } = call;
  let started: StartedTask;
  try {
    started = await startRun(call, parentMessage, scope);
  } catch (error) {
    const failed = { type: 'failed', error: toSerializedError(error) } as const;
    return settleWithError(toolUse, describeFailure(tool.name, failed));
  }
  // Otherwise nobody would know of the task. It may have ended by itself meanwhile.
  const stop = () => session.tasks.stop(started.taskId).catch(() => undefined);
  try {
    const output = tool.background?.toStartedOutput(started, call.input);
    // Called if the result can't be used.
    const discard = () => void stop();
    const outcome = { type: 'done', output, changeSet: null, reads: [], discard } as const;
    const ports = toSettlePorts(call, outcome, undefined, origin, scope);
    return await settle(call, outcome, { ...ports, recorder, spill: undefined }, signal);
  } catch (error) {
    await stop();
    const why = describeThrown(error);
    return settleWithError(
      toolUse,
      `${tool.name} could not say that it had begun (${why}), and was stopped. This is a fault of the tool; try another way.`,
    );
  }
}

/**
 * Starts a background task for the call, or for the `rest` of it. If another tool does the rest,
 * `by` is the call that has passed it on. Rejects like `session.tasks.start`.
 */
function startRun(
  call: AllowedCall,
  parentMessage: AssistantMessage,
  scope: CallScope,
  { rest, by }: { readonly rest?: RestOfCall; readonly by?: AllowedCall } = {},
): Promise<StartedTask> {
  const { session, turn } = scope;
  const { toolUse } = call;
  let hasBegun = false;
  const begin: RestOfCall | undefined =
    rest &&
    ((...given) => {
      hasBegun = true;
      return rest(...given);
    });
  return session.tasks.start({
    call,
    ...(by && { by }),
    async run(task, onComputed) {
      // The task belongs to the query, not to the turn. Stopping the turn doesn't stop it, and a
      // refusal that would stop the turn stops the task.
      const own = { ...turn, denials: [], stop: task.stop };
      const taskHooks = session.hooks?.forTask(toolUse.id, task);
      const taskScope = { ...scope, hooks: taskHooks, turn: own, signal: task.signal };
      const begun = { call, task, parentMessage, onComputed, ...(begin && { rest: begin }) };
      try {
        return await runCall(toolUse, { type: 'background', ...begun }, taskScope);
      } finally {
        taskHooks?.[Symbol.dispose]();
        if (rest && !hasBegun) endUnbegun(rest);
      }
    },
  });
}

/**
 * The task was stopped before its rest began. Starts the rest and stops it, so that it releases
 * what the call had opened for it.
 */
function endUnbegun(rest: RestOfCall): void {
  // Not aborted from the start: then a rest that uses a worker wouldn't reach it.
  const stopping = new AbortController();
  const run = async () => rest(stopping.signal, () => undefined);
  run().catch(() => undefined);
  stopping.abort(createAbortError('The task was stopped before it began.'));
}

/** Lets a call continue as a task. */
interface GoingOn {
  readonly start: NonNullable<CallContext['goOnInBackground']>;
  /** Stops the task if the call has failed. Otherwise it would run without anyone knowing of it. */
  settle(outcome: DispatchOutcome): DispatchOutcome;
}

function createGoingOn(
  call: AllowedCall,
  parentMessage: AssistantMessage,
  scope: CallScope,
): GoingOn {
  const { tasks } = scope.session;
  let taskId: string | undefined;
  const stop = () => {
    if (taskId !== undefined) tasks.stop(taskId).catch(() => undefined);
  };
  return {
    async start(rest) {
      if (taskId !== undefined) throw new TypeError('A call goes on once.');
      const isByTool = typeof rest !== 'function';
      const inner = isByTool ? await admitRest(call, rest, scope) : call;
      const how = isByTool ? { by: call } : { rest };
      try {
        const started = await startRun(inner, parentMessage, scope, how);
        ({ taskId } = started);
        return call.tool.background?.toStartedOutput(started, call.input);
      } catch (error) {
        if (hasCode(error, 'limit-exceeded')) return undefined;
        throw error;
      }
    },
    settle(outcome) {
      if (taskId === undefined) return outcome;
      if (outcome.type === 'done') return { ...outcome, discard: stop };
      stop();
      return outcome;
    },
  };
}

/**
 * Authorizes the call of another tool that continues a call. It gets the id of the first call, by
 * which the model knows the task. Rejects with the reason if it may not run.
 */
async function admitRest(
  by: AllowedCall,
  { toolName, input }: RestByTool,
  scope: CallScope,
): Promise<AllowedCall> {
  const { toolUse, tool } = by;
  const admitted = await admitInName(by, { ...toolUse, name: toolName, input }, scope);
  if (admitted.stage === 'allowed') {
    if (isForBackground(admitted)) return admitted;
    throw new TypeError(`${tool.name} may leave to ${toolName} only what asks for the background.`);
  }
  noteDenial(scope.turn, admitted);
  if (admitted.denial?.interrupt) scope.turn.stop();
  const reply = toNestedReply(admitted, undefined);
  throw reply.type === 'failed' ? fromSerializedError(reply.error) : new TypeError('It has run.');
}

interface LentTools {
  /** Runs the calls that the call makes. Left out: it may make none. */
  readonly nested?: NestedCalls;
  /** The changes of those calls that were allowed to stay in its draft. */
  readonly approvals?: NestedApprovals;
}

/** The tools that the call may call, run by {@link runCall}. */
function lendTools(
  call: AllowedCall,
  parentMessage: AssistantMessage,
  origin: CallOrigin,
  scope: CallScope,
): LentTools {
  const { session, pool } = scope;
  const onOutside = isNested(origin) ? origin.onOutside : () => undefined;
  const outer = { outer: call, parentMessage, depth: depthOf(origin) + 1, onOutside };
  if (mayCallTools(call)) {
    const codeTools = findCodeTools(call, pool);
    const approvals = createNestedApprovals();
    const code = { ...outer, type: 'code', tools: codeTools, approvals } as const;
    const run = createNestedRunner(() => code, depthOf(origin), scope);
    return { nested: { tools: codeTools.map(({ name }) => name), run }, approvals };
  }
  // Security: code in a worker calls only tools that its caller was granted; a worker's tool itself calls none.
  if (call.tool.runsIn === 'worker') return {};
  let own: ToolOrigin | undefined;
  const toOwn = () =>
    (own ??= {
      ...outer,
      type: 'tool',
      tools: findToolsForCode(pool),
      draftId: findDraftId(origin),
      // A copy: such a call may change files that the model has read. The model hasn't seen what
      // the call itself reads.
      readFileState: new Map(session.readFileState.entries()),
    });
  return { nested: { tools: [], run: createNestedRunner(toOwn, depthOf(origin), scope) } };
}

/** Returns a function that runs the calls of one call, and answers them. It never rejects. */
function createNestedRunner(
  toOrigin: () => Parameters<typeof runErrand>[1],
  depth: number,
  scope: CallScope,
): NestedCalls['run'] {
  let made = 0;
  let errands = 0;
  /** The number of nested calls of earlier, interrupted runs of the call. */
  let before: number | undefined;
  return async ({ toolName, input }: NestedCall, signal): Promise<NestedReply> => {
    const outer = toOrigin();
    if (toolName === gitErrandName) {
      const { session, turn } = scope;
      const ports = { ...toAuthorizePorts(session, scope.hooks), journal: session.journal };
      return runErrand(input, outer, { ...ports, turn, signal, asked: (errands += 1) - 1 });
    }
    const { id: outerId } = outer.outer.toolUse;
    before ??= scope.session.journal.fold.calls.get(outerId)?.nested.length ?? 0;
    const id = scope.session.ids.of('nested', outerId, before + made);
    const toolUse: ToolUse = { id, name: toolName, input, index: 0 };
    const isTool = outer.type === 'tool';
    const limit = findLimit(toolUse.id, toolName, { made, depth, isTool });
    if (limit) return limit;
    made += 1;
    let isFromOutside = false;
    const onOutside = () => {
      isFromOutside = true;
      outer.onOutside();
    };
    const { settled, outcome } = await runCall(
      toolUse,
      { ...outer, onOutside },
      { ...scope, signal },
    );
    const reply = toNestedReply(settled, outcome);
    return isFromOutside ? { ...reply, isFromOutside } : reply;
  };
}

/** The scope of the calls that a nested call makes: only tools that it was granted itself. */
function toInnerScope(origin: CallOrigin, scope: CallScope): CallScope {
  if (!isNested(origin)) return scope;
  return { ...scope, pool: { ...scope.pool, tools: origin.tools } };
}
