// Security: every operation of the port, aimed at a file that may not be read by every way to reach it.
// What a denied file holds, and the name of what stands beside it, may appear nowhere. Nothing
// there may change, and nothing may depend on what is there. Of a file that a person would have to
// be asked about, the content may appear nowhere.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PathAccess } from '../../../src/core/access/path-access.ts';
import { isInside } from '../../../src/core/path.ts';
import type { FileSystem, SyncFileSystem } from '../../../src/workspace/files/file-system.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';
import { SearchService } from '../../../src/search/search-service.ts';
import type { ViewSource, WorkspaceView } from '../../../src/workspace/draft/view.ts';
import type { Workspace } from '../../../src/workspace/workspace.ts';
import { operationNames, portOperations, type Run } from '../../support/files/port-operations.ts';
import { openAccess } from '../../support/files/workspaces.ts';

const service = new SearchService();

/** In the files. */
const secret = 'S3CR3T';
/** Of one of them, which no attempt below spells out. */
const secretName = 'H1DD3N';

/** What the guest does first, if anything, and the path that it then tries. */
const ways: readonly [
  what: string,
  path: string,
  prepare?: (fs: FileSystem) => Promise<unknown>,
][] = [
  ['directly', 'secret/key'],
  ['as a directory', 'secret'],
  ['in a directory that holds one', 'box'],
  ['by dots', 'src/../secret/./key'],
  ['through a link', 'link-to-key'],
  ['through a link to its directory', 'link-to-secret/key'],
  ['through a link of its own', 'own', (fs) => fs.symlink('/project/secret/key', 'own')],
  ['through a link to a link', 'own', (fs) => fs.symlink('link-to-secret/key', 'own')],
  ['through a link that stands in its place', 'secret/link-to-a'],
  ['by a hard link', 'hard', (fs) => fs.link('secret/key', 'hard')],
  ['by a hard link to a link', 'hard', (fs) => fs.link('link-to-key', 'hard')],
  ['by a copy', 'copy', (fs) => fs.copyFile('link-to-key', 'copy')],
  ['in a copy of its parent', 'box2/secret/key', (fs) => fs.cp('box', 'box2', { recursive: true })],
  ['by a twin of another case', 'SECRET/key'],
  ['by letters that are composed', 'g\u00e9heim/key'],
  ['by a twin with letters that are not', 'ge\u0301heim/key'],
  ['below it', 'secret/key/x'],
  ['in a directory beside it', 'secret/deep/key'],
  ['in a directory that may be there', 'secret/none/key'],
  ['by climbing out beside it', 'secret/deep/..'],
  ['by climbing out below it', 'secret/key/..'],
  ['by going through', 'secret/deep/../../src/a.ts'],
  ['by going through a link', 'link-to-secret/deep/../../src/a.ts'],
  ['outside', '/other/file'],
  ['below a file outside', '/other/file/x'],
  ['outside by a link', 'link-out/file'],
  ['by going through what is outside', '/other/dir/../../project/src/a.ts'],
  ['by a link outside that leads back', '/other/link/src/a.ts'],
  ['with a slash', 'secret/key/'],
  ['with a dot', 'secret/.'],
  ['with a dot below it', 'secret/deep/.'],
  ['after a rename of its parent', 'box2/secret/key', (fs) => fs.rename('box', 'box2')],
  ['after a rename of itself', 'mine/key', (fs) => fs.rename('secret', 'mine')],
  ['after a rename of a link to it', 'moved', (fs) => fs.rename('link-to-key', 'moved')],
];

/** No view may read what is in them. */
const deniedDirectories = ['/project/secret', '/project/box/secret', '/project/g\u00e9heim'];

type World = Workspace & ViewSource;

/** All but what is in the denied directories. */
async function openWorld(): Promise<World> {
  const workspace = await createMemoryWorkspace();
  const { fs } = workspace;
  for (const directory of deniedDirectories) await fs.mkdir(directory, { recursive: true });
  for (const directory of ['/project/SECRET', '/project/ge\u0301heim']) {
    await fs.mkdir(directory);
    await fs.writeFile(`${directory}/key`, 'public');
  }
  await fs.mkdir('/project/src');
  await fs.writeFile('/project/src/a.ts', 'a');
  await fs.symlink('secret/key', '/project/link-to-key');
  await fs.symlink('secret', '/project/link-to-secret');
  await fs.symlink('/other', '/project/link-out');
  await fs.mkdir('/other');
  return workspace;
}

let workspace: World;
/** What may not be seen is otherwise there, all else is the same. */
let twin: World;

// Where in our own files an error was thrown tells nothing. To look it up took two thirds of the time.
const { stackTraceLimit } = Error;
afterAll(() => {
  Error.stackTraceLimit = stackTraceLimit;
});

beforeAll(async () => {
  Error.stackTraceLimit = 0;
  [workspace, twin] = [await openWorld(), await openWorld()];
  for (const directory of deniedDirectories) {
    await workspace.fs.writeFile(`${directory}/key`, secret);
    await workspace.fs.mkdir(`${directory}/deep`);
    await workspace.fs.writeFile(`${directory}/deep/key`, secret);
    await workspace.fs.writeFile(`${directory}/${secretName}`, '');
    await workspace.fs.symlink('/project/src/a.ts', `${directory}/link-to-a`);
    await twin.fs.mkdir(`${directory}/key`);
    await twin.fs.writeFile(`${directory}/deep`, 'no directory');
    await twin.fs.mkdir(`${directory}/none`);
  }
  await workspace.fs.mkdir('/other/dir');
  await workspace.fs.writeFile('/other/file', secret);
  await workspace.fs.symlink('/project', '/other/link');
  await twin.fs.mkdir('/other/file');
});

type Effect = 'deny' | 'ask' | 'none';

function open(effect: Effect, world = workspace): Promise<WorkspaceView> {
  const globs = effect === 'none' ? [] : ['**/secret', 'g\u00e9heim'];
  const rules = globs.map((glob) => ({ effect, operation: 'read', glob }) as const);
  return world.openView(
    { root: 'main', minSeq: world.seq() },
    openAccess('/project', { rules: rules as PathAccess['rules'] }),
  );
}

/** All that the guest gets to see by one attempt: answers, errors, changes, and what it finds then. */
async function attempt(
  run: Run,
  way: (typeof ways)[number],
  effect: Effect,
  world = workspace,
): Promise<string> {
  const view = await open(effect, world);
  const [, path, prepare] = way;
  const prepared = await outcome(() => prepare?.(view.fs));
  const result = await outcome(() => run(service.over(view), path));
  // What may be asked about for reading may be appended to: the change set, which no guest sees,
  // then has the whole file.
  const changeSet = effect === 'ask' ? null : view.changeSet();
  const isTouched = (path_: string) => deniedDirectories.some((each) => isInside(each, path_));
  const touched = (changeSet?.changes ?? []).filter((change) => isTouched(change.path));
  if (effect === 'deny') expect(touched).toEqual([]);
  return show([prepared, result, changeSet, await view.fileChanges(), loot(view.fs.sync)]);
}

async function outcome(run: () => unknown): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    return error;
  }
}

/** What can be read afterwards where nothing was secret before. */
function loot(fs: SyncFileSystem): unknown {
  const paths = fs.readdirSync('.', { recursive: true });
  return paths
    .filter((path) => !/(^|\/)(secret|g\u00e9heim)(\/|$)|^link-/u.test(path))
    .map((path) => {
      try {
        return [path, fs.readFileSync(path)];
      } catch (error) {
        return [path, error];
      }
    });
}

/** Everything in a value, as text. */
function show(value: unknown): string {
  if (value instanceof Uint8Array) return new TextDecoder('latin1').decode(value);
  if (value instanceof Error) return `${value.message} ${value.stack} ${show({ ...value })}`;
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([key, each]) => `${key}: ${show(each)}`)
    .join('\n');
}

/** Without what differs between two worlds, or two attempts, whatever is in them. */
function comparable(shown: string): string {
  return (
    shown
      // Where it was thrown, as V8 tells it, and as Firefox does.
      .replace(/(^ +at .*|\S*@\S+:\d+:\d+)\n?/gmu, '')
      .replace(/(version|baseVersion|baseSeq|[amc]timeMs|birthtimeMs): [\d.]+/giu, '$1')
      .replace(/[a-z]{6}(?=$|['/\n]| ->)/gimu, '')
  );
}

describe('a file that may not be read', () => {
  it.each(portOperations)('shows nothing to %s, and makes no difference', async (_name, run) => {
    const shown: string[] = [];
    for (const way of ways) {
      const denied = await attempt(run, way, 'deny');
      if (denied.includes(secret) || denied.includes(secretName)) shown.push(`denied ${way[0]}`);
      const other = await attempt(run, way, 'deny', twin);
      expect([way[0], comparable(denied)]).toEqual([way[0], comparable(other)]);
      if ((await attempt(run, way, 'ask')).includes(secret)) shown.push(`asked about ${way[0]}`);
    }
    expect(shown).toEqual([]);
  });

  it('is what these attempts would find, were there no rules', async () => {
    const finding = new Set<string>();
    for (const [name, run] of portOperations) {
      const found = await attempt(run, ['directly', 'secret/key'], 'none');
      if (found.includes(secret) || found.includes(secretName)) finding.add(name);
    }
    expect([...finding].sort()).toEqual([
      'appendFile',
      'appendFileSync',
      'closeSync',
      'copyFile',
      'copyFileSync',
      'cp',
      'cpSync',
      'ftruncateSync',
      'handle.appendFile',
      'handle.read',
      'handle.readFile',
      'handle.truncate',
      'handle.write',
      'handle.writeFile',
      'link',
      'linkSync',
      'open',
      'openSync',
      'readFile',
      'readFileSync',
      'readMany',
      'readPart',
      'readPartSync',
      'readSync',
      'readdir',
      'readdirSync',
      'rename',
      'renameSync',
      'rm',
      'rmSync',
      'search.list',
      'search.visit',
      'symlink',
      'symlinkSync',
      'truncate',
      'truncateSync',
      'unlink',
      'unlinkSync',
      'viewFileSync',
      'walk',
      'watch',
      'writeFile',
      'writeFileSync',
      'writePart',
      'writePartSync',
      'writeSync',
    ]);
  });

  it('is tried with every operation that there is', async () => {
    const fs = service.over(await open('none'));
    const names = portOperations.map(([name]) => name);
    expect(names.toSorted()).toEqual((await operationNames(fs, 'src/a.ts')).toSorted());
  });
});
