// What the FS worker does when the page asks it to: open, feed tool workers, close, delete. One
// workspace a worker. It runs no tool code.
import { SdkError } from '../../core/errors.ts';
import { createMemoryStore } from '../../workspace/drivers/memory.ts';
import { deleteOpfsLog, openOpfsLogStore } from '../../workspace/drivers/opfs-log.ts';
import type { LogStore } from '../../workspace/log-store.ts';
import { createNextTask } from '../../workspace/next-task.ts';
import { createWriterWorkspace } from '../../workspace/writer-workspace.ts';
import { openWorkspaceWriter, type WorkspaceWriter } from '../../workspace/writer.ts';
import { toOutcome } from './outcome.ts';
import type { FsWorkerControl, FsWorkerSetup } from './protocol.ts';
import { serveSubscriber } from './serve-subscriber.ts';
import { serveWorkspace } from './serve-workspace.ts';

/** The workspace while it is open, with all that hangs on it. */
interface OpenWorkspace {
  readonly setup: FsWorkerSetup;
  readonly writer: WorkspaceWriter;
  readonly serving: Disposable;
  /** By the id that the page gave: one for each tool worker. */
  readonly feeds: Map<string, Disposable>;
}

/** The worker's control, to be exposed to the page that started it. Its methods never reject. */
export function createFsWorkerControl(): FsWorkerControl {
  let opened: OpenWorkspace | undefined;

  async function close(): Promise<void> {
    if (!opened) return;
    const { writer, feeds } = opened;
    for (const feed of feeds.values()) feed[Symbol.dispose]();
    await writer.close();
    // Last: what was asked before is answered first.
    opened.serving[Symbol.dispose]();
    opened = undefined;
  }

  return {
    open: (setup, port) =>
      toOutcome(async () => {
        if (opened) throw new SdkError('bad-usage', 'This worker has its workspace already.');
        // The writer owns the store from here on, and closes it where it can't open it.
        const store = await openStore(setup);
        const options = { name: setup.workspace, gather: createNextTask() };
        const writer = await openWorkspaceWriter(store, options);
        const workspace = createWriterWorkspace(writer);
        try {
          await workspace.fs.mkdir(setup.cwd, { recursive: true });
        } catch (error) {
          // A failed `open` must leave no lock behind, or the next try would find it busy.
          await writer.close();
          throw error;
        }
        const serving = serveWorkspace(port, { workspace, views: workspace });
        opened = { setup, writer, serving, feeds: new Map() };
        return workspace.info();
      }),
    startFeed: (id, port) =>
      toOutcome(async () => {
        if (!opened) throw new SdkError('bad-usage', 'The workspace is not open.');
        opened.feeds.set(id, serveSubscriber(opened.writer, port));
        return null;
      }),
    endFeed: (id) =>
      toOutcome(async () => {
        opened?.feeds.get(id)?.[Symbol.dispose]();
        opened?.feeds.delete(id);
        return null;
      }),
    close: () => toOutcome(async () => (await close(), null)),
    destroy: () =>
      toOutcome(async () => {
        const setup = opened?.setup;
        await close();
        if (setup?.driver === 'opfs-log') await deleteOpfsLog(setup.workspace);
        return null;
      }),
  };
}

async function openStore({ driver, workspace }: FsWorkerSetup): Promise<LogStore> {
  return driver === 'memory' ? createMemoryStore() : openOpfsLogStore(workspace);
}
