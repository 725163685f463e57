// The stations of a call that the code of another call makes. `nested-calls.ts` calls it.
import { createChildController } from '../core/abort.ts';
import type { ChangeSet } from '../core/change-set.ts';
import { describeThrown } from '../core/errors.ts';
import { createId } from '../core/ids.ts';
import { maxNestedCalls } from '../core/nested-call.ts';
import type { NestedCall, NestedReply } from '../core/nested-call.ts';
import type { AllowedCall } from './authorize.ts';
import type { DispatchOutcome } from './dispatch.ts';
import type { NestedApprovals } from './nested-approvals.ts';
import type { Caller } from './nested-calls.ts';
import { toLimitReply, toNestedReply } from './nested-reply.ts';
import type { Settled } from './settled.ts';

/**
 * Stations 3, 4, 6 to 8 and 10 for a call that the code of another call makes. It has no slot of its
 * own (station 5): it runs in its caller's, for which it would wait. What it changed is judged like
 * any call's, and then belongs to the caller's draft: nothing is committed, and neither the API nor
 * the model hears of it. Never rejects.
 */
export async function runNestedCall(
  asked: NestedCall,
  caller: Caller,
  signal: AbortSignal,
): Promise<NestedReply> {
  const { kit } = caller;
  const { session, hooks, turn, pool } = caller.scope;
  const toolUse = { id: createId(), name: asked.toolName, input: asked.input, index: 0 };
  caller.nestedCalls += 1;
  // Security: the sandbox counts them, too, but a worker's word is not enough.
  if (caller.nestedCalls > maxNestedCalls) return toLimitReply(toolUse.id);
  const outerCallId = caller.call.toolUse.id;
  const controller = createChildController(signal);
  const context = kit.createToolUseContext(session, pool, controller, caller.tools);
  const { record } = session.trace;
  const callId = toolUse.id;
  record({ type: 'call-start', callId, toolName: toolUse.name, parentId: outerCallId });
  const end = async (ended: Settled, outcome?: DispatchOutcome) => {
    record({ type: 'call-end', callId, state: ended.isStopped ? 'stopped' : ended.state });
    const settled = (await hooks?.refused(ended, signal)) ?? ended;
    // Nobody awaits it any more, and its caller's own result is told already, or will be next.
    if (!signal.aborted) kit.reportCall(session, turn, settled, outerCallId);
    if (settled.denial?.interrupt) turn.stop();
    hooks?.passContext(toolUse.id, outerCallId);
    return toNestedReply(settled, outcome, kit.toResultText);
  };
  try {
    const valid = await kit.validate(toolUse, context);
    if (valid.stage === 'settled') return await end(valid);
    const nested = { ...valid, caller: caller.call.tool };
    const allowed = await kit.authorize(nested, context, { ...session, hooks });
    if (allowed.stage === 'settled') return await end(allowed);

    const { parentMessage } = caller;
    const scope = { ...caller.scope, pool: { ...pool, tools: caller.tools } };
    record({ type: 'call-delta', callId, phase: 'running' });
    const outcome = await kit.runWork(allowed, context, scope, { parentMessage, outerCallId });
    record({ type: 'call-delta', callId, phase: 'settling' });
    const ports = { ...session, hooks, ...toDraftPorts(allowed, caller.approvals, outcome) };
    return await end(await kit.settle(allowed, outcome, ports, signal), outcome);
  } catch (error) {
    // As in `loop.ts`: a mistake of ours, and the code that awaits the call is owed an answer.
    const message = `${toolUse.name} failed inside the agent: ${describeThrown(error)}`;
    return await end(kit.settleWithError(toolUse, message));
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
