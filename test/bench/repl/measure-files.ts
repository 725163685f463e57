// What the guest's synchronous fs takes, inside a cell: the guest's own clock, over many calls.
import type { FileJob, FileTime } from '../pages/repl/guest-files.ts';
import { median } from '../workspace/statistics.ts';
import { withBenchPage, type BenchPage } from './bench-page.ts';
import type { Stage } from './stage.ts';

const even = { directory: '/workspace/even', files: 1000 };
const mixed = { directory: '/workspace/mixed', files: 5000 };
/** Makes 20 000 calls a cell: tens of milliseconds even where a call takes few microseconds. */
const passes = 20;

export function measureFiles(url: string): Promise<Stage> {
  return withBenchPage(url, async (page) => {
    await page.call('open', 'files');
    // A session that is under way: its worker is up before the files come.
    await page.call('runCell', '0', '0');
    await page.call('importEvenFiles', even.directory, even.files);
    const mixedBytes = await page.call('importFiles', mixed.directory, {
      files: mixed.files,
      meanBytes: 4096,
    });

    // The first of them brings the contents into the worker.
    await measureEven(page, 'bytes', 1);
    const stat = await measureEven(page, 'stat', passes);
    const bytes = await measureEven(page, 'bytes', passes);
    const text = await measureEven(page, 'text', passes);

    const cold = { bytes: [] as number[], text: [] as number[] };
    const again: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      for (const operation of ['bytes', 'text'] as const) {
        await page.call('restartToolWorker');
        cold[operation].push(await measureMixed(page, operation, mixedBytes));
        if (operation === 'bytes') again.push(await measureMixed(page, operation, mixedBytes));
      }
    }
    const mbPerSecond = (ms: readonly number[]) => mixedBytes / 1000 / median(ms);
    return {
      figures: {
        stat_us: stat,
        read4k_bytes_us: bytes,
        read4k_text_us: text,
        cold_read_mb_s: mbPerSecond(cold.bytes),
        cold_read_text_mb_s: mbPerSecond(cold.text),
        reread_mb_s: mbPerSecond(again),
      },
    };
  });
}

/** Microseconds a call; the median of some cells. */
async function measureEven(
  page: BenchPage,
  operation: FileJob['operation'],
  passesEach: number,
): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const job = { ...even, operation, passes: passesEach };
    const time = await page.call('goThroughFiles', job);
    times.push((time.ms * 1000) / (even.files * passesEach));
    check(time, even.files * passesEach * 4096);
  }
  return median(times);
}

/** Milliseconds for all files, each read once. */
async function measureMixed(
  page: BenchPage,
  operation: 'bytes' | 'text',
  expected: number,
): Promise<number> {
  const time = await page.call('goThroughFiles', { ...mixed, operation, passes: 1 });
  check(time, expected);
  return time.ms;
}

/** A figure counts only if the work was done. */
function check({ total }: FileTime, expected: number): void {
  if (total !== expected) throw new Error(`${total} bytes were gone through, not ${expected}.`);
}
