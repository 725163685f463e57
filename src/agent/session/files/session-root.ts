// The root of the workspace that a session works in: `main` or a branch. In the agent, only this
// module reads roots and commits to them.
import type { ChangeSet } from '../../../core/change-set.ts';
import type { FileSystem } from '../../../workspace/files/file-system.ts';
import type { KeepOptions } from '../../calls/change-target.ts';
import type { ChangeEvent, CommitOptions, Workspace } from '../../../workspace/workspace.ts';

/** The reading methods that the stages use. */
export type RootFiles = Pick<
  FileSystem,
  'lstat' | 'readFile' | 'readdir' | 'readlink' | 'realpath' | 'stat' | 'walk'
>;

/** The tree that a session works in. Workers open their views of it by its id. */
export interface SessionRoot extends Pick<Workspace, 'lookUp'> {
  readonly id: string;
  /**
   * Commits a change set. The given entries of the journal are in the same record of the
   * workspace's log.
   */
  commit(changeSet: ChangeSet, options: KeepOptions): ReturnType<Workspace['commit']>;
  /** Reads these files without access checks. */
  readonly fs: RootFiles;
  /**
   * Calls the listener for each acknowledged change of the tree, in order, until it is disposed.
   */
  watch(listener: (event: ChangeEvent) => void): Disposable;
}

/** The workspace's main root. */
export const mainRoot = 'main';

/** The root with that id. Reads and commits reject if it is dropped meanwhile. */
export function openRoot(workspace: Workspace, id: string): SessionRoot {
  const { fs, lookUp } = workspace.at(id);
  return {
    id,
    fs,
    lookUp,
    watch: (listener) => workspace.onChange((event) => event.root === id && listener(event)),
    commit: (changeSet, options) =>
      workspace.commit(changeSet, { ...toCommitOptions(options), root: id }),
  };
}

/** Nothing is appended if the journal is in memory only. */
function toCommitOptions({ append, ...options }: KeepOptions): CommitOptions {
  return append ? { ...options, append } : options;
}
