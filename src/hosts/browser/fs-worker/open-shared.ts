// Opens the workspace that the FS worker serves: one shared with other tabs, or one in memory.
import { createId } from '../../../core/ids.ts';
import { systemClock } from '../../../core/async/system-clock.ts';
import { deleteIdbLog } from '../../../workspace/drivers/idb-log.ts';
import { createMemoryMedium } from '../../../workspace/drivers/memory.ts';
import { openMedium } from '../../../workspace/drivers/open-medium.ts';
import { deleteOpfsLog } from '../../../workspace/drivers/opfs-log.ts';
import { createMissingApiError } from '../../../workspace/drivers/refusals.ts';
import { createNextTask } from '../../../core/async/next-task.ts';
import type { CommitOrigin } from '../../../workspace/state/record.ts';
import { packForTab } from '../../../workspace/feed/serve-feed.ts';
import { openSharedWorkspace } from '../../../workspace/tabs/shared-workspace.ts';
import type { WriterPort } from '../../../workspace/commit/writer-port.ts';
import { openWorkspaceWriter } from '../../../workspace/commit/writer.ts';
import type { FsWorkerSetup } from '../wire/protocol.ts';
import { createTabChannel } from './tab-channel.ts';
import { createLeaderLock, enterWorkspace } from './tab-locks.ts';

// 0.5 s: a follow-up operation starts sooner. For example, the listing after a copy of 10 000 files
// came within 0.1 s, and would otherwise wait 40 ms or more for an image. It is too short for much
// work to pile up.
const rest = () => new Promise<void>((resolve) => setTimeout(resolve, 500));

/** The workspace of one tab, leader or follower. */
export interface OpenedWorkspace {
  readonly writer: WriterPort;
  setVisible(isVisible: boolean): void;
  /** The origin of the next commit. Undefined if nothing outlives the worker. */
  nextOrigin(): CommitOrigin | undefined;
  /**
   * True if commits are written in this worker. The write then happens in a later task than the
   * request.
   */
  isLeading(): boolean;
  /** Rejects with `EBUSY` if another tab has the workspace open. Afterwards no tab can open it. */
  requireAlone(): Promise<void>;
  /** Idempotent. */
  close(): Promise<void>;
  /** Closes the workspace and deletes its data. Only after {@link requireAlone}. */
  destroy(): Promise<void>;
}

/**
 * Rejects as the driver does if this tab opens the medium, and with `EBUSY` if another tab has it.
 */
export function openWorkspace(setup: FsWorkerSetup): Promise<OpenedWorkspace> {
  return setup.driver === 'memory' ? openOwn(setup) : openShared(setup, setup.driver);
}

async function openOwn({ workspace: name }: FsWorkerSetup): Promise<OpenedWorkspace> {
  const options = { name, gather: createNextTask(), rest };
  const writer = await openWorkspaceWriter(createMemoryMedium(), options);
  return {
    writer,
    setVisible() {},
    nextOrigin: () => undefined,
    isLeading: () => true,
    async requireAlone() {},
    close: () => writer.close(),
    destroy: () => writer.close(),
  };
}

async function openShared(
  { workspace: name, isVisible }: FsWorkerSetup,
  driver: 'opfs-log' | 'idb-log' | undefined,
): Promise<OpenedWorkspace> {
  if (!(navigator as Partial<WorkerNavigator>).locks) {
    throw createMissingApiError('navigator.locks (Web Locks)');
  }
  const presence = await enterWorkspace(name);
  let told = '';
  // Not reportError, because the page would take the worker for broken.
  const warn = (error: unknown) => {
    // Reported once: while nobody can open the log, each attempt fails with the same error.
    if (String(error) === told) return;
    told = String(error);
    // oxlint-disable-next-line no-console -- nobody waits for it, and somebody may look for it.
    console.warn('rockpool: sharing the workspace with other tabs:', error);
  };
  try {
    const id = createId();
    const shared = await openSharedWorkspace(
      {
        id,
        channel: createTabChannel(name, id),
        lock: createLeaderLock(name),
        clock: systemClock,
        pack: packForTab,
        async openWriter({ takeOver }) {
          const medium = await openMedium(name, { ...(driver && { driver }), takeOver });
          return openWorkspaceWriter(medium, { name, gather: createNextTask(), rest });
        },
        onError: warn,
      },
      { isVisible },
    );
    const close = async () => {
      await shared.close();
      await presence.release();
    };
    return {
      writer: shared,
      setVisible: (isSeen) => shared.setVisible(isSeen),
      nextOrigin: () => shared.nextOrigin,
      isLeading: () => shared.role === 'leader',
      requireAlone: () => presence.requireAlone(),
      close,
      async destroy() {
        const stored = shared.info().driver;
        await shared.close();
        try {
          await (stored === 'idb-log' ? deleteIdbLog(name) : deleteOpfsLog(name));
        } finally {
          await presence.release();
        }
      },
    };
  } catch (error) {
    await presence.release();
    throw error;
  }
}
