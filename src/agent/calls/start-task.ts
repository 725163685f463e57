// A call that asked for the background: its result is that it has begun. Its own stations run beside
// the conversation, and what it changed is judged like any call's when they are done.
import { createChildController } from '../../core/abort.ts';
import type { StartedTask } from '../../core/tool/background.ts';
import type { Change } from '../../core/change-set.ts';
import { describeThrown, toSerializedError } from '../../core/errors.ts';
import type { AssistantMessage } from '../../core/messages.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { AllowedCall } from './authorize.ts';
import { describeFailure } from './describe-failure.ts';
import type { TaskHooks } from '../hooks/hooks.ts';
import type { NestedApprovals } from './nested-approvals.ts';
import { createNestedCalls } from './nested-calls.ts';
import type { Settled } from './settled.ts';
import type { CallScope } from './turn.ts';

/**
 * Starts the task and settles the call. Never rejects: a task that can't be started is an error
 * result.
 */
export async function startTask(
  call: AllowedCall,
  parentMessage: AssistantMessage,
  scope: CallScope,
): Promise<Settled> {
  const { session, signal, kit } = scope;
  const { workspace } = session.host;
  const { settle } = kit;
  const { record } = session.trace;
  const parentId = call.toolUse.id;
  let isApproved: NestedApprovals['covers'] = () => false;
  const ports = {
    ...session,
    spill: undefined,
    isApproved: (change: Change) => isApproved(change),
  };
  let hooks: TaskHooks | undefined;
  let started: StartedTask;
  try {
    started = await session.tasks.start({
      call,
      // Stations 6 to 8 belong to the query, not to the turn: stopping the turn leaves them alone,
      // and a refusal that would stop the turn stops them.
      run(task) {
        const turn = { ...scope.turn, emit: session.emit, denials: [], stop: task.stop };
        record({ type: 'call-start', callId: task.taskId, toolName: call.tool.name, parentId });
        record({ type: 'call-delta', callId: task.taskId, phase: 'running' });
        hooks = session.hooks?.forTask(call.toolUse.id, task);
        const own = { ...scope, hooks, turn, signal: task.signal };
        const { nested, approvals } = createNestedCalls(call, parentMessage, own);
        isApproved = approvals.covers;
        const controller = createChildController(task.signal);
        const context = kit.createToolUseContext(session, scope.pool, controller);
        const options = { parentMessage, ...(nested && { nested }), task };
        return kit.runWork(call, context, own, options).finally(() => controller[Symbol.dispose]());
      },
      async settle(outcome, task) {
        // A person may have thought about it for long: the agent is at work again.
        const commit: Workspace['commit'] = async (changeSet, options) => {
          await task.whenIdle();
          return workspace.commit(changeSet, options);
        };
        // PostToolUse hooks have heard of the call when it began; there is one for each call.
        const own = { ...ports, hooks: undefined, workspace: { commit } };
        const settled = await settle(call, outcome, own, task.signal);
        const told = (await hooks?.refused(settled, task.signal)) ?? settled;
        hooks?.[Symbol.dispose]();
        const { isStopped, state } = told;
        record({ type: 'call-end', callId: task.taskId, state: isStopped ? 'stopped' : state });
        return told;
      },
    });
  } catch (error) {
    const failed = { type: 'failed', error: toSerializedError(error) } as const;
    return kit.settleWithError(call.toolUse, describeFailure(call.tool.name, failed));
  }
  // Nobody would know of it, nor how to stop it. It may have ended by itself meanwhile.
  const stop = () => session.tasks.stop(started.taskId).catch(() => undefined);
  try {
    const output = call.tool.background?.toStartedOutput(started);
    // Called where that can't be told.
    const discard = () => void stop();
    const outcome = { type: 'done', output, changeSet: null, reads: [], discard } as const;
    return await settle(call, outcome, { ...ports, workspace }, signal);
  } catch (error) {
    await stop();
    const why = describeThrown(error);
    return kit.settleWithError(
      call.toolUse,
      `${call.tool.name} could not say that it had begun (${why}), and was stopped. This is a fault of the tool; try another way.`,
    );
  }
}
