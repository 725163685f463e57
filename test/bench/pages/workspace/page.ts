// The page of the workspace bench: does one thing at a time, when ../../workspace.ts asks for it, and
// answers with what it took. Times are milliseconds.
import { wrap, type Remote } from 'comlink';
import { measureGrowth, type GrowthOptions, type GrowthTimes } from './measure-growth.ts';
import { createOpenHost, type OpenHost } from './open-host.ts';
import { corpusA, corpusPath, createCorpus } from './corpus.ts';
import type { LibraryTimes, LibraryWorker } from './library.worker.ts';
import type { PeerName, PeersWorker } from './peers.worker.ts';
import { moment } from './moment.ts';
import type { BenchToolOutput } from './bench-tool.ts';

/** How long until a workspace answered. */
export interface OpenTimes {
  /** Of the host: from the call of createBrowserHost to its return, its workers' start included. */
  readonly hostMs: number;
  /** The first file, as the page sees it. */
  readonly firstReadMs: number;
}

/** A read of many files in a tool worker that has just started, and the same again. */
export interface PoolRead {
  readonly coldMs: number;
  readonly warmMs: number;
  readonly characters: number;
}

/** From the write in a tool's handler, and from the call's start on the page, to the acknowledgement. */
export interface ToolWriteTimes {
  readonly fromHandlerMs: readonly number[];
  readonly fromCallMs: readonly number[];
}

/** The methods that the suite calls by name. */
export type WorkspaceBenchPage = typeof page;

declare global {
  interface Window {
    /** Set when the page is ready. */
    workspaceBench?: WorkspaceBenchPage;
  }
}

const directory = '/workspace/corpus';
let host: OpenHost | undefined;
let peer: Remote<PeersWorker> | undefined;

const page = {
  /** Opens a workspace; with a path, reads that file. */
  async open(workspace: string, firstPath?: string): Promise<OpenTimes> {
    const startedAt = performance.now();
    host = await createOpenHost(workspace);
    const openedAt = performance.now();
    if (firstPath !== undefined) await host.workspace.fs.readFile(firstPath);
    const firstReadMs = performance.now() - openedAt;
    return { hostMs: openedAt - startedAt, firstReadMs };
  },

  /** What the FS worker's own `open` took, of the time until the host was there. */
  openMs: (): Promise<number> => opened().openMs,

  async close(): Promise<void> {
    await opened()[Symbol.asyncDispose]();
    host = undefined;
  },

  async destroy(): Promise<void> {
    await opened().destroy();
    host = undefined;
  },

  async importCorpus(): Promise<number> {
    const { importFiles } = opened();
    const corpus = createCorpus(corpusA);
    const startedAt = performance.now();
    const { files } = await importFiles(corpus, { directory });
    const ms = performance.now() - startedAt;
    if (files !== corpusA.files) throw new Error(`${files} files were imported.`);
    return ms;
  },

  /** Overwrites files of the corpus with 1 KB, each acknowledged before the next. */
  async writeOneByOne(count: number): Promise<number[]> {
    const { write } = opened();
    const times: number[] = [];
    for (let index = 0; index < count; index += 1) {
      const path = `${directory}/${corpusPath((index * 7) % 700)}`;
      const startedAt = performance.now();
      await write(path);
      times.push(performance.now() - startedAt);
    }
    return times;
  },

  /** Milliseconds for each of `inFlight` writes that are sent at once. One figure a round. */
  async writeInBulk(rounds: number, inFlight: number): Promise<number[]> {
    const { write } = opened();
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const paths = Array.from({ length: inFlight }, (_, at) => `${directory}/${corpusPath(at)}`);
      const startedAt = performance.now();
      await Promise.all(paths.map((path) => write(path)));
      times.push((performance.now() - startedAt) / inFlight);
    }
    return times;
  },

  /** A tool's write, as the agent makes it: call, handler, change set, commit, acknowledgement. */
  async writeByTool(count: number): Promise<ToolWriteTimes> {
    const { callTool, commit } = opened();
    const text = 'x'.repeat(1024);
    const times = { fromHandlerMs: [] as number[], fromCallMs: [] as number[] };
    for (let index = 0; index < count; index += 1) {
      const path = `${directory}/${corpusPath(index % 100)}`;
      const calledAt = moment();
      const { output, changeSet } = await callTool({
        operation: 'write',
        paths: [path],
        // Not what stands there, or nothing would be changed.
        text: text + index,
      });
      if (!changeSet) throw new Error('The tool wrote nothing.');
      await commit(changeSet);
      const endedAt = moment();
      times.fromHandlerMs.push(endedAt - output.startedAt);
      times.fromCallMs.push(endedAt - calledAt);
    }
    return times;
  },

  /** From the acknowledgement of a write to a tool in the worker having read it. */
  async lookElsewhere(count: number): Promise<number[]> {
    const { callTool, writeText } = opened();
    const times: number[] = [];
    for (let index = 0; index < count; index += 1) {
      const path = `${directory}/${corpusPath(index % 100)}`;
      const text = `written for round ${index}`;
      await writeText(path, text);
      const acknowledgedAt = moment();
      const { output } = await callTool({ operation: 'look', paths: [path], text });
      times.push(output.endedAt - acknowledgedAt);
    }
    return times;
  },

  async callTool(): Promise<void> {
    await opened().callTool({ operation: 'nothing' });
  },

  async restartToolWorker(): Promise<void> {
    await opened().restartToolWorker();
  },

  /** Cold if nothing was read since the tool worker started. */
  async readInPool(operation: 'read-many' | 'read-sync', files: number): Promise<PoolRead> {
    const { callTool } = opened();
    const paths = Array.from({ length: files }, (_, at) => `${directory}/${corpusPath(at)}`);
    const read = async (): Promise<BenchToolOutput> =>
      (await callTool({ operation, paths })).output;
    const cold = await read();
    const warm = await read();
    return { coldMs: cold.ms, warmMs: warm.ms, characters: cold.characters };
  },

  /** Copies of the whole corpus (they share its contents), removed one after the other. */
  async removeTrees(copies: number): Promise<number[]> {
    const { fs } = opened().workspace;
    const times: number[] = [];
    for (let copy = 0; copy < copies; copy += 1) {
      const tree = `/workspace/copy-${copy}`;
      await fs.cp(directory, tree, { recursive: true });
      if ((await fs.readdir(tree, { recursive: true })).length < corpusA.files) {
        throw new Error('The copy is not whole.');
      }
      const startedAt = performance.now();
      await fs.rm(tree, { recursive: true });
      times.push(performance.now() - startedAt);
    }
    return times;
  },

  /** Writes a file every 100 ms, for so long. */
  async keepWriting(forMs: number): Promise<void> {
    const { write } = opened();
    for (const until = performance.now() + forMs; performance.now() < until;) {
      await write(`${directory}/${corpusPath(3)}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  },

  measureGrowth: (options: GrowthOptions): Promise<GrowthTimes> => measureGrowth(options),

  async measureDrafts(rounds: number): Promise<LibraryTimes> {
    const worker = new Worker(new URL('./library.worker.ts', import.meta.url), { type: 'module' });
    try {
      return await wrap<LibraryWorker>(worker).measureDrafts(rounds);
    } finally {
      worker.terminate();
    }
  },

  /** Collects garbage in the page and in its workers, where the browser lets one. */
  async collect(): Promise<void> {
    (globalThis as { gc?: () => void }).gc?.();
    await host?.collect();
    await peer?.collect();
  },

  /** As {@link PeersWorker.open}, in a new worker. */
  async openPeer(name: PeerName, firstPath?: string): Promise<number> {
    const worker = new Worker(new URL('./peers.worker.ts', import.meta.url), { type: 'module' });
    worker.addEventListener('error', (event) => console.error(`${name}: ${event.message}`));
    peer = wrap<PeersWorker>(worker);
    return peer.open(name, new URL(`peers/${name}.js`, document.baseURI).href, firstPath);
  },

  /** Calls a method of the peer's worker: {@link PeersWorker} has their types. */
  async callPeer(method: keyof PeersWorker, parameters: readonly unknown[]): Promise<unknown> {
    if (!peer) throw new Error('No peer is open.');
    const call = peer[method] as unknown as (...all: readonly unknown[]) => Promise<unknown>;
    return call(...parameters);
  },
};

function opened(): OpenHost {
  if (!host) throw new Error('No workspace is open.');
  return host;
}

window.workspaceBench = page;
