// `npm run bench -- crossing`: what it costs to have a worker do something, beside a bare port and
// comlink, in real Chromium. Any peer's figures are of the same run.
import type { Page } from 'playwright';
import type { BenchResult } from '../../scripts/bench.ts';
import { serveBuiltPage } from '../../scripts/serve-built-page.ts';
import { isolatingHeaders } from '../support/browser/isolating-headers.ts';
import { goals } from './crossing/goals.ts';
import type { CrossingTimes } from './pages/crossing/page.ts';
import type { ResultName } from './pages/crossing/results.ts';
import { withTab } from './repl/bench-page.ts';
import { attempt, together, type Figures, type Stage } from './repl/stage.ts';
import { median, percentile } from './workspace/statistics.ts';

const sustainedSeconds = 60;

const notes = [
  'call_us, raw_us, comlink_us: from the page to a tool that does nothing and back, one call after ' +
    'the other; medians of 3,000, the ways in turn by batches of 100. Ours is a whole call of the ' +
    'executor: request, rules and address are checked, a view of the workspace is opened, the input ' +
    'parsed; over a workspace in memory, without rules, and without the agent’s stations. The raw port sends a number and a name, and gets the number back.',
  'megabyte_*: the same with a result of 1,000,000 bytes, which all ways clone; medians of 200.',
  'replaced_ms: from the end of a worker to the answer of the next call, which has the spare; ' +
    'replaced_without_spare_ms: the same for a second end that follows at once. raw_worker_start_ms: ' +
    'a bare module worker from its start to its first answer. Medians of 9.',
  `calls_per_s: eight calls under way for ${sustainedSeconds} s. memory_growth: memory of the page and ` +
    'its workers at the end, by that after a tenth of the time, garbage collected before each.',
];

export async function bench(): Promise<BenchResult> {
  const served = await serveBuiltPage({
    page: 'test/bench/pages/crossing.html',
    headers: isolatingHeaders,
  });
  try {
    // Chromium measures memory at the next collection of garbage, whenever that is; told so, at once.
    const found = await withTab(
      async (tab) => {
        await tab.goto(served.url);
        await tab.waitForFunction(() => window.crossing !== undefined);
        await tab.evaluate(() => window.crossing!.open());
        return together([
          await attempt('calls', () => measureCalls(tab)),
          await attempt('1 MB', () => measureMegabyte(tab)),
          await attempt('starts', () => measureStarts(tab)),
          await attempt('sustained', () => measureSustained(tab)),
        ]);
      },
      ['--enable-blink-features=ForceEagerMeasureMemory'],
    );
    return { metrics: found.figures, notes: [...notes, ...found.notes], goals };
  } finally {
    await served.close();
  }
}

function cross(tab: Page, name: ResultName, rounds: number, batch: number): Promise<CrossingTimes> {
  return tab.evaluate((given) => window.crossing!.cross(...given), [name, rounds, batch] as const);
}

async function measureCalls(tab: Page): Promise<Stage> {
  const { raw, comlink, ours } = await cross(tab, 'Nothing', 30, 100);
  return {
    figures: {
      vs_raw: median(ours) / median(raw),
      comlink_vs_raw: median(comlink) / median(raw),
      call_us: median(ours) * 1000,
      raw_us: median(raw) * 1000,
      comlink_us: median(comlink) * 1000,
      call_p99_us: percentile(ours, 99) * 1000,
      raw_p99_us: percentile(raw, 99) * 1000,
    },
  };
}

async function measureMegabyte(tab: Page): Promise<Stage> {
  const { raw, comlink, ours } = await cross(tab, 'Megabyte', 20, 10);
  return {
    figures: {
      megabyte_vs_raw: median(ours) / median(raw),
      comlink_megabyte_vs_raw: median(comlink) / median(raw),
      megabyte_us: median(ours) * 1000,
      raw_megabyte_us: median(raw) * 1000,
      comlink_megabyte_us: median(comlink) * 1000,
    },
  };
}

async function measureStarts(tab: Page): Promise<Stage> {
  const times: Record<string, number[]> = {};
  for (let round = 0; round < 9; round += 1) {
    (times['raw_worker_start_ms'] ??= []).push(
      await tab.evaluate(() => window.crossing!.startRaw()),
    );
    for (const [metric, hasSpare] of [
      ['replaced_ms', true],
      ['replaced_without_spare_ms', false],
    ] as const) {
      const ms = await tab.evaluate((given) => window.crossing!.replace(given), hasSpare);
      (times[metric] ??= []).push(ms);
    }
  }
  const entries = Object.entries(times).map(([metric, all]) => [metric, median(all)]);
  return { figures: Object.fromEntries(entries) as Figures };
}

async function measureSustained(tab: Page): Promise<Stage> {
  const { calls, seconds, bytesBefore, bytesAfter } = await tab.evaluate(
    (given) => window.crossing!.sustain(given),
    sustainedSeconds,
  );
  return {
    figures: {
      calls_per_s: calls / seconds,
      memory_growth: bytesAfter / bytesBefore,
      memory_mb: bytesAfter / 1_000_000,
    },
  };
}
