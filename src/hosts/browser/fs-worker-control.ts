// What the FS worker does when the page asks it to: open, feed tool workers, close, delete. One
// workspace a worker. It runs no tool code.
import { SdkError } from '../../core/errors.ts';
import { createMemoryStore } from '../../workspace/drivers/memory.ts';
import { deleteOpfsLog, openOpfsLogStore } from '../../workspace/drivers/opfs-log.ts';
import type { LogStore } from '../../workspace/log-store.ts';
import { createWriterWorkspace } from '../../workspace/writer-workspace.ts';
import { openWorkspaceWriter, type WorkspaceWriter } from '../../workspace/writer.ts';
import { toOutcome } from './outcome.ts';
import type { FsWorkerControl, FsWorkerSetup } from './protocol.ts';
import { serveSubscriber } from './serve-subscriber.ts';
import { serveWorkspace } from './serve-workspace.ts';

interface OpenWorkspace {
  readonly setup: FsWorkerSetup;
  readonly writer: WorkspaceWriter;
  readonly serving: Disposable;
  readonly feeds: Map<string, Disposable>;
}

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
        const store = await openStore(setup);
        const options = { name: setup.workspace, gather: nextTask };
        const writer = await openWorkspaceWriter(store, options);
        const workspace = createWriterWorkspace(writer);
        try {
          await workspace.fs.mkdir(setup.cwd, { recursive: true });
        } catch (error) {
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

/** Lets the messages that are in the queue already arrive, so that their commits share a flush. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
