// `npm run bench -- responsiveness`: for how long a page can do nothing while an agent works in it,
// in real Chromium, under the demo's policy. The figure of merit is main_thread_blocked_ms.
import { chromium } from 'playwright';
import type { BenchResult } from '../../scripts/bench.ts';
import { serveBuiltPage } from '../../scripts/serve-built-page.ts';
import { findBrowser } from '../../scripts/find-browser.mjs';
import type { Phase, Responsiveness } from './pages/responsiveness.ts';

export async function bench(): Promise<BenchResult> {
  const executablePath = findBrowser();
  const page = await serveBuiltPage({ page: 'test/bench/pages/responsiveness.html' });
  const browser = await chromium.launch({
    ...(executablePath && { executablePath }),
    args: ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
  });
  try {
    const tab = await browser.newPage();
    tab.on('pageerror', (error) => console.error(`page: ${error.message}`));
    await tab.goto(page.url);
    await tab.waitForFunction(() => window.measureResponsiveness !== undefined);
    const result = await tab.evaluate(() => window.measureResponsiveness?.());
    if (!result) throw new Error('The page measured nothing.');
    checkAnswers(result);
    return toResult(result);
  } finally {
    await browser.close();
    await page.close();
  }
}

/** A figure counts only if the work was done: each phase's answers must be what they should be. */
function checkAnswers({ phases }: Responsiveness): void {
  expectAnswer(phases.grep, 0, /needle 4999/);
  expectAnswer(phases.grep, 2, /\.ts/);
  expectAnswer(phases.image, 0, /shown at 2000 × 1500/);
  expectAnswer(phases.endless, 0, /is_error":true/);
  expectAnswer(phases.unstoppable, 0, /is_error":true/);
  expectAnswer(phases.after, 0, /42/);
}

function expectAnswer({ answers = [] }: Phase, at: number, pattern: RegExp): void {
  if (pattern.test(answers[at] ?? '')) return;
  throw new Error(`An answer isn't ${pattern}: ${answers[at]?.slice(0, 300)}`);
}

function toResult({ phases, longestTaskMs }: Responsiveness): BenchResult {
  const { idle, ...busy } = phases;
  const round = (ms: number) => Math.round(ms * 10) / 10;
  const each = Object.entries(busy).flatMap(([name, { ms, gapMs }]) => [
    [`${name}_gap_ms`, round(gapMs)],
    [`${name}_ms`, round(ms)],
  ]);
  return {
    metrics: {
      main_thread_blocked_ms: round(Math.max(...Object.values(busy).map(({ gapMs }) => gapMs))),
      longest_task_ms: round(longestTaskMs),
      idle_gap_ms: round(idle.gapMs),
      ...(Object.fromEntries(each) as Record<string, number>),
    },
    notes: [
      'main_thread_blocked_ms: the longest time between two beats of a 5 ms heartbeat on the page, ' +
        'over all phases but idle; idle_gap_ms is what the same page shows while nothing runs.',
      'longest_task_ms: the browser’s own longest task on the page over 50 ms; 0: none.',
      'Phases: boot of the host; import of 5,000 files of 4 KB; Grep twice and Glob over them; Read of ' +
        'an image of 12,000 × 9,000 pixels (108 MB), made small enough for the API; a ' +
        "cell in for(;;){}; a cell in new Array(1e9)+'' (its worker is killed); a cell after that.",
    ],
  };
}
