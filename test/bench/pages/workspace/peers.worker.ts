// Another file system, in a worker of its own, doing what Rockpool's workspace is measured at. Each
// gets its best: many files are written and read 64 at a time, which is faster for all of them.
import { expose } from 'comlink';
import { corpusA, corpusPath, createCorpus } from './corpus.ts';

export type PeerName = 'lightning-fs' | 'memfs' | 'zenfs';

/** As much of `fs.promises` as is measured. */
interface PeerPromises {
  mkdir(path: string): Promise<unknown>;
  readdir(path: string): Promise<readonly string[]>;
  readFile(path: string): Promise<Uint8Array>;
  rmdir(path: string): Promise<void>;
  unlink(path: string): Promise<void>;
  writeFile(path: string, bytes: Uint8Array): Promise<unknown>;
  /** lightning-fs keeps names in memory until it is called, or until half a second after the last use. */
  flush?(): Promise<void>;
}

interface PeerFs {
  readonly promises: PeerPromises;
  readonly readFileSync?: (path: string) => Uint8Array;
}

/** How far the import came within its limit. */
export interface PeerImport {
  readonly ms: number;
  readonly files: number;
}

/** What build-peers.ts bundles, by its names there. */
interface PeerModules {
  readonly 'lightning-fs': { readonly LightningFs: new (name: string) => PeerFs };
  readonly memfs: { readonly memfs: () => { readonly fs: PeerFs } };
  readonly zenfs: {
    readonly configureSingle: (options: object) => Promise<void>;
    readonly IndexedDB: object;
    readonly fs: PeerFs;
  };
}

export type PeersWorker = typeof worker;

const batchFiles = 64;
let fs: PeerFs | undefined;

const worker = {
  /** Milliseconds until the file system is there and, if a path is given, has read it. */
  async open(peer: PeerName, url: string, firstPath?: string): Promise<number> {
    const load: unknown = await import(/* @vite-ignore */ url);
    const startedAt = performance.now();
    fs = await openPeer(peer, load);
    if (firstPath !== undefined) await fs.promises.readFile(firstPath);
    return performance.now() - startedAt;
  },

  /** All is durable at the end, where the peer can do that. Stops between batches at the limit. */
  async importCorpus(limitMs: number): Promise<PeerImport> {
    const { promises } = opened();
    const corpus = createCorpus(corpusA);
    const startedAt = performance.now();
    const made = new Set<string>();
    let files = 0;
    while (files < corpus.length && performance.now() - startedAt < limitMs) {
      const batch = corpus.slice(files, files + batchFiles);
      for (const { path } of batch) {
        const directory = `/${path.slice(0, path.indexOf('/'))}`;
        if (made.has(directory)) continue;
        await promises.mkdir(directory);
        made.add(directory);
      }
      await Promise.all(batch.map(({ path, bytes }) => promises.writeFile(`/${path}`, bytes)));
      files += batch.length;
    }
    await promises.flush?.();
    return { ms: performance.now() - startedAt, files };
  },

  /** Reads and decodes the first files. */
  async read(files: number): Promise<{ readonly ms: number; readonly characters: number }> {
    const { promises } = opened();
    const paths = Array.from({ length: files }, (_, index) => `/${corpusPath(index)}`);
    let characters = 0;
    const startedAt = performance.now();
    for (let at = 0; at < files; at += batchFiles) {
      const batch = paths.slice(at, at + batchFiles);
      const contents = await Promise.all(batch.map((path) => promises.readFile(path)));
      for (const content of contents) characters += new TextDecoder().decode(content).length;
    }
    return { ms: performance.now() - startedAt, characters };
  },

  readSync(files: number): { readonly ms: number; readonly characters: number } {
    const { readFileSync } = opened();
    if (!readFileSync) throw new Error('This peer reads nothing synchronously.');
    let characters = 0;
    const startedAt = performance.now();
    for (let index = 0; index < files; index += 1) {
      characters += new TextDecoder().decode(readFileSync(`/${corpusPath(index)}`)).length;
    }
    return { ms: performance.now() - startedAt, characters };
  },

  /** Milliseconds of each write of 1 KB, durable where the peer can do that. */
  async write(count: number): Promise<number[]> {
    const { promises } = opened();
    const bytes = new Uint8Array(1024).fill(97);
    const times: number[] = [];
    for (let index = 0; index < count; index += 1) {
      const startedAt = performance.now();
      await promises.writeFile(`/${corpusPath(index * 7)}`, bytes);
      await promises.flush?.();
      times.push(performance.now() - startedAt);
    }
    return times;
  },

  /** Writes a file every 100 ms, for so long. */
  async keepWriting(forMs: number): Promise<void> {
    const { promises } = opened();
    const bytes = new Uint8Array(1024).fill(98);
    for (const until = performance.now() + forMs; performance.now() < until;) {
      await promises.writeFile(`/${corpusPath(3)}`, bytes);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  },

  async removeTree(): Promise<number> {
    const { promises } = opened();
    const startedAt = performance.now();
    for (const directory of await promises.readdir('/')) {
      const names = await promises.readdir(`/${directory}`);
      await Promise.all(names.map((name) => promises.unlink(`/${directory}/${name}`)));
      await promises.rmdir(`/${directory}`);
    }
    await promises.flush?.();
    return performance.now() - startedAt;
  },

  /** With --js-flags=--expose-gc. */
  collect(): void {
    (globalThis as { gc?: () => void }).gc?.();
  },
};

async function openPeer(peer: PeerName, loaded: unknown): Promise<PeerFs> {
  switch (peer) {
    case 'lightning-fs':
      return new (loaded as PeerModules['lightning-fs']).LightningFs('bench');
    case 'memfs':
      return (loaded as PeerModules['memfs']).memfs().fs;
    case 'zenfs': {
      const { configureSingle, IndexedDB, fs: zenfs } = loaded as PeerModules['zenfs'];
      await configureSingle({ backend: IndexedDB, storeName: 'bench-zenfs' });
      return zenfs;
    }
  }
}

function opened(): PeerFs {
  if (!fs) throw new Error('No peer is open.');
  return fs;
}

expose(worker);
