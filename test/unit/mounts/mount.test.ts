import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SdkError } from '../../../src/core/errors.ts';
import { createInlineHost, type InlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';
import type { ViewSource } from '../../../src/workspace/draft/view.ts';
import type { Mount } from '../../../src/workspace/mounts/mount.ts';
import type { ChangeEvent, Workspace } from '../../../src/workspace/workspace.ts';
import { catchSurfaced } from '../../support/catch-surfaced.ts';
import { createSkippingClock } from '../../support/skipping-clock.ts';
import { describeHostFs } from '../../contract/host-fs.contract.ts';
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
const binary = Uint8Array.from({ length: 300 }, (_, n) => n % 256);

describeHostFs({ name: 'memory', open: async () => createMemoryHostFs({ keepsModes: true }) });

describe('mount', () => {
  it('shows the tree of a source, its empty directories and binary files too', async () => {
    const source = createMemoryHostFs({ files: { 'a.txt': 'one', 'src/b.bin': binary } });
    source.makeDirectory('empty');
    const seen: unknown[] = [];
    const onProgress = (progress: unknown) => void seen.push(progress);
    const mount = await host.mount('disk', source, { onProgress });
    expect(mount).toMatchObject({ path, name: 'disk', isReadOnly: false });
    expect(mount.state()).toEqual({ kind: 'idle', problems: [] });
    expect(await list()).toEqual(['a.txt', 'empty', 'src', 'src/b.bin']);
    expect(await host.workspace.fs.readFile(`${path}/src/b.bin`)).toEqual(binary);
    expect(seen).toEqual([{ files: 2, bytes: 303 }]);
    // What comes later is no part of the first reading.
    source.change('a.txt', 'two');
    await mount.sync();
    expect(await read('a.txt')).toBe('two');
    expect(seen).toHaveLength(1);
  });

  it('loses nothing by a listener that throws', async () => {
    const uncaught = catchSurfaced();
    const source = createMemoryHostFs({ files: { 'a.txt': 'one' } });
    const mistake = new Error('A mistake of the page.');
    const mount = await host.mount('disk', source, {
      onState({ kind }) {
        if (kind === 'busy') throw mistake;
      },
    });
    await write('a.txt', 'two');
    await mount.sync();
    expect(new TextDecoder().decode(await source.readFile('a.txt'))).toBe('two');
    expect(new Set(uncaught)).toEqual(new Set([mistake]));
  });

  it('takes in what changed outside as commits of the source’s name', async () => {
    const source = createMemoryHostFs({ files: { 'a.txt': 'one', 'b.txt': 'b', 'd/c.txt': 'c' } });
    const mount = await host.mount('disk', source);
    const events: ChangeEvent[] = [];
    const following = host.workspace.onChange((event) => void events.push(event));
    source.change('a.txt', 'two');
    source.change('b.txt', null);
    source.change('d', null);
    source.change('new/x.txt', 'x');
    await mount.sync();
    following[Symbol.dispose]();
    expect(await list()).toEqual(['a.txt', 'new', 'new/x.txt']);
    expect(await read('a.txt')).toBe('two');
    const [first] = events.filter(({ root }) => root === 'main');
    expect(first?.author).toEqual({ kind: 'user', name: 'disk' });
  });

  it('writes back what changed here: files, directories, removals, another kind of node', async () => {
    const source = createMemoryHostFs({ files: { 'a.txt': 'one', 'd/c.txt': 'c', e: 'file' } });
    const mount = await host.mount('disk', source);
    await write('a.txt', 'two');
    await host.workspace.fs.mkdir(`${path}/empty/deep`, { recursive: true });
    await host.workspace.fs.writeFile(`${path}/empty/b.bin`, binary);
    await host.workspace.fs.rename(`${path}/d`, `${path}/moved`);
    await host.workspace.fs.rm(`${path}/e`);
    await host.workspace.fs.mkdir(`${path}/e`);
    await write('e/inside', 'x');
    await mount.sync();
    expect(source.list()).toEqual({
      'a.txt': 'two',
      'e/': '',
      'e/inside': 'x',
      'empty/': '',
      'empty/b.bin': new TextDecoder().decode(binary),
      'empty/deep/': '',
      'moved/': '',
      'moved/c.txt': 'c',
    });
    expect(mount.state()).toEqual({ kind: 'idle', problems: [] });
  });

  it('writes back once the workspace rests, and takes in what it is told of', async () => {
    await host[Symbol.asyncDispose]();
    host = await createInlineHost({ workspace, clock: createSkippingClock() });
    const source = createMemoryHostFs({ files: { 'a.txt': 'one' } });
    const idle = new Promise<void>((resolve) => {
      const onState = ({ kind }: { readonly kind: string }) => {
        if (kind === 'idle' && source.list()['a.txt'] === 'two') resolve();
      };
      void host.mount('disk', source, { onState }).then(() => write('a.txt', 'two'));
    });
    await idle;
    const taken = new Promise<void>((resolve) => {
      const following = host.workspace.onChange(({ changes }) => {
        if (!changes.some((change) => change.path === `${path}/b/c.txt`)) return;
        following[Symbol.dispose]();
        resolve();
      });
    });
    source.change('b/c.txt', 'told');
    source.tell(['b/c.txt']);
    await taken;
    expect(await read('b/c.txt')).toBe('told');
  });

  it('merges by lines what both sides changed, and gives the merged text to both', async () => {
    const lines = ['1', '2', '3', '4', '5', '6', '7', ''];
    const source = createMemoryHostFs({ files: { 'a.txt': lines.join('\n') } });
    const mount = await host.mount('disk', source);
    await write('a.txt', lines.with(0, 'here').join('\n'));
    source.change('a.txt', lines.with(6, 'there').join('\n'));
    await mount.sync();
    const merged = lines.with(0, 'here').with(6, 'there').join('\n');
    expect(await read('a.txt')).toBe(merged);
    expect(source.list()).toEqual({ 'a.txt': merged });
    expect(messages(mount)).toEqual([]);
  });

  it('keeps both versions where they can’t be merged, and says where', async () => {
    const source = createMemoryHostFs({ files: { 'src/a.txt': 'one' } });
    const mount = await host.mount('disk', source);
    await write('src/a.txt', 'here');
    await write('new.bin', 'here');
    source.change('src/a.txt', 'there');
    source.change('new.bin', binary);
    await mount.sync();
    const kept = {
      'new (from disk).bin': new TextDecoder().decode(binary),
      'new.bin': 'here',
      'src/': '',
      'src/a (from disk).txt': 'there',
      'src/a.txt': 'here',
    };
    expect(source.list()).toEqual(kept);
    expect(await list()).toEqual(Object.keys(kept).map((name) => name.replace(/\/$/, '')));
    expect(messages(mount)).toEqual([
      `${path}/new.bin was changed here and in disk, and the two can't be merged. Here it is as it was here; ` +
        `the other version is at ${path}/new (from disk).bin.`,
      `${path}/src/a.txt was changed here and in disk, and the two can't be merged. Here it is as it was here; ` +
        `the other version is at ${path}/src/a (from disk).txt.`,
    ]);
  });

  it('keeps both versions where one side’s encoding hasn’t what the other wrote', async () => {
    const source = createMemoryHostFs({ files: { 'a.txt': 'first\nsecond\nthird\n', b: '1' } });
    const mount = await host.mount('disk', source);
    await write('a.txt', '→\nsecond\nthird\n');
    await write('b', '2');
    const latin = Uint8Array.from('first\nsecond\ncafé\n', (character) => character.charCodeAt(0));
    source.change('a.txt', latin);
    await mount.sync();
    expect(source.list()).toMatchObject({ 'a.txt': '→\nsecond\nthird\n', b: '2' });
    expect(await host.workspace.fs.readFile(`${path}/a (from disk).txt`)).toEqual(latin);
    await mount.unmount();
  });

  it('lets an edit beat a removal, whichever side made it', async () => {
    const source = createMemoryHostFs({ files: { 'a.txt': '1', 'b.txt': '1', 'd/c.txt': '1' } });
    const mount = await host.mount('disk', source);
    await write('a.txt', 'edited here');
    source.change('a.txt', null);
    await host.workspace.fs.rm(`${path}/b.txt`);
    source.change('b.txt', 'edited there');
    await write('d/new.txt', 'made here');
    source.change('d', null);
    await mount.sync();
    const all = {
      'a.txt': 'edited here',
      'b.txt': 'edited there',
      'd/': '',
      'd/new.txt': 'made here',
    };
    expect(source.list()).toEqual(all);
    expect(await list()).toEqual(['a.txt', 'b.txt', 'd', 'd/new.txt']);
    expect(messages(mount)).toEqual([
      `${path}/a.txt was removed in disk while it was changed here. It is kept.`,
      `${path}/b.txt was removed here while it was changed in disk. It is back.`,
    ]);
  });

  it.each([
    ['at a reading', (mount: Mount) => mount.sync()],
    ['at the end, which reads nothing', () => host[Symbol.asyncDispose]()],
  ])('makes a directory again that was removed around an edited file: %s', async (_, go) => {
    const source = createMemoryHostFs({
      files: { 'a.txt': '1', 'd/e/f/b.txt': '1', 'z.txt': '1' },
    });
    const mount = await host.mount('disk', source);
    await write('d/e/f/b.txt', 'edited here');
    await write('z.txt', 'edited here, too');
    source.change('d', null);
    await go(mount);
    expect(source.list()).toEqual({
      'a.txt': '1',
      ...{ 'd/': '', 'd/e/': '', 'd/e/f/': '', 'd/e/f/b.txt': 'edited here' },
      'z.txt': 'edited here, too',
    });
    expect(messages(mount)).toEqual([
      `${path}/d/e/f/b.txt was removed in disk while it was changed here. It is kept.`,
    ]);
  });

  it('moves a file out of the way of a directory that came from outside', async () => {
    const source = createMemoryHostFs({ files: { 'a.txt': 'one' } });
    const mount = await host.mount('disk', source);
    await write('x', 'a file here');
    source.change('x/inside.txt', 'a directory there');
    await mount.sync();
    const all = {
      'a.txt': 'one',
      'x (from here)': 'a file here',
      'x/': '',
      'x/inside.txt': 'a directory there',
    };
    expect(source.list()).toEqual(all);
    expect(await read('x (from here)')).toBe('a file here');
  });

  it('takes in what is new in a directory that both sides made', async () => {
    const source = createMemoryHostFs();
    const mount = await host.mount('disk', source);
    await host.workspace.fs.mkdir(`${path}/d/e`, { recursive: true });
    await write('d/here.txt', '1');
    source.change('d/e/there.txt', '2');
    await mount.sync();
    const all = { 'd/': '', 'd/e/': '', 'd/e/there.txt': '2', 'd/here.txt': '1' };
    expect(source.list()).toEqual(all);
    expect(await list()).toEqual(['d', 'd/e', 'd/e/there.txt', 'd/here.txt']);
    expect(messages(mount)).toEqual([]);
  });

  it('unmounts: writes back, takes its files out of the workspace, lets go of the source', async () => {
    const source = createMemoryHostFs({ files: { 'a.txt': 'one' } });
    const mount = await host.mount('disk', source);
    await write('a.txt', 'two');
    await mount.unmount();
    expect(source.list()).toEqual({ 'a.txt': 'two' });
    expect(source.closed).toBe(1);
    expect(mount.state().kind).toBe('ended');
    expect(await host.workspace.lookUp([path])).toEqual([null]);
    expect(await workspace.roots.list()).toEqual([]);
    await expect(mount.sync()).rejects.toThrow(`${path} isn't mounted any more.`);
    expect((await host.mount('disk', source)).state().kind).toBe('idle');
  });

  it('goes on, in another host, where a host was closed or killed', async () => {
    const source = createMemoryHostFs({ files: { 'a.txt': 'one', 'b.txt': 'one' } });
    await host.mount('disk', source);
    await write('a.txt', 'closed');
    await host[Symbol.asyncDispose]();
    expect(source.list()).toEqual({ 'a.txt': 'closed', 'b.txt': 'one' });
    // Nobody has it mounted: what changes meanwhile is found by the next mount.
    await workspace.fs.writeFile(`${path}/a.txt`, 'here');
    source.change('b.txt', 'there');
    host = await createInlineHost({ workspace });
    await (await host.mount('disk', source)).sync();
    expect(source.list()).toEqual({ 'a.txt': 'here', 'b.txt': 'there' });
    expect(await read('b.txt')).toBe('there');
  });

  it('leaves the source alone when the mount’s directory is removed', async () => {
    const source = createMemoryHostFs({ files: { 'a.txt': 'one' } });
    const mount = await host.mount('disk', source);
    await host.workspace.fs.rm('/workspace', { recursive: true });
    await expect(mount.sync()).rejects.toMatchObject({ code: 'ENOENT' });
    expect(mount.state()).toMatchObject({ kind: 'failed' });
    expect(source.list()).toEqual({ 'a.txt': 'one' });
    await mount.unmount();
    expect(source.list()).toEqual({ 'a.txt': 'one' });
    await host.mount('disk', source);
    expect(await read('a.txt')).toBe('one');
  });

  it('leaves what is excluded where it is, on both sides', async () => {
    const source = createMemoryHostFs({ files: { 'a.txt': '1', 'node_modules/x/y.js': '1' } });
    const mount = await host.mount('disk', source, { exclude: ['**/node_modules'] });
    expect(await list()).toEqual(['a.txt']);
    await host.workspace.fs.mkdir(`${path}/sub/node_modules`, { recursive: true });
    await write('sub/node_modules/z.js', '1');
    await mount.sync();
    expect(Object.keys(source.list())).toEqual([
      'a.txt',
      'node_modules/',
      'node_modules/x/',
      'node_modules/x/y.js',
      'sub/',
    ]);
  });

  it.each([
    ['was removed', undefined, []],
    ['is a file by now', 'a file', ['logs (from disk)']],
  ])('excludes more than before, where its directory %s outside', async (_, now, aside) => {
    const source = createMemoryHostFs({ files: { 'a.txt': 'one', 'logs/b.log': 'log' } });
    await host.mount('disk', source);
    await host[Symbol.asyncDispose]();
    host = await createInlineHost({ workspace });
    source.change('logs', null);
    if (now !== undefined) source.change('logs', now);
    const mount = await host.mount('disk', source, { exclude: ['**/*.log'] });
    // What is excluded stays where it is.
    const all = ['a.txt', 'logs', 'logs/b.log', ...aside];
    expect(await workspace.fs.readdir(path, { recursive: true })).toEqual(all);
    expect(mount.state().problems).toHaveLength(aside.length);
    await mount.sync();
    expect(source.list()['logs (from disk)']).toBe(now);
    expect(source.list()['logs/b.log']).toBeUndefined();
  });

  describe('unmounted with files that are excluded', () => {
    const exclude = ['**/node_modules', '*.local'];
    const files = { 'a.txt': '1', 'd/b.txt': '1', 'outside.local': '1' };
    const staying = ['notes.local', 'sub', 'sub/node_modules', 'sub/node_modules/z.js'];
    const written = [...Object.keys(files), 'd/', 'sub/', 'sub/c.txt'].sort();
    async function mountWithExcluded() {
      const source = createMemoryHostFs({ files });
      const mount = await host.mount('disk', source, { exclude });
      await host.workspace.fs.mkdir(`${path}/sub/node_modules`, { recursive: true });
      await write('sub/node_modules/z.js', '1');
      await write('sub/c.txt', '1');
      await write('notes.local', 'here alone');
      return { source, mount };
    }

    it('keeps those in the workspace, and is mounted over them again', async () => {
      const { source, mount } = await mountWithExcluded();
      await mount.unmount();
      expect([await list(), Object.keys(source.list())]).toEqual([staying, written]);
      expect(source.closed).toBe(1);
      expect(await workspace.roots.list()).toEqual([]);
      await expect(host.mount('disk', source)).rejects.toMatchObject({ code: 'ENOTEMPTY' });
      await host.mount('disk', source, { exclude });
      expect(await read('a.txt')).toBe('1');
      expect(await read('notes.local')).toBe('here alone');
      expect(Object.keys(source.list())).toEqual(written);
    });

    it('removes nothing outside where it was cut', async () => {
      let isCut = false;
      const cut = async () => {
        if (isCut) throw new SdkError('EIO', 'The machine is gone.');
      };
      const dying: typeof workspace = {
        ...workspace,
        roots: {
          ...workspace.roots,
          drop: (...given) => cut().then(() => workspace.roots.drop(...given)),
        },
      };
      await host[Symbol.asyncDispose]();
      host = await createInlineHost({ workspace: dying });
      const { source, mount } = await mountWithExcluded();
      isCut = true;
      await expect(mount.unmount()).rejects.toThrow('The machine is gone.');
      isCut = false;
      expect([await list(), Object.keys(source.list())]).toEqual([staying, written]);
      await host.mount('disk', source, { exclude });
      expect(Object.keys(source.list())).toEqual(written);
      expect(await read('d/b.txt')).toBe('1');
    });
  });
});
