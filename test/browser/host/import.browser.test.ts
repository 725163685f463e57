// Loading files into a workspace: folders, lists, bytes; what is left out, what is refused.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import toolWorker from './host-tools.worker.ts?worker&url';
import {
  createBrowserHost,
  type BrowserHost,
  type BrowserHostOptions,
} from '../../../src/hosts/browser/page/create-browser-host.ts';
import type { ImportEntry } from '../../../src/hosts/browser/wire/protocol.ts';

let host: BrowserHost;
/** A directory of each test's own. */
let directory: string;

const openHost = (options: BrowserHostOptions) =>
  createBrowserHost({
    assets: { wasm: wasmUrl, toolWorker },
    ...options,
  });

beforeAll(async () => {
  host = await openHost({ workspace: 'import', driver: 'memory' });
});

afterAll(() => host.destroy());

beforeEach(() => {
  directory = `/workspace/${crypto.randomUUID()}`;
});

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** A folder of this origin's private file system: the same kind of handle as a picked one. */
async function makeFolder(files: Readonly<Record<string, string>>) {
  const root = await navigator.storage.getDirectory();
  const folder = await root.getDirectoryHandle(`folder-${crypto.randomUUID()}`, { create: true });
  for (const [path, text] of Object.entries(files)) {
    const names = path.split('/');
    let parent = folder;
    for (const name of names.slice(0, -1)) {
      parent = await parent.getDirectoryHandle(name, { create: true });
    }
    const file = await parent.getFileHandle(names.at(-1) ?? '', { create: true });
    const writable = await file.createWritable();
    await writable.write(text);
    await writable.close();
  }
  return folder;
}

async function listAll(): Promise<string[]> {
  return (await host.workspace.fs.readdir(directory, { recursive: true })).sort();
}

describe('importFiles', () => {
  it('loads a folder with all that is in it, and counts', async () => {
    const folder = await makeFolder({ 'a.txt': 'one', 'src/b.txt': 'three', '.git/HEAD': 'x' });
    const progress = await host.importFiles(folder, { directory });
    expect(progress).toEqual({ files: 3, bytes: 9, excluded: 0 });
    expect(await listAll()).toEqual(['.git', '.git/HEAD', 'a.txt', 'src', 'src/b.txt']);
    expect(await host.workspace.fs.readFile(`${directory}/src/b.txt`, 'utf8')).toBe('three');
  });

  it('leaves out what is excluded, and counts that too', async () => {
    const folder = await makeFolder({
      'a.txt': '1',
      'n/m/x.js': '1',
      'n/m/y.js': '1',
      'b.log': '1',
    });
    const exclude = ['n/m', '**/*.log'];
    expect(await host.importFiles(folder, { exclude, directory })).toEqual({
      files: 1,
      bytes: 1,
      excluded: 2,
    });
    expect(await listAll()).toEqual(['a.txt', 'n']);
  });

  it('takes files of an input, bytes, links and empty directories', async () => {
    const picked = new File(['picked'], 'picked.txt', { lastModified: 1_000_000 });
    const inFolder = new File(['in folder'], 'b.txt');
    Object.defineProperty(inFolder, 'webkitRelativePath', { value: 'project/src/b.txt' });
    const entries: ImportEntry[] = [
      { path: 'bytes.bin', bytes: Uint8Array.of(0, 255), mode: 0o755 },
      { path: 'link', target: 'bytes.bin' },
      { path: 'empty', isDirectory: true },
    ];
    await host.importFiles([picked, inFolder, ...entries], { directory });
    expect(await listAll()).toEqual([
      'bytes.bin',
      'empty',
      'link',
      'picked.txt',
      'src',
      'src/b.txt',
    ]);
    const { fs } = host.workspace;
    expect(await fs.readFile(`${directory}/link`)).toEqual(Uint8Array.of(0, 255));
    expect((await fs.stat(`${directory}/picked.txt`)).mtimeMs).toBe(1_000_000);
    expect((await fs.stat(`${directory}/bytes.bin`)).mode & 0o777).toBe(0o755);
    expect((await fs.lstat(`${directory}/link`)).isSymbolicLink()).toBe(true);
  });

  it('commits in batches, tells of each, and the caller keeps its bytes', async () => {
    const entries = Array.from({ length: 1600 }, (_, index) => ({
      path: `f${index}.txt`,
      bytes: bytesOf(`file ${index}`),
    }));
    const told: number[] = [];
    const before = host.workspace.seq();
    await host.importFiles(entries, { directory, onProgress: ({ files }) => told.push(files) });
    expect(told).toEqual([1024, 1600]);
    expect(host.workspace.seq()).toBe(before + 2);
    expect(entries[0]?.bytes).toEqual(bytesOf('file 0'));
  });

  it('takes bytes out of larger buffers, in their order, and moves nothing of the caller', async () => {
    const all = bytesOf('one two three');
    const entries: ImportEntry[] = [
      { path: 'two', bytes: all.subarray(4, 7) },
      { path: 'empty', bytes: new Uint8Array(0) },
      { path: 'link', target: 'two' },
      { path: 'three', bytes: all.subarray(8) },
      // No Uint8Array, but bytes all the same: JavaScript callers have such.
      { path: 'one', bytes: new DataView(all.buffer, 0, 3) as unknown as Uint8Array },
    ];
    expect(await host.importFiles(entries, { directory })).toMatchObject({ files: 5, bytes: 11 });
    const { fs } = host.workspace;
    const texts = ['one', 'two', 'link', 'three', 'empty'].map((name) =>
      fs.readFile(`${directory}/${name}`, 'utf8'),
    );
    expect(await Promise.all(texts)).toEqual(['one', 'two', 'two', 'three', '']);
    expect(all).toEqual(bytesOf('one two three'));
  });

  it('loads more than one batch of large files as they are', async () => {
    const entries = Array.from({ length: 7 }, (_, index) => ({
      path: `${index}.bin`,
      bytes: new Uint8Array(3_000_000).fill(index),
    }));
    await host.importFiles(entries, { directory });
    for (const { path, bytes } of entries) {
      const loaded = await host.workspace.fs.readFile(`${directory}/${path}`);
      // By themselves: a difference of millions of bytes can't be shown.
      expect([loaded.length, loaded.every((byte) => byte === bytes[0])]).toEqual([3_000_000, true]);
    }
  });

  it('refuses bytes that are none, or were given away, before anything is loaded', async () => {
    const moved = bytesOf('moved');
    structuredClone(moved, { transfer: [moved.buffer] });
    const hash = await host.workspace.treeHash();
    for (const bytes of [moved, 'text', undefined]) {
      const entries = [
        { path: 'a.txt', bytes: bytesOf('a') },
        { path: 'bad', bytes: bytes as Uint8Array },
      ];
      await expect(host.importFiles(entries, { directory })).rejects.toMatchObject({
        code: 'bad-usage',
        data: { path: 'bad' },
      });
    }
    expect(await host.workspace.treeHash()).toBe(hash);
  });

  it('refuses a path that leads out, and changes nothing', async () => {
    const hash = await host.workspace.treeHash();
    for (const path of ['../evil.txt', '/etc/passwd', 'a/../../evil.txt', '.']) {
      await expect(
        host.importFiles([{ path, bytes: bytesOf('x') }], { directory }),
      ).rejects.toMatchObject({
        code: 'invalid-input',
        data: { path },
      });
    }
    expect(await host.workspace.treeHash()).toBe(hash);
  });

  it('stops when it is aborted, with whole batches behind it', async () => {
    const entries = Array.from({ length: 20_000 }, (_, index) => ({
      path: `f${index}.txt`,
      bytes: bytesOf('x'),
    }));
    const controller = new AbortController();
    const importing = host.importFiles(entries, {
      directory,
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    await expect(importing).rejects.toMatchObject({ code: 'aborted' });
    const { length } = await listAll();
    expect([length > 0, length % 1024]).toEqual([true, 0]);
  });

  it('loads into a workspace that another host leads, which then has the same files', async () => {
    await using leader = await openHost({ workspace: 'import-shared' });
    await using follower = await openHost({ workspace: 'import-shared' });
    expect((await follower.workspace.info()).role).toBe('follower');
    const entries = Array.from({ length: 1100 }, (_, index) => ({
      path: `d${index % 9}/f${index}.txt`,
      bytes: bytesOf(`file ${index}`),
    }));
    const directory = '/workspace/imported';
    expect(await follower.importFiles(entries, { directory })).toMatchObject({ files: 1100 });
    for (const { workspace } of [leader, follower]) {
      expect(await workspace.fs.readFile(`${directory}/d1/f1099.txt`, 'utf8')).toBe('file 1099');
    }
    const hashes = [leader, follower].map(({ workspace }) => workspace.treeHash());
    expect(new Set(await Promise.all(hashes)).size).toBe(1);
  });

  it('refuses what is no source of files', async () => {
    await expect(host.importFiles(5 as never)).rejects.toMatchObject({ code: 'bad-usage' });
  });
});
