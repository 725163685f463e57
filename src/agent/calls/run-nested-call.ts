// The stations of a call that another call makes: a cell's code (nested-calls.ts), or a tool's own `call`
// (page-calls.ts). They differ in where its changes go, and in who answers for it.
import { createChildController } from '../../core/abort.ts';
import type { ReadFileState } from '../../core/tool/context.ts';
import { describeThrown } from '../../core/errors.ts';
import { createId } from '../../core/ids.ts';
import type { AssistantMessage } from '../../core/messages.ts';
import { maxNestedCalls } from '../../core/tool/nested-call.ts';
import type { NestedCall, NestedReply } from '../../core/tool/nested-call.ts';
import type { Tools } from '../../core/tool/tool.ts';
import type { AllowedCall } from './authorize.ts';
import type { DispatchOptions, DispatchOutcome } from './dispatch.ts';
import type { createNestedCalls } from './nested-calls.ts';
import { toLimitReply, toNestedReply } from './nested-reply.ts';
import type { SettlePorts } from './settle.ts';
import type { Settled } from './settled.ts';
import type { CallScope } from './turn.ts';
import type { CallOrigin } from './validate.ts';

/** A call that calls tools. */
export interface Caller {
  readonly call: AllowedCall;
  readonly tools: Tools;
  readonly parentMessage: AssistantMessage;
  readonly scope: CallScope;
  readonly origin: CallOrigin;
  /** On whose draft they work. Left out: each has its own. */
  readonly outerCallId?: string;
  /** What they are taken to have read. */
  readonly readFileState: ReadFileState;
  /** Why one that is allowed can't be made from here all the same, for the model. */
  findRefusal?(call: AllowedCall): string | undefined;
  /** For one that runs code. Left out: `tools` has none that do. */
  readonly createNestedCalls?: typeof createNestedCalls;
  /** Where its changes go, and what it has read. */
  toPorts(
    call: AllowedCall,
    outcome: DispatchOutcome,
  ): Pick<SettlePorts, 'readFileState' | 'workspace'> & Partial<Pick<SettlePorts, 'ownFiles'>>;
  /** How many it has made. */
  nestedCalls: number;
}

/**
 * Stations 3, 4, 6 to 8 and 10. It has no slot of its own (station 5): it runs in its caller's, for
 * which it would wait. What it changed is judged like any call's. Neither the API nor the model hears
 * of it. Never rejects.
 */
export async function runNestedCall(
  asked: NestedCall,
  caller: Caller,
  signal: AbortSignal,
): Promise<NestedReply> {
  const { kit, session, hooks, turn, pool, depth = 0 } = caller.scope;
  const toolUse = { id: createId(), name: asked.toolName, input: asked.input, index: 0 };
  caller.nestedCalls += 1;
  // Security: the sandbox counts them, too, but a worker's word is not enough.
  if (caller.nestedCalls > maxNestedCalls) return toLimitReply(toolUse.id);
  const parentId = caller.call.toolUse.id;
  const controller = createChildController(signal);
  const { readFileState, tools } = caller;
  const context = {
    ...kit.createToolUseContext(session, pool, controller, tools),
    readFileState,
  };
  const { record } = session.trace;
  const callId = toolUse.id;
  let isFromOutside = false;
  // What it calls answers to it, and it to its own caller.
  const onOutside = () => {
    isFromOutside = true;
    caller.scope.onOutside?.();
  };
  record({ type: 'call-start', callId, toolName: toolUse.name, parentId });
  const end = async (ended: Settled, outcome?: DispatchOutcome) => {
    const state = ended.isStopped ? 'stopped' : ended.state;
    // What is in another one's draft isn't kept yet.
    const kept = caller.outerCallId === undefined ? ended.kept : undefined;
    record({ type: 'call-end', callId, state, kept });
    const settled = (await hooks?.refused(ended, signal)) ?? ended;
    // Nobody awaits it any more, and its caller's own result is told already, or will be next.
    if (!signal.aborted) kit.reportCall(session, turn, settled, parentId);
    if (settled.denial?.interrupt) turn.stop();
    hooks?.passContext(toolUse.id, parentId);
    const reply = toNestedReply(settled, outcome, kit.toResultText);
    return isFromOutside ? { ...reply, isFromOutside } : reply;
  };
  try {
    const valid = await kit.validate(toolUse, context);
    if (valid.stage === 'settled') return await end(valid);
    const allowed = await kit.authorize({ ...valid, ...caller.origin }, context, {
      ...session,
      hooks,
    });
    if (allowed.stage === 'settled') return await end(allowed);
    const refusal = caller.findRefusal?.(allowed);
    if (refusal !== undefined) return await end(kit.settleWithError(toolUse, refusal));

    const { parentMessage, outerCallId } = caller;
    if (allowed.traits.isOpenWorld) onOutside();
    const scope = { ...caller.scope, pool: { ...pool, tools }, depth: depth + 1, onOutside };
    const own = caller.createNestedCalls?.(allowed, parentMessage, scope);
    const options: Pick<DispatchOptions, 'parentMessage' | 'outerCallId' | 'nested'> = {
      parentMessage,
      ...(outerCallId !== undefined && { outerCallId }),
      ...(own?.nested && { nested: own.nested }),
    };
    record({ type: 'call-delta', callId, phase: 'running' });
    const outcome = await kit.runWork(allowed, context, scope, options);
    record({ type: 'call-delta', callId, phase: 'settling' });
    const ports: SettlePorts = {
      ...session,
      hooks,
      // The model is sent nothing of it (station 9).
      spill: undefined,
      ...(own && { isApproved: own.approvals.covers }),
      ...caller.toPorts(allowed, outcome),
    };
    return await end(await kit.settle(allowed, outcome, ports, signal), outcome);
  } catch (error) {
    // As in `loop.ts`: a mistake of ours, and the code that awaits the call is owed an answer.
    const message = `${toolUse.name} failed inside the agent: ${describeThrown(error)}`;
    return await end(kit.settleWithError(toolUse, message));
  } finally {
    controller[Symbol.dispose]();
  }
}
