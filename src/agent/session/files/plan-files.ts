// The session's plan, which is a file of the session's own root. Tools read and write it through
// this, and run-call.ts keeps a call's changes to it. Created by create-session.ts.
import { hasCode } from '../../../core/errors.ts';
import { joinPath } from '../../../core/path.ts';
import { planFileName, toPlanPath, toSessionRootId } from '../../../core/session/session-path.ts';
import type { SessionPlan } from '../../../core/session/session-plan.ts';
import type { Workspace } from '../../../workspace/workspace.ts';
import type { ChangeTarget } from '../../calls/change-target.ts';
import { toPlanChanges } from '../../permissions/plan-file.ts';
import { openRoot } from './session-root.ts';
import { createSessionFiles } from './session-files.ts';

/** The plan, and the target of calls that write it. */
export interface PlanFiles extends SessionPlan {
  /**
   * Creates the session's root if there is none. Without a root, a view has no directory for the
   * plan.
   */
  ready(): Promise<void>;
  /** The target of the changes of a call that writes only the plan. */
  readonly target: ChangeTarget;
}

/** `directories`: the session's own first, then those of the sessions that it is a fork of. */
export function createPlanFiles(
  workspace: Workspace,
  sessionId: string,
  directories: readonly string[],
): PlanFiles {
  const { fs } = workspace;
  const files = createSessionFiles(workspace, sessionId);
  return {
    path: toPlanPath(sessionId),
    async read() {
      for (const directory of directories) {
        try {
          return await fs.readFile(joinPath(directory, planFileName), 'utf8');
        } catch (error) {
          if (!hasCode(error, 'ENOENT')) throw error;
        }
      }
      return '';
    },
    write: async (text) => void (await files.write(planFileName, text)),
    ready: () => files.ready(),
    target: {
      commit: (changeSet, options) =>
        openRoot(workspace, toSessionRootId(sessionId)).commit(toPlanChanges(changeSet), options),
    },
  };
}
