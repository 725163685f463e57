// Opens what the FS worker serves: the workspace that it shares with other tabs, or, in memory, one
// of its own.
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

// 0.5 s: an operation that follows from the one before begins sooner. After a copy of 10 000 files
// its listing took 0.1 s. It would wait for an image, 40 ms and more. Far too short for much to
// pile up.
const rest = () => new Promise<void>((resolve) => setTimeout(resolve, 500));

/** The workspace of one tab, whether it leads or follows. */
export interface OpenedWorkspace {
  readonly writer: WriterPort;
  setVisible(isVisible: boolean): void;
  /** The origin of the next commit. Undefined if nothing outlives the worker. */
  nextOrigin(): CommitOrigin | undefined;
  /** Is a commit written here? It is then written in a later task than the one that asks for it. */
  isLeading(): boolean;
  /** Rejects with `EBUSY` where another tab has it open. From then on none can open it. */
  requireAlone(): Promise<void>;
  /** Idempotent. */
  close(): Promise<void>;
  /** Closes it, and deletes what is stored. Only after {@link requireAlone}. */
  destroy(): Promise<void>;
}

/** Rejects as the driver does where this tab has to open it, and `EBUSY` where another has it. */
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
  // Not reportError: the page would take the worker for broken.
  const warn = (error: unknown) => {
    // Told once: while nobody can open the log, the same error comes with each try.
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
