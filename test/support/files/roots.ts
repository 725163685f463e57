// Workspaces for tests of checkpoints and branches: filled, committed to by root, read as a whole.
import type { WorkspaceAddress } from '../../../src/core/change-set.ts';
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';
import type { SyncFileSystem } from '../../../src/workspace/files/file-system.ts';
import type { ViewSource } from '../../../src/workspace/draft/view.ts';
import type { CommitOptions, CommitResult } from '../../../src/workspace/workspace.ts';
import { createWriterWorkspace } from '../../../src/workspace/commit/writer-workspace.ts';
import { openAccess, openTestWriter } from './workspaces.ts';

export const user = { author: { kind: 'user' } } as const;
export const agent = { author: { kind: 'agent' } } as const;

/** A workspace with these files in one record, written by the agent. */
export async function openRoots(files: Readonly<Record<string, string>>) {
  const medium = createMemoryMedium();
  const writer = await openTestWriter(medium);
  const workspace = createWriterWorkspace(writer);
  const commit = async (
    root: string,
    edit: (fs: SyncFileSystem) => void,
    options: CommitOptions = agent,
  ): Promise<CommitResult> => {
    const address = { root, minSeq: workspace.seq() };
    const view = await workspace.openView(address, openAccess('/'));
    edit(view.fs.sync);
    const changeSet = view.changeSet() ?? { baseSeq: workspace.seq(), changes: [] };
    return workspace.commit(changeSet, { ...options, root });
  };
  await commit('main', (fs) => {
    for (const [path, text] of Object.entries(files)) {
      fs.mkdirSync(path.slice(0, path.lastIndexOf('/')) || '/', { recursive: true });
      fs.writeFileSync(path, text);
    }
  });
  /** The same bytes, opened by another writer: this one is over. */
  const reopen = async () => {
    await writer.close();
    return openTestWriter(medium);
  };
  return { workspace, writer, commit, reopen };
}

/** The text of each file, by path; of an empty directory null. */
export async function readRoot(
  source: ViewSource,
  address: WorkspaceAddress,
): Promise<Record<string, string | null>> {
  const { fs } = await source.openView(address, openAccess('/'));
  const files: Record<string, string | null> = {};
  for (const name of await fs.readdir('/', { recursive: true })) {
    const path = `/${name}`;
    const stats = await fs.lstat(path);
    if (stats.isFile()) files[path] = await fs.readFile(path, 'utf8');
    else if (stats.isDirectory() && (await fs.readdir(path)).length === 0) files[path] = null;
  }
  return files;
}

/** What the operation was refused with. */
export async function messageOf(operation: Promise<unknown>): Promise<string> {
  try {
    await operation;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  throw new TypeError('It was not refused.');
}
