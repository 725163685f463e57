// What it takes to keep a session and to bring it back: as it was booted, and with 200 000 objects.
import { median } from '../workspace/statistics.ts';
import { withBenchPage } from './bench-page.ts';
import type { Stage } from './stage.ts';

const manyObjects =
  'var kept = Array.from({ length: 200_000 }, (_, id) => ({ id, name: `object ${id}` })); kept.length';

export function measureSnapshots(url: string): Promise<Stage> {
  return withBenchPage(url, async (page) => {
    await page.call('open', 'snapshots', 'timed');
    // Warm-up: the first rounds run code that isn't compiled yet.
    await page.call('takeSnapshots', { setup: '0', rounds: 5 });
    const fresh = await page.call('takeSnapshots', { setup: '0', rounds: 30 });
    const large = await page.call('takeSnapshots', { setup: manyObjects, rounds: 7 });
    await page.call('runCell', manyObjects, '200000', 'large');
    const warm = await page.call('runSmallCells', 10, 'large');
    return {
      figures: {
        snapshot_ms: median(fresh.snapshotMs),
        restore_ms: median(fresh.restoreMs),
        snapshot_mb: fresh.snapshotBytes / 1_000_000,
        snapshot_200k_ms: median(large.snapshotMs),
        restore_200k_ms: median(large.restoreMs),
        snapshot_200k_mb: large.snapshotBytes / 1_000_000,
        warm_200k_ms: median(warm),
      },
    };
  });
}
