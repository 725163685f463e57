// `npm run bench -- workspace`: the workspace in real Chromium, with 10 000 files of 41 MB, beside
// lightning-fs, memfs and ZenFS in the same run. What each metric is stands in workspace/notes.ts.
import { setTimeout } from 'node:timers/promises';
import type { BenchResult } from '../../scripts/bench.ts';
import { serveBuiltPage } from '../../scripts/serve-built-page.ts';
import { isolatingHeaders } from '../support/browser/isolating-headers.ts';
import { buildPeers } from './peers/build-peers.ts';
import { createProfile, launchBrowser, type BenchBrowser } from './workspace/bench-browser.ts';
import { goals } from './workspace/goals.ts';
import { measureMemory } from './workspace/measure-memory.ts';
import {
  importBoth,
  measureColdOpen,
  measureReads,
  measureSecondTab,
  measureTheirRemoval,
  measureWrites,
  firstLine,
  type Figures,
  type Stage,
} from './workspace/measure-storage.ts';
import { measureDrafts, measureGrowth, measureOtherPeers } from './workspace/measure-scaling.ts';
import { notes } from './workspace/notes.ts';
import { median } from './workspace/statistics.ts';

// 2 min: the longest stage is ZenFS with its 60 s. What doesn't answer must not stop the rest.
const stageLimitMs = 120_000;

export async function bench(): Promise<BenchResult> {
  const peers = await buildPeers(['lightning-fs', 'memfs', 'zenfs']);
  const page = await serveBuiltPage({
    page: 'test/bench/pages/workspace/page.html',
    headers: isolatingHeaders,
    handle(path, _request, response) {
      if (path === 'empty') {
        response.setHeader('content-type', 'text/html').end('<!doctype html><title>Empty</title>');
        return true;
      }
      const code = path.startsWith('peers/') ? peers.get(path.slice('peers/'.length)) : undefined;
      if (code === undefined) return false;
      response.setHeader('content-type', 'text/javascript').end(code);
      return true;
    },
  });
  try {
    const stored = await measureStored(page.url);
    const others = await measureInFreshProfile(page.url);
    const found = together([stored, others]);
    return { metrics: inOrder(found.figures), notes: [...notes, ...found.notes], goals };
  } finally {
    await page.close();
  }
}

/** Imports into fresh profiles, in turn; the last of them is worked on. */
async function measureStored(url: string): Promise<Stage> {
  const rounds = 3;
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 1; ; round += 1) {
    const profile = createProfile();
    try {
      say(`import, round ${round} of ${rounds}`);
      const both = await withBrowser(() => launchBrowser(profile, url), importBoth);
      ours.push(both.ours);
      theirs.push(both.theirs);
      if (round < rounds) continue;

      const imports = {
        import_vs_lightning_fs: median(theirs) / median(ours),
        import_ms: median(ours),
        lightning_fs_import_ms: median(theirs),
      };
      return together([
        { figures: imports, notes: [] },
        await attempt('memory', () => measureMemory(profile, url)),
        await withBrowser(() => launchBrowser(profile, url), measureOpened),
      ]);
    } finally {
      profile[Symbol.dispose]();
    }
  }
}

/** In this order: what is read is counted before it is written to. */
async function measureOpened(browser: BenchBrowser): Promise<Stage> {
  return together([
    await attempt('cold open', () => measureColdOpen(browser, 5)),
    await attempt('reads', () => measureReads(browser, 3)),
    await attempt('writes', () => measureWrites(browser)),
    await attempt('second tab', () => measureSecondTab(browser)),
    await attempt('removal by lightning-fs', () => measureTheirRemoval(browser)),
  ]);
}

async function measureInFreshProfile(url: string): Promise<Stage> {
  const profile = createProfile();
  try {
    return await withBrowser(
      () => launchBrowser(profile, url),
      async (browser) =>
        together([
          await attempt('drafts', () => measureDrafts(browser)),
          await attempt('growth', () => measureGrowth(browser)),
          await attempt('memfs and ZenFS', () => measureOtherPeers(browser)),
        ]),
    );
  } finally {
    profile[Symbol.dispose]();
  }
}

async function withBrowser<Result>(
  launch: () => Promise<BenchBrowser>,
  work: (browser: BenchBrowser) => Promise<Result>,
): Promise<Result> {
  const browser = await launch();
  try {
    return await work(browser);
  } finally {
    await browser.close();
  }
}

/** In the order of the goals, and then the rest; what is missing is null. */
function inOrder(figures: Figures): Figures {
  const wanted = goals.flatMap(({ metric, beside = [] }) => [metric, ...beside]);
  const names = [...new Set([...wanted, ...Object.keys(figures)])];
  // Four digits: more would say that the measurement is good for them.
  const rounded = (value: number | null | undefined) =>
    value === null || value === undefined ? null : Number(value.toPrecision(4));
  return Object.fromEntries(names.map((name) => [name, rounded(figures[name])]));
}

/** A stage that fails leaves its metrics out and says why: the others are worth knowing. */
async function attempt(name: string, measure: () => Promise<Figures | Stage>): Promise<Stage> {
  say(name);
  try {
    const tooLong = setTimeout(stageLimitMs, undefined, { ref: false }).then(() => {
      throw new Error(`It took longer than ${stageLimitMs / 1000} s.`);
    });
    const found = await Promise.race([measure(), tooLong]);
    return isStage(found) ? found : { figures: found, notes: [] };
  } catch (error) {
    console.error(error);
    return { figures: {}, notes: [`${name}: not measured, because of: ${firstLine(error)}`] };
  }
}

function isStage(found: Figures | Stage): found is Stage {
  return Array.isArray(found['notes']);
}

function together(stages: readonly Stage[]): Stage {
  return {
    figures: Object.assign({}, ...stages.map(({ figures }) => figures)) as Figures,
    notes: stages.flatMap(({ notes: own }) => own),
  };
}

/** On the way, so that a person sees that it goes on. */
function say(stage: string): void {
  console.error(`bench: ${stage}`);
}
