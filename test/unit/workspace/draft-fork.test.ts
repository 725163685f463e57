// Drafts of drafts: a cell inside a sub-agent's branch inside a dry run, say.
import { describe, expect, it } from 'vitest';
import { SdkError } from '../../../src/core/errors.ts';
import { createDraftView } from '../../../src/workspace/draft/draft-view.ts';
import { Draft } from '../../../src/workspace/draft/draft.ts';
import { createWriterWorkspace } from '../../../src/workspace/commit/writer-workspace.ts';
import { openAccess, openTestWriter } from '../../support/files/workspaces.ts';

/** A draft over these files, and views over it and its forks. */
async function openDraft(files: Readonly<Record<string, string>>) {
  const writer = await openTestWriter();
  const workspace = createWriterWorkspace(writer);
  for (const [path, text] of Object.entries(files)) {
    await workspace.fs.mkdir(path.slice(0, path.lastIndexOf('/')) || '/', { recursive: true });
    await workspace.fs.writeFile(path, text);
  }
  const open = (draft: Draft) =>
    createDraftView({ draft, contents: writer.contents, access: openAccess('/'), now: () => 5 });
  const draft = new Draft(writer.root, writer.seq);
  return { workspace, draft, outer: open(draft), open };
}

const shown = (draft: Draft) =>
  (draft.changeSet()?.changes ?? []).map(
    ({ type, path, baseVersion }) => `${type} ${path} @${baseVersion}`,
  );

function conflictOf(absorb: () => void): unknown {
  try {
    absorb();
    return undefined;
  } catch (error) {
    if (SdkError.isInstance(error) && error.code === 'ECONFLICT') return error.data;
    throw error;
  }
}

describe('a fork of a draft', () => {
  it('sees what the outer draft wrote, and keeps what it writes itself', async () => {
    const { draft, outer, open } = await openDraft({ '/a': 'A', '/b': 'B' });
    outer.fs.sync.writeFileSync('/a', 'outer');
    const fork = draft.fork();
    const inner = open(fork);
    inner.fs.sync.writeFileSync('/b', 'inner');
    expect(inner.fs.sync.readFileSync('/a', 'utf8')).toBe('outer');
    expect(outer.fs.sync.readFileSync('/b', 'utf8')).toBe('B');
    outer.fs.sync.writeFileSync('/late', 'L');
    expect(inner.fs.sync.readdirSync('/')).toEqual(['a', 'b']);
    expect([shown(draft), shown(fork)]).toEqual([
      ['write /a @1', 'write /late @0'],
      ['write /b @2'],
    ]);
    expect((await inner.fileChanges()).map(({ path, type }) => [path, type])).toEqual([
      ['/b', 'update'],
    ]);
  });

  it('agrees with the outer draft where one removed a directory, and the other something in it', async () => {
    const files = { '/a/b/c': 'C', '/a/d': 'D', '/e': 'E' };
    for (const [inside, whole] of [
      ['inner', 'outer'],
      ['outer', 'inner'],
    ] as const) {
      const { draft, outer, open } = await openDraft(files);
      const fork = draft.fork();
      const views = { outer, inner: open(fork) };
      views[inside].fs.sync.rmSync('/a/b', { recursive: true });
      views[whole].fs.sync.rmSync('/a', { recursive: true });
      draft.absorb(fork);
      expect(outer.fs.sync.readdirSync('/', { recursive: true })).toEqual(['e']);
    }
    const { draft, outer, open } = await openDraft(files);
    const fork = draft.fork();
    open(fork).fs.sync.rmSync('/a', { recursive: true });
    outer.fs.sync.writeFileSync('/a/d', 'outer');
    expect(conflictOf(() => draft.absorb(fork))).toEqual({ paths: ['/a'] });
  });

  it('carries the versions of the committed base, whatever stands between', async () => {
    const { draft, outer, open } = await openDraft({ '/a': 'A', '/b': 'B' });
    outer.fs.sync.writeFileSync('/a', 'outer');
    outer.fs.sync.rmSync('/b');
    const fork = draft.fork();
    const inner = open(fork);
    inner.fs.sync.writeFileSync('/a', 'inner');
    inner.fs.sync.writeFileSync('/b', 'back');
    expect(shown(fork)).toEqual(['write /a @1', 'write /b @2']);
    expect(inner.fs.sync.statSync('/a').version).toBe(1);
    expect((await inner.fs.walk('/')).map(({ path, version }) => [path, version])).toEqual([
      ['/a', 1],
      ['/b', 2],
    ]);
  });

  it('is forgotten without a trace in the outer draft', async () => {
    const { draft, outer, open } = await openDraft({ '/a': 'A' });
    outer.fs.sync.writeFileSync('/b', 'outer');
    const inner = open(draft.fork());
    inner.fs.sync.rmSync('/b');
    inner.fs.sync.writeFileSync('/a', 'inner');
    inner.rollback();
    expect(inner.changeSet()).toBeNull();
    expect(inner.fs.sync.readFileSync('/b', 'utf8')).toBe('outer');
    expect(shown(draft)).toEqual(['write /b @0']);
  });

  it('is absorbed through all drafts, and what the outermost one holds is committed as one', async () => {
    const { workspace, draft, outer, open } = await openDraft({ '/a': 'A', '/d/x': 'X' });
    outer.fs.sync.writeFileSync('/a', 'dry run');
    const branch = draft.fork();
    open(branch).fs.sync.renameSync('/d', '/e');
    const cell = branch.fork();
    open(cell).fs.sync.writeFileSync('/e/x', 'cell');
    open(cell).fs.sync.symlinkSync('e', '/link');
    branch.absorb(cell);
    draft.absorb(branch);
    expect(shown(draft)).toEqual([
      'remove /d/x @3',
      'remove /d @2',
      'write /a @1',
      'mkdir /e @0',
      'write /e/x @0',
      'symlink /link @0',
    ]);
    const changeSet = draft.changeSet();
    if (!changeSet) throw new TypeError('The draft is empty.');
    await workspace.commit(changeSet, { author: { kind: 'agent' } });
    expect(await workspace.fs.readFile('/link/x', 'utf8')).toBe('cell');
  });

  it('is absorbed beside another one that worked elsewhere', async () => {
    const { draft, outer, open } = await openDraft({ '/d/a': 'A', '/d/b': 'B', '/c': 'C' });
    const [one, other] = [draft.fork(), draft.fork()];
    open(one).fs.sync.writeFileSync('/d/a', 'one');
    open(one).fs.sync.mkdirSync('/new');
    open(one).fs.sync.writeFileSync('/new/one', '1');
    open(other).fs.sync.rmSync('/d/b');
    open(other).fs.sync.mkdirSync('/new');
    open(other).fs.sync.writeFileSync('/new/other', '2');
    draft.absorb(one);
    draft.absorb(other);
    const { sync } = outer.fs;
    expect([sync.readdirSync('/d'), sync.readdirSync('/new'), sync.readdirSync('/')]).toEqual([
      ['a'],
      ['one', 'other'],
      ['c', 'd', 'new'],
    ]);
    expect(sync.readFileSync('/d/a', 'utf8')).toBe('one');
  });

  it('is refused where the outer draft has changed the same path, and nothing of it is taken', async () => {
    const { draft, outer, open } = await openDraft({ '/d/a': 'A', '/b': 'B', '/c': 'C' });
    const fork = draft.fork();
    const inner = open(fork);
    inner.fs.sync.writeFileSync('/b', 'inner');
    inner.fs.sync.rmSync('/d', { recursive: true });
    inner.fs.sync.chmodSync('/c', 0o755);
    outer.fs.sync.writeFileSync('/b', 'outer');
    outer.fs.sync.writeFileSync('/d/new', 'outer');
    const before = shown(draft);
    expect(conflictOf(() => draft.absorb(fork))).toEqual({ paths: ['/b', '/d'] });
    expect(shown(draft)).toEqual(before);
  });

  it('is refused by a draft over another root', async () => {
    const { draft } = await openDraft({ '/a': 'A' });
    const { draft: stranger } = await openDraft({ '/a': 'A' });
    expect(() => draft.absorb(stranger.fork())).toThrow('Only a fork of this draft');
  });
});
