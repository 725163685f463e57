// Security: every operation of the port, aimed at a file that may not be read by every way to reach it.
// What a denied file holds, and the name of what stands beside it, may appear nowhere; of a file that
// a person would have to be asked about, what it holds.
import { beforeAll, describe, expect, it } from 'vitest';
import type {
  FileHandle,
  FileSystem,
  LocalFileSystem,
  SyncFileSystem,
} from '../../../src/workspace/file-system.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';
import type { ViewSource, WorkspaceView } from '../../../src/workspace/view.ts';
import type { Workspace } from '../../../src/workspace/workspace.ts';
import { openAccess } from '../../support/workspaces.ts';

/** In the files. */
const secret = 'S3CR3T';
/** Of one of them, which no attempt below spells out. */
const secretName = 'H1DD3N';

type Methods<Of> = Exclude<keyof Of, 'path' | typeof Symbol.asyncDispose>;
type Operation<On> = (on: On, path: string) => unknown;

const time = new Date(0);
const bytes = () => new Uint8Array(64);

/** Each operation with the path as its source; where it takes two, as its target too. */
const operations: Record<Methods<FileSystem>, Operation<FileSystem>> = {
  readFile: (fs, path) => fs.readFile(path),
  writeFile: (fs, path) => fs.writeFile(path, 'mine', { flag: 'r+' }),
  appendFile: (fs, path) => fs.appendFile(path, 'mine'),
  open: async (fs, path) => {
    const opened = await Promise.allSettled(
      ['r', 'r+', 'w+', 'a+', 'wx+'].map((flag) => fs.open(path, flag as 'r')),
    );
    const read = opened.map(async (each) =>
      each.status === 'rejected' ? each.reason : [each.value.path, await each.value.readFile()],
    );
    return Promise.all(read);
  },
  openPath: (fs, path) => fs.openPath(path, 'a+'),
  readPart: (fs, path) => fs.readPart(path, 0),
  writePart: (fs, path) => fs.writePart(path, 'end', 'mine'),
  access: (fs, path) => fs.access(path, 6),
  stat: (fs, path) => fs.stat(path),
  lstat: (fs, path) => fs.lstat(path),
  readdir: (fs, path) => both(fs.readdir(path), fs.readdir('.', { recursive: true })),
  mkdir: (fs, path) => fs.mkdir(path, { recursive: true }),
  mkdtemp: (fs, path) => fs.mkdtemp(path),
  rm: (fs, path) => fs.rm(path, { recursive: true }),
  rmdir: (fs, path) => fs.rmdir(path),
  unlink: (fs, path) => fs.unlink(path),
  rename: (fs, path) => both(fs.rename(path, 'mine'), fs.rename('src/a.ts', path)),
  copyFile: (fs, path) => both(fs.copyFile(path, 'mine'), fs.copyFile('src/a.ts', path)),
  cp: (fs, path) =>
    both(
      fs.cp(path, 'mine', { recursive: true, dereference: true }),
      fs.cp('.', '/project/src/all', { recursive: true, dereference: true }),
    ),
  realpath: (fs, path) => fs.realpath(path),
  readlink: (fs, path) => fs.readlink(path),
  symlink: (fs, path) => both(fs.symlink(path, 'mine'), fs.symlink('src/a.ts', path)),
  link: (fs, path) => both(fs.link(path, 'mine'), fs.link('src/a.ts', path)),
  chmod: (fs, path) => fs.chmod(path, 0o777),
  utimes: (fs, path) => fs.utimes(path, time, time),
  lutimes: (fs, path) => fs.lutimes(path, time, time),
  truncate: (fs, path) => fs.truncate(path, 3),
  watch: (fs, path) => watched(fs, path),
  readMany: (fs, path) => fs.readMany([path, 'src/a.ts']),
  walk: (fs, path) => both(fs.walk('.', { includeHidden: true }), fs.walk(path)),
};

const syncOperations: Record<Methods<SyncFileSystem>, Operation<SyncFileSystem>> = {
  readFileSync: (fs, path) => fs.readFileSync(path),
  writeFileSync: (fs, path) => fs.writeFileSync(path, 'mine', { flag: 'r+' }),
  appendFileSync: (fs, path) => fs.appendFileSync(path, 'mine'),
  existsSync: (fs, path) => fs.existsSync(path),
  accessSync: (fs, path) => fs.accessSync(path, 6),
  statSync: (fs, path) => fs.statSync(path, { throwIfNoEntry: false }),
  lstatSync: (fs, path) => fs.lstatSync(path, { throwIfNoEntry: false }),
  readdirSync: (fs, path) => [
    fs.readdirSync('.', { recursive: true }),
    fs.existsSync(path) && fs.statSync(path).isDirectory() && fs.readdirSync(path),
  ],
  mkdirSync: (fs, path) => fs.mkdirSync(path),
  mkdtempSync: (fs, path) => fs.mkdtempSync(path),
  rmSync: (fs, path) => fs.rmSync(path, { recursive: true, force: true }),
  rmdirSync: (fs, path) => fs.rmdirSync(path),
  unlinkSync: (fs, path) => fs.unlinkSync(path),
  renameSync: (fs, path) => fs.renameSync(path, 'mine'),
  copyFileSync: (fs, path) => fs.copyFileSync(path, 'mine'),
  cpSync: (fs, path) => fs.cpSync(path, 'mine', { recursive: true, dereference: true }),
  realpathSync: (fs, path) => fs.realpathSync(path),
  readlinkSync: (fs, path) => fs.readlinkSync(path),
  symlinkSync: (fs, path) => fs.symlinkSync(path, 'mine'),
  linkSync: (fs, path) => fs.linkSync(path, 'mine'),
  chmodSync: (fs, path) => fs.chmodSync(path, 0o777),
  utimesSync: (fs, path) => fs.utimesSync(path, time, time),
  lutimesSync: (fs, path) => fs.lutimesSync(path, time, time),
  truncateSync: (fs, path) => fs.truncateSync(path, 3),
  openSync: (fs, path) => readAll(fs, fs.openSync(path, 'a+')),
  readSync: (fs, path) => readAll(fs, fs.openSync(path)),
  writeSync: (fs, path) => fs.writeSync(fs.openSync(path, 'a'), 'mine'),
  fstatSync: (fs, path) => fs.fstatSync(fs.openSync(path)),
  ftruncateSync: (fs, path) => fs.ftruncateSync(fs.openSync(path, 'r+'), 3),
  fsyncSync: (fs, path) => fs.fsyncSync(fs.openSync(path)),
  fdatasyncSync: (fs, path) => fs.fdatasyncSync(fs.openSync(path)),
  fchmodSync: (fs, path) => fs.fchmodSync(fs.openSync(path), 0o777),
  futimesSync: (fs, path) => fs.futimesSync(fs.openSync(path), time, time),
  closeSync: (fs, path) => fs.closeSync(fs.openSync(path, 'w')),
  openPathSync: (fs, path) => fs.openPathSync(path, 'r+'),
  readPartSync: (fs, path) => fs.readPartSync(path, 0),
  writePartSync: (fs, path) => fs.writePartSync(path, 0, 'mine'),
};

const handleOperations: Record<Methods<FileHandle>, Operation<FileHandle>> = {
  read: (handle) => handle.read(bytes()),
  write: (handle) => handle.write('mine'),
  readFile: (handle) => handle.readFile('utf8'),
  writeFile: (handle) => handle.writeFile('mine'),
  appendFile: (handle) => handle.appendFile('mine'),
  stat: (handle) => handle.stat(),
  truncate: (handle) => handle.truncate(3),
  sync: (handle) => handle.sync(),
  datasync: (handle) => handle.datasync(),
  chmod: (handle) => handle.chmod(0o777),
  utimes: (handle) => handle.utimes(time, time),
  close: (handle) => handle.close(),
};

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
  ['after a rename of its parent', 'box2/secret/key', (fs) => fs.rename('box', 'box2')],
  ['after a rename of itself', 'mine/key', (fs) => fs.rename('secret', 'mine')],
  ['after a rename of a link to it', 'moved', (fs) => fs.rename('link-to-key', 'moved')],
];

let workspace: Workspace & ViewSource;

beforeAll(async () => {
  workspace = await createMemoryWorkspace();
  const { fs } = workspace;
  for (const directory of ['/project/secret', '/project/box/secret', '/project/SECRET']) {
    await fs.mkdir(directory, { recursive: true });
    await fs.writeFile(`${directory}/key`, directory.endsWith('SECRET') ? 'public' : secret);
  }
  await fs.writeFile(`/project/secret/${secretName}`, '');
  await fs.mkdir('/project/src');
  await fs.writeFile('/project/src/a.ts', 'a');
  await fs.symlink('secret/key', '/project/link-to-key');
  await fs.symlink('secret', '/project/link-to-secret');
  await fs.symlink('../src/a.ts', '/project/secret/link-to-a');
});

type Effect = 'deny' | 'ask' | 'none';

function open(effect: Effect): Promise<WorkspaceView> {
  const rules =
    effect === 'none' ? [] : [{ effect, operation: 'read', glob: '**/secret' } as const];
  return workspace.openView(
    { root: 'main', minSeq: workspace.seq() },
    openAccess('/project', { rules }),
  );
}

type Run = (fs: LocalFileSystem, path: string) => unknown;

/** All that the guest gets to see by one attempt: answers, errors, changes, and what it finds then. */
async function attempt(run: Run, way: (typeof ways)[number], effect: Effect): Promise<string> {
  const view = await open(effect);
  const [, path, prepare] = way;
  const prepared = await outcome(() => prepare?.(view.fs));
  const result = await outcome(() => run(view.fs, path));
  // What may be asked about for reading may be appended to: the change set, which no guest sees,
  // then has the whole file.
  const changeSet = effect === 'ask' ? null : view.changeSet();
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
    .filter((path) => !/(^|\/)secret(\/|$)|^link-to/u.test(path))
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

async function both(...started: readonly Promise<unknown>[]): Promise<unknown> {
  return Promise.allSettled(started);
}

function readAll(fs: SyncFileSystem, descriptor: number): unknown {
  const buffer = bytes();
  fs.readSync(descriptor, buffer, 0, buffer.length, 0);
  return buffer;
}

async function watched(fs: FileSystem, path: string): Promise<unknown> {
  const controller = new AbortController();
  const { signal } = controller;
  const collect = async (from: string) => {
    const events: unknown[] = [];
    try {
      for await (const event of fs.watch(from, { recursive: true, signal })) events.push(event);
    } catch (error) {
      events.push(error);
    }
    return events;
  };
  const collecting = [collect(path), collect('.')];
  await both(fs.writeFile(path, 'mine'), fs.rename('box', 'box3'), fs.writeFile('new', ''));
  await fs.readMany(['src/a.ts', 'new']);
  controller.abort();
  return Promise.all(collecting);
}

const all: readonly [name: string, run: Run][] = [
  ...Object.entries(operations).map(([name, run]): [string, Run] => [name, run]),
  ...Object.entries(syncOperations).map(([name, run]): [string, Run] => [
    name,
    (fs, path) => run(fs.sync, path),
  ]),
  ...Object.entries(handleOperations).map(([name, run]): [string, Run] => [
    `handle.${name}`,
    async (fs, path) => run(await fs.open(path, 'r+'), path),
  ]),
];

describe('a file that may not be read', () => {
  it.each(all)('shows nothing of itself to %s', async (_name, run) => {
    const shown: string[] = [];
    for (const way of ways) {
      const denied = await attempt(run, way, 'deny');
      if (denied.includes(secret) || denied.includes(secretName)) shown.push(`denied ${way[0]}`);
      if ((await attempt(run, way, 'ask')).includes(secret)) shown.push(`asked about ${way[0]}`);
    }
    expect(shown).toEqual([]);
  });

  it('is what these attempts would find, were there no rules', async () => {
    const finding = new Set<string>();
    for (const [name, run] of all) {
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
      'symlink',
      'symlinkSync',
      'truncate',
      'truncateSync',
      'unlink',
      'unlinkSync',
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
    const { fs } = await open('none');
    const handle = await fs.open('src/a.ts');
    const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(handle));
    expect(Object.keys(operations).sort()).toEqual(
      Object.keys(fs)
        .filter((name) => name !== 'sync')
        .sort(),
    );
    expect(Object.keys(syncOperations).sort()).toEqual(Object.keys(fs.sync).sort());
    expect(Object.keys(handleOperations).sort()).toEqual(
      methods.filter((name) => name !== 'constructor').sort(),
    );
  });
});
