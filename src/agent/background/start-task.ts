// A call that asked for the background: its result is that it has begun. Its own stations run beside
// the conversation, and what it changed is judged like any call's when they are done.
import type { StartedTask } from '../../core/background.ts';
import { toSerializedError } from '../../core/errors.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { AllowedCall } from '../authorize.ts';
import { describeFailure } from '../describe-failure.ts';
import type { DispatchOutcome } from '../dispatch.ts';
import { createNestedApprovals } from '../nested-approvals.ts';
import type { CallHooks, TaskHooks } from '../hooks/hooks.ts';
import type { NestedApprovals } from '../nested-approvals.ts';
import type { Session } from '../session/session.ts';
import { settle } from '../settle.ts';
import { settleWithError } from '../settled.ts';
import type { Settled } from '../settled.ts';
import type { RunningTask } from './tasks.ts';

/** What the call's stations get when the task begins. */
export interface StartedWork {
  readonly task: RunningTask;
  /** Takes what nested calls were allowed to leave. */
  readonly approvals: NestedApprovals;
  /** For the calls that its code makes. */
  readonly hooks: CallHooks | undefined;
}

/**
 * Starts the task and settles the call. Never rejects: a task that can't be started is an error
 * result. `run` are stations 6 to 8; it must not reject.
 */
export async function startTask(
  call: AllowedCall,
  run: (work: StartedWork) => Promise<DispatchOutcome>,
  session: Session,
  signal: AbortSignal,
): Promise<Settled> {
  const { workspace } = session.host;
  const approvals = createNestedApprovals();
  const ports = { ...session, spill: undefined, isApproved: approvals.covers };
  let hooks: TaskHooks | undefined;
  let started: StartedTask;
  try {
    started = await session.tasks.start({
      call,
      run(task) {
        hooks = session.hooks?.forTask(call.toolUse.id, task);
        return run({ task, approvals, hooks });
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
        return told;
      },
    });
  } catch (error) {
    const failed = { type: 'failed', error: toSerializedError(error) } as const;
    return settleWithError(call.toolUse, describeFailure(call.tool.name, failed));
  }
  const output = call.tool.background?.toStartedOutput(started);
  const outcome = { type: 'done', output, changeSet: null, reads: [] } as const;
  return settle(call, outcome, { ...ports, workspace }, signal);
}
