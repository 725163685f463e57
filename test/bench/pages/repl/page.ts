// The page of the Repl bench: does one thing at a time, when ../../repl.ts asks for it, and answers
// with what it took. Times are milliseconds.
import { wrap, type Remote } from 'comlink';
import { createCorpus, type CorpusOptions } from '../workspace/corpus.ts';
import { runAgentCells, type AgentAnswer, type AgentCell } from './agent-cells.ts';
import type { BareEngine, EnginesWorker } from './engines.worker.ts';
import { toFileCell, type FileJob, type FileTime } from './guest-files.ts';
import { toRunSource, toTimingSource, type KernelName, type KernelTime } from './kernels.ts';
import { createOpenHost, type OpenHost, type ServedTools } from './open-host.ts';
import type { SnapshotTimes, TimedReplInput } from './timed-repl.ts';

/** The methods that the suite calls by name. */
export type ReplBenchPage = typeof page;

declare global {
  interface Window {
    /** Set when the page is ready. */
    replBench?: ReplBenchPage;
  }
}

let host: OpenHost | undefined;
let engines: Remote<EnginesWorker> | undefined;

const page = {
  async open(workspace: string, tools?: ServedTools): Promise<void> {
    host = await createOpenHost(workspace, tools);
  },

  /** Runs a cell in the session of this name. Throws where its value isn't the expected one. */
  async runCell(code: string, expected: string, session?: string): Promise<number> {
    const { ms, display } = await opened().runCell(code, session);
    if (display !== expected) throw new Error(`The cell gave ${display}, not ${expected}.`);
    return ms;
  },

  /** A small cell, again and again in one session. */
  async runSmallCells(count: number, session?: string): Promise<number[]> {
    const times: number[] = [];
    for (let index = 0; index < count; index += 1) {
      times.push(await page.runCell(`${index} * 2`, String(index * 2), session));
    }
    return times;
  },

  /** A small cell, each time the first of a session. */
  async startSessions(count: number): Promise<number[]> {
    const times: number[] = [];
    for (let index = 0; index < count; index += 1) {
      times.push(await page.runCell('6 * 7', '42', `session-${index}`));
    }
    return times;
  },

  async timeKernel(name: KernelName): Promise<KernelTime> {
    const { stdout } = await opened().runCell(`console.log(${toTimingSource(name)})`);
    return JSON.parse(stdout) as KernelTime;
  },

  /** The kernel's work once, as one cell. */
  async runJob(name: KernelName, expected: number): Promise<number> {
    return page.runCell(toRunSource(name), String(expected));
  },

  /** Milliseconds until the engine is there, in a worker that is up already. */
  async startEngine(engine: BareEngine): Promise<number> {
    const worker = new Worker(new URL('./engines.worker.ts', import.meta.url), { type: 'module' });
    worker.addEventListener('error', (event) => console.error(`${engine}: ${event.message}`));
    engines = wrap<EnginesWorker>(worker);
    // The worker's own start isn't measured: the host has a worker ready too.
    await engines.timeKernel('v8', 'fib');
    return startIn(engines, engine);
  },

  /** One more engine in the worker that {@link startEngine} started. */
  addEngine: (engine: BareEngine): Promise<number> => startIn(startedEngines(), engine),

  async evaluateBare(engine: BareEngine, count: number): Promise<number[]> {
    const times: number[] = [];
    for (let index = 0; index < count; index += 1) {
      const startedAt = performance.now();
      const text = await startedEngines().evaluate(engine, `${index} * 2`);
      times.push(performance.now() - startedAt);
      if (text !== String(index * 2)) throw new Error(`${engine} gave ${text}.`);
    }
    return times;
  },

  timeKernelBare: (engine: BareEngine | 'v8', name: KernelName): Promise<KernelTime> =>
    startedEngines().timeKernel(engine, name),

  /** Files `0.txt`, `1.txt`, … of text; their sizes added up. */
  async importFiles(directory: string, options: CorpusOptions): Promise<number> {
    const files = createCorpus(options).map(({ bytes }, index) => ({
      path: `${index}.txt`,
      bytes,
    }));
    await opened().importFiles(files, { directory });
    return files.reduce((sum, { bytes }) => sum + bytes.length, 0);
  },

  /** Files of exactly 4 KB of ASCII. */
  async importEvenFiles(directory: string, count: number): Promise<void> {
    // Files of twice the length on average hold enough to cut the even ones from.
    const corpus = createCorpus({ files: count, meanBytes: 8192 });
    const text = await new Blob(corpus.map(({ bytes }) => bytes)).arrayBuffer();
    const files = Array.from({ length: count }, (_, index) => ({
      path: `${index}.txt`,
      bytes: new Uint8Array(text.slice(index * 4096, (index + 1) * 4096)),
    }));
    if (files.some(({ bytes }) => bytes.length !== 4096)) throw new Error('Too little text.');
    await opened().importFiles(files, { directory });
  },

  async goThroughFiles(job: FileJob): Promise<FileTime> {
    const { stdout } = await opened().runCell(toFileCell(job));
    return JSON.parse(stdout) as FileTime;
  },

  /** Until a cell that reads nothing has been answered by a new tool worker. */
  async restartToolWorker(): Promise<void> {
    await opened().killToolWorker();
    await opened().runCell("require('fs'); 0");
  },

  takeSnapshots: async (input: TimedReplInput): Promise<SnapshotTimes> =>
    (await opened().callTool('TimedRepl', input)) as SnapshotTimes,

  runAgentCells: (cells: readonly AgentCell[]): Promise<AgentAnswer[]> =>
    runAgentCells(opened(), cells),
};

function startIn(worker: Remote<EnginesWorker>, engine: BareEngine): Promise<number> {
  return worker.start(engine, new URL('peers/quickjs-emscripten.js', document.baseURI).href);
}

function opened(): OpenHost {
  if (!host) throw new Error('No workspace is open.');
  return host;
}

function startedEngines(): Remote<EnginesWorker> {
  if (!engines) throw new Error('No engine was started.');
  return engines;
}

window.replBench = page;
