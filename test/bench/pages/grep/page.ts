// The page of the Grep bench: a workspace with the corpus in it, and calls to the tool worker as an
// agent's host makes them. Times are milliseconds, from the call on the page to the reply on the page.
import { wrap } from 'comlink';
import type { IndexFigures } from '../../grep/measure-index.ts';
import type { GrepFound } from '../../grep/measure-queries.ts';
import { createOpenHost, type OpenHost } from '../repl/open-host.ts';
import type { IndexWorker } from './index.worker.ts';

/** The methods that the suite calls by name. */
export type GrepBenchPage = typeof page;

declare global {
  interface Window {
    /** Set when the page is ready. */
    grepBench?: GrepBenchPage;
  }
}

let host: OpenHost | undefined;

/** The corpus as the suite serves it: paths and lengths, and the bytes of all in one piece. */
async function fetchCorpus(name: string) {
  const places = (await (await fetch(`${name}.json`)).json()) as [path: string, length: number][];
  const bytes = new Uint8Array(await (await fetch(`${name}.bin`)).arrayBuffer());
  let at = 0;
  return places.map(([path, length]) => {
    at += length;
    return { path, bytes: bytes.slice(at - length, at) };
  });
}

/** Beside the log of that workspace. */
async function listIndexes(name: string) {
  const root = await navigator.storage.getDirectory();
  const directory = await (await root.getDirectoryHandle('rockpool')).getDirectoryHandle(name);
  const names: string[] = [];
  for await (const each of directory.keys()) if (each.startsWith('index-')) names.push(each);
  return { directory, names };
}

const page = {
  /** Imports the corpus; the number of its files. */
  async open(name: string): Promise<number> {
    const files = await fetchCorpus(name);
    host = await createOpenHost(name);
    await host.importFiles(files);
    return files.length;
  },

  async grep(input: object): Promise<GrepFound> {
    if (!host) throw new Error('The page has no workspace yet.');
    const startedAt = performance.now();
    const output = (await host.callTool('Grep', input)) as GrepAnswer;
    const ms = performance.now() - startedAt;
    return {
      ms,
      files: output.numFiles,
      lines: output.numLines ?? 0,
      matches: output.numMatches ?? 0,
    };
  },

  /** Until the tool worker's index is saved, and the workspace closed. */
  async close(name: string): Promise<void> {
    while ((await listIndexes(name)).names.length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await host?.[Symbol.asyncDispose]();
  },

  /**
   * The first Grep of a workspace that is opened again, for what is nowhere: with the index that was
   * saved, or without. Its worker has read a file before.
   */
  async reopen(name: string, isSaved: boolean): Promise<number> {
    const { directory, names } = await listIndexes(name);
    if (!isSaved) for (const each of names) await directory.removeEntry(each);
    host = await createOpenHost(name);
    await host.workspace.fs.writeFile('/read-first', 'a line');
    await host.callTool('Read', { file_path: '/read-first' });
    return (await page.grep({ pattern: 'nowhere to be found' })).ms;
  },

  async measureIndex(name: string): Promise<IndexFigures> {
    const files = await fetchCorpus(name);
    const worker = new Worker(new URL('./index.worker.ts', import.meta.url), { type: 'module' });
    try {
      return await wrap<IndexWorker>(worker).measureIndex(files.map(({ bytes }) => bytes));
    } finally {
      worker.terminate();
    }
  },
};

interface GrepAnswer {
  readonly numFiles: number;
  readonly numLines?: number;
  readonly numMatches?: number;
}

window.grepBench = page;
