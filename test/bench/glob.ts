// `npm run bench -- glob`: our Glob over 30,000 paths, beside `rg --files -g`, fd, and picomatch.
import type { BenchResult } from '../../scripts/bench.ts';
import type { GlobInput } from '../../src/tools/glob/schema.ts';
import { globWorker } from '../../src/tools/glob/worker.ts';
import { compileGlobs } from '../../src/core/glob/search-glob.ts';
import { goals } from './glob/goals.ts';
import { findCommand, startCommandTimer, type CommandTimer } from './grep/command-timer.ts';
import { writeCorpus, type CorpusFile } from './grep/corpus.ts';
import { fillWorkspace, openNodeView, type NodeWorkspace } from './grep/node-grep.ts';
import { importPeer } from './peers/build-peers.ts';
import { describeLoad } from './repl/describe-load.ts';
import { median } from './workspace/statistics.ts';

// What a model asks for; without extended globs, which picomatch alone has.
const globs = [
  '*.ts',
  '**/*.ts',
  'src/**/*.tsx',
  '**/test/**',
  '**/*.{js,jsx}',
  'package-1?/src/*.ts',
  '**/file-12*.ts',
  '**/[a-c]*/*.md',
  '**/deep/**/index.*',
  'nothing/**/here',
];

const rounds = 5;

const notes: readonly string[] = [
  `${globs.length} globs over 30,000 empty files in 3,000 directories. Medians of ${rounds} rounds ` +
    'each, in turn; over the globs the median and, of ratios, the least. In Node, over a workspace ' +
    'in memory.',
  'glob_ms: the tool’s body with a glob that it has not been asked for since the last change; ' +
    'glob_again_ms: the same glob again; first_glob_ms: the first of a workspace, which lists it; ' +
    'after_write_ms: the first after one file was written.',
  'rg_ms is `rg --files --hidden -g`, fd_ms `fd --hidden --type f --glob` with --full-path; both from ' +
    'a small process, on as many threads as they like. vs_*: what they take by glob_ms.',
  'match_ms and picomatch_ms: compiling a glob and asking it of all paths, no files involved.',
  'different_answers: globs for which rg lists another number of files.',
];

export async function bench(): Promise<BenchResult> {
  const rg = findCommand(['rg']);
  const fd = findCommand(['fd', 'fdfind']);
  const files = createFiles();
  using folder = writeCorpus(files);
  using timer = startCommandTimer();
  await using workspace = await fillWorkspace(files);
  const firstMs = (await glob(workspace, 'nothing')).ms;
  const times: GlobTimes[] = [];
  for (const [at, pattern] of globs.entries()) {
    times.push(await timeGlob(workspace, pattern, at, { timer, rg, fd, folder: folder.path }));
  }
  const of = (pick: (time: GlobTimes) => number | undefined): number[] =>
    times.flatMap((time) => pick(time) ?? []);
  const ratios = (theirs: (time: GlobTimes) => number | undefined) =>
    times.flatMap((time) => {
      const ms = theirs(time);
      return ms === undefined ? [] : [ms / time.freshMs];
    });
  const told = (values: readonly number[], tell: (all: readonly number[]) => number) =>
    values.length === 0 ? null : tell(values);
  const least = (values: readonly number[]) => Math.min(...values);
  return {
    metrics: {
      glob_ms: median(of(({ freshMs }) => freshMs)),
      glob_again_ms: median(of(({ againMs }) => againMs)),
      first_glob_ms: firstMs,
      after_write_ms: median(of(({ writtenMs }) => writtenMs)),
      rg_ms: told(
        of(({ rgMs }) => rgMs),
        median,
      ),
      vs_rg_median: told(
        ratios(({ rgMs }) => rgMs),
        median,
      ),
      vs_rg_min: told(
        ratios(({ rgMs }) => rgMs),
        least,
      ),
      fd_ms: told(
        of(({ fdMs }) => fdMs),
        median,
      ),
      vs_fd_median: told(
        ratios(({ fdMs }) => fdMs),
        median,
      ),
      vs_fd_min: told(
        ratios(({ fdMs }) => fdMs),
        least,
      ),
      ...(await measureMatching(files)),
      different_answers: rg ? times.filter(({ isDifferent }) => isDifferent).length : null,
    },
    notes: [
      ...notes,
      rg ? `${rg.version}.` : 'ripgrep is not installed here.',
      fd ? `${fd.version}.` : 'fd is not installed here.',
      describeLoad(),
    ],
    goals,
  };
}

interface GlobTimes {
  readonly freshMs: number;
  readonly againMs: number;
  readonly writtenMs: number;
  readonly rgMs: number | undefined;
  readonly fdMs: number | undefined;
  readonly isDifferent: boolean;
}

interface Peers {
  readonly timer: CommandTimer;
  readonly rg: { readonly command: string } | undefined;
  readonly fd: { readonly command: string } | undefined;
  readonly folder: string;
}

async function timeGlob(
  workspace: NodeWorkspace,
  pattern: string,
  at: number,
  { timer, rg, fd, folder }: Peers,
): Promise<GlobTimes> {
  const kept: Record<'written' | 'fresh' | 'again' | 'rg' | 'fd', number[]> = {
    written: [],
    fresh: [],
    again: [],
    rg: [],
    fd: [],
  };
  let isDifferent = false;
  for (let round = 0; round < rounds; round += 1) {
    await workspace.fs.writeFile('/workspace/package-0/src/index.ts', `${at} ${round}`);
    kept.written.push((await glob(workspace, 'nothing')).ms);
    const { ms, count } = await glob(workspace, pattern);
    kept.fresh.push(ms);
    kept.again.push((await glob(workspace, pattern)).ms);
    if (rg) {
      const listed = await timer.time(
        rg.command,
        ['--no-config', '--files', '--hidden', '-g', pattern],
        folder,
      );
      kept.rg.push(listed.ms);
      isDifferent ||= listed.lines !== count;
    }
    if (fd) {
      const whole = `${folder}/${pattern.includes('/') ? '' : '**/'}${pattern}`;
      const parameters = ['--hidden', '--type', 'f', '--full-path', '--glob', whole, folder];
      kept.fd.push((await timer.time(fd.command, parameters, folder)).ms);
    }
  }
  return {
    writtenMs: median(kept.written),
    freshMs: median(kept.fresh),
    againMs: median(kept.again),
    rgMs: rg && median(kept.rg),
    fdMs: fd && median(kept.fd),
    isDifferent,
  };
}

async function glob(workspace: NodeWorkspace, pattern: string) {
  const startedAt = performance.now();
  const { fs } = await openNodeView(workspace);
  const input: GlobInput = { pattern };
  // The cast: as much of a call's world as Glob looks at.
  const { signal } = new AbortController();
  const limits = { timeoutMs: 60_000 };
  const context = { fs, cwd: '/workspace', signal, limits, realm: {} } as unknown as Parameters<
    typeof globWorker.handler
  >[1];
  const { totalMatches } = await globWorker.handler(input, context);
  return { ms: performance.now() - startedAt, count: totalMatches };
}

type CompilePicomatch = (
  pattern: string,
  options: { readonly dot: boolean },
) => (path: string) => boolean;

async function measureMatching(files: readonly CorpusFile[]) {
  const { default: picomatch } = (await importPeer('picomatch')) as { default: CompilePicomatch };
  const relative = files.map(({ path }) => path);
  const absolute = relative.map((path) => `/${path}`);
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (const pattern of globs) {
    const own: number[] = [];
    const peer: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      own.push(
        timed(() => {
          const set = compileGlobs('/', [pattern]);
          return absolute.filter((path) => set.verdict(path, false) === 'included').length;
        }),
      );
      peer.push(
        timed(() => {
          const isMatch = picomatch(pattern, { dot: true });
          return relative.filter((path) => isMatch(path)).length;
        }),
      );
    }
    ours.push(median(own));
    theirs.push(median(peer));
  }
  return {
    match_ms: median(ours),
    picomatch_ms: median(theirs),
    match_vs_picomatch: median(theirs) / median(ours),
  };
}

/** What is returned is used, so that no engine leaves the work out. */
function timed(work: () => number): number {
  const startedAt = performance.now();
  if (work() < 0) throw new Error('There is no such number of paths.');
  return performance.now() - startedAt;
}

/** Ten files a directory, with names as projects have them. */
function createFiles(): CorpusFile[] {
  const bytes = new Uint8Array(0);
  const folders = ['src', 'src/deep', 'test', 'docs', 'src/components', 'lib', 'assets', 'bin'];
  const extensions = ['ts', 'tsx', 'js', 'jsx', 'md', 'json', 'css', 'test.ts', 'd.ts', 'html'];
  return Array.from({ length: 30_000 }, (_, at) => {
    const directory = Math.floor(at / 10);
    const place = `package-${Math.floor(directory / 8)}/${folders[directory % 8]}`;
    const name = at % 97 === 0 ? 'index' : `file-${at}`;
    return { path: `${place}/${name}.${extensions[at % 10]}`, bytes };
  });
}
