// What is mounted to be read alone: nothing that the host has changes it.
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
const read = (name: string) => host.workspace.fs.readFile(`${path}/${name}`, 'utf8');
const write = (name: string, text: string) => host.workspace.fs.writeFile(`${path}/${name}`, text);
const list = async () => (await host.workspace.fs.readdir(path, { recursive: true })).sort();

describe('mount, read-only', () => {
  it('refuses every way to write below it, and takes in what changes outside', async () => {
    const source = createMemoryHostFs({ files: { 'a.txt': 'one' } });
    const mount = await host.mount('disk', source, { readOnly: true });
    const { fs } = host.workspace;
    const told = `what is mounted at ${path} can only be read; write elsewhere, to a copy of it if need be`;
    await fs.symlink(path, '/workspace/way');
    for (const refused of [
      write('a.txt', 'x'),
      fs.writeFile('/workspace/way/new.txt', 'x'),
      fs.rm('/workspace', { recursive: true }),
      fs.rename('/workspace', '/elsewhere'),
      fs.cp('/workspace/way', `${path}/copy`, { recursive: true }),
      fs.open(`${path}/a.txt`, 'w'),
    ]) {
      await expect(refused).rejects.toMatchObject({
        code: 'EROFS',
        message: expect.stringContaining(told),
      });
    }
    expect(await fs.readFile('/workspace/way/a.txt', 'utf8')).toBe('one');
    // What a call gets, which judges real paths in its worker.
    const address = { root: 'main', minSeq: workspace.seq() };
    const roots = { cwd: '/workspace', roots: ['/workspace'], readOnlyRoots: [] };
    const readOnlyMounts = host.readOnlyMounts?.() ?? [];
    const access = { ...roots, readOnlyMounts, rules: [], write: 'allow' } as const;
    const view = await workspace.openView(address, access);
    for (const change of [
      () => view.fs.sync.writeFileSync('/workspace/way/a.txt', 'x'),
      () => view.fs.sync.rmSync('/workspace', { recursive: true }),
      () => view.fs.sync.renameSync('/workspace/disk', '/workspace/moved'),
    ]) {
      expect(change).toThrow(told);
    }
    source.change('a.txt', 'two');
    await mount.sync();
    expect(await read('a.txt')).toBe('two');
    await mount.unmount();
    expect(source.list()).toEqual({ 'a.txt': 'two' });
  });

  const author = { kind: 'user' } as const;

  it('refuses an undo and a merge that would change something below it, and no others', async () => {
    const source = createMemoryHostFs({ files: { 'a.txt': 'one' } });
    await host.mount('disk', source);
    const { roots } = host.workspace;
    const change = async (callId: string, name: string, root?: string) => {
      const at = { path: name, baseVersion: 0, mode: 0o644, mtimeMs: 0 };
      const content = new TextEncoder().encode(callId);
      const changes = [{ ...at, type: 'write', content }] as const;
      const by = { kind: 'agent', callId } as const;
      const changeSet = { baseSeq: workspace.seq(), changes };
      await host.workspace.commit(changeSet, { author: by, ...(root !== undefined && { root }) });
    };
    await change('below', `${path}/b.txt`);
    await change('beside', '/workspace/c.txt');
    const { id } = await roots.branch('work', { author });
    await change('on the branch', `${path}/new.txt`, id);
    await change('on the branch', '/workspace/d.txt', id);
    await host[Symbol.asyncDispose]();
    host = await createInlineHost({ workspace });
    const mount = await host.mount('disk', source, { readOnly: true });
    const refused = { code: 'EROFS' };
    await expect(host.workspace.history.undo('below')).rejects.toMatchObject(refused);
    await expect(host.workspace.roots.merge(id, { author })).rejects.toMatchObject(refused);
    await host.workspace.history.undo('beside');
    await host.workspace.roots.merge(id, { author, paths: ['/workspace/d.txt'] });
    await mount.sync();
    expect(await list()).toEqual(['a.txt', 'b.txt']);
    expect(await host.workspace.fs.readdir('/workspace')).toEqual(['d.txt', 'disk']);
    await mount.unmount();
    await host.workspace.history.undo('below');
  });

  it('stays as it is in a rewind', async () => {
    const source = createMemoryHostFs({ files: { 'a.txt': 'one' } });
    // Once it could be written: what was known then doesn't count any more.
    await host.mount('disk', source);
    await host[Symbol.asyncDispose]();
    host = await createInlineHost({ workspace });
    const mount = await host.mount('disk', source, { readOnly: true });
    const { id } = await host.workspace.roots.checkpoint('mounted', { author });
    source.change('a.txt', 'two');
    await mount.sync();
    await host.workspace.roots.rewind(id, { author });
    expect(await read('a.txt')).toBe('two');
  });
});
