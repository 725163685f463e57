// The entry function of a tool worker. It waits for the page to boot it, then runs the handlers of
// its tools over a replica of the workspace. It holds no file handle and no lock, and can write
// only by its replies.
import { expose } from 'comlink';
import { SearchService } from '../../../search/search-service.ts';
import { warmTools, type HostRealm, type WorkerToolEntry } from '../../run-handler.ts';
import { followFeed, type FollowedFeed } from './follow-feed.ts';
import { toControlResult } from '../wire/control-result.ts';
import type { FromToolWorker, ToolWorkerControl, ToolWorkerSetup } from '../wire/protocol.ts';
import { chooseSearchBudget } from './search-budget.ts';
import { serveCalls } from './serve-calls.ts';
import { showLife } from '../wire/worker-life.ts';
import { checkWasm, createWorkerRealm } from './worker-realm.ts';

/**
 * Serves tools in this worker. Call it once, at the top of a worker's module:
 *
 * @example
 * ```ts
 * // my-tools.worker.ts, given to createBrowserHost as assets.toolWorker
 * import { serveTools, workers } from 'rockpool/serve-tools';
 * serveTools([...workers, { name: 'Count', load: async () => import('./count-worker.ts') }]);
 * ```
 */
export function serveTools(entries: readonly WorkerToolEntry[]): void {
  let followed: FollowedFeed | undefined;
  let realm: HostRealm | undefined;
  const openRealm = (setup: ToolWorkerSetup) => (realm ??= createWorkerRealm(setup));
  const control: ToolWorkerControl = {
    prepare: (lifeLock) =>
      toControlResult(async () => {
        const showsLife = await showLife(lifeLock);
        checkWasm();
        return showsLife;
      }),
    warm: (setup, toolNames) =>
      toControlResult(async () => {
        const expected = entries.filter((entry) => entry.isFetchedAhead).map(({ name }) => name);
        const names = [...new Set([...expected, ...toolNames])];
        await warmTools(names, { entries, realm: openRealm(setup) });
        return null;
      }),
    boot: (setup, calls, feed) =>
      toControlResult(async () => {
        const { replica } = (followed = followFeed(feed));
        const search = new SearchService({
          ...chooseSearchBudget(navigator),
          onKept(texts) {
            const message: FromToolWorker = { type: 'kept-texts', ...texts };
            calls.postMessage(message);
          },
        });
        const { git } = setup;
        serveCalls(calls, { entries, views: replica, search, realm: openRealm(setup), git });
        const yielding = entries.filter((entry) => entry.yieldsThread);
        return { yieldingTools: yielding.map(({ name }) => name) };
      }),
    whenFollowing: () =>
      toControlResult(async () => {
        await followed?.replica.waitFor(0);
        return null;
      }),
    follow: (feed) =>
      toControlResult(async () => {
        followed?.follow(feed);
        return null;
      }),
  };
  expose(control);
}
