// just-bash's own rg over its own file system in memory, beside our Grep over the same files.
import { importPeer } from '../peers/build-peers.ts';
import { median } from '../workspace/statistics.ts';
import type { CorpusFile } from './corpus.ts';
import { fillWorkspace, grepInNode } from './node-grep.ts';

/** As much of just-bash as is used. */
interface JustBash {
  readonly Bash: new (options: {
    readonly files: Readonly<Record<string, string>>;
    readonly cwd: string;
  }) => { exec(command: string): Promise<{ readonly stdout: string; readonly exitCode: number }> };
}

const patterns = ['useEffect', 'import', 'function\\s+\\w+', 'TODO|FIXME', '\\w+Handler\\('];

export async function measureJustBash(files: readonly CorpusFile[]): Promise<number> {
  const some = files.slice(0, 1000);
  const { Bash } = (await importPeer('just-bash')) as JustBash;
  const decoder = new TextDecoder();
  const bash = new Bash({
    files: Object.fromEntries(
      some.map(({ path, bytes }) => [`/corpus/${path}`, decoder.decode(bytes)]),
    ),
    cwd: '/corpus',
  });
  await using workspace = await fillWorkspace(some);
  const ratios: number[] = [];
  for (const pattern of patterns) {
    const input = { pattern, output_mode: 'files_with_matches', head_limit: 0 };
    await grepInNode(workspace, input);
    const ours: number[] = [];
    for (let round = 0; round < 5; round += 1) ours.push((await grepInNode(workspace, input)).ms);
    const startedAt = performance.now();
    const { exitCode } = await bash.exec(`rg -l '${pattern}'`);
    if (exitCode > 1) throw new Error(`just-bash's rg ended with ${exitCode} for ${pattern}.`);
    ratios.push((performance.now() - startedAt) / median(ours));
  }
  return median(ratios);
}
