// A directory that goes with all that is in it, as one change: of the user's own face, never of a call.
import { describe, expect, it } from 'vitest';
import type { Change, ChangeSet } from '../../../src/core/change-set.ts';
import { SdkError } from '../../../src/core/errors.ts';
import { Draft } from '../../../src/workspace/draft/draft.ts';
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';
import type { WorkspaceRecord } from '../../../src/workspace/state/record.ts';
import type { ChangeAuthor, ChangeEvent } from '../../../src/workspace/workspace.ts';
import { createWriterWorkspace } from '../../../src/workspace/commit/writer-workspace.ts';
import { openAccess, openReplicaOf, openTestWriter } from '../../support/files/workspaces.ts';

const author: ChangeAuthor = { kind: 'user' };

/** `/d` with two files and a directory of one (versions 1 to 5), and `/other` beside it (6). */
async function open() {
  const medium = createMemoryMedium();
  const writer = await openTestWriter(medium);
  const workspace = createWriterWorkspace(writer);
  const { fs } = workspace;
  await fs.mkdir('/d');
  await fs.writeFile('/d/a', 'A');
  await fs.writeFile('/d/b', 'B');
  await fs.mkdir('/d/sub');
  await fs.writeFile('/d/sub/c', 'C');
  await fs.writeFile('/other', 'O');
  const { replica, messages } = await openReplicaOf(writer);
  const records: WorkspaceRecord[] = [];
  const events: ChangeEvent[] = [];
  writer.onRecord(({ record }) => records.push(record));
  workspace.onChange((event) => events.push(event));
  return { medium, writer, workspace, fs, replica, messages, records, events };
}

function removal(baseVersion: number, path = '/d'): Change {
  return { type: 'remove', path, baseVersion, recursive: true };
}

const setOf = (...changes: Change[]): ChangeSet => ({ baseSeq: 0, changes });

function write(path: string, baseVersion = 0): Change {
  const content = new Uint8Array(1);
  return { type: 'write', path, baseVersion, content, mode: 0o644, mtimeMs: 1 };
}

/** The paths of the conflict, or undefined where there was none. */
async function conflictOf(operation: Promise<unknown>): Promise<unknown> {
  try {
    await operation;
    return undefined;
  } catch (error) {
    if (SdkError.isInstance(error) && error.code === 'ECONFLICT') return error.data;
    throw error;
  }
}

describe('fs.rm of a directory', () => {
  it('is one change in the log, and the same in a replica and in a log that is read again', async () => {
    const { medium, writer, workspace, fs, replica, records } = await open();
    await fs.rm('/d', { recursive: true });
    expect(records).toEqual([
      { seq: 7, author, changes: [{ type: 'remove', path: '/d', recursive: true }] },
    ]);
    const view = await replica.openView({ root: 'main', minSeq: 7 }, openAccess('/'));
    expect(view.fs.sync.readdirSync('/', { recursive: true })).toEqual(['other']);
    const hash = await workspace.treeHash();
    await writer.close();
    const again = createWriterWorkspace(await openTestWriter(medium));
    expect(await again.treeHash()).toBe(hash);
    expect(await again.versions(['/d', '/d/a', '/other'])).toEqual([0, 0, 6]);
  });

  it('is told as one deletion, which stands for all below', async () => {
    const { fs, events } = await open();
    await fs.rm('/d', { recursive: true });
    const changes = [{ path: '/d', type: 'delete', kind: 'directory', version: 7 }];
    expect(events).toEqual([{ seq: 7, root: 'main', author, changes }]);
  });

  it('takes with it what somebody wrote there while it was asked for', async () => {
    const { workspace, fs } = await open();
    await Promise.all([
      workspace.commit(setOf(write('/d/late')), { author: { kind: 'agent' } }),
      fs.rm('/d', { recursive: true }),
    ]);
    expect(await fs.readdir('/')).toEqual(['other']);
  });

  it('counts as a person’s edit of every path below: a rewind that keeps those brings none back', async () => {
    const { workspace, fs } = await open();
    const { id } = await workspace.roots.checkpoint('before', { author });
    await fs.rm('/d', { recursive: true });
    await fs.rm('/other');
    const { kept } = await workspace.roots.rewind(id, { author, keep: 'user' });
    expect([await fs.readdir('/'), kept]).toEqual([
      [],
      ['/d', '/d/a', '/d/b', '/d/sub', '/d/sub/c', '/other'],
    ]);
    await workspace.roots.rewind(id, { author });
    expect(await fs.readFile('/d/sub/c', 'utf8')).toBe('C');
  });

  it('names each file where the directory moves: one that is removed meanwhile must not come back', async () => {
    const { fs, records } = await open();
    await fs.rename('/d', '/e');
    expect(records[0]?.changes.map(({ type, path }) => `${type} ${path}`)).toEqual([
      ...['remove /d/a', 'remove /d/b', 'remove /d/sub/c', 'remove /d/sub', 'remove /d'],
      ...['mkdir /e', 'write /e/a', 'write /e/b', 'mkdir /e/sub', 'write /e/sub/c'],
    ]);
    expect(await fs.readFile('/e/sub/c', 'utf8')).toBe('C');
  });

  it('is told to who watches it, what is below, or a directory above', async () => {
    const { fs } = await open();
    const watchers = [
      fs.watch('/d'),
      fs.watch('/d/sub/c'),
      fs.watch('/d/sub', { recursive: true }),
      fs.watch('/', { recursive: true }),
    ];
    const told = watchers.map((watcher) => watcher.next());
    await fs.rm('/d', { recursive: true });
    const names = (await Promise.all(told)).map(({ value }) => value);
    expect(names).toEqual(
      ['d', 'c', 'sub', 'd'].map((filename) => ({ eventType: 'rename', filename })),
    );
    await Promise.all(watchers.map((watcher) => watcher.return?.()));
  });
});

describe('a change that removes a directory with all below it', () => {
  it.each<[string, Change, string[]]>([
    ['was changed', write('/d/sub/c', 5), ['/d', '/d/sub/c']],
    ['was made', write('/d/sub/new'), ['/d', '/d/sub/new']],
  ])('is in conflict when something below %s since, and names it', async (_, change, paths) => {
    const { workspace } = await open();
    await workspace.commit(setOf(change), { author });
    const hash = await workspace.treeHash();
    const commit = workspace.commit(setOf(write('/new'), removal(5)), { author });
    expect(await conflictOf(commit)).toEqual({ paths });
    expect([await workspace.treeHash(), workspace.seq()]).toEqual([hash, 7]);
  });

  it('is in conflict when something moved in that is older than the draft', async () => {
    const { workspace, fs } = await open();
    await fs.rename('/other', '/d/other');
    const commit = workspace.commit(setOf(removal(5)), { author });
    expect(await conflictOf(commit)).toEqual({ paths: ['/d', '/d/other'] });
  });

  it.each([
    ['is gone', '/d'],
    ['is none', '/other'],
  ])('is in conflict when the directory %s', async (_, path) => {
    const { workspace, fs } = await open();
    if (path === '/d') await fs.rm(path, { recursive: true });
    const commit = workspace.commit(setOf(removal(9, path)), { author });
    expect(await conflictOf(commit)).toEqual({ paths: [path] });
  });

  it('is in none when something below was only removed since, which was to go anyway', async () => {
    const { workspace, fs } = await open();
    await fs.rm('/d/sub/c');
    expect(await conflictOf(workspace.commit(setOf(removal(5)), { author }))).toBeUndefined();
    expect(await fs.readdir('/')).toEqual(['other']);
  });

  it('takes nothing with it that the same change set has made', async () => {
    const { workspace } = await open();
    const commit = workspace.commit(setOf(write('/d/new'), removal(5)), { author });
    expect(await conflictOf(commit)).toEqual({ paths: ['/d', '/d/new'] });
  });

  it('merges with nothing: it is refused, or done already', async () => {
    const { workspace, fs } = await open();
    await fs.writeFile('/d/a', 'theirs');
    const merge = { author, merge: 'text' } as const;
    const commit = workspace.commit(setOf(removal(5)), merge);
    expect(await conflictOf(commit)).toEqual({ paths: ['/d', '/d/a'] });
    await fs.rm('/d', { recursive: true });
    expect(await workspace.commit(setOf(removal(5)), merge)).toEqual({ seq: 8 });
  });

  it('is told before what is made in its place', async () => {
    const { workspace, events, fs } = await open();
    const mkdir = { type: 'mkdir', path: '/d', baseVersion: 1, mode: 0o755, mtimeMs: 1 } as const;
    await workspace.commit(setOf(removal(5), mkdir, write('/d/a', 2)), { author });
    expect(events[0]?.changes).toEqual([
      { path: '/d', type: 'delete', kind: 'directory', version: 7 },
      { path: '/d', type: 'create', kind: 'directory', version: 7 },
      { path: '/d/a', type: 'create', kind: 'file', version: 7 },
    ]);
    expect(await fs.readdir('/', { recursive: true })).toEqual(['d', 'd/a', 'other']);
  });
});

describe('a draft', () => {
  it('lists every path that went with a directory, so that each can be judged', async () => {
    const { workspace } = await open();
    const view = await workspace.openView({ root: 'main', minSeq: 6 }, openAccess('/'));
    view.fs.sync.rmSync('/d', { recursive: true });
    expect(view.changeSet()?.changes).toEqual([
      { type: 'remove', path: '/d/a', baseVersion: 2 },
      { type: 'remove', path: '/d/b', baseVersion: 3 },
      { type: 'remove', path: '/d/sub/c', baseVersion: 5 },
      { type: 'remove', path: '/d/sub', baseVersion: 4 },
      { type: 'remove', path: '/d', baseVersion: 1 },
    ]);
  });

  it('names only the directory where it is asked to, with the highest version in it', async () => {
    const { writer } = await open();
    const draft = new Draft(writer.root, writer.seq);
    draft.put('/d', undefined);
    draft.put('/other', undefined);
    const plain = { type: 'remove', path: '/other', baseVersion: 6 };
    const compact = { baseSeq: 6, changes: [removal(5), plain] };
    expect(draft.compactChangeSet()).toEqual(compact);
    const fork = new Draft(writer.root, writer.seq);
    fork.put('/d/a', undefined);
    const inner = fork.fork();
    inner.put('/d', undefined);
    expect(inner.compactChangeSet()?.changes).toEqual([removal(5)]);
  });
});
