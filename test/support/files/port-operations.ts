// Every operation of the port, once, for tests that call all of them with a path. A missing operation is a type
// error, and `operationNames` finds one that isn't in the types.
import type {
  FileHandle,
  FileSystem,
  SyncFileSystem,
} from '../../../src/workspace/files/file-system.ts';
import { compilePattern } from '../../../src/search/pattern.ts';
import type { FileSearch } from '../../../src/search/file-search.ts';
import { FileOrder, type FileList, type SearchFile } from '../../../src/search/index/kept-files.ts';
import type { SearchableFileSystem } from '../../../src/search/search-service.ts';

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

const searchOptions = {
  isExplicit: true,
  maxFileBytes: 1000,
  signal: new AbortController().signal,
  onProgress: () => {},
};

const anything = compilePattern('.', { ignoreCase: false, multiline: false }).plans;

const searchOperations: Record<keyof FileSearch, Operation<FileSearch>> = {
  list: (search, path) =>
    both(search.list('.').then(shownFiles), search.list(path).then(shownFiles)),
  file: (search, path) => shownFile(search.file(path)),
  prepare: (search, path) => search.prepare(path, searchOptions),
  estimateBytes: (search, path) =>
    search.estimateBytes(new FileOrder([search.file(path)]), anything, 1000),
  visit: async (search, path) => {
    const texts: unknown[] = [];
    const order = new FileOrder([search.file(path)]);
    await search.visit(order, searchOptions, (_file, content) => void texts.push(content));
    return texts;
  },
};

const syncOperations: Record<Methods<SyncFileSystem>, Operation<SyncFileSystem>> = {
  readFileSync: (fs, path) => fs.readFileSync(path),
  viewFileSync: (fs, path) => fs.viewFileSync(path),
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

export type Run = (fs: SearchableFileSystem, path: string) => unknown;

/** All operations: asynchronous, synchronous, and on handles. They need the files `src/a.ts` and `new`. */
export const portOperations: readonly [name: string, run: Run][] = [
  ...Object.entries(operations).map(([name, run]): [string, Run] => [name, run]),
  ...Object.entries(searchOperations).map(([name, run]): [string, Run] => [
    `search.${name}`,
    (fs, path) => run(fs.search, path),
  ]),
  ...Object.entries(syncOperations).map(([name, run]): [string, Run] => [
    name,
    (fs, path) => run(fs.sync, path),
  ]),
  ...Object.entries(handleOperations).map(([name, run]): [string, Run] => [
    `handle.${name}`,
    async (fs, path) => run(await fs.open(path, 'r+'), path),
  ]),
];

/** The names that the rows should have, as the objects have them: asynchronous, synchronous, handles. */
export async function operationNames(fs: SearchableFileSystem, path: string): Promise<string[]> {
  const handle: unknown = Object.getPrototypeOf(await fs.open(path));
  const names = Object.getOwnPropertyNames(handle).filter((name) => name !== 'constructor');
  return [
    ...Object.keys(fs).filter((name) => name !== 'sync' && name !== 'search'),
    ...Object.keys(fs.search).map((name) => `search.${name}`),
    ...Object.keys(fs.sync),
    ...names.map((name) => `handle.${name}`),
  ];
}

/** Only the parts that a search result shows; other state is internal. */
function shownFile({ path, size, mtimeMs }: SearchFile): unknown {
  return { path, size, mtimeMs };
}

function shownFiles({ byPath }: FileList): unknown {
  return byPath.files.map(shownFile);
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
