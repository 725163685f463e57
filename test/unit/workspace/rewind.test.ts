// Going back to a checkpoint: whole or in parts, undone again, with the user's own edits kept.
import { describe, expect, it } from 'vitest';
import type { ChangeEvent } from '../../../src/workspace/workspace.ts';
import { agent, openRoots, readRoot, user } from '../../support/files/roots.ts';

async function openCheckpoint(files: Readonly<Record<string, string>>) {
  const opened = await openRoots(files);
  const { workspace } = opened;
  const { id } = await workspace.roots.checkpoint('before the message', user);
  const read = (root = 'main') => readRoot(workspace, { root, minSeq: workspace.seq() });
  return { ...opened, id, read };
}

describe('a rewind', () => {
  it('makes main what the checkpoint is, in one record, and can be undone', async () => {
    const files = { '/a': 'A', '/d/x': 'X', '/f': 'F' };
    const { workspace, id, commit, read } = await openCheckpoint(files);
    await commit('main', (fs) => {
      fs.writeFileSync('/a', 'agent');
      fs.renameSync('/d', '/e');
      fs.rmSync('/f');
      fs.mkdirSync('/f');
    });
    await workspace.fs.writeFile('/typed', 'T');
    const before = await read();
    const hash = await workspace.treeHash();
    const events: ChangeEvent[] = [];
    workspace.onChange((event) => events.push(event));
    const { seq, undo, kept } = await workspace.roots.rewind(id, user);
    expect([seq, kept, await read()]).toEqual([workspace.seq(), [], files]);
    expect(events.map(({ changes }) => changes.map(({ type, path }) => `${type} ${path}`))).toEqual(
      [
        [
          'delete /e/x',
          'delete /e',
          'update /f',
          'delete /typed',
          'update /a',
          'create /d',
          'create /d/x',
        ],
      ],
    );
    expect((await workspace.roots.list()).at(-1)).toMatchObject({
      id: undo,
      kind: 'checkpoint',
      label: 'Before rewinding to: before the message',
      seq,
    });
    expect(await read(undo)).toEqual(before);
    const back = await workspace.roots.rewind(undo, user);
    expect([await read(), await workspace.treeHash()]).toEqual([before, hash]);
    await workspace.roots.rewind(back.undo, user);
    expect(await read()).toEqual(files);
  });

  it('gives every path that it changes a new version', async () => {
    const { workspace, id, commit } = await openCheckpoint({ '/a': 'A', '/b': 'B' });
    await commit('main', (fs) => fs.writeFileSync('/a', 'agent'));
    const { seq } = await workspace.roots.rewind(id, user);
    expect(await workspace.versions(['/a', '/b'])).toEqual([seq, 1]);
  });

  it('takes files and directories by themselves', async () => {
    const { workspace, id, commit, read } = await openCheckpoint({
      '/a': 'A',
      '/d/x': 'X',
      '/d/y': 'Y',
    });
    await commit('main', (fs) => {
      fs.writeFileSync('/a', 'agent');
      fs.rmSync('/d', { recursive: true });
      fs.writeFileSync('/new', 'N');
    });
    const rewind = (...paths: string[]) => workspace.roots.rewind(id, { ...user, paths });
    await rewind('/d/x');
    expect(await read()).toEqual({ '/a': 'agent', '/d/x': 'X', '/new': 'N' });
    await rewind('/d', '/new', '/nothing');
    expect(await read()).toEqual({ '/a': 'agent', '/d/x': 'X', '/d/y': 'Y' });
  });

  it('makes its checkpoint also where there is nothing to go back from', async () => {
    const { workspace, id, read } = await openCheckpoint({ '/a': 'A' });
    const { undo, kept } = await workspace.roots.rewind(id, user);
    expect([kept, await read(undo)]).toEqual([[], await read()]);
  });

  it('lets nothing come in between, however many commits wait', async () => {
    const { workspace, id, read } = await openCheckpoint({ '/a': 'A' });
    const writes = (name: string) =>
      Array.from({ length: 20 }, (_, at) => workspace.fs.writeFile(`/${name}${at}`, name));
    const before = writes('before');
    const rewinding = workspace.roots.rewind(id, user);
    await Promise.all([...before, rewinding, ...writes('after')]);
    const { undo } = await rewinding;
    const [now, then] = [await read(), await read(undo)];
    // Each write is either in the checkpoint, and was undone, or came after it.
    expect(Object.keys({ ...now, ...then })).toHaveLength(41);
    expect(Object.keys(now).filter((path) => path in then)).toEqual(['/a']);
  });
});

describe("a rewind that keeps the user's edits", () => {
  it('leaves what a person changed, made or removed since, and says so', async () => {
    const { workspace, id, commit, read } = await openCheckpoint({
      '/agent': 'A',
      '/both': 'B',
      '/typed': 'T',
      '/removed': 'R',
      '/same': 'S',
    });
    await commit('main', (fs) => {
      fs.writeFileSync('/agent', 'agent');
      fs.writeFileSync('/both', 'agent');
      fs.mkdirSync('/made');
      fs.writeFileSync('/made/agent', 'agent');
    });
    await workspace.fs.writeFile('/both', 'user');
    await workspace.fs.writeFile('/typed', 'user');
    await workspace.fs.rm('/removed');
    await workspace.fs.writeFile('/made/user', 'user');
    await workspace.fs.chmod('/same', 0o644);
    const { kept, undo } = await workspace.roots.rewind(id, { ...user, keep: 'user' });
    expect(kept).toEqual(['/both', '/made/user', '/removed', '/typed']);
    expect(await read()).toEqual({
      '/agent': 'A',
      '/both': 'user',
      '/made/user': 'user',
      '/same': 'S',
      '/typed': 'user',
    });
    expect((await read(undo))['/made/agent']).toBe('agent');
    // They are the user's still, whatever the agent does after.
    await commit('main', (fs) => fs.writeFileSync('/agent', 'again'));
    const again = await workspace.roots.rewind(id, { ...user, keep: 'user' });
    expect([again.kept, (await read())['/agent']]).toEqual([kept, 'A']);
  });

  it('does not take a rewind for an edit, though the user asks for it', async () => {
    const { workspace, id, commit, read } = await openCheckpoint({ '/a': 'A' });
    await commit('main', (fs) => fs.writeFileSync('/a', 'one'));
    const { undo } = await workspace.roots.rewind(id, user);
    await workspace.roots.rewind(undo, user);
    await commit('main', (fs) => fs.writeFileSync('/a', 'two'));
    const { kept } = await workspace.roots.rewind(id, { ...user, keep: 'user' });
    expect([kept, await read()]).toEqual([[], { '/a': 'A' }]);
  });

  it('knows edits from before the checkpoint from those since', async () => {
    const { workspace, commit, read } = await openCheckpoint({ '/a': 'A', '/b': 'B' });
    await workspace.fs.writeFile('/a', 'early');
    const { id } = await workspace.roots.checkpoint('second', user);
    await commit('main', (fs) => fs.writeFileSync('/a', 'agent'));
    await workspace.fs.writeFile('/b', 'late');
    const { kept } = await workspace.roots.rewind(id, { ...user, keep: 'user' });
    expect([kept, await read()]).toEqual([['/b'], { '/a': 'early', '/b': 'late' }]);
  });

  it('brings back what the agent removed or moved away, edited or not', async () => {
    const { workspace, id, commit, read } = await openCheckpoint({ '/d/a': 'A', '/d/b': 'B' });
    await workspace.fs.writeFile('/d/a', 'user');
    await commit('main', (fs) => fs.renameSync('/d', '/e'));
    const { kept } = await workspace.roots.rewind(id, { ...user, keep: 'user' });
    expect([kept, await read()]).toEqual([[], { '/d/a': 'A', '/d/b': 'B' }]);
  });

  it('keeps a removed directory as far as nothing of it comes back', async () => {
    const { workspace, id, commit, read } = await openCheckpoint({
      '/d/a': 'A',
      '/d/b': 'B',
      '/e/c': 'C',
    });
    await commit('main', (fs) => fs.rmSync('/d/b'));
    await workspace.fs.rm('/d', { recursive: true });
    await workspace.fs.rm('/e', { recursive: true });
    const { kept } = await workspace.roots.rewind(id, { ...user, keep: 'user' });
    expect([kept, await read()]).toEqual([['/d/a', '/e', '/e/c'], { '/d/b': 'B' }]);
  });

  it('keeps a file where the checkpoint has one in the place of its directory', async () => {
    const { workspace, id, commit, read } = await openCheckpoint({ '/x': 'a file' });
    await commit(
      'main',
      (fs) => (fs.rmSync('/x'), fs.mkdirSync('/x'), fs.writeFileSync('/x/agent', 'A')),
    );
    await workspace.fs.writeFile('/x/user', 'user');
    const { kept } = await workspace.roots.rewind(id, { ...user, keep: 'user' });
    expect([kept, await read()]).toEqual([['/x/user'], { '/x/user': 'user' }]);
  });

  it('looks only at the paths that were asked for', async () => {
    const { workspace, id, commit, read } = await openCheckpoint({
      '/d/a': 'A',
      '/d/b': 'B',
      '/c': 'C',
    });
    await workspace.fs.writeFile('/d/a', 'user');
    await workspace.fs.writeFile('/c', 'user');
    await commit('main', (fs) => fs.writeFileSync('/d/b', 'agent'), agent);
    const { kept } = await workspace.roots.rewind(id, { ...user, keep: 'user', paths: ['/d'] });
    expect([kept, await read()]).toEqual([['/d/a'], { '/d/a': 'user', '/d/b': 'B', '/c': 'user' }]);
  });

  it('can be seen beforehand', async () => {
    const { workspace, id, commit } = await openCheckpoint({ '/a': 'A', '/b': 'B' });
    await commit('main', (fs) => (fs.writeFileSync('/a', 'agent'), fs.writeFileSync('/c', 'C')));
    await workspace.fs.writeFile('/b', 'user');
    const changes = await workspace.roots.diff(id, { keep: 'user' });
    expect(changes.map(({ path, type }) => `${type} ${path}`)).toEqual(['update /a', 'delete /c']);
    const undo = 'chosen-undo';
    expect(await workspace.roots.rewind(id, { ...user, keep: 'user', undo })).toMatchObject({
      undo,
      paths: ['/a', '/c'],
      kept: ['/b'],
    });
    expect(await workspace.roots.diff('main', { against: undo })).toEqual(changes);
  });
});
