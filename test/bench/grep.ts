// `npm run bench -- grep`: our Grep beside native ripgrep on the same files, in real Chromium and in
// Node. What each metric is stands in grep/notes.ts.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { BenchResult } from '../../scripts/bench.ts';
import { serveBuiltPage } from '../../scripts/serve-built-page.ts';
import { isolatingHeaders } from '../support/browser/isolating-headers.ts';
import { findCommand, startCommandTimer } from './grep/command-timer.ts';
import { installCorpus, readCorpus, writeCorpus, type CorpusFile } from './grep/corpus.ts';
import { goals } from './grep/goals.ts';
import { measureJustBash } from './grep/measure-just-bash.ts';
import { measureMode, toFigures, type Ratios, type Ripgrep } from './grep/measure-queries.ts';
import { fillWorkspace, grepInNode } from './grep/node-grep.ts';
import { notes } from './grep/notes.ts';
import type { BenchMode } from './grep/queries.ts';
import type { GrepBenchPage } from './pages/grep/page.ts';
import { withTab } from './repl/bench-page.ts';
import { describeLoad } from './repl/describe-load.ts';
import { median } from './workspace/statistics.ts';

const modes: readonly BenchMode[] = ['files', 'limited', 'count', 'unlimited'];

export async function bench(): Promise<BenchResult> {
  const found = findCommand(['rg']);
  if (!found) throw new Error('This bench needs ripgrep: install it, so that `rg` is a command.');
  const folder = installCorpus();
  const files = readCorpus(folder);
  using timer = startCommandTimer();
  const ripgrep: Ripgrep = { timer, command: found.command, folder };
  const metrics: Record<string, number> = {};
  const differences: string[] = [];
  const add = (prefix: string, measured: Ratios) => {
    Object.assign(metrics, toFigures(prefix, measured));
    differences.push(...measured.differences);
  };

  await measureInChromium(files, ripgrep, metrics, add);
  await measureInNode(files, ripgrep, metrics, add);
  say('a corpus of 3,000 files and one of 30,000');
  Object.assign(metrics, await measureGrowth(files, ripgrep));
  say('just-bash');
  metrics['vs_just_bash'] = await measureJustBash(files);

  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
  return {
    metrics: {
      ...metrics,
      corpus_files: files.length,
      corpus_mb: bytes / 1e6,
      different_answers: differences.length,
    },
    notes: [...notes, ...differences, `${found.version}.`, describeLoad()],
    goals,
  };
}

type Add = (prefix: string, measured: Ratios) => void;

async function measureInChromium(
  files: readonly CorpusFile[],
  ripgrep: Ripgrep,
  metrics: Record<string, number>,
  add: Add,
): Promise<void> {
  const served = new Map<string, string | Uint8Array>([
    ['corpus.json', JSON.stringify(files.map(({ path, bytes }) => [path, bytes.length]))],
    ['corpus.bin', Buffer.concat(files.map(({ bytes }) => bytes))],
  ]);
  const built = await serveBuiltPage({
    page: 'test/bench/pages/grep.html',
    headers: isolatingHeaders,
    handle(path, _request, response) {
      const content = served.get(path);
      if (content === undefined) return false;
      response.setHeader('content-type', 'application/octet-stream').end(content);
      return true;
    },
  });
  try {
    await withTab(async (tab) => {
      await tab.goto(built.url);
      await tab.waitForFunction(() => window.grepBench !== undefined);
      say('the index, in a worker');
      const index = await tab.evaluate(() => window.grepBench?.measureIndex('corpus'));
      Object.assign(metrics, index);
      await tab.evaluate(() => window.grepBench?.open('corpus'));
      const run = async (input: object): ReturnType<GrepBenchPage['grep']> => {
        const found = await tab.evaluate((value) => window.grepBench?.grep(value), input);
        if (!found) throw new Error('The page is gone.');
        return found;
      };
      // All files are read and indexed by it, as by any search that finds nothing.
      await run({ pattern: 'nowhere to be found' });
      for (const mode of modes) {
        say(`${mode}, in Chromium`);
        add(mode, await measureMode(mode, run, ripgrep));
      }
      say('the index of a workspace that is opened again');
      const reopened: number[] = [];
      const rebuilt: number[] = [];
      for (let round = 0; round < 3; round += 1) {
        for (const [times, isSaved] of [[reopened, true] as const, [rebuilt, false] as const]) {
          await tab.evaluate(() => window.grepBench?.close('corpus'));
          const reopen = (saved: boolean) => window.grepBench?.reopen('corpus', saved);
          times.push((await tab.evaluate(reopen, isSaved)) ?? Number.NaN);
        }
      }
      metrics['reopen_index_ms'] = median(reopened);
      metrics['rebuild_index_ms'] = median(rebuilt);
    });
  } finally {
    await built.close();
  }
}

async function measureInNode(
  files: readonly CorpusFile[],
  ripgrep: Ripgrep,
  metrics: Record<string, number>,
  add: Add,
): Promise<void> {
  await using workspace = await fillWorkspace(files);
  const before = heldBytes();
  const run = (input: object) => grepInNode(workspace, input);
  await run({ pattern: 'nowhere to be found' });
  for (const mode of modes) {
    say(`${mode}, in Node`);
    add(`node_${mode}`, await measureMode(mode, run, ripgrep));
  }
  metrics['search_mb'] = (heldBytes() - before) / 1e6;
}

async function measureGrowth(files: readonly CorpusFile[], ripgrep: Ripgrep) {
  const copy = files.map(({ path, bytes }) => ({ path: `copy/${path}`, bytes: bytes.slice() }));
  const medianOver = async (some: readonly CorpusFile[]): Promise<number> => {
    await using workspace = await fillWorkspace(some);
    using folder = writeCorpus(some);
    const run = (input: object) => grepInNode(workspace, input);
    await run({ pattern: 'nowhere to be found' });
    return median((await measureMode('files', run, { ...ripgrep, folder: folder.path }, 1)).ratios);
  };
  return {
    files_median_3k: await medianOver(files.slice(0, 3000)),
    files_median_30k: await medianOver([...files, ...copy]),
  };
}

/** After all garbage was collected. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** On the way, so that a person sees that it goes on. */
function say(stage: string): void {
  console.error(`bench: ${stage}`);
}
