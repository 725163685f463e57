// Random operations, done to Node's fs in a temporary directory and to a view. They give the same
// answers, the same codes and the same trees, but for what docs/workspace.md says is different.
import * as nodeFs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';
import type { NodeHalf } from '../../contract/file-system-subject.ts';
import {
  fileOperation,
  operate,
  pathsOf,
  readTree,
  writeTree,
  type FileOperation,
  type ShownTree,
} from '../../support/files/file-operations.ts';
import { createNodeFiles } from '../../support/files/node-files.ts';
import { openAccess } from '../../support/files/workspaces.ts';

const node = createNodeFiles();

/** What every run begins with: enough that most operations find something. */
const firstTree: ShownTree = {
  a: [false, 0o40755, false],
  'a/a': ['first', 0o100644, false],
  'a/b': [false, 0o40700, false],
  'a/b/c': ['second', 0o100755, 5000],
  'a/c': ['../b', 0o120777, false],
  b: [false, 0o40755, false],
  'b/a': ['../a/a', 0o120777, 7000],
  'b/b': ['nowhere', 0o120777, false],
  c: ['third', 0o100600, false],
};

let base: string;
let runs = 0;
/** The run that goes on where fast-check's time is over: it must end before its files go. */
let running: Promise<void> = Promise.resolve();

beforeAll(async () => {
  base = await nodeFs.realpath(await nodeFs.mkdtemp(join(tmpdir(), 'random-')));
});

afterAll(async () => {
  await running.catch(() => undefined);
  await nodeFs.rm(base, { recursive: true });
});

/** Both with the same tree at the same path. All of ours is below it, so that theirs stays there. */
async function openBoth() {
  runs += 1;
  const root = `${base}/${runs}/a/root`;
  await nodeFs.mkdir(root, { recursive: true });
  const workspace = await createMemoryWorkspace();
  await workspace.fs.mkdir(root, { recursive: true });
  const view = await workspace.openView({ root: 'main', minSeq: 1 }, openAccess(root));
  await writeTree(view.fs, root, firstTree);
  await writeTree(node, root, firstTree);
  return { root, fs: view.fs };
}

type Outcome = { readonly code: unknown } | { readonly answer: unknown };

async function outcome(run: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { answer: await run() };
  } catch (error) {
    return { code: (error as { code: unknown }).code };
  }
}

/** What is left out: what would leave the root, and what the page of differences says of `cp`. */
async function isComparable(
  fs: NodeHalf,
  { method, options }: FileOperation,
  paths: readonly string[],
): Promise<boolean> {
  for (const path of paths) {
    for (const look of ['realpath', 'lstat'] as const) {
      const looked = await outcome(() => fs[look](path));
      if ('code' in looked && looked.code === 'EACCES') return false;
    }
  }
  const [from = '', to = ''] = paths;
  const isDotted = paths.some((path) => path.includes('..'));
  if (method === 'rm' || method === 'readdir') return !isDotted && !/[/.]$/u.test(from);
  if (method !== 'cp') return true;
  // Node takes `..` by its name there, judges what is inside what by names, and takes a link's
  // target from the path as it was given.
  if (
    isDotted ||
    to.startsWith(`${from.replace(/\/+$/u, '')}/`) ||
    !(await isReal(fs, dirname(from)))
  )
    return false;
  // Where a link would take a link's place, it looks where both of them lead.
  const isOverLinks = 'answer' in (await outcome(() => fs.lstat(to))) && (await hasLinks(fs, from));
  return options['dereference'] === true || !isOverLinks;
}

async function hasLinks(fs: NodeHalf, path: string): Promise<boolean> {
  if ('answer' in (await outcome(() => fs.readlink(path)))) return true;
  const read = await outcome(() => readTree(fs, path));
  const entries = 'answer' in read ? Object.values(read.answer as ShownTree) : [];
  return entries.some(([, mode]) => (mode & 0o170000) === 0o120000);
}

async function isReal(fs: NodeHalf, path: string): Promise<boolean> {
  const real = await outcome(() => fs.realpath(path));
  return !('answer' in real) || real.answer === path.replace(/\/+/gu, '/');
}

/** On a disk too a copy: that is what `link` makes here. */
async function parentCopy(path: string): Promise<void> {
  const stats = await nodeFs.lstat(path);
  const twin = `${path}.twin`;
  if (stats.isSymbolicLink()) await nodeFs.symlink(await nodeFs.readlink(path), twin);
  else await nodeFs.copyFile(path, twin);
  await nodeFs.lutimes(twin, stats.atime, stats.mtime);
  await nodeFs.rename(twin, path);
}

/** Does the operations on both sides, and looks at both after each. */
async function compare(list: readonly FileOperation[]): Promise<void> {
  const { root, fs } = await openBoth();
  let before = await readTree(fs, root);
  for (const operation of list) {
    const paths = pathsOf(operation, root, before);
    if (!(await isComparable(fs, operation, paths))) continue;
    const ours = await outcome(() => operate(fs, root, operation, paths));
    // A link on the way led out of the root.
    if ('code' in ours && ours.code === 'EACCES' && operation.method !== 'access') continue;
    const theirs = await outcome(() => operate(node, root, operation, paths));
    if (operation.method === 'link' && 'answer' in theirs) await parentCopy(paths[1] ?? '');
    const about = [operation.method, operation.options, ...paths];
    expect([about, comparable(operation, ours)]).toEqual([about, comparable(operation, theirs)]);
    const after = await readTree(fs, root);
    let afterwards = await readTree(node, root);
    if ('code' in theirs) {
      expect([about, after]).toEqual([about, before]);
      afterwards = await undo(root, after, afterwards);
    }
    expect([about, after]).toEqual([about, afterwards]);
    before = after;
  }
}

describe('a view', () => {
  it('does, answers and refuses what Node does, whatever comes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fileOperation, { minLength: 15, maxLength: 30 }), (list) => {
        running = compare(list);
        return running;
      }),
      // The time is for shrinking: what was found is shown before the test is cut.
      { numRuns: 40, interruptAfterTimeLimit: 20_000 },
    );
  });
});

/** Where several things are wrong with a `cp`, Node finds them side by side, in no certain order. */
function comparable({ method }: FileOperation, result: Outcome): unknown {
  return method === 'cp' && 'code' in result ? 'refused' : result;
}

/** Node leaves what it had done before it failed. */
async function undo(root: string, wanted: ShownTree, found: ShownTree): Promise<ShownTree> {
  if (JSON.stringify(wanted) === JSON.stringify(found)) return found;
  await nodeFs.rm(root, { recursive: true });
  await nodeFs.mkdir(root);
  await writeTree(node, root, wanted);
  return readTree(node, root);
}
