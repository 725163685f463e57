// The session's own files in whole conversations: found by their paths, in no rewind, branch or search.
import { describe, expect, it } from 'vitest';
import { createSessionFiles } from '../../../src/agent/session/files/session-files.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';
import { openHost } from '../../support/turns/run-hooked.ts';
import { expectedOfSpill, readSpill, spillPath } from '../../support/turns/spilled-result.ts';

const user = { author: { kind: 'user' } } as const;

describe('a spilled result', () => {
  it('is read and searched by its path, and not by searches of the workspace', async () => {
    await using host = await openHost();
    expect(await readSpill(host)).toEqual(expectedOfSpill);
  });

  it('outlives a rewind, and is in no branch and no hash', async () => {
    await using host = await openHost();
    const { workspace } = host;
    const hash = await workspace.treeHash();
    const { id } = await workspace.roots.checkpoint('before', user);
    await readSpill(host);
    expect(await workspace.treeHash()).toBe(hash);
    const branch = await workspace.roots.branch('after', user);
    expect(await workspace.roots.diff(branch.id, { against: id })).toEqual([]);
    await workspace.roots.rewind(id, user);
    expect((await workspace.fs.readFile(spillPath, 'utf8')).slice(-11)).toBe('the needle\n');
  });
});

describe("a session's files", () => {
  it('make their root with the first of them, and again where that failed', async () => {
    await using workspace = await createMemoryWorkspace();
    const { roots } = workspace;
    let isFull = true;
    const session: typeof roots.session = (...given) =>
      isFull ? Promise.reject(new Error('The disk is full.')) : roots.session(...given);
    const files = createSessionFiles({ ...workspace, roots: { ...roots, session } }, 'one');
    expect(await roots.list({ kind: 'session' })).toEqual([]);
    await expect(files.write('a/b.txt', 'x')).rejects.toThrow('The disk is full.');
    isFull = false;
    expect(await files.write('a/b.txt', 'x')).toBe('/session/one/a/b.txt');
    await files.append('a/b.txt', 'y');
    expect(await workspace.fs.readFile('/session/one/a/b.txt', 'utf8')).toBe('xy');
  });

  it('can’t be climbed out of', async () => {
    await using workspace = await createMemoryWorkspace();
    const files = createSessionFiles(workspace, 'one');
    expect(await files.write('../../two/x', 'x')).toBe('/session/one/two/x');
    expect(await workspace.fs.readdir('/session')).toEqual(['one']);
  });

  it('are gone with their root, and what comes late is refused', async () => {
    await using workspace = await createMemoryWorkspace();
    const files = createSessionFiles(workspace, 'one');
    await files.write('a.txt', 'x');
    await workspace.roots.drop('session/one', user);
    await expect(files.append('a.txt', 'y')).rejects.toThrow("no root 'session/one'");
    expect(await workspace.fs.readdir('/')).toEqual([]);
  });
});
