import { SdkError } from '../../../src/core/errors.ts';
import type { FileMode, OpenFlag } from '../../../src/workspace/files/file-options.ts';
import type { FileSystem, LocalFileSystem } from '../../../src/workspace/files/file-system.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';
import { describeFileSystem } from '../../contract/file-system.contract.ts';
import { DescriptorHandle } from '../../support/files/descriptor-handle.ts';
import { openAccess, openReplicaOf, openTestWriter } from '../../support/files/workspaces.ts';

const root = '/project';

async function openMemoryView(): Promise<LocalFileSystem> {
  const workspace = await createMemoryWorkspace();
  await workspace.fs.mkdir(root);
  return (await workspace.openView({ root: 'main', minSeq: 1 }, openAccess(root))).fs;
}

describeFileSystem("a draft's view", async () => ({ fs: await openMemoryView(), root }));

describeFileSystem("a draft's synchronous view", async () => ({
  fs: fromSync(await openMemoryView()),
  root,
}));

describeFileSystem("a replica's view", async () => {
  const writer = await openTestWriter();
  const { replica, workspace } = await openReplicaOf(writer);
  // One record before the snapshot would do; this one is fed.
  await workspace.fs.mkdir(root);
  const view = await replica.openView({ root: 'main', minSeq: writer.seq }, openAccess(root));
  return { fs: view.fs, root };
});

describeFileSystem('Workspace.fs', async () => {
  const { fs } = await createMemoryWorkspace();
  await fs.mkdir(root);
  return { fs, root };
});

/** The synchronous methods under the names of the asynchronous ones; those without a twin as they are. */
function fromSync(local: LocalFileSystem): FileSystem {
  return new Proxy(local, {
    get(target, name) {
      if (name === 'open') {
        return async (path: string, flags?: OpenFlag | null, mode?: FileMode | null) =>
          new DescriptorHandle(target.sync, path, target.sync.openSync(path, flags, mode));
      }
      const twin: unknown = Reflect.get(target.sync, `${String(name)}Sync`);
      if (typeof twin !== 'function') return Reflect.get(target, name);
      return async (...parameters: unknown[]) => {
        const result: unknown = twin(...parameters);
        if (result instanceof Promise) throw new SdkError('internal', 'It is not synchronous.');
        return result;
      };
    },
  });
}
