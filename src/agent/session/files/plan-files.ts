// The session's plan, as its tools read and write it, and as a call's changes of it are kept. It is
// a file of the session's own root. Made by create-session.ts; run-call.ts asks for the rest.
import { SdkError } from '../../../core/errors.ts';
import { joinPath } from '../../../core/path.ts';
import { planFileName, toPlanPath, toSessionRootId } from '../../../core/session/session-path.ts';
import type { SessionPlan } from '../../../core/session/session-plan.ts';
import type { Workspace } from '../../../workspace/workspace.ts';
import type { ChangeTarget } from '../../calls/change-target.ts';
import { toPlanChanges } from '../../permissions/plan-file.ts';
import { openRoot } from './session-root.ts';
import { createSessionFiles } from './session-files.ts';

/** The plan, and where calls write it. */
export interface PlanFiles extends SessionPlan {
  /** Makes the session's root where there is none: a view has no directory to write in without. */
  ready(): Promise<void>;
  /** Where the changes of a call go that writes the plan alone. */
  readonly target: ChangeTarget;
}

/** `directories`: the session's own first, then those of what it is a fork of. */
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
          if (!SdkError.isInstance(error) || error.code !== 'ENOENT') throw error;
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
