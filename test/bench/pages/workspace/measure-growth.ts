// How a write's cost depends on what else is there. Workspaces of several sizes are open at the
// same time and written to in turn. So whatever else the machine does weighs on all alike.
import { createCorpus } from './corpus.ts';
import { createOpenHost } from './open-host.ts';

/** The sizes are numbers of files, of 256 bytes on average; the flat ones stand in one directory. */
export interface GrowthOptions {
  readonly sizes: readonly number[];
  readonly flatSize: number;
  readonly warmUp: number;
  readonly rounds: number;
}

/** Milliseconds of each durable write of 1 KB to a new file, and what the imports took. */
export interface GrowthTimes {
  readonly bySize: readonly (readonly [files: number, times: readonly number[]])[];
  readonly flat: readonly number[];
  readonly importMs: readonly number[];
}

const directory = '/workspace/corpus';

export async function measureGrowth(options: GrowthOptions): Promise<GrowthTimes> {
  const { sizes, flatSize, warmUp, rounds } = options;
  const subjects = [];
  for (const [files, flat] of [
    ...sizes.map((size) => [size, false] as const),
    [flatSize, true] as const,
  ]) {
    const host = await createOpenHost(`growth-${flat ? 'flat-' : ''}${files}`);
    const corpus = createCorpus({ files, meanBytes: 256, flat });
    const startedAt = performance.now();
    const imported = await host.importFiles(corpus, { directory });
    const importMs = performance.now() - startedAt;
    if (imported.files !== files) throw new Error(`${imported.files} files were imported.`);
    const pathOf = (round: number) => {
      // Spread over the directories, whatever their number.
      const at = (round * 7919) % (files / 20);
      return `${directory}/${flat ? 'flat' : `directory-${at}`}/new-${round}.ts`;
    };
    subjects.push({ host, files, flat, importMs, pathOf, times: [] as number[] });
  }
  for (let round = 0; round < warmUp + rounds; round += 1) {
    for (const { host, pathOf, times } of subjects) {
      const startedAt = performance.now();
      await host.write(pathOf(round), { isNew: true });
      if (round >= warmUp) times.push(performance.now() - startedAt);
    }
  }
  for (const { host } of subjects) await host.destroy();
  return {
    bySize: subjects.filter(({ flat }) => !flat).map(({ files, times }) => [files, times] as const),
    flat: subjects.find(({ flat }) => flat)?.times ?? [],
    importMs: subjects.map(({ importMs }) => importMs),
  };
}
