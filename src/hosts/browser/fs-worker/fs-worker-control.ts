// Implements the page's control requests to the FS worker: open, feed tool workers, close, delete.
// One workspace in each worker. It runs no tool code.
import { SdkError } from '../../../core/errors.ts';
import { FeedPacker } from '../../../workspace/feed/feed-packer.ts';
import { packForTab } from '../../../workspace/feed/serve-feed.ts';
import { createViewlessWorkspace } from '../../../workspace/commit/viewless-workspace.ts';
import { findApplied } from './find-applied.ts';
import { openWorkspace, type OpenedWorkspace } from './open-shared.ts';
import { toControlResult } from '../wire/control-result.ts';
import type { FsWorkerControl, OpenedFacts } from '../wire/protocol.ts';
import { serveSubscriber } from './serve-subscriber.ts';
import { serveWorkspace } from './serve-workspace.ts';
import { showLife } from '../wire/worker-life.ts';

/** The open workspace and everything that depends on it. */
interface ServedWorkspace {
  readonly opened: OpenedWorkspace;
  readonly serving: Disposable;
  /** Shared by all feeds, so that each content is packed once. */
  readonly packer: FeedPacker;
  /** The feeds by the page's ids: one for each tool worker. */
  readonly feeds: Map<string, Disposable>;
}

/** Creates the worker's control, to be exposed to the page. Its methods never reject. */
export function createFsWorkerControl(): FsWorkerControl {
  let served: ServedWorkspace | undefined;

  async function end(how: 'close' | 'destroy'): Promise<void> {
    if (!served) return;
    const { opened, feeds, serving } = served;
    for (const feed of feeds.values()) feed[Symbol.dispose]();
    try {
      await opened[how]();
    } finally {
      // Disposed last, so that earlier requests are answered first.
      serving[Symbol.dispose]();
      served = undefined;
    }
  }

  function requireServed(): ServedWorkspace {
    if (served) return served;
    throw new SdkError('bad-usage', 'The workspace is not open.');
  }

  return {
    live: (lifeLock) => toControlResult(() => showLife(lifeLock)),
    open: (setup, port) =>
      toControlResult(async () => {
        if (served) throw new SdkError('bad-usage', 'This worker has its workspace already.');
        const opened = await openWorkspace(setup);
        const { writer, nextOrigin, isLeading } = opened;
        const workspace = createViewlessWorkspace(writer);
        let applied: OpenedFacts['applied'];
        try {
          await workspace.fs.mkdir(setup.cwd, { recursive: true });
          applied = await findApplied(writer, setup.unanswered);
        } catch (error) {
          // A failed `open` must release its lock, or the next attempt would find the workspace
          // busy.
          await opened.close();
          throw error;
        }
        const serving = serveWorkspace(port, { workspace, writer, nextOrigin, isLeading });
        const packer = new FeedPacker(writer, packForTab);
        served = { opened, serving, packer, feeds: new Map() };
        return { info: await workspace.info(), applied };
      }),
    startFeed: (id, port) =>
      toControlResult(async () => {
        const { feeds, opened, packer } = requireServed();
        // The page may repeat a request whose answer was lost, so the previous feed is replaced.
        feeds.get(id)?.[Symbol.dispose]();
        feeds.set(id, serveSubscriber(opened.writer, packer, port));
        return null;
      }),
    endFeed: (id) =>
      toControlResult(async () => {
        served?.feeds.get(id)?.[Symbol.dispose]();
        served?.feeds.delete(id);
        return null;
      }),
    setVisible: (isVisible) =>
      toControlResult(async () => {
        served?.opened.setVisible(isVisible);
        return null;
      }),
    requireAlone: () =>
      toControlResult(async () => {
        await requireServed().opened.requireAlone();
        return null;
      }),
    close: () => toControlResult(async () => (await end('close'), null)),
    destroy: () => toControlResult(async () => (await end('destroy'), null)),
  };
}
