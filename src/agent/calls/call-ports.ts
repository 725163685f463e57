// The parts of the session that a call's stages use, depending on the call's origin. Called by
// run-call.ts.
import type { ToolUseContext } from '../../core/tool/context.ts';
import type { CallHooks } from '../hooks/hooks.ts';
import { changesOnlyPlan } from '../permissions/plan-file.ts';
import { createToolUseContext } from '../session/tool-use-context.ts';
import type { Session } from '../session/session.ts';
import type { AllowedCall, AuthorizePorts } from './authorize.ts';
import { isNested } from './call-origin.ts';
import type { CallOrigin } from './call-origin.ts';
import { toOuterDraft, whenIdle } from './change-target.ts';
import type { ChangeTarget, NestedApprovals } from './change-target.ts';
import type { DispatchOutcome } from './dispatch-outcome.ts';
import type { SettlePorts } from './settle.ts';
import type { CallScope } from './run-call.ts';

export function toCallContext(
  origin: CallOrigin,
  { session, pool }: CallScope,
  controller: AbortController,
): ToolUseContext {
  if (!isNested(origin)) return createToolUseContext(session, pool, controller);
  const context = createToolUseContext(session, pool, controller, origin.tools);
  return origin.type === 'code' ? context : { ...context, readFileState: origin.readFileState };
}

export function toAuthorizePorts(session: Session, hooks: CallHooks | undefined): AuthorizePorts {
  const { permissions, questions, autoMode, sessionDirectories, host, place } = session;
  const ports = { permissions, questions, autoMode, place, sessionDirectories, hooks };
  return { ...ports, ...(host.readOnlyMounts && { readOnlyMounts: host.readOnlyMounts }) };
}

/**
 * Where the call's changes are committed, which files count as read, and how its result is limited,
 * by its origin.
 */
export function toSettlePorts(
  call: AllowedCall,
  outcome: DispatchOutcome,
  approvals: NestedApprovals | undefined,
  origin: CallOrigin,
  { session, hooks }: CallScope,
): Omit<SettlePorts, 'recorder'> {
  return {
    // The PostToolUse hooks of a task's call ran when it began; they run once per call.
    ...toAuthorizePorts(session, origin.type === 'background' ? undefined : hooks),
    sessionId: session.id,
    target: toTarget(call, outcome, origin, session),
    readFileState: toReadFileState(origin, session),
    downloads: session.downloads,
    ownFiles: session.ownFiles,
    sessionTaint: session.agents.taintedBy,
    // Stage 9 applies only to results that are sent to the model.
    spill: origin.type === 'model' ? session.spill : undefined,
    ...(approvals && { isApproved: approvals.covers, isDeedAllowed: approvals.allowsDeed }),
  };
}

function toTarget(
  call: AllowedCall,
  outcome: DispatchOutcome,
  origin: CallOrigin,
  { root, plan }: Session,
): ChangeTarget {
  if (origin.type === 'code') {
    const replaced = outcome.type === 'done' ? (outcome.replaced ?? []) : [];
    return toOuterDraft(call, replaced, origin.approvals);
  }
  const isPlan =
    outcome.type === 'done' && outcome.changeSet && changesOnlyPlan(call, outcome.changeSet);
  if (isPlan) return plan.target;
  return origin.type === 'background' ? whenIdle(origin.task, root) : root;
}

/** The model hasn't seen the files that a cell's calls have read. */
function toReadFileState(origin: CallOrigin, session: Session): SettlePorts['readFileState'] {
  if (origin.type === 'code') return undefined;
  return isNested(origin) ? origin.readFileState : session.readFileState;
}
