// Which files of a project are its tests, as vitest would find them.
import { compilePathGlob } from '../core/path-glob.ts';
import { joinPath, relativePath, resolvePath } from '../core/path.ts';
import type { SyncFileSystem } from '../workspace/files/file-system.ts';

const testName = /\.(?:test|spec)\.[cm]?[jt]sx?$/u;
const skippedFolders = new Set(['node_modules', '.git']);

/** What a choice of tests comes to. */
export interface TestFileChoice {
  readonly files: readonly string[];
  /**
   * Regular expressions for paths, each of a glob, and the files to try them on. Security: that is
   * left to the guest, since its globs may take for ever, and only the guest can be cut.
   */
  readonly globs: readonly string[];
  readonly candidates: readonly string[];
}

/**
 * Test files below `cwd`. A pattern is a file, a glob, or a part of a path that narrows the choice,
 * as on vitest's command line.
 */
export function findTestFiles(
  fs: SyncFileSystem,
  cwd: string,
  patterns: readonly string[],
): TestFileChoice {
  const exact = patterns.filter((pattern) => isFile(fs, resolvePath(cwd, pattern)));
  const files = exact.map((pattern) => resolvePath(cwd, pattern));
  const others = patterns.filter((pattern) => !exact.includes(pattern));
  if (patterns.length > 0 && others.length === 0) return { files, globs: [], candidates: [] };
  const globs = others.filter((pattern) => /[*?{]/u.test(pattern));
  const parts = others
    .filter((pattern) => !globs.includes(pattern))
    .map((pattern) => pattern.replace(/^\.\//u, '').replace(/\/$/u, ''));
  const all = [...walk(fs, cwd)];
  const named = all.filter((path) => testName.test(path));
  const wanted =
    others.length === 0
      ? named
      : named.filter((path) => parts.some((part) => relativePath(cwd, path).includes(part)));
  return {
    files: [...files, ...wanted],
    globs: globs.map((glob) => compilePathGlob(cwd, glob).source),
    candidates: globs.length > 0 ? all : [],
  };
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
