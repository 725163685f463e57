// Decides which calls may write the plan in plan mode, and which change sets write only the plan.
// Used by decide.ts, compile-path-access.ts, call-ports.ts and settle.ts.
import type { ChangeSet } from '../../core/change-set.ts';
import type { PermissionMode } from '../../core/permissions/permission.ts';
import { planFileName } from '../../core/session/session-path.ts';
import type { AllowedCall } from '../calls/authorize.ts';
import type { ValidCall } from '../calls/validate.ts';
import { getCallPath, isEdit } from './match-rule.ts';

/** True if the call, by the model or its code, edits only the plan. */
export function isPlanEdit(call: ValidCall, planPath: string, cwd: string): boolean {
  // Security: plan mode lets the agent write the plan, but not a tool that calls another one.
  if (call.requester || !isEdit(call)) return false;
  const target = getCallPath(call, cwd);
  return target.type === 'path' && target.path === planPath;
}

/**
 * The plan's path, if the call's view may write it. That is an edit of the plan, or a cell whose
 * changes are judged at its end.
 */
export function findWritablePlan(
  call: ValidCall,
  mode: PermissionMode,
  planPath: string | undefined,
  cwd: string,
): string | undefined {
  if (mode !== 'plan' || planPath === undefined || call.requester) return undefined;
  const isCell = call.tool.authorizesChangesAt === 'commit' && !call.traits.isReadOnly;
  return isCell || isPlanEdit(call, planPath, cwd) ? planPath : undefined;
}

/**
 * True if the change set writes only the plan, and the call may write it. Nobody is asked about
 * that.
 */
export function changesOnlyPlan({ access }: AllowedCall, { changes }: ChangeSet): boolean {
  const { writableFile } = access;
  return changes.every(({ type, path }) => type === 'write' && path === writableFile);
}

/**
 * The same changes with paths of the session's own root. Every view shows that root as the
 * session's directory.
 */
export function toPlanChanges({ baseSeq, changes }: ChangeSet): ChangeSet {
  return {
    baseSeq,
    changes: changes.map((change) => {
      if (change.type !== 'write') return change;
      // The root's own directory has no version.
      const { parentVersion: _, ...write } = change;
      return { ...write, path: `/${planFileName}` };
    }),
  };
}
