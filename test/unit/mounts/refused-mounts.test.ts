// Mounts that can’t be made, sources that fail, and what they refuse.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SdkError } from '../../../src/core/errors.ts';
import { createInlineHost, type InlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';
import type { ViewSource } from '../../../src/workspace/draft/view.ts';
import type { Mount } from '../../../src/workspace/mounts/mount.ts';
import type { Workspace } from '../../../src/workspace/workspace.ts';
import { createMemoryHostFs } from '../../support/files/memory-host-fs.ts';

let workspace: Workspace & ViewSource;
let host: InlineHost;

beforeEach(async () => {
  workspace = await createMemoryWorkspace();
  host = await createInlineHost({ workspace });
});

afterEach(() => host[Symbol.asyncDispose]());

const path = '/workspace/disk';
const read = (name: string) => host.workspace.fs.readFile(`${path}/${name}`, 'utf8');
const write = (name: string, text: string) => host.workspace.fs.writeFile(`${path}/${name}`, text);
const list = async () => (await host.workspace.fs.readdir(path, { recursive: true })).sort();
const messages = (mount: Mount) => mount.state().problems.map(({ message }) => message);

describe('mount, where something is wrong', () => {
  it('refuses a path that is taken, isn’t empty, or can’t be one', async () => {
    const source = createMemoryHostFs();
    await host.mount('disk', source);
    const refused = async (at: string) => {
      const error: unknown = await host.mount(at, source).catch((thrown: unknown) => thrown);
      return SdkError.isInstance(error) ? `${error.code}: ${error.message}` : error;
    };
    await host.workspace.fs.writeFile('/workspace/file', '');
    expect(await refused('disk/below')).toBe(
      `EBUSY: ${path}/below can't be mounted while there is a mount at ${path}. Unmount that first.`,
    );
    expect(await refused('/')).toMatch(/^invalid-input: Nothing can be mounted at \/\./);
    expect(await refused('/session/x')).toMatch(/^invalid-input: /);
    expect(await refused('file')).toMatch(/^ENOTEMPTY: \/workspace\/file isn't empty/);
  });

  describe('another source of the name', () => {
    /** Mounted, closed, and edited here before anything else is mounted. */
    async function leaveEdited(files: Readonly<Record<string, string>>, id?: string) {
      const source = createMemoryHostFs({ files, ...(id !== undefined && { id }) });
      await host.mount('disk', source);
      await host[Symbol.asyncDispose]();
      await workspace.fs.writeFile(`${path}/both.txt`, 'an edit of the first');
      host = await createInlineHost({ workspace });
      return source;
    }
    const first = { 'a.txt': 'first', 'both.txt': 'first' };
    const other = { 'b.txt': 'other', 'both.txt': 'the other one' };

    it('is refused by its id, however much it looks the same', async () => {
      const source = await leaveEdited(first, 'one');
      const second = createMemoryHostFs({ files: first, id: 'two' });
      await expect(host.mount('disk', second)).rejects.toThrow(
        `${path} still holds files of another "disk". Mount that and unmount it`,
      );
      expect(second.list()).toEqual(first);
      await host.mount('disk', source);
      expect(source.list()).toEqual({ 'a.txt': 'first', 'both.txt': 'an edit of the first' });
    });

    it('is refused without one, while something isn’t written', async () => {
      const source = await leaveEdited(first);
      const second = createMemoryHostFs({ files: other });
      await expect(host.mount('disk', second)).rejects.toMatchObject({ code: 'EBUSY' });
      expect(second.list()).toEqual(other);
      expect(await read('both.txt')).toBe('an edit of the first');
      await host.mount('disk', source);
      expect(source.list()).toEqual({ 'a.txt': 'first', 'both.txt': 'an edit of the first' });
      // Nothing of the first would be lost or come elsewhere.
      await host[Symbol.asyncDispose]();
      host = await createInlineHost({ workspace });
      await host.mount('disk', second);
      expect(second.list()).toEqual(other);
      expect(await list()).toEqual(['b.txt', 'both.txt']);
    });

    it('is the same one still where its files were changed, but are there', async () => {
      const source = await leaveEdited({ 'both.txt': 'first' });
      source.change('both.txt', 'changed outside');
      await host.mount('disk', source);
      expect(source.list()).toEqual({
        'both (from disk).txt': 'changed outside',
        'both.txt': 'an edit of the first',
      });
    });
  });

  it('says that the permission was withdrawn, loses nothing, and goes on with sync', async () => {
    const source = createMemoryHostFs({ files: { 'a.txt': '1', 'b.txt': '1' } });
    const mount = await host.mount('disk', source);
    await write('a.txt', 'two');
    await write('b.txt', 'two');
    let written = 0;
    source.before = (method) => {
      if (method === 'writeFile') written += 1;
      if (written > 1) throw new SdkError('EACCES', 'The permission was withdrawn.');
    };
    await expect(mount.sync()).rejects.toThrow('The permission was withdrawn.');
    expect(mount.state()).toMatchObject({ kind: 'failed', error: { code: 'EACCES' } });
    await expect(mount.unmount()).rejects.toMatchObject({ code: 'EACCES' });
    expect([await read('a.txt'), await read('b.txt')]).toEqual(['two', 'two']);
    source.before = () => {};
    await mount.sync();
    expect(source.list()).toEqual({ 'a.txt': 'two', 'b.txt': 'two' });
  });

  it('tells of a name that the source can’t take, writes the others, and keeps it mounted', async () => {
    const source = createMemoryHostFs({ foldsCase: true });
    source.before = (method, at) => {
      if (method === 'writeFile' && at.includes('?')) throw new SdkError('EINVAL', 'no such name.');
    };
    const mount = await host.mount('disk', source);
    await write('what?.txt', '1');
    await write('A.txt', '1');
    await write('a.txt', '2');
    await host.workspace.fs.symlink('A.txt', `${path}/link`);
    await mount.sync();
    expect(source.list()).toEqual({ 'A.txt': '1' });
    expect(messages(mount)).toEqual([
      expect.stringContaining("a.txt isn't written to disk: something else has that name there"),
      expect.stringContaining("link isn't written to disk: disk can't keep links"),
      `${path}/what?.txt isn't written to disk: no such name.`,
    ]);
    await expect(mount.unmount()).rejects.toMatchObject({ code: 'EBUSY' });
    expect(await read('a.txt')).toBe('2');
  });

  it('writes no link that leads out, or may by another link', async () => {
    const source = createMemoryHostFs();
    const made: Record<string, string> = {};
    source.symlink = async (target, at) => void (made[at] = target);
    const mount = await host.mount('disk', source);
    await host.workspace.fs.mkdir(`${path}/p/q`, { recursive: true });
    const targets = {
      ...{ 'p/q/up': '../..', beside: './p/q', 'p/back': '../p' },
      // By p/q/up, which is the mount itself, the first is above it.
      ...{ out: 'p/q/up/../other', above: '../other', absolute: '/workspace/other' },
      ...{ windows: '..\\other', drive: 'C:other' },
    };
    for (const [name, target] of Object.entries(targets))
      await host.workspace.fs.symlink(target, `${path}/${name}`);
    await mount.sync();
    expect(made).toEqual({ 'p/q/up': '../..', beside: './p/q', 'p/back': '../p' });
    expect(messages(mount)).toHaveLength(5);
    expect(messages(mount)).toContain(
      `${path}/out isn't written to disk: the link leads out of the mount, or may: to p/q/up/../other. It stays here only.`,
    );
  });

  it('writes nothing into a directory whose name has other letters there, unless that was removed', async () => {
    const files = { 'secrets/key.txt': '1', 'lib/a.txt': '1' };
    const source = createMemoryHostFs({ foldsCase: true, files });
    const mount = await host.mount('disk', source);
    await host.workspace.fs.mkdir(`${path}/Secrets/deep`, { recursive: true });
    await write('Secrets/new.txt', '2');
    await write('Secrets/deep/new.txt', '2');
    await host.workspace.fs.rename(`${path}/lib`, `${path}/Lib`);
    await mount.sync();
    expect(source.list()).toEqual({
      'Lib/': '',
      'Lib/a.txt': '1',
      'secrets/': '',
      'secrets/key.txt': '1',
    });
    expect(messages(mount)).toContainEqual(
      expect.stringContaining(
        "Secrets/new.txt isn't written to disk: something else has that name",
      ),
    );
    expect([await read('Secrets/new.txt'), await read('secrets/key.txt')]).toEqual(['2', '1']);
  });

  it('leaves names outside that no path here can have', async () => {
    const source = createMemoryHostFs({ files: { 'a.txt': '1', 'b\n.txt': '1' } });
    const mount = await host.mount('disk', source);
    expect(await list()).toEqual(['a.txt']);
    expect(messages(mount)).toEqual([
      '"b\\n.txt" of disk has a name that no path here can have. It stays there only.',
    ]);
    await mount.unmount();
    expect(Object.keys(source.list())).toEqual(['a.txt', 'b\n.txt']);
  });

  it('stops a first reading by its signal, and goes on with it by another mount', async () => {
    const files = Object.fromEntries(Array.from({ length: 1100 }, (_, n) => [`f${n}`, 'x']));
    const source = createMemoryHostFs({ files });
    const stop = new AbortController();
    const onProgress = () => stop.abort();
    const stopped = host.mount('disk', source, { onProgress, signal: stop.signal });
    await expect(stopped).rejects.toMatchObject({ code: 'aborted' });
    expect(await list()).toHaveLength(1024);
    await host.mount('disk', source);
    expect(await list()).toHaveLength(1100);
    expect(Object.keys(source.list())).toHaveLength(1100);
  });

  it('never takes a source that can’t be read for an empty one', async () => {
    const source = createMemoryHostFs({ files: { 'a/b.txt': '1' } });
    const mount = await host.mount('disk', source);
    source.before = (method) => {
      if (method === 'readdir') throw new Error('The disk is gone.');
    };
    await expect(mount.sync()).rejects.toThrow("disk can't be read or written: The disk is gone.");
    expect(await list()).toEqual(['a', 'a/b.txt']);
  });
});
