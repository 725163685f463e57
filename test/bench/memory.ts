// `npm run bench -- memory`: what a tab's renderer holds. It is read while a Repl session is as
// full as it may be, and after its query has ended. In real Chromium, under the demo's policy; by
// /proc, so on Linux only.
import { readFileSync, writeFileSync } from 'node:fs';
import { chromium, type Browser } from 'playwright';
import type { BenchResult } from '../../scripts/bench.ts';
import { serveBuiltPage } from '../../scripts/serve-built-page.ts';
import { findBrowser } from '../../scripts/find-browser.mjs';

interface Step {
  readonly name: string;
  readonly code: string;
  readonly answers: RegExp;
}

// 120 MB, most of the cap, in two kinds; then what every conversation does with it.
const fills = {
  bytes:
    'const kept = []; for (let at = 0; at < 120; at += 1) kept.push(new Uint8Array(1e6).fill(at)); kept.length',
  objects:
    'const kept = []; for (let at = 0; at < 1e6; at += 1) kept.push({ at, text: "t" + at }); kept.length',
};

const steps = (fill: string): readonly Step[] => [
  { name: 'first', code: '1 + 1', answers: /=> 2/ },
  { name: 'fill', code: fill, answers: /=> (?:120|1000000)/ },
  { name: 'use', code: 'kept.length', answers: /=> (?:120|1000000)/ },
  { name: 'use_again', code: 'kept.length', answers: /=> (?:120|1000000)/ },
  {
    name: 'overflow',
    code: 'const more = []; for (;;) more.push(new Uint8Array(1e6))',
    answers: /OutOfMemory/,
  },
  { name: 'after_overflow', code: 'kept.length', answers: /=> (?:120|1000000)/ },
  { name: 'alone', code: '[1, 2, 3].map((n) => n * 2).length', answers: /=> 3/ },
  { name: 'throw', code: "throw new Error('no')", answers: /no/ },
  { name: 'after_throw', code: 'kept.length', answers: /=> (?:120|1000000)/ },
];

export async function bench(): Promise<BenchResult> {
  const metrics: Record<string, number> = {};
  for (const [kind, fill] of Object.entries(fills)) {
    Object.assign(metrics, await measure(kind, steps(fill)));
  }
  return {
    metrics,
    notes: [
      '_mb: what the renderer holds (VmRSS) 200 ms after the step; _peak_mb: the most in the step.',
      'ended_…: after the end of the query; the host is still open.',
    ],
  };
}

async function measure(kind: string, script: readonly Step[]): Promise<Record<string, number>> {
  const executablePath = findBrowser();
  const page = await serveBuiltPage({ page: 'test/bench/pages/memory.html' });
  const browser = await chromium.launch({
    ...(executablePath && { executablePath }),
    args: ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
  });
  const metrics: Record<string, number> = {};
  try {
    const tab = await browser.newPage();
    tab.on('pageerror', (error) => console.error(`page: ${error.message}`));
    await tab.goto(page.url);
    await tab.waitForFunction(() => window.openConversation !== undefined);
    const pids = await findRenderers(browser);
    const most = (field: 'VmRSS' | 'VmHWM') =>
      Math.max(...pids.map((pid) => readMegabytes(pid, field)));
    const note = async (name: string, work: () => Promise<unknown>) => {
      for (const pid of pids) writeFileSync(`/proc/${pid}/clear_refs`, '5');
      await work();
      await pause(200);
      metrics[`${kind}_${name}_mb`] = most('VmRSS');
      metrics[`${kind}_${name}_peak_mb`] = most('VmHWM');
    };
    await note('open', () =>
      tab.evaluate(
        (cells) => window.openConversation?.(cells),
        script.map(({ code }) => code),
      ),
    );
    for (const { name, code, answers } of script) {
      await note(name, async () => {
        const answer = (await tab.evaluate(() => window.runNext?.())) ?? '';
        if (!answers.test(answer)) throw new Error(`${code} answered ${answer.slice(0, 300)}`);
      });
    }
    await note('ended', () => tab.evaluate(() => window.endConversation?.()));
    await note('ended_5_s', () => pause(5000));
    await note('closed', () => tab.evaluate(() => window.closeHost?.()));
    await note('closed_5_s', () => pause(5000));
    return metrics;
  } finally {
    await browser.close();
    await page.close();
  }
}

/** The page's, and those that wait for others: what any of them holds more is the page's. */
async function findRenderers(browser: Browser): Promise<readonly number[]> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  return processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
}

function readMegabytes(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const found = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'mu').exec(
    readFileSync(`/proc/${pid}/status`, 'utf8'),
  );
  return Math.round(Number(found?.[1]) / 1024);
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
