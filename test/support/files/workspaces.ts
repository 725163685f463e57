// Workspaces for tests: writers over memory, replicas over a feed in one thread, access rules.
import type { PathAccess } from '../../../src/core/access/path-access.ts';
import type { Clock } from '../../../src/core/tool/ports.ts';
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';
import type { FeedMessage } from '../../../src/workspace/feed/feed.ts';
import type { AppendFile, LogMedium } from '../../../src/workspace/log/log-medium.ts';
import { createReplica, type Replica } from '../../../src/workspace/feed/replica.ts';
import { serveFeed } from '../../../src/workspace/feed/serve-feed.ts';
import type { ViewSource } from '../../../src/workspace/draft/view.ts';
import type { Workspace } from '../../../src/workspace/workspace.ts';
import { createWriterWorkspace } from '../../../src/workspace/commit/writer-workspace.ts';
import { openWorkspaceWriter, type WorkspaceWriter } from '../../../src/workspace/commit/writer.ts';

/** Everything below `root` may be read and written. */
export function openAccess(root: string, changes: Partial<PathAccess> = {}): PathAccess {
  return { cwd: root, roots: [root], readOnlyRoots: [], rules: [], write: 'allow', ...changes };
}

export function openTestWriter(medium: LogMedium = createMemoryMedium()): Promise<WorkspaceWriter> {
  return openWorkspaceWriter(medium, { name: 'test' });
}

/** A medium with changed file methods, which fail or count, for example. */
export function withFiles(
  medium: LogMedium,
  change: (file: AppendFile) => Partial<AppendFile>,
): LogMedium {
  return {
    ...medium,
    async create(name) {
      const file = await medium.create(name);
      return { ...file, ...change(file) };
    },
  };
}

/** Never fires: for what must not depend on time. */
const stoppedClock: Clock = {
  now: () => 1_700_000_000_000,
  after: () => ({ [Symbol.dispose]: () => {} }),
};

export interface ReplicaOf {
  readonly replica: Replica;
  readonly workspace: Workspace & ViewSource;
  /** A clone of each message, as it would cross a port. */
  readonly messages: readonly FeedMessage[];
}

/** A replica fed by the writer through clones, as if through a port. Its first snapshot has arrived. */
export async function openReplicaOf(
  writer: WorkspaceWriter,
  options: { readonly clock?: Clock; readonly maxCacheBytes?: number } = {},
): Promise<ReplicaOf> {
  const messages: FeedMessage[] = [];
  let feed: Disposable | undefined;
  const replica: Replica = createReplica({
    clock: options.clock ?? stoppedClock,
    ...(options.maxCacheBytes !== undefined && { maxCacheBytes: options.maxCacheBytes }),
    subscribe() {
      feed?.[Symbol.dispose]();
      feed = serveFeed(writer, {
        send(message) {
          const clone = structuredClone(message);
          messages.push(clone);
          replica.receive(clone);
        },
        onError(error) {
          throw error;
        },
      });
    },
  });
  await replica.waitFor(0);
  return { replica, workspace: createWriterWorkspace(writer), messages };
}
