// The page of the git bench: fetches the repository that the suite serves, and has a worker measure.
import { wrap } from 'comlink';
import { measureBeside } from './beside-clone.ts';
import type { CloneWorker } from './clone.worker.ts';
import type { LocalFigures, LocalWorker } from './local.worker.ts';

/** The methods that the suite calls by name. */
export type GitBenchPage = typeof page;

declare global {
  interface Window {
    /** Set when the page is ready. */
    gitBench?: GitBenchPage;
  }
}

const page = {
  /** Status, commit and switch of the repository that is served as `<name>.json` and `<name>.bin`. */
  async measureLocal(name: string): Promise<LocalFigures> {
    const places = (await (await fetch(`${name}.json`)).json()) as [path: string, length: number][];
    const bytes = new Uint8Array(await (await fetch(`${name}.bin`)).arrayBuffer());
    let at = 0;
    const files = places.map(([path, length]) => {
      at += length;
      return { path, bytes: bytes.slice(at - length, at) };
    });
    const worker = new Worker(new URL('./local.worker.ts', import.meta.url), { type: 'module' });
    try {
      return await wrap<LocalWorker>(worker).measure(name, files);
    } finally {
      worker.terminate();
    }
  },

  measureBeside,

  /** A clone in a worker of its own, so that nothing of the one before is left. */
  async clone(kind: 'ours' | 'stock', path: string, files: number): Promise<number> {
    const worker = new Worker(new URL('./clone.worker.ts', import.meta.url), { type: 'module' });
    try {
      return await wrap<CloneWorker>(worker).clone(kind, new URL(path, location.href).href, files);
    } finally {
      worker.terminate();
    }
  },
};

window.gitBench = page;
