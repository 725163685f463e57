// The workspace's files as the tree shows them: listed once, then kept by what the log reports.
import type { PathChange, Workspace } from 'rockpool/browser';

export interface FileListSnapshot {
  /** Absolute, sorted. */
  readonly paths: readonly string[];
  /** Files that the agent changed and nobody has opened since. */
  readonly changed: ReadonlySet<string>;
  readonly isLoading: boolean;
}

export interface FileList extends Disposable {
  getSnapshot(): FileListSnapshot;
  subscribe(listener: () => void): () => void;
  has(path: string): boolean;
  /** Takes the mark of a change away. */
  markSeen(path: string): void;
}

/** Lists what is below `root`; `.git` is left out. `onError` hears when the listing fails. */
export function createFileList(
  workspace: Pick<Workspace, 'fs' | 'onChange'>,
  root: string,
  onError: (error: unknown) => void,
): FileList {
  const paths = new Set<string>();
  const changed = new Set<string>();
  const listeners = new Set<() => void>();
  let snapshot: FileListSnapshot = { paths: [], changed: new Set(), isLoading: true };
  let isScheduled = false;

  // Once a task: an import of a thousand files must not sort a thousand times.
  const publish = () => {
    if (isScheduled) return;
    isScheduled = true;
    setTimeout(() => {
      isScheduled = false;
      snapshot = {
        paths: [...paths].sort(),
        changed: new Set(changed),
        isLoading: false,
      };
      for (const listener of listeners) listener();
    });
  };

  const isListed = (path: string) =>
    path.startsWith(`${root}/`) && !path.startsWith(`${root}/.git/`);

  // A directory's deletion stands for all below it. Once for all of them: a tree may have thousands.
  const forgetBelow = (deletions: readonly PathChange[]) => {
    if (deletions.length === 0) return;
    const directories = new Set(deletions.map(({ path }) => path));
    for (const path of paths) {
      for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
        if (!directories.has(path.slice(0, end))) continue;
        paths.delete(path);
        changed.delete(path);
        break;
      }
    }
  };

  // Subscribed before listing: a change that comes in between is in one of the two.
  const following = workspace.onChange(({ root: changedRoot, author, changes }) => {
    if (changedRoot !== 'main') return;
    forgetBelow(changes.filter(({ type, kind }) => type === 'delete' && kind === 'directory'));
    for (const { path, type, kind } of changes) {
      if (!isListed(path)) continue;
      if (type === 'delete') {
        paths.delete(path);
        changed.delete(path);
      } else if (kind !== 'directory') {
        paths.add(path);
        if (author.kind === 'agent') changed.add(path);
      }
    }
    publish();
  });
  workspace.fs.walk(root, { respectIgnore: false, includeHidden: true }).then((entries) => {
    for (const { path } of entries) paths.add(path);
    publish();
  }, onError);

  return {
    getSnapshot: () => snapshot,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    has: (path) => paths.has(path),
    markSeen(path) {
      if (changed.delete(path)) publish();
    },
    [Symbol.dispose]() {
      following[Symbol.dispose]();
      listeners.clear();
    },
  };
}
