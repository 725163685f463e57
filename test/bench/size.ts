// `npm run bench -- size`: what an application with everything in costs the people who open it. The
// application stands in pages/size; it is built by Vite from the package as it is published.
import type { Browser, BrowserContext } from 'puppeteer-core';
import type { BenchResult } from '../../scripts/bench.ts';
import { buildSizeApp, weigh, type SizedFile, type StageFiles } from '../../scripts/size-app.ts';
import type { AppTimes } from './pages/size/app.ts';
import { serveSizeApp, type SizeServer } from './size/server.ts';
import { launchBrowser, throttle } from './size/throttled-browser.ts';
import { median } from './workspace/statistics.ts';

const rounds = 7;

// 3 s: a short prompt's typing.
const typingMs = 3000;

/** Each begins with an empty cache, but the tab, which is opened beside the first one. */
const stages = ['query', 'read', 'cell', 'tab'] as const;

type Stage = (typeof stages)[number];

const actions: Readonly<Record<Stage, string>> = {
  query: '?do=text',
  read: '?do=read',
  cell: '?do=cell',
  tab: '?do=cell',
};

const notes = [
  'One Vite application with zod, a tool of its own and the Anthropic client, over the package as it is ' +
    'published, at four points: query (a first text of the model has come), read (a first Read is done), ' +
    'cell (a first cell is answered), tab (a second tab’s first cell, beside the first tab).',
  '*_gzip_bytes, *_brotli_bytes (quality 5), *_requests: the files that were asked for until the network ' +
    'was quiet for a second after that, the page among them. A second tab has the first one’s cache.',
  '*_ms: from the start of the navigation, the prompt sent as soon as the host is open; first_answer_ms: ' +
    'the same for a first cell. typed_*: from the sending of a prompt that a person typed for ' +
    `${typingMs / 1000} s after the host was open; typed_node_answer_ms: of a cell that uses Node’s path and Buffer.`,
  `Medians of ${rounds} rounds. The network is "Fast 4G" of Chromium’s developer tools, emulated over CDP ` +
    'in the page and its workers: 8.1 Mbit/s, 165 ms. Nothing slows the processor.',
];

export async function bench(): Promise<BenchResult> {
  const files = await buildSizeApp();
  const server = await serveSizeApp(files);
  const browser = await launchBrowser();
  try {
    const times: Record<string, number[]> = {};
    const note = (metric: string, ms: number) => (times[metric] ??= []).push(ms);
    const found: StageFiles = {};
    const opened = { browser, server };
    for (let round = 0; round < rounds; round += 1) {
      for (const stage of stages) {
        const { answeredMs, requests, openMs } = await visit(
          opened,
          actions[stage],
          stage === 'tab',
        );
        found[stage] = requests;
        note(stage === 'cell' ? 'first_answer_ms' : `${stage}_ms`, answeredMs);
        if (stage === 'query') note('open_ms', openMs);
      }
      for (const action of ['cell', 'node'] as const) {
        const { answeredMs, sentMs } = await visit(opened, `?do=${action}&typing=${typingMs}`);
        note(action === 'cell' ? 'typed_answer_ms' : 'typed_node_answer_ms', answeredMs - sentMs);
      }
    }
    return { metrics: { ...toBytes(found, files), ...toMedians(times) }, notes };
  } finally {
    await browser.close();
    await server.close();
  }
}

/** The files that each of the four asks for, in a build that is there. */
export async function findStageFiles(files: ReadonlyMap<string, SizedFile>): Promise<StageFiles> {
  const server = await serveSizeApp(files);
  const browser = await launchBrowser();
  try {
    const found: StageFiles = {};
    for (const stage of stages) {
      const { requests } = await visit({ browser, server }, actions[stage], stage === 'tab');
      found[stage] = requests;
    }
    return found;
  } finally {
    await browser.close();
    await server.close();
  }
}

interface Opened {
  readonly browser: Browser;
  readonly server: SizeServer;
}

interface Visit extends AppTimes {
  readonly requests: readonly string[];
}

/** In a browser profile of its own, which has stored nothing. */
async function visit(
  { browser, server }: Opened,
  action: string,
  isSecond = false,
): Promise<Visit> {
  const context = await browser.createBrowserContext();
  try {
    const url = `${server.url}${action}`;
    if (isSecond) {
      await run(context, url);
      await server.quiet();
    }
    server.takeRequests();
    const times = await run(context, url);
    await server.quiet();
    return { ...times, requests: server.takeRequests().toSorted() };
  } finally {
    await context.close();
  }
}

async function run(context: BrowserContext, url: string): Promise<AppTimes> {
  const page = await context.newPage();
  await throttle(page);
  await page.goto(url);
  await page.waitForFunction(() => window.done !== undefined);
  return page.evaluate(() => window.done!);
}

function toBytes(found: StageFiles, files: ReadonlyMap<string, SizedFile>) {
  const metrics: Record<string, number> = {};
  for (const [stage, names] of Object.entries(found)) {
    const { gzipBytes, brotliBytes, requests } = weigh(names, files);
    metrics[`${stage}_gzip_bytes`] = gzipBytes;
    metrics[`${stage}_brotli_bytes`] = brotliBytes;
    metrics[`${stage}_requests`] = requests;
  }
  return metrics;
}

function toMedians(times: Readonly<Record<string, readonly number[]>>) {
  return Object.fromEntries(
    Object.entries(times).map(([metric, all]) => [metric, Math.round(median(all))]),
  );
}
