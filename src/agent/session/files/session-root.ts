// The tree of the workspace that a session works in: `main` or a branch. Only this file of the
// agent knows how a root is read and committed to.
import type { ChangeSet } from '../../../core/change-set.ts';
import type { FileSystem } from '../../../workspace/files/file-system.ts';
import type { KeepOptions } from '../../calls/change-target.ts';
import type { ChangeEvent, CommitOptions, Workspace } from '../../../workspace/workspace.ts';

/** The reading methods that the stations use. */
export type RootFiles = Pick<
  FileSystem,
  'lstat' | 'readFile' | 'readdir' | 'readlink' | 'realpath' | 'stat' | 'walk'
>;

/** The tree that a session works in. Workers open their views of it by its id. */
export interface SessionRoot extends Pick<Workspace, 'lookUp'> {
  readonly id: string;
  /**
   * Commits a change set. Entries of the journal land in the same record of the workspace's log.
   */
  commit(changeSet: ChangeSet, options: KeepOptions): ReturnType<Workspace['commit']>;
  /** These files are read without any judgement of access. */
  readonly fs: RootFiles;
  /** Called for each acknowledged change of the tree, in order, until it is disposed. */
  watch(listener: (event: ChangeEvent) => void): Disposable;
}

/** The workspace's own tree. */
export const mainRoot = 'main';

/** The root of that id. If it is dropped meanwhile, reading and committing rejects. */
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

/** Nothing is appended if the journal is kept in memory alone. */
function toCommitOptions({ append, ...options }: KeepOptions): CommitOptions {
  return append ? { ...options, append } : options;
}
