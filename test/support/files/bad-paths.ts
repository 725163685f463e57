// Invalid paths, and every operation of the port with such a path. Collects the answers, for every API that has
// files.
import type { FileSystem } from '../../../src/workspace/files/file-system.ts';
import type { SearchableFileSystem } from '../../../src/search/search-service.ts';
import { portOperations, type Run } from './port-operations.ts';

/** The files below the working directory in which the paths are tried. */
export async function prepareBadPaths(fs: FileSystem, directory: string): Promise<void> {
  await fs.mkdir(`${directory}/src`, { recursive: true });
  await fs.writeFile(`${directory}/src/a.ts`, 'a');
  await fs.symlink('loop', `${directory}/loop`);
  for (let at = 1; at <= 40; at += 1) await fs.symlink(`link${at + 1}`, `${directory}/link${at}`);
  await fs.symlink('src', `${directory}/link41`);
}

export const badPaths: readonly [what: string, path: string, code: string][] = [
  ['a NUL', 'src/a\0.ts', 'ERR_INVALID_ARG_VALUE'],
  ['a NUL at the end', 'src/a.ts\0', 'ERR_INVALID_ARG_VALUE'],
  ['half a surrogate pair', 'src/\ud800', 'ERR_INVALID_ARG_VALUE'],
  ['a name of 256 bytes', `src/${'ü'.repeat(128)}`, 'ENAMETOOLONG'],
  ['a path of 4 096 bytes', 'x/'.repeat(2048), 'ENAMETOOLONG'],
  ['a link to itself on the way', 'loop/x', 'ELOOP'],
  ['41 links on the way', 'link1/a.ts', 'ELOOP'],
  ['a file on the way', 'src/a.ts/x', 'ENOTDIR'],
  ['no path', '', 'ENOENT'],
  ['bytes', new Uint8Array([97]) as unknown as string, 'ERR_INVALID_ARG_TYPE'],
];

/** Replacements for operations in port-operations.ts that do more than use the path. */
const pathOnly: Readonly<Record<string, Run>> = {
  cp: (fs, path) => each(fs.cp(path, 'mine'), fs.cp('src', path, { recursive: true })),
  symlink: (fs, path) => fs.symlink('src/a.ts', path),
  symlinkSync: (fs, path) => fs.sync.symlinkSync('src/a.ts', path),
  watch: (fs, path) => fs.watch(path).next(),
  // Without `throwIfNoEntry` and `force`: what is missing is no error there.
  statSync: (fs, path) => fs.sync.statSync(path),
  lstatSync: (fs, path) => fs.sync.lstatSync(path),
  rmSync: (fs, path) => fs.sync.rmSync(path),
  readdirSync: (fs, path) => fs.sync.readdirSync(path),
};

/**
 * All operations except `existsSync`, which never throws. `face` excludes those that a realm without files doesn't
 * have.
 */
export function pathOperations(face: 'local' | 'promises'): readonly [name: string, run: Run][] {
  return portOperations
    .filter(([name]) => name !== 'existsSync' && (face === 'local' || !isLocal(name)))
    .map(([name, run]) => [name, pathOnly[name] ?? run]);
}

function isLocal(name: string): boolean {
  return name.endsWith('Sync') || name.startsWith('search.');
}

/** The codes of all errors of the operation, each once; `none` if there are none. */
export async function codesOf(run: Run, fs: FileSystem, path: string): Promise<unknown[]> {
  const codes = new Set<unknown>();
  const collect = (value: unknown): void => {
    if (value instanceof Error) codes.add((value as { readonly code?: unknown }).code);
    else if (typeof value === 'object' && value) Object.values(value).forEach(collect);
  };
  try {
    // The cast: for the promises only those rows are run that need no more.
    collect(await run(fs as SearchableFileSystem, path));
  } catch (error) {
    collect(error);
  }
  return codes.size === 0 ? ['none'] : [...codes];
}

function each(...started: readonly Promise<unknown>[]): Promise<unknown> {
  return Promise.allSettled(started);
}
