// What the library does by itself, on one thread and in memory: forks and diffs of a workspace that
// holds the corpus. Driven by page.ts.
import { expose } from 'comlink';
import { createMemoryWorkspace, type ChangeSet } from 'rockpool/workspace';
import { corpusA, corpusPath, createCorpus } from './corpus.ts';
import { fullAccess } from './full-access.ts';

/** Each list is of one figure a round. */
export interface LibraryTimes {
  /** Microseconds, the mean of a thousand forks. */
  readonly forkUs: readonly number[];
  readonly changeMs: readonly number[];
  readonly diffMs: readonly number[];
}

export type LibraryWorker = typeof worker;

const worker = {
  async measureDrafts(rounds: number): Promise<LibraryTimes> {
    const workspace = await createMemoryWorkspace();
    await workspace.commit(toChangeSet(), { author: { kind: 'user' } });
    const address = { root: 'main', minSeq: workspace.seq() };
    const fork = () => workspace.openView(address, fullAccess);
    const times = { forkUs: [] as number[], changeMs: [] as number[], diffMs: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      const forkedAt = performance.now();
      for (let count = 0; count < 1000; count += 1) await fork();
      times.forkUs.push(performance.now() - forkedAt);

      const view = await fork();
      const changedAt = performance.now();
      // Every tenth file, so that the changes are spread over all directories.
      for (let index = 0; index < corpusA.files; index += 10) {
        view.fs.sync.writeFileSync(`/${corpusPath(index)}`, `changed in round ${round}`);
      }
      const diffedAt = performance.now();
      const changeSet = view.changeSet();
      const endedAt = performance.now();
      if (changeSet?.changes.length !== corpusA.files / 10) throw new Error('a wrong diff');
      times.changeMs.push(diffedAt - changedAt);
      times.diffMs.push(endedAt - diffedAt);
    }
    return times;
  },
};

/** The corpus at the root, all of it new. */
function toChangeSet(): ChangeSet {
  const corpus = createCorpus(corpusA);
  const directories = new Set(corpus.map(({ path }) => path.slice(0, path.indexOf('/'))));
  return {
    baseSeq: 0,
    changes: [
      ...[...directories].map((name) => ({
        type: 'mkdir' as const,
        path: `/${name}`,
        baseVersion: 0,
        mode: 0o755,
        mtimeMs: 0,
      })),
      ...corpus.map(({ path, bytes }) => ({
        type: 'write' as const,
        path: `/${path}`,
        baseVersion: 0,
        content: bytes,
        mode: 0o644,
        mtimeMs: 0,
      })),
    ],
  };
}

expose(worker);
