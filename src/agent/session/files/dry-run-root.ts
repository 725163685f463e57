// The branch of a session's dry run. Used by create-session.ts and dry-run.ts.
import type { Workspace } from '../../../workspace/workspace.ts';
import { dropOldCheckpoints } from './checkpoints.ts';

/** The id of a session's dry run, whether or not it exists. */
export const toDryRunId = (sessionId: string): string => `dry-run-${sessionId}`;

/**
 * The id of the branch: the existing one, or a new branch of `main`. Rejects like the workspace.
 */
export async function openDryRunRoot({ roots }: Workspace, sessionId: string): Promise<string> {
  const id = toDryRunId(sessionId);
  if (!(await roots.list({ kind: 'branch' })).some((root) => root.id === id)) {
    await dropOldCheckpoints(roots);
    await roots.branch(`session/${sessionId}: dry run`, { author: { kind: 'agent' }, id });
  }
  return id;
}
