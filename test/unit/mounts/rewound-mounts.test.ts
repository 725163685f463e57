// A rewind of a workspace in which something is mounted: what it may take back, and what it leaves alone.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createInlineHost, type InlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';
import type { ViewSource } from '../../../src/workspace/draft/view.ts';
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
const write = (name: string, text: string) => host.workspace.fs.writeFile(`${path}/${name}`, text);
const list = async () => (await host.workspace.fs.readdir(path, { recursive: true })).sort();

describe('mount, and a rewind to before it', () => {
  const author = { kind: 'user' } as const;

  it('keeps the files, whichever way they came', async () => {
    await host.workspace.fs.mkdir(path, { recursive: true });
    await host.workspace.fs.writeFile('/workspace/beside', 'then');
    const { id } = await host.workspace.roots.checkpoint('before', { author });
    const source = createMemoryHostFs({ files: { 'a.txt': 'one', 'd/b.txt': 'two' } });
    const before = source.list();
    const mount = await host.mount('disk', source);
    await host.workspace.fs.writeFile('/workspace/beside', 'now');
    expect((await host.workspace.roots.diff(id)).map((change) => change.path)).toEqual([
      '/workspace/beside',
    ]);
    await host.workspace.roots.rewind(id, { author });
    await mount.sync();
    expect(source.list()).toEqual(before);
    expect(await list()).toEqual(['a.txt', 'd', 'd/b.txt']);
    expect(await host.workspace.fs.readFile('/workspace/beside', 'utf8')).toBe('then');
    // By the name of the checkpoint it is young; what it pins is from before.
    const branch = await host.workspace.roots.branch('then', { author, from: id });
    const moved = await host.workspace.roots.checkpoint('moved', { author, from: branch.id });
    await host.workspace.roots.rewind(moved.id, { author });
    await mount.sync();
    expect(source.list()).toEqual(before);
  });

  it('keeps the files where the first reading was cut by then', async () => {
    // A batch, and what comes after it.
    const files = { 'a.bin': new Uint8Array(8 * 1024 * 1024), 'b.txt': 'x' };
    const source = createMemoryHostFs({ files });
    const stop = new AbortController();
    const onProgress = () => stop.abort();
    const stopped = host.mount('disk', source, { onProgress, signal: stop.signal });
    await expect(stopped).rejects.toMatchObject({ code: 'aborted' });
    expect(await list()).toEqual(['a.bin']);
    const { id } = await host.workspace.roots.checkpoint('half', { author });
    const mount = await host.mount('disk', source);
    await host.workspace.roots.rewind(id, { author });
    await mount.sync();
    expect(Object.keys(source.list())).toEqual(['a.bin', 'b.txt']);
    expect(await list()).toEqual(['a.bin', 'b.txt']);
  });

  it('goes back below it where the checkpoint has it, also after another mount', async () => {
    const source = createMemoryHostFs({ files: { 'a.txt': 'one' } });
    await host.mount('disk', source);
    const { id } = await host.workspace.roots.checkpoint('mounted', { author });
    await write('a.txt', 'two');
    await write('new.txt', 'two');
    await host[Symbol.asyncDispose]();
    expect(source.list()).toEqual({ 'a.txt': 'two', 'new.txt': 'two' });
    host = await createInlineHost({ workspace });
    const mount = await host.mount('disk', source);
    await host.workspace.roots.rewind(id, { author });
    await mount.sync();
    expect(source.list()).toEqual({ 'a.txt': 'one' });
  });
});
