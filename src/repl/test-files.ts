// Which files of a project are its tests, as vitest would find them.
import { compilePathGlob } from '../core/path-glob.ts';
import { joinPath, relativePath, resolvePath } from '../core/path.ts';
import type { SyncFileSystem } from '../workspace/file-system.ts';

const testName = /\.(?:test|spec)\.[cm]?[jt]sx?$/u;
const skippedFolders = new Set(['node_modules', '.git']);

/**
 * Test files below `cwd`, in the order of their paths. A pattern is a file, a glob, or a part of a
 * path that narrows the choice, as on vitest's command line.
 */
export function findTestFiles(
  fs: SyncFileSystem,
  cwd: string,
  patterns: readonly string[],
): string[] {
  const found = new Set<string>();
  const exact = patterns.filter((pattern) => isFile(fs, resolvePath(cwd, pattern)));
  for (const pattern of exact) found.add(resolvePath(cwd, pattern));
  const others = patterns.filter((pattern) => !exact.includes(pattern));
  if (patterns.length > 0 && others.length === 0) return [...found].toSorted();
  const tests = others.map((pattern) => toFilter(cwd, pattern));
  for (const path of walk(fs, cwd)) {
    const isWanted = tests.length === 0 ? testName.test(path) : tests.some((test) => test(path));
    if (isWanted) found.add(path);
  }
  return [...found].toSorted();
}

function toFilter(cwd: string, pattern: string): (path: string) => boolean {
  if (/[*?{]/u.test(pattern)) {
    const glob = compilePathGlob(cwd, pattern);
    return (path) => glob.test(path);
  }
  const part = pattern.replace(/^\.\//u, '').replace(/\/$/u, '');
  return (path) => testName.test(path) && relativePath(cwd, path).includes(part);
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
