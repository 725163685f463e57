// The session's plan, as its tools read and write it, and as a call's changes of it are kept. It is a file of the
// session's own root. Used by create-session.ts and run-call.ts.
import { SdkError } from '../../core/errors.ts';
import { joinPath } from '../../core/path.ts';
import { planFileName, toPlanPath } from '../../core/session-path.ts';
import type { SessionPlan } from '../../core/tool/session-plan.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { ChangeTarget } from '../calls/change-target.ts';
import { toPlanChanges } from '../permissions/plan-file.ts';
import { openRoot } from './session-root.ts';
import type { RootFiles } from './session-root.ts';
import type { SessionFiles } from './session-files.ts';

/** `directories`: the session's own first, then those of what it is a fork of. */
export function createSessionPlan(
  sessionId: string,
  {
    fs,
    files,
    directories,
  }: {
    readonly fs: Pick<RootFiles, 'readFile'>;
    readonly files: SessionFiles;
    readonly directories: readonly string[];
  },
): SessionPlan {
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
  };
}

/** Keeps a call's changes of the plan in the session's own root, which is made where there is none. */
export function toPlanTarget(workspace: Workspace, sessionId: string): ChangeTarget {
  return {
    async commit(changeSet, options) {
      const { id } = await workspace.roots.session(sessionId, { author: options.author });
      return openRoot(workspace, id).commit(toPlanChanges(changeSet, sessionId), options);
    },
  };
}
