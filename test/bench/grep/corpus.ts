// The files that the search benches look through: sources of well-known packages, as a person has
// them in a repository. Fetched from the registry when first needed, into a folder outside this one,
// where no ignore file of ours has a say.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

/** Exact, so that it is the same corpus everywhere; and the folders of each that are its sources. */
const packages: readonly [specifier: string, folders: readonly string[]][] = [
  ['effect@3.12.0', ['src']],
  ['monaco-editor-core@0.52.2', ['esm']],
  ['antd@5.22.0', ['lib', 'es']],
  ['@mui/material@6.1.0', ['.']],
  ['date-fns@4.1.0', ['.']],
  ['rxjs@7.8.2', ['src', 'dist']],
  ['three@0.170.0', ['src', 'examples']],
  ['webpack@5.97.0', ['lib']],
  ['typescript@5.6.3', ['lib']],
  ['fast-check@3.23.1', ['lib']],
  ['dayjs@1.11.13', ['.']],
  ['@types/node@22.10.0', ['.']],
];

/** What it is, for the notes. */
export const corpusName = packages.map(([specifier]) => specifier).join(', ');

const isText = /\.(?:ts|tsx|js|mjs|cjs|md|css|json|html)$/u;
const isBuilt = /\.min\./u;
// 1 MB: TypeScript's own bundles are larger; a repository has such files, but not among its sources.
const maxBytes = 1_048_576;

// A change of what is above makes another folder.
const name = 'rockpool-search-corpus-1';

export interface CorpusFile {
  /** Relative to the corpus. */
  readonly path: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The folder with the corpus in it. */
export function installCorpus(): string {
  const folder = join(tmpdir(), name);
  if (existsSync(folder)) return folder;
  console.error('bench: fetching the packages that are searched (a minute)');
  const work = mkdtempSync(join(tmpdir(), `${name}-`));
  try {
    const tree = join(work, 'tree');
    for (const [specifier, folders] of packages) addPackage(specifier, folders, { work, tree });
    // All at once, so that a run that was cut leaves no half of it.
    renameSync(tree, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return folder;
}

function addPackage(
  specifier: string,
  folders: readonly string[],
  { work, tree }: { readonly work: string; readonly tree: string },
): void {
  const packed = run('npm', ['pack', specifier, '--silent', '--pack-destination', work], work);
  const unpacked = join(work, 'package');
  rmSync(unpacked, { recursive: true, force: true });
  mkdirSync(unpacked);
  // The first name is `package` mostly, and another one where a package was packed by other means.
  run('tar', ['-xzf', packed.trim(), '--strip-components=1', '-C', unpacked], work);
  const target = join(tree, specifier.slice(0, specifier.lastIndexOf('@')));
  for (const folder of folders) {
    for (const file of listFiles(join(unpacked, folder))) {
      if (!isText.test(file) || isBuilt.test(file) || statSync(file).size > maxBytes) continue;
      const copy = join(target, relative(unpacked, file));
      mkdirSync(dirname(copy), { recursive: true });
      copyFileSync(file, copy);
    }
  }
}

function run(command: string, parameters: readonly string[], cwd: string): string {
  const { status, stdout } = spawnSync(command, parameters, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
    // 2 min: a fetch that hangs must not hang the bench for ever.
    timeout: 120_000,
  });
  if (status !== 0) throw new Error(`The corpus can't be made: ${command} says why above.`);
  return stdout;
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Files in a folder that goes with what is returned. */
export function writeCorpus(files: readonly CorpusFile[]): Disposable & { readonly path: string } {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  for (const { path, bytes } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
  const remove = () => rmSync(folder, { recursive: true, force: true });
  return { path: folder, [Symbol.dispose]: remove };
}

/** All of a folder, in no useful order. */
export function readCorpus(folder: string): CorpusFile[] {
  return listFiles(folder).map((file) => ({
    path: relative(folder, file).replaceAll('\\', '/'),
    bytes: new Uint8Array(readFileSync(file)),
  }));
}
