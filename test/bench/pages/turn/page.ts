// The page of the turn bench: runs one conversation of one contender when ../../turn.ts asks for it,
// and tells what it took. Times are milliseconds.
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import { createBrowserHost, type BrowserHost } from 'rockpool/browser';
import { beatMs, startHeartbeat } from '../../../support/browser/heartbeat.ts';
import { corpus, edited } from '../../turn/scenarios.ts';
import { createCorpus } from '../workspace/corpus.ts';
import type { ContenderName } from './contender-names.ts';
import { run, runOwn, type Hosts, type Run } from './contenders.ts';
import { followLoop } from './loop.ts';
import { createPlainHost } from './plain-tools.ts';
import toolWorkerUrl from './tool.worker.ts?worker&url';

/** What one conversation took. */
export interface TurnTime {
  readonly ms: number;
  /** The longest time in which the page could do nothing. */
  readonly blockedMs: number;
}

/** The methods that the suite calls by name. */
export type TurnBenchPage = typeof page;

declare global {
  interface Window {
    /** Set when the page is ready. */
    turnBench?: TurnBenchPage;
  }
}

let hosts: Hosts | undefined;
let wide: BrowserHost | undefined;

const assets = { toolWorker: toolWorkerUrl, wasm: wasmUrl };

const page = {
  /** Opens a workspace for each side and puts the corpus into both. */
  async open(): Promise<void> {
    const own = await createBrowserHost({
      workspace: 'turns',
      assets,
    });
    const plain = await createPlainHost();
    const files = createCorpus(corpus);
    await own.importFiles(files);
    for (const { path, bytes } of files) {
      const name = `${plain.cwd}/${path}`;
      await plain.workspace.fs.mkdir(name.slice(0, name.lastIndexOf('/')), { recursive: true });
      await plain.workspace.fs.writeFile(name, bytes);
    }
    hosts = { own, plain };
  },

  async run(contender: ContenderName, work: Run): Promise<TurnTime> {
    for (const { workspace, cwd } of Object.values(opened())) {
      await workspace.fs.writeFile(`${cwd}/${edited.path}`, edited.text);
    }
    return measure(() => run(contender, opened(), work));
  },

  /** Ours, with as many workers as the turn has calls. */
  async runWide(work: Run): Promise<TurnTime> {
    const host = (wide ??= await createBrowserHost({
      workspace: 'wide',
      driver: 'memory',
      toolWorkers: 8,
      assets,
    }));
    return measure(() => runOwn(host, work));
  },

  /** From the host's abort to the end of the call's own loop. */
  async abort(work: Run): Promise<number> {
    const controller = new AbortController();
    using loop = followLoop();
    const running = runOwn(opened().own, work, controller).catch(() => undefined);
    await loop.begun;
    const abortedAt = performance.timeOrigin + performance.now();
    controller.abort();
    const endedAt = await loop.ended;
    await running;
    return endedAt - abortedAt;
  },
};

function opened(): Hosts {
  if (!hosts) throw new Error('Nothing is open.');
  return hosts;
}

async function measure(work: () => Promise<void>): Promise<TurnTime> {
  const heartbeat = startHeartbeat();
  const startedAt = performance.now();
  let ms: number;
  let blockedMs: number;
  try {
    await work();
    ms = performance.now() - startedAt;
    // One more beat, so that a block at the very end counts.
    await new Promise((resolve) => setTimeout(resolve, beatMs));
  } finally {
    blockedMs = Math.max(heartbeat.stop() - beatMs, 0);
  }
  return { ms, blockedMs };
}

window.turnBench = page;
