// Decides whether a call may have read the session's own files. They contain text of all its
// agents: reports, output of tasks, results that were too long. Used by settle.ts.
import { sessionsDirectory, isSessionPath } from '../../core/session/session-path.ts';
import { isInside, resolvePath } from '../../core/path.ts';
import type { AllowedCall } from './authorize.ts';
import type { DispatchOutcome } from './dispatch-outcome.ts';

// The longest possible path.
const maxPathChars = 4_096;

/**
 * Always true for code that ran, and for a call that names the sessions' directory or a directory
 * above it.
 */
export function mayReadSessionFiles(call: AllowedCall, outcome: DispatchOutcome): boolean {
  if (outcome.type !== 'done') return false;
  if (call.tool.callsTools || outcome.hasReadSessionFiles) return true;
  if (outcome.reads.some(([path]) => isSessionPath(path))) return true;
  return Object.values(call.input as Readonly<Record<string, unknown>>).some((value) => {
    if (typeof value !== 'string' || value.length > maxPathChars) return false;
    const path = resolvePath(call.access.cwd, value);
    return isSessionPath(path) || isInside(path, sessionsDirectory);
  });
}
