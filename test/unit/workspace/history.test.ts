// The file history. What calls have changed lands with their commits, outlives a reload and
// compaction, and is bounded. The history takes one call back: as it was, or merged where the file
// has moved on.
import { describe, expect, it } from 'vitest';
import type { Change } from '../../../src/core/change-set.ts';
import { createWriterWorkspace } from '../../../src/workspace/commit/writer-workspace.ts';
import { openWorkspaceWriter } from '../../../src/workspace/commit/writer.ts';
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';
import type { LogMedium } from '../../../src/workspace/log/log-medium.ts';
import {
  maxHistoryBytes,
  maxHistoryCalls,
  maxHistoryEntries,
  maxHistoryFiles,
  withCallChanges,
} from '../../../src/workspace/state/file-history.ts';
import type { FileHistory } from '../../../src/workspace/state/file-history.ts';
import { emptyRoot, withNode } from '../../../src/workspace/tree/tree.ts';
import type { Workspace } from '../../../src/workspace/workspace.ts';
import { createRandom } from '../../support/random.ts';
import { tinyLimits } from '../../support/storage/log-history.ts';
import { openReplicaOf, openTestWriter } from '../../support/files/workspaces.ts';

const open = async (medium?: LogMedium) => createWriterWorkspace(await openTestWriter(medium));

/** A call that leaves these texts; null removes. */
async function call(
  workspace: Workspace,
  callId: string,
  files: Readonly<Record<string, string | Uint8Array | null>>,
  { sessionId = 's1', root = 'main' } = {},
): Promise<void> {
  const paths = Object.keys(files);
  const versions = await workspace.at(root).versions(paths);
  const changes = paths.map((path, at): Change => {
    const baseVersion = versions[at] ?? 0;
    const text = files[path];
    if (text === null || text === undefined) return { type: 'remove', path, baseVersion };
    const content = typeof text === 'string' ? new TextEncoder().encode(text) : text;
    return { type: 'write', path, baseVersion, content, mode: 0o644, mtimeMs: 1 };
  });
  const author = { kind: 'agent', callId, sessionId } as const;
  await workspace.commit({ baseSeq: workspace.seq(), changes }, { author, root });
}

const read = ({ fs }: Workspace, path: string) => fs.readFile(path, 'utf8');

describe('the file history', () => {
  it('has each file that a call changed, before and after, newest first', async () => {
    const workspace = await open();
    const { fs, history } = workspace;
    await fs.writeFile('/a', 'one');
    await call(workspace, 'c1', { '/a': 'two', '/b': 'new' });
    await call(workspace, 'c2', { '/a': null }, { sessionId: 's2' });
    const shown = [];
    for (const { before, after, ...entry } of await history.list()) {
      const texts = [before, after].map(async (version) =>
        version?.kind === 'file'
          ? new TextDecoder().decode(await history.readContent(version.contentId))
          : version,
      );
      shown.push([entry.callId, entry.sessionId, entry.path, ...(await Promise.all(texts))]);
    }
    expect(shown).toEqual([
      ['c2', 's2', '/a', 'two', null],
      ['c1', 's1', '/a', 'one', 'two'],
      ['c1', 's1', '/b', null, 'new'],
    ]);
    const namesOf = async (options: Parameters<typeof history.list>[0]) =>
      (await history.list(options)).map(({ callId, path }) => callId + path);
    expect(await namesOf({ path: '/a' })).toEqual(['c2/a', 'c1/a']);
    expect(await namesOf({ sessionId: 's1' })).toEqual(['c1/a', 'c1/b']);
    expect(await namesOf({ callId: 'c1', limit: 1 })).toEqual(['c1/a']);
  });

  it('leaves out what a person changed, sessions’ own files, and what changed nothing', async () => {
    const workspace = await open();
    await workspace.fs.writeFile('/a', 'one');
    await workspace.roots.session('s1', { author: { kind: 'agent' } });
    await call(workspace, 'c1', { '/out.txt': 'spilled' }, { root: 'session/s1' });
    expect(await workspace.history.list()).toEqual([]);
  });

  it('is there when the log is opened again, by records and by images, through compactions', async () => {
    const medium = createMemoryMedium();
    const writer = await openWorkspaceWriter(medium, { name: 'test', limits: tinyLimits });
    const workspace = createWriterWorkspace(writer);
    const noise = 'x'.repeat(500);
    await workspace.fs.writeFile('/a', 'one');
    await call(workspace, 'c1', { '/a': 'two' });
    for (let at = 0; at < 300; at += 1) await workspace.fs.writeFile('/a', `${at} ${noise}`);
    await workspace.fs.writeFile('/a', 'two');
    await workspace[Symbol.asyncDispose]();
    const again = await open(medium);
    expect(await again.history.list({ callId: 'c1' })).toMatchObject([{ path: '/a' }]);
    expect(await again.history.undo('c1')).toMatchObject({ type: 'undone' });
    expect(await read(again, '/a')).toBe('one');
  });

  it('holds the newest calls, and lets go of what is beyond its bounds', () => {
    let history: FileHistory = [];
    const add = (seq: number, size: number, count = 1) => {
      const changes = Array.from({ length: count }, (_, at) => {
        const [path, contentId] = [`/${at}`, seq];
        return { type: 'write', path, contentId, size, mode: 0o644, mtimeMs: 1 } as const;
      });
      const record = { seq, author: { kind: 'agent', callId: `c${seq}` }, changes } as const;
      const after = changes.reduce((root, { path }) => {
        const content = { content: seq, size, mode: 0o644, mtimeMs: 1, version: seq };
        return withNode(root, path, { kind: 'file', ...content });
      }, emptyRoot);
      history = withCallChanges(history, record, { before: emptyRoot, after, isSession: false });
    };
    const calls = () => history.map(({ callId }) => callId);
    for (let seq = 1; seq <= maxHistoryCalls + 1; seq += 1) add(seq, 10);
    expect([history.length, calls()[0]]).toEqual([maxHistoryCalls, 'c2']);
    const half = maxHistoryBytes / 2;
    for (const seq of [2001, 2002, 2003]) add(seq, half);
    expect(calls()).toEqual(['c2002', 'c2003']);
    add(2004, maxHistoryBytes + 1);
    add(2005, 1, maxHistoryFiles + 1);
    expect(calls()).toEqual(['c2002', 'c2003']);
    // Empty files cost an image as much as others.
    for (let seq = 3001; seq <= 3100; seq += 1) add(seq, 0, maxHistoryFiles);
    expect(history).toHaveLength(maxHistoryEntries / maxHistoryFiles);
  });

  it('reaches no tool worker', async () => {
    const writer = await openTestWriter();
    const workspace = createWriterWorkspace(writer);
    await workspace.fs.writeFile('/a', 'a secret');
    await call(workspace, 'c1', { '/a': 'two' });
    const { messages } = await openReplicaOf(writer);
    expect(JSON.stringify(messages)).not.toContain('"history"');
  });
});

describe('an undo of a call', () => {
  it('restores what it wrote, removed and made, in one commit that can be undone, too', async () => {
    const workspace = await open();
    const { fs, history } = workspace;
    await fs.mkdir('/d');
    await fs.writeFile('/d/gone', 'kept\r\n');
    await fs.chmod('/d/gone', 0o755);
    await fs.symlink('d/gone', '/link');
    await fs.writeFile('/a', 'one');
    await call(workspace, 'c1', { '/a': 'two', '/d/gone': null, '/link': 'a file', '/new': 'n' });
    await fs.rm('/d', { recursive: true });
    const before = workspace.seq();
    const undone = await history.undo('c1');
    expect(undone).toMatchObject({ type: 'undone', seq: before + 1 });
    expect(undone.type === 'undone' && undone.changes.map(({ type, path }) => type + path)).toEqual(
      ['update/a', 'create/d/gone', 'update/link', 'delete/new'],
    );
    expect(await read(workspace, '/d/gone')).toBe('kept\r\n');
    expect((await fs.stat('/d/gone')).mode & 0o777).toBe(0o755);
    expect([await read(workspace, '/a'), await fs.readlink('/link')]).toEqual(['one', 'd/gone']);
    expect(await history.undo('c1')).toEqual({ type: 'undone', seq: before + 1, changes: [] });
    await history.undo((undone.type === 'undone' && undone.undo) || '');
    expect([await read(workspace, '/a'), await read(workspace, '/new')]).toEqual(['two', 'n']);
  });

  it('of each call, the newest first, leads back to the files of before', async () => {
    const workspace = await open();
    for (let seed = 1; seed <= 20; seed += 1) {
      const random = createRandom(seed);
      const before = await workspace.treeHash();
      const calls = Array.from({ length: 1 + random.below(6) }, (_, at) => `c${seed}-${at}`);
      for (const callId of calls) {
        const files: Record<string, string | null> = {};
        for (const path of ['/a', '/b', '/c', '/d']) {
          const isThere = (await workspace.versions([path]))[0] !== 0;
          const action = random.below(4);
          if (action === 0 && isThere) files[path] = null;
          else if (action > 1) files[path] = `${random.below(3)}\n`;
        }
        if (Object.keys(files).length > 0) await call(workspace, callId, files);
      }
      const made = new Set((await workspace.history.list()).map(({ callId }) => callId));
      for (const callId of calls.toReversed()) {
        if (made.has(callId)) await workspace.history.undo(callId);
      }
      expect(await workspace.treeHash(), `seed ${seed}`).toBe(before);
      // The next begins elsewhere.
      await workspace.fs.writeFile('/a', `seed ${seed}`);
    }
  });

  it('offers a merge where a file has moved on, and takes only the call’s change out', async () => {
    const workspace = await open();
    const { fs, history } = workspace;
    await fs.writeFile('/a', 'a\nb\nc\nd\ne\n');
    await call(workspace, 'c1', { '/a': 'a\nB\nc\nd\ne\n', '/b': 'made' });
    await fs.writeFile('/a', 'a\nB\nc\nd\nE\n');
    expect(await history.undo('c1')).toEqual({
      type: 'moved',
      paths: ['/a'],
      conflicts: [],
      message:
        "/a has changed since the call. Undo with merge: 'text' to take only the call's own change out.",
    });
    expect(await read(workspace, '/b')).toBe('made');
    expect(await history.undo('c1', { merge: 'text' })).toMatchObject({ type: 'undone' });
    expect(await read(workspace, '/a')).toBe('a\nb\nc\nd\nE\n');
    expect(await fs.readdir('/')).toEqual(['a']);
  });

  it.each([
    ['the same line has changed', 'a\nother\nc\n'],
    ['the file is gone', null],
    ['it is no text any more', new Uint8Array([0, 1, 2, 0])],
  ])('changes nothing where %s, and says so', async (_, now) => {
    const workspace = await open();
    const { fs, history } = workspace;
    await fs.writeFile('/a', 'a\nb\nc\n');
    await call(workspace, 'c1', { '/a': 'a\nB\nc\n', '/b': 'made' });
    if (now === null) await fs.rm('/a');
    else await fs.writeFile('/a', now);
    const seq = workspace.seq();
    expect(await history.undo('c1', { merge: 'text' })).toEqual({
      type: 'moved',
      paths: ['/a'],
      conflicts: ['/a'],
      message:
        "/a has changed since the call where the call did, so its change can't be taken out by itself. Nothing was changed: edit by hand, or rewind to a checkpoint.",
    });
    expect(workspace.seq()).toBe(seq);
  });

  it('goes to the branch that the call changed', async () => {
    const workspace = await open();
    await workspace.fs.writeFile('/a', 'one');
    await workspace.roots.branch('b', { author: { kind: 'user' }, id: 'b' });
    await call(workspace, 'c1', { '/a': 'two' }, { root: 'b' });
    await workspace.history.undo('c1');
    expect(await workspace.at('b').fs.readFile('/a', 'utf8')).toBe('one');
    await workspace.roots.drop('b', { author: { kind: 'user' } });
    await expect(workspace.history.undo('c1')).rejects.toMatchObject({ code: 'invalid-input' });
  });

  it('says of what it can’t take why not', async () => {
    const workspace = await open();
    await call(workspace, 'c1', { '/a': 'one' });
    await call(workspace, 'c1', { '/a': 'two' }, { sessionId: 's2' });
    const { history } = workspace;
    const refusals = [
      history.undo('c2'),
      history.undo('c1'),
      history.undo('c1', { sessionId: 'no session' }),
      history.undo('c1', { merge: 'lines' as 'text' }),
      history.undo(7 as unknown as string),
      history.list({ limit: 0 }),
      history.list({ path: 'a' }),
      history.readContent(-1),
    ];
    const said = await Promise.all(
      refusals.map((refusal) =>
        refusal.then(String, ({ code, message }: Error & { code: string }) => [code, message]),
      ),
    );
    expect(said).toEqual(
      [
        'The file history has no call "c2": it changed no file, or is older than what is kept. Rewind to a checkpoint instead.',
        'Several sessions have a call "c1": s1, s2. Name the one that is meant in sessionId.',
        "A session's id has letters, digits, - and _, at most 128.",
        "merge is 'text', or left out.",
        'The callId must be text of at most 256 characters.',
        'limit is a whole number from 1, or left out.',
        'path is the absolute path of a file, or left out.',
        'A content is named by a whole number.',
      ].map((message) => ['invalid-input', message]),
    );
    expect(await history.undo('c1', { sessionId: 's2' })).toMatchObject({ type: 'undone' });
    expect(await read(workspace, '/a')).toBe('one');
  });
});
