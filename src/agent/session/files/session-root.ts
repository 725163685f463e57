// The tree of the workspace that a session works in: `main` or a branch. The only file of the agent that
// knows how a root is read and committed to.
import type { ChangeSet } from '../../../core/change-set.ts';
import type { FileSystem } from '../../../workspace/files/file-system.ts';
import type { KeepOptions } from '../../calls/change-target.ts';
import type { ChangeEvent, CommitOptions, Workspace } from '../../../workspace/workspace.ts';

/** What the stations read of a tree. */
export type RootFiles = Pick<
  FileSystem,
  'lstat' | 'readFile' | 'readdir' | 'readlink' | 'realpath' | 'stat' | 'walk'
>;

/** The tree that a session works in. Workers open their views of it by its id. */
export interface SessionRoot extends Pick<Workspace, 'lookUp'> {
  readonly id: string;
  /** What the journal records with it lands in the same record of the workspace's log. */
  commit(changeSet: ChangeSet, options: KeepOptions): ReturnType<Workspace['commit']>;
  /** Judges nothing. */
  readonly fs: RootFiles;
  /** Called for each acknowledged change of the tree, in order, until it is disposed. */
  watch(listener: (event: ChangeEvent) => void): Disposable;
}

/** The workspace's own tree. */
export const mainRoot = 'main';

/** The root of that id, which may be dropped meanwhile: what is read or committed then rejects. */
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

/** Nothing is appended where the journal is kept in memory alone. */
function toCommitOptions({ append, ...options }: KeepOptions): CommitOptions {
  return append ? { ...options, append } : options;
}
