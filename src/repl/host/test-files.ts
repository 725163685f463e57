// Finds the test files of a project by vitest's rules.
import { compilePathGlob } from '../../core/glob/path-glob.ts';
import { joinPath, relativePath, resolvePath } from '../../core/path.ts';
import type { SyncFileSystem } from '../../workspace/files/file-system.ts';

const testName = /\.(?:test|spec)\.[cm]?[jt]sx?$/u;
/** jest's other place for tests. Its files may be helpers, so they count where none has a test's name. */
const inTestFolder = /\/__tests__\/(?:[^/]+\/)*[^/]+(?<!\.d)\.[cm]?[jt]sx?$/u;
const skippedFolders = new Set(['node_modules', '.git']);

/**
 * Returns the test files below `cwd`, sorted and without duplicates. A pattern is a file, a glob,
 * or a part of a path that files must contain, as on vitest's command line.
 */
export function findTestFiles(
  fs: SyncFileSystem,
  cwd: string,
  patterns: readonly string[],
): string[] {
  const exact = patterns.filter((pattern) => isFile(fs, resolvePath(cwd, pattern)));
  const files = exact.map((pattern) => resolvePath(cwd, pattern));
  const others = patterns.filter((pattern) => !exact.includes(pattern));
  if (patterns.length > 0 && others.length === 0) return sortOnce(files);
  const globs = others.filter((pattern) => /[*?{]/u.test(pattern));
  const parts = others
    .filter((pattern) => !globs.includes(pattern))
    .map((pattern) => pattern.replace(/^\.\//u, '').replace(/\/$/u, ''));
  const tests = globs.map((glob) => compilePathGlob(cwd, glob));
  const all = [...walk(fs, cwd)];
  const usual = all.some((path) => testName.test(path)) ? testName : inTestFolder;
  const isWanted = (path: string) =>
    tests.some((glob) => glob.test(path)) ||
    (usual.test(path) &&
      (others.length === 0 || parts.some((part) => relativePath(cwd, path).includes(part))));
  return sortOnce([...files, ...all.filter(isWanted)]);
}

function sortOnce(paths: readonly string[]): string[] {
  return [...new Set(paths)].toSorted();
}

function* walk(fs: SyncFileSystem, folder: string): Generator<string> {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const path = joinPath(folder, entry.name);
    if (entry.isFile()) yield path;
    else if (entry.isDirectory() && !skippedFolders.has(entry.name)) yield* walk(fs, path);
  }
}

function isFile(fs: SyncFileSystem, path: string): boolean {
  return fs.existsSync(path) && fs.statSync(path).isFile();
}
