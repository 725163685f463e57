// Mounts in a tab: directories of the origin's private file system are handles of the kind that a person picks.
import { server } from 'vitest/browser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import toolWorker from '../host/host-tools.worker.ts?worker&url';
import {
  createBrowserHost,
  type BrowserHost,
} from '../../../src/hosts/browser/page/create-browser-host.ts';
import { openDirectorySource } from '../../../src/workspace/mounts/directory-source.ts';
import type { Mount } from '../../../src/workspace/mounts/mount.ts';
import { describeHostFs } from '../../contract/host-fs.contract.ts';

let host: BrowserHost;
const workspace = `mounts-${crypto.randomUUID()}`;
const open = () => createBrowserHost({ workspace, assets: { wasm: wasmUrl, toolWorker } });

beforeAll(async () => {
  host = await open();
});

afterAll(() => host.destroy());

async function makeFolder(): Promise<FileSystemDirectoryHandle> {
  const root = await navigator.storage.getDirectory();
  return root.getDirectoryHandle(`mounted-${crypto.randomUUID()}`, { create: true });
}

async function put(folder: FileSystemDirectoryHandle, path: string, text: string): Promise<void> {
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

/** Files with their texts, directories with a slash. */
async function list(
  folder: FileSystemDirectoryHandle,
  at = '',
  all: Record<string, string> = {},
): Promise<Record<string, string>> {
  for await (const [name, child] of folder.entries()) {
    if (child instanceof FileSystemDirectoryHandle) {
      all[`${at}${name}/`] = '';
      await list(child, `${at}${name}/`, all);
    } else if (child instanceof FileSystemFileHandle) {
      all[at + name] = await (await child.getFile()).text();
    }
  }
  return all;
}

let count = 0;
async function mountFolder(files: Readonly<Record<string, string>>) {
  const folder = await makeFolder();
  for (const [path, text] of Object.entries(files)) await put(folder, path, text);
  const path = `/workspace/folder-${(count += 1)}`;
  const mount: Mount = await host.mount(path, folder);
  return { folder, path, mount };
}

describeHostFs({
  name: 'a directory handle',
  open: async () => openDirectorySource(await makeFolder(), 'readwrite'),
});

describe('mount of a directory handle', () => {
  it('shows the folder, and writes back what changes', async () => {
    const { folder, path, mount } = await mountFolder({ 'a.txt': 'one', 'd/b.txt': 'two' });
    const { fs } = host.workspace;
    expect(mount.name).toBe(folder.name);
    expect(await fs.readFile(`${path}/d/b.txt`, 'utf8')).toBe('two');
    await fs.writeFile(`${path}/a.txt`, 'changed');
    await fs.mkdir(`${path}/empty`);
    await fs.rename(`${path}/d`, `${path}/e`);
    await fs.chmod(`${path}/e/b.txt`, 0o755);
    await mount.sync();
    expect(await list(folder)).toEqual({
      'a.txt': 'changed',
      'e/': '',
      'e/b.txt': 'two',
      'empty/': '',
    });
    // The folder tells of these writes, too, and is looked through for them.
    await expect.poll(() => mount.state()).toEqual({ kind: 'idle', problems: [] });
    // A folder keeps no modes; the workspace does, also when the file changes outside.
    await put(folder, 'e/b.txt', 'outside');
    await mount.sync();
    expect((await fs.stat(`${path}/e/b.txt`)).mode & 0o777).toBe(0o755);
    await mount.unmount();
    expect(await host.workspace.lookUp([path])).toEqual([null]);
    expect(Object.keys(await list(folder))).toHaveLength(4);
  });

  // Other browsers have no FileSystemObserver.
  it.skipIf(server.browser !== 'chromium')(
    'takes in what changes outside, without being asked',
    async () => {
      const { folder, path } = await mountFolder({ 'a.txt': 'one', 'd/b.txt': 'two' });
      const seen = new Map<string, string>();
      const all = new Promise<void>((resolve) => {
        const following = host.workspace.onChange(({ root, changes, author }) => {
          if (root !== 'main') return;
          for (const change of changes)
            seen.set(`${change.path} ${change.type}`, author.name ?? '');
          const isAll = ['a.txt update', 'd/new.txt create', 'd/b.txt delete'].every((one) =>
            seen.has(`${path}/${one}`),
          );
          if (!isAll) return;
          following[Symbol.dispose]();
          resolve();
        });
      });
      await put(folder, 'a.txt', 'outside');
      await put(folder, 'd/new.txt', 'new');
      await (await folder.getDirectoryHandle('d')).removeEntry('b.txt');
      await all;
      expect(new Set(seen.values())).toEqual(new Set([folder.name]));
      expect(await host.workspace.fs.readFile(`${path}/a.txt`, 'utf8')).toBe('outside');
    },
  );

  it.skipIf(server.browser !== 'chromium')(
    'takes in what changes outside once a folder that was gone is back, and the page has the focus',
    async () => {
      const { folder, path, mount } = await mountFolder({ 'a.txt': 'one' });
      const root = await navigator.storage.getDirectory();
      await root.removeEntry(folder.name, { recursive: true });
      await expect.poll(() => mount.state()).toMatchObject({ error: { code: 'ENOENT' } });
      const back = await root.getDirectoryHandle(folder.name, { create: true });
      await put(back, 'b.txt', 'two');
      dispatchEvent(new Event('focus'));
      const names = () => host.workspace.fs.readdir(path);
      await expect.poll(names).toEqual(['b.txt']);
      // Nobody asks from here on.
      await put(back, 'c.txt', 'three');
      await expect.poll(names).toEqual(['b.txt', 'c.txt']);
    },
  );

  it('looks for changes with the focus where nothing tells of them, and says that a permission was withdrawn', async () => {
    const folder = await makeFolder();
    await put(folder, 'a.txt', 'one');
    let isWithdrawn = false;
    // As a handle without a permission. And no FileSystemObserver takes it.
    const handle = new Proxy(folder, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== 'function') return value;
        return (...given: readonly unknown[]): unknown => {
          if (isWithdrawn) throw new DOMException('Not any more.', 'NotAllowedError');
          return Reflect.apply(value, target, given);
        };
      },
    });
    const path = `/workspace/folder-${(count += 1)}`;
    const mount = await host.mount(path, handle);
    const read = () => host.workspace.fs.readFile(`${path}/a.txt`, 'utf8');
    await put(folder, 'a.txt', 'outside');
    dispatchEvent(new Event('focus'));
    await expect.poll(read).toBe('outside');

    isWithdrawn = true;
    await host.workspace.fs.writeFile(`${path}/a.txt`, 'inside');
    await expect(mount.sync()).rejects.toThrow(
      `The permission for the folder "${folder.name}" was withdrawn.`,
    );
    expect(mount.state()).toMatchObject({ kind: 'failed', error: { code: 'EACCES' } });
    expect([await read(), await list(folder)]).toEqual(['inside', { 'a.txt': 'outside' }]);
    isWithdrawn = false;
    await mount.sync();
    expect(await list(folder)).toEqual({ 'a.txt': 'inside' });
  });

  it('writes back when the host closes, and goes on when it opens again', async () => {
    const { folder, path } = await mountFolder({ 'a.txt': 'one' });
    await host.workspace.fs.writeFile(`${path}/a.txt`, 'closed');
    await host[Symbol.asyncDispose]();
    expect(await list(folder)).toEqual({ 'a.txt': 'closed' });
    await put(folder, 'b.txt', 'while it was closed');
    host = await open();
    await host.mount(path, folder);
    expect(await host.workspace.fs.readFile(`${path}/b.txt`, 'utf8')).toBe('while it was closed');
  });

  it('knows a folder from another one of its name, which gets nothing of the first', async () => {
    const path = `/workspace/folder-${(count += 1)}`;
    const [first, other] = await Promise.all(
      [await makeFolder(), await makeFolder()].map((parent) =>
        parent.getDirectoryHandle('project', { create: true }),
      ),
    );
    if (!first || !other) throw new TypeError('Two were made.');
    for (const folder of [first, other]) await put(folder, 'a.txt', 'one');
    await host.mount(path, first);
    await host[Symbol.asyncDispose]();
    host = await open();
    await host.workspace.fs.writeFile(`${path}/a.txt`, 'an edit of the first');
    await expect(host.mount(path, other)).rejects.toThrow(
      `${path} still holds files of another "project".`,
    );
    expect(await list(other)).toEqual({ 'a.txt': 'one' });
    await host.mount(path, first);
    expect(await list(first)).toEqual({ 'a.txt': 'an edit of the first' });
  });

  it('is read-only in every tab where it is so in one, for as long as that has it mounted', async () => {
    const before = await open();
    const folder = await makeFolder();
    await put(folder, 'a.txt', 'one');
    const path = `/workspace/folder-${(count += 1)}`;
    const mount = await host.mount(path, folder, { readOnly: true });
    const after = await open();
    const refused = { code: 'EROFS' };
    for (const other of [before, after]) {
      await expect.poll(() => other.readOnlyMounts?.()).toEqual([path]);
      await expect(other.workspace.fs.writeFile(`${path}/a.txt`, 'x')).rejects.toMatchObject(
        refused,
      );
      await expect(other.workspace.fs.rm('/workspace', { recursive: true })).rejects.toMatchObject(
        refused,
      );
      expect(await other.workspace.fs.readFile(`${path}/a.txt`, 'utf8')).toBe('one');
    }
    await mount.unmount();
    for (const other of [before, after]) {
      await expect.poll(() => other.readOnlyMounts?.()).toEqual([]);
      await other.workspace.fs.mkdir(path, { recursive: true });
      await other[Symbol.asyncDispose]();
    }
    expect(await list(folder)).toEqual({ 'a.txt': 'one' });
  });

  it('refuses a second tab the same path', async () => {
    const { folder, path } = await mountFolder({ 'a.txt': 'one' });
    const other = await open();
    await expect(other.mount(path, folder)).rejects.toThrow(`${path} is mounted in another tab.`);
    await other[Symbol.asyncDispose]();
  });

  // Firefox's own folders take every name.
  it.skipIf(server.browser !== 'chromium')('refuses names that no folder can have', async () => {
    const { path, mount } = await mountFolder({ 'a.txt': 'one' });
    await host.workspace.fs.writeFile(`${path}/what\\`, 'x');
    await mount.sync();
    expect(mount.state().problems).toMatchObject([{ path: `${path}/what\\`, kind: 'refused' }]);
  });
});
