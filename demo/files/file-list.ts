// The workspace's files for the tree: listed once, then updated by the changes that the log reports.
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
  /** Removes the mark of a change. */
  markSeen(path: string): void;
}

/** Lists the files below `root`, without `.git`. `onError` is called if the listing fails. */
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

  // Runs once for each task of the event loop, so that an import of a thousand files doesn't sort a thousand times.
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

  // The deletion of a directory includes everything below it. One pass handles all deletions, because there may be
  // thousands.
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

  // Subscribes before listing, so that a change in between is in at least one of the two.
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
