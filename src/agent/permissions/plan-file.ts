// Plan mode's one exception: which calls may write the session's plan, and which change sets hold nothing else.
// decide.ts, compile-path-access.ts, call-ports.ts and settle.ts ask it.
import type { ChangeSet } from '../../core/change-set.ts';
import type { PermissionMode } from '../../core/permissions/permission.ts';
import { planFileName } from '../../core/session/session-path.ts';
import type { AllowedCall } from '../calls/authorize.ts';
import type { ValidCall } from '../calls/validate.ts';
import { getCallPath, isEdit } from './match-rule.ts';

/** Is it an edit of the plan, and of nothing else, which the model or its code asks for? */
export function isPlanEdit(call: ValidCall, planPath: string, cwd: string): boolean {
  // Security: plan mode lets the agent write the plan, but not a tool that has the file written.
  if (call.requester || !isEdit(call)) return false;
  const target = getCallPath(call, cwd);
  return target.type === 'path' && target.path === planPath;
}

/** The plan, where the call's view may write it: an edit of it, or a cell whose changes are judged at its end. */
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

/** Does the change set write only the plan that the call may write? Nobody is asked about that. */
export function changesOnlyPlan({ access }: AllowedCall, { changes }: ChangeSet): boolean {
  const { writableFile } = access;
  return changes.every(({ type, path }) => type === 'write' && path === writableFile);
}

/**
 * The same changes with paths of the session's own root, which every view shows at the session's
 * directory.
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
