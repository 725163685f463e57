// Finds the test files of a project by vitest's rules.
import { ToolError } from '../../core/errors.ts';
import { compileSearchGlob } from '../../core/glob/search-glob.ts';
import { joinPath, relativePath, resolvePath } from '../../core/path.ts';
import type { SyncFileSystem } from '../../workspace/files/file-system.ts';

const testName = /\.(?:test|spec)\.[cm]?[jt]sx?$/u;
/** jest's other place for tests. Its files may be helpers, so they count where none has a test's name. */
const inTestFolder = /\/__tests__\/(?:[^/]+\/)*[^/]+(?<!\.d)\.[cm]?[jt]sx?$/u;
/** mocha's place for tests, with helpers in folders below. */
const inTest = /\/test\/[^/]+(?<!\.d)\.[cm]?[jt]sx?$/u;
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
  const globs = others.filter((pattern) => /[*?{[]|[@+]\(/u.test(pattern));
  const parts = others
    .filter((pattern) => !globs.includes(pattern))
    .map((pattern) => pattern.replace(/^\.\//u, '').replace(/\/$/u, ''));
  // A glob of folders stands for what is in them.
  const tests = globs.flatMap((glob) =>
    [glob, `${glob}/**`].map((one) => compileFileGlob(cwd, one)),
  );
  const all = [...walk(fs, cwd)];
  const isUsed = (place: RegExp) => all.some((path) => place.test(path));
  const usual = [testName, inTestFolder].find(isUsed) ?? inTest;
  const isWanted = (path: string) =>
    tests.some((isMatch) => isMatch(path)) ||
    (usual.test(path) &&
      (others.length === 0 || parts.some((part) => relativePath(cwd, path).includes(part))));
  return sortOnce([...files, ...all.filter(isWanted)]);
}

/**
 * Compiles a glob as Node and test runners have it, for absolute paths. Without a slash at its
 * beginning it is resolved against `cwd`.
 *
 * @throws ToolError `invalid-input` for an invalid glob
 */
export function compileFileGlob(cwd: string, glob: string): (path: string) => boolean {
  const globs = withoutOptional(glob).map((one) => compileSearchGlob(resolvePath(cwd, one)));
  return (path) => globs.some(({ matches }) => matches(path.slice(1), () => {}));
}

// Security: each optional part doubles the number of globs.
const maxOptional = 6;

/** Returns the globs of ripgrep's dialect for one with `?(a|b)`, which may be left out, and `@(a|b)`. */
function withoutOptional(glob: string, depth = 0): string[] {
  const found = /[?*]\([^()]*\)/u.exec(glob);
  if (!found)
    return [
      glob.replaceAll(
        /[@+]\(([^()]*)\)/gu,
        (_part, names: string) => `{${names.replaceAll('|', ',')}}`,
      ),
    ];
  if (depth === maxOptional)
    throw new ToolError(
      `The glob has more than ${maxOptional} parts such as ?(a|b): write several globs.`,
      { code: 'invalid-input' },
    );
  const [head, tail] = [glob.slice(0, found.index), glob.slice(found.index + found[0].length)];
  return ['', `@${found[0].slice(1)}`].flatMap((part) =>
    withoutOptional(head + part + tail, depth + 1),
  );
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
