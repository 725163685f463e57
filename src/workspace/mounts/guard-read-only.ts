// Wraps a workspace so that nothing below read-only mounts can be changed. Views of calls check
// this themselves (PathAccess.readOnlyMounts). This wrapper is for operations of the page's own
// workspace.
import type { ChangeSet } from '../../core/change-set.ts';
import { basename, dirname, isInside, joinPath } from '../../core/path.ts';
import { describeReadOnlyMount } from '../../core/access/path-access.ts';
import { sessionOfRoot } from '../../core/session/session-path.ts';
import { createFsError } from '../files/fs-error.ts';
import { fileOperations } from '../files/file-operations.ts';
import type { FileOperationRow } from '../files/file-operations.ts';
import type { FileSystem } from '../files/file-system.ts';
import type { RootTree, Workspace } from '../workspace.ts';

/** The operations that change something. `open` is included, because it calls `openPath`. */
const changing = Object.entries({ ...fileOperations, open: fileOperations.openPath }).flatMap(
  ([name, row]: [string, FileOperationRow]) =>
    row.changes ? [[name, row, row.changes] as const] : [],
);

/** `list` returns the current absolute paths of the mounts. */
export function guardReadOnly(workspace: Workspace, list: () => readonly string[]): Workspace {
  return {
    ...workspace,
    fs: guardFiles(workspace.fs, list),
    at: (root) => guardTree(workspace.at(root), root, list),
    roots: guardRoots(workspace, list),
    history: guardHistory(workspace, list),
    async commit(changeSet, options) {
      if (sessionOfRoot(options.root ?? 'main') === undefined) requireOutside(changeSet, list());
      return workspace.commit(changeSet, options);
    },
  };
}

/** A rewind leaves read-only mounts unchanged, so it needs no check. */
function guardRoots({ roots }: Workspace, list: () => readonly string[]): Workspace['roots'] {
  return {
    ...roots,
    async merge(id, options) {
      const mounts = list();
      if (mounts.length > 0) {
        const { paths = ['/'] } = options;
        for (const { path, type } of await roots.diff(id)) {
          if (!paths.some((directory) => isInside(directory, path))) continue;
          requireWritable(path, { isWhole: type === 'delete', syscall: 'merge', mounts });
        }
      }
      return roots.merge(id, options);
    },
  };
}

function guardHistory({ history }: Workspace, list: () => readonly string[]): Workspace['history'] {
  return {
    ...history,
    async undo(callId, options) {
      const mounts = list();
      if (mounts.length > 0) {
        const { sessionId } = options ?? {};
        const files = await history.list({ callId, ...(sessionId !== undefined && { sessionId }) });
        for (const { path, seq } of files) {
          // Of several calls with this id, the newest is undone.
          if (seq !== files[0]?.seq) break;
          requireWritable(path, { isWhole: false, syscall: 'undo', mounts });
        }
      }
      return history.undo(callId, options);
    },
  };
}

function guardTree(tree: RootTree, root: string, list: () => readonly string[]): RootTree {
  return sessionOfRoot(root) === undefined ? { ...tree, fs: guardFiles(tree.fs, list) } : tree;
}

function requireOutside({ changes }: ChangeSet, mounts: readonly string[]): void {
  for (const change of changes) {
    const isWhole = change.type === 'remove' && change.recursive === true;
    requireWritable(change.path, { isWhole, syscall: 'commit', mounts });
  }
}

function guardFiles(fs: FileSystem, list: () => readonly string[]): FileSystem {
  const guarded = changing.map(([name, { isWhole = false }, places]) => {
    const operation = fs[name as keyof FileSystem] as (...given: unknown[]) => Promise<unknown>;
    const guard = async (...given: unknown[]) => {
      const mounts = list();
      if (mounts.length > 0 && !isReading(name, given)) {
        for (const place of places) {
          const path = given[place];
          // For any other path the operation itself reports the error.
          if (typeof path !== 'string' || !path.startsWith('/')) continue;
          const at = { isWhole, syscall: name, mounts };
          requireWritable(await findRealPath(fs, path), at);
        }
      }
      return operation(...given);
    };
    return [name, guard];
  });
  return { ...fs, ...(Object.fromEntries(guarded) as Partial<FileSystem>) };
}

/** True if a file is opened only for reading. */
function isReading(name: string, [, flags]: readonly unknown[]): boolean {
  if (name !== 'open' && name !== 'openPath') return false;
  return flags === undefined || flags === null || flags === 'r' || flags === 'rs' || flags === 0;
}

/** Security: a link into the mount must not bypass the check. */
async function findRealPath(fs: FileSystem, path: string): Promise<string> {
  const directory = dirname(joinPath(path));
  const real = await fs.realpath(path).catch(() => undefined);
  if (real !== undefined) return real;
  const above = await fs.realpath(directory).catch(() => directory);
  return joinPath(above, basename(joinPath(path)));
}

function requireWritable(
  path: string,
  at: { readonly isWhole: boolean; readonly syscall: string; readonly mounts: readonly string[] },
): void {
  const mount = at.mounts.find((one) => isInside(one, path) || (at.isWhole && isInside(path, one)));
  if (mount === undefined) return;
  const { syscall } = at;
  throw createFsError('EROFS', { syscall, path, message: describeReadOnlyMount(mount) });
}
