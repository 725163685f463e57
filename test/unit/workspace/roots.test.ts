// Checkpoints and branches: made, listed, compared, dropped, and what is refused. Merging and rewinding
// have files of their own.
import { describe, expect, it } from 'vitest';
import type { WorkspaceRoots } from '../../../src/workspace/state/workspace-roots.ts';
import { createWriterWorkspace } from '../../../src/workspace/commit/writer-workspace.ts';
import { agent, messageOf, openRoots, readRoot, user } from '../../support/files/roots.ts';
import { openAccess, openReplicaOf } from '../../support/files/workspaces.ts';

describe('the roots of a workspace', () => {
  it('are listed in the order in which they were made', async () => {
    const { workspace } = await openRoots({ '/a': 'A' });
    const first = await workspace.roots.checkpoint('before', user);
    const second = await workspace.roots.branch('try', { ...agent, from: first.id });
    const third = await workspace.roots.checkpoint(undefined, user);
    expect(await workspace.roots.list()).toEqual([first, second, third]);
    expect([first, second, third]).toMatchObject([
      { kind: 'checkpoint', label: 'before', seq: 2 },
      { kind: 'branch', label: 'try', seq: 3 },
      { kind: 'checkpoint', label: '', seq: 4 },
    ]);
    expect(await workspace.roots.drop(second.id, user)).toEqual({ seq: 5 });
    expect(await workspace.roots.list()).toEqual([first, third]);
  });

  it('are seen by views, here and in a replica, as soon as they are acknowledged', async () => {
    const { workspace, writer, commit } = await openRoots({ '/a': 'A' });
    const { replica } = await openReplicaOf(writer);
    const checkpoint = await workspace.roots.checkpoint('c', user);
    const branch = await workspace.roots.branch('b', agent);
    await commit('main', (fs) => fs.writeFileSync('/a', 'main'));
    await commit(branch.id, (fs) => fs.writeFileSync('/a', 'branch'));
    for (const source of [workspace, replica]) {
      const read = (root: string) => readRoot(source, { root, minSeq: workspace.seq() });
      expect([await read('main'), await read(branch.id), await read(checkpoint.id)]).toEqual([
        { '/a': 'main' },
        { '/a': 'branch' },
        { '/a': 'A' },
      ]);
    }
  });

  it('are compared: a branch with its base, a checkpoint with main, any with any', async () => {
    const { workspace, commit } = await openRoots({ '/a': 'A\n', '/b': 'B\n' });
    const { roots } = workspace;
    const checkpoint = await roots.checkpoint('c', user);
    const branch = await roots.branch('b', agent);
    await commit('main', (fs) => fs.writeFileSync('/a', 'main\n'));
    await commit(branch.id, (fs) => fs.rmSync('/b'));
    const diff = async (...parameters: Parameters<WorkspaceRoots['diff']>) =>
      (await roots.diff(...parameters)).map(({ type, path }) => `${type} ${path}`);
    expect(await diff(branch.id)).toEqual(['delete /b']);
    expect(await diff(checkpoint.id)).toEqual(['update /a']);
    expect(await diff(branch.id, { against: 'main' })).toEqual(['update /a', 'delete /b']);
    expect(await diff('main', { against: checkpoint.id })).toEqual(['update /a']);
    expect(await diff('main', { against: 'main' })).toEqual([]);
    const [change] = await roots.diff(checkpoint.id);
    expect(change).toEqual({
      path: '/a',
      type: 'update',
      additions: 1,
      deletions: 1,
      structuredPatch: [
        { oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-main', '+A'] },
      ],
    });
  });

  it('keep a branch that was made of one that is dropped', async () => {
    const { workspace, commit } = await openRoots({ '/a': 'A' });
    const outer = await workspace.roots.branch('outer', agent);
    await commit(outer.id, (fs) => fs.writeFileSync('/a', 'outer'));
    const inner = await workspace.roots.branch('inner', { ...agent, from: outer.id });
    await workspace.roots.drop(outer.id, agent);
    const address = { root: inner.id, minSeq: workspace.seq() };
    expect(await readRoot(workspace, address)).toEqual({ '/a': 'outer' });
  });

  const unknown = "The workspace has no root 'gone': it was dropped, or never made.";
  const refused: readonly (readonly [
    message: string,
    operate: (
      roots: WorkspaceRoots,
      ids: { checkpoint: string; branch: string },
    ) => Promise<unknown>,
  ])[] = [
    [unknown, (roots) => roots.drop('gone', user)],
    [unknown, (roots) => roots.diff('gone')],
    [unknown, (roots) => roots.merge('gone', user)],
    [unknown, (roots) => roots.rewind('gone', user)],
    [unknown, (roots) => roots.branch('b', { ...user, from: 'gone' })],
    [unknown, (roots, { branch }) => roots.diff(branch, { against: 'gone' })],
    [unknown, (roots, { branch }) => roots.merge(branch, { ...user, into: 'gone' })],
    ['main has no default to compare with', (roots) => roots.diff('main')],
    ['main can be neither made nor dropped.', (roots) => roots.drop('main', user)],
    ["'main' is no branch. It is the tree itself.", (roots) => roots.merge('main', user)],
    ["'main' is no checkpoint. It is the tree itself.", (roots) => roots.rewind('main', user)],
    [
      ' is no branch. A checkpoint is rewound to, or a branch is made from it.',
      (roots, { checkpoint }) => roots.merge(checkpoint, user),
    ],
    [
      ' is no checkpoint. A branch is merged, or dropped.',
      (roots, { branch }) => roots.rewind(branch, user),
    ],
    [
      " can't be merged into itself.",
      (roots, { branch }) => roots.merge(branch, { ...user, into: branch }),
    ],
    [
      ' is a checkpoint and stays as it is. Make a branch from it.',
      (roots, { branch, checkpoint }) => roots.merge(branch, { ...user, into: checkpoint }),
    ],
    ['paths is a list', (roots, { branch }) => roots.merge(branch, { ...user, paths: [] })],
    [
      'Each path must be absolute and normal',
      (roots, { branch }) => roots.merge(branch, { ...user, paths: ['a'] }),
    ],
    ['The label has 1001 characters', (roots) => roots.checkpoint('x'.repeat(1001), user)],
    ['The label must be text', (roots) => roots.branch(7 as never, user)],
    ['Options is no object', (roots) => roots.checkpoint('c', undefined as never)],
    ['The author is no object', (roots) => roots.checkpoint('c', {} as never)],
    ['The id must be an id', (roots) => roots.drop({} as never, user)],
    ['The id must be an id', (roots) => roots.rewind(undefined as never, user)],
    ['has a root', (roots, { branch }) => roots.checkpoint('c', { ...user, id: branch })],
    [
      'has a root',
      (roots, { checkpoint: id, branch }) => roots.rewind(id, { ...user, undo: branch }),
    ],
    [
      "keep is 'user'",
      (roots, { checkpoint }) => roots.diff(checkpoint, { keep: 'user', against: 'main' }),
    ],
    ['is no checkpoint', (roots, { branch }) => roots.diff(branch, { keep: 'user' })],
    [
      "keep is 'user'",
      (roots, { checkpoint }) => roots.rewind(checkpoint, { ...user, keep: 'x' as never }),
    ],
  ];
  it.each(refused)('say "%s", and change nothing', async (message, operate) => {
    const { workspace, commit } = await openRoots({ '/a': 'A' });
    const { id: checkpoint } = await workspace.roots.checkpoint('c', user);
    const { id: branch } = await workspace.roots.branch('b', user);
    await commit(branch, (fs) => fs.writeFileSync('/a', 'branch'));
    const seq = workspace.seq();
    const refusal = await messageOf(operate(workspace.roots, { checkpoint, branch }));
    expect(refusal).toContain(message);
    expect([workspace.seq(), (await workspace.roots.list()).length]).toEqual([seq, 2]);
  });

  it('refuse a second drop, also of two at once', async () => {
    const { workspace } = await openRoots({});
    const { id } = await workspace.roots.branch('b', user);
    const drops = [workspace.roots.drop(id, user), workspace.roots.drop(id, user)];
    const results = await Promise.allSettled(drops);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });

  it('take no commit to a checkpoint, and none to what was dropped', async () => {
    const { workspace, commit } = await openRoots({ '/a': 'A' });
    const { id } = await workspace.roots.checkpoint('c', user);
    const write = () => commit(id, (fs) => fs.writeFileSync('/a', 'x'));
    expect(await messageOf(write())).toBe(
      `'${id}' is a checkpoint and stays as it is. Make a branch from it.`,
    );
    const view = await workspace.openView({ root: id, minSeq: 0 }, openAccess('/'));
    view.fs.sync.writeFileSync('/a', 'x');
    await workspace.roots.drop(id, user);
    const changeSet = view.changeSet() ?? { baseSeq: 0, changes: [] };
    expect(await messageOf(workspace.commit(changeSet, { ...agent, root: id }))).toContain(
      `The workspace has no root '${id}'`,
    );
  });

  it('may be a thousand, survive a reopening, and cost what changed between them', async () => {
    const { workspace, writer, reopen } = await openRoots({ '/a': 'A', '/b': 'B' });
    for (let at = 0; at < 1000; at += 1) {
      await workspace.fs.writeFile(`/f${at % 100}`, String(at));
      await workspace.roots.checkpoint(`message ${at}`, user);
    }
    const list = await workspace.roots.list();
    const { messages, replica } = await openReplicaOf(writer);
    // One file for each, not all files that have changed since.
    expect(JSON.stringify(messages[0]).length).toBeLessThan(400_000);
    const early = list[10]?.id ?? '';
    const expected = Object.fromEntries(
      Array.from({ length: 11 }, (_, at) => [`/f${at}`, String(at)]),
    );
    const again = createWriterWorkspace(await reopen());
    expect(await again.roots.list()).toEqual(list);
    for (const source of [workspace, replica, again]) {
      const files = await readRoot(source, { root: early, minSeq: 0 });
      expect(files).toEqual({ '/a': 'A', '/b': 'B', ...expected });
    }
    for (let at = 1000; at < 1024; at += 1) await again.roots.checkpoint('', user);
    expect(await messageOf(again.roots.checkpoint('', user))).toBe(
      'The workspace has 1024 checkpoints and branches. Drop some first.',
    );
    await again.roots.drop(early, user);
    await again.roots.checkpoint('', user);
  });
});
