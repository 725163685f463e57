// The sessions' own files: roots that every view shows at /session and no version of the workspace has.
import { describe, expect, it } from 'vitest';
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';
import { encodeRecord } from '../../../src/workspace/log/record-codec.ts';
import { openWorkspaceLog } from '../../../src/workspace/log/workspace-log.ts';
import type { WorkspaceRecord } from '../../../src/workspace/state/record.ts';
import { applyRecord } from '../../../src/workspace/state/state.ts';
import { SearchService } from '../../../src/search/search-service.ts';
import type { SyncFileSystem } from '../../../src/workspace/files/file-system.ts';
import type { ViewSource } from '../../../src/workspace/draft/view.ts';
import type { ChangeEvent, Workspace } from '../../../src/workspace/workspace.ts';
import { createWriterWorkspace } from '../../../src/workspace/commit/writer-workspace.ts';
import { agent, messageOf, openRoots, readRoot, user } from '../../support/files/roots.ts';
import { openAccess, openReplicaOf, openTestWriter } from '../../support/files/workspaces.ts';

const spill = '/session/one/tool-results/call-1.txt';

async function writeSpill(workspace: Workspace, text: string, session = 'one') {
  const { id } = await workspace.roots.session(session, agent);
  const { fs } = workspace.at(id);
  await fs.mkdir('/tool-results', { recursive: true });
  await fs.writeFile('/tool-results/call-1.txt', text);
  return id;
}

/** The paths below a directory that a search of a view goes through. */
async function searched(source: ViewSource, root: string, directory: string, minSeq: number) {
  const view = await source.openView({ root, minSeq }, openAccess('/'));
  const { byPath } = await new SearchService().over(view).search.list(directory);
  return byPath.files.map(({ path }) => path);
}

describe("a session's root", () => {
  it('is shown by every view: of main, of branches and checkpoints, and by replicas', async () => {
    const { workspace, writer } = await openRoots({ '/a': 'A' });
    const { id: before } = await workspace.roots.branch('before', user);
    const { id: checkpoint } = await workspace.roots.checkpoint('before', user);
    await writeSpill(workspace, 'long');
    const { id: after } = await workspace.roots.branch('after', user);
    const { replica } = await openReplicaOf(writer);
    for (const root of ['main', before, checkpoint, after]) {
      const address = { root, minSeq: workspace.seq() };
      const shown = { '/a': 'A', [spill]: 'long' };
      expect(await readRoot(workspace, address)).toEqual(shown);
      expect(await readRoot(replica, address)).toEqual(shown);
      expect(await workspace.at(root).fs.readFile(spill, 'utf8')).toBe('long');
    }
    expect(await workspace.fs.readdir('/')).toEqual(['a', 'session']);
    expect((await workspace.fs.stat('/session')).isDirectory()).toBe(true);
    expect(await workspace.fs.realpath('/session/one/../one')).toBe('/session/one');
  });

  it('is in no version of the workspace: a rewind, a hash, a diff and a merge are without it', async () => {
    const { workspace } = await openRoots({ '/a': 'A' });
    const hash = await workspace.treeHash();
    const { id: checkpoint } = await workspace.roots.checkpoint('before', user);
    await writeSpill(workspace, 'long');
    expect(await workspace.treeHash()).toBe(hash);
    const { id: branch } = await workspace.roots.branch('try', user);
    expect(await workspace.roots.diff(checkpoint)).toEqual([]);
    expect(await workspace.roots.diff(branch, { against: checkpoint })).toEqual([]);
    await workspace.fs.writeFile('/a', 'B');
    await workspace.roots.rewind(checkpoint, user);
    expect(await workspace.fs.readFile('/a', 'utf8')).toBe('A');
    expect(await workspace.fs.readFile(spill, 'utf8')).toBe('long');
    expect((await workspace.roots.merge(branch, user)).paths).toEqual([]);
  });

  it('is searched and walked by its own path alone', async () => {
    const { workspace } = await openRoots({ '/w/a': 'A' });
    await writeSpill(workspace, 'long');
    await workspace.fs.symlink('/session/one', '/w/link');
    const search = (at: string) => searched(workspace, 'main', at, workspace.seq());
    expect(await search('/')).toEqual(['/w/a']);
    expect(await search('/w')).toEqual(['/w/a']);
    expect(await search('/session/one')).toEqual([spill]);
    expect(await search('/session/one/tool-results')).toEqual([spill]);
    expect(await search('/w/link')).toEqual(['/w/link/tool-results/call-1.txt']);
    const walk = async (at: string) => (await workspace.fs.walk(at)).map(({ path }) => path);
    expect(await walk('/')).toEqual(['/w/a', '/w/link']);
    expect(await walk('/session/one')).toEqual([spill]);
  });

  it('is changed by commits to itself alone', async () => {
    const { workspace } = await openRoots({ '/a': 'A', '/d/b': 'B' });
    await writeSpill(workspace, 'long');
    const seq = workspace.seq();
    const view = await workspace.openView({ root: 'main', minSeq: seq }, openAccess('/'));
    const { fs } = workspace;
    for (const face of [fs, view.fs]) {
      const refused = [
        face.writeFile(spill, 'x'),
        face.appendFile('/session/new', 'x'),
        face.mkdir('/session/two'),
        face.mkdir('/session/two/deep', { recursive: true }),
        face.rm('/session', { recursive: true }),
        face.rm(spill),
        face.rename(spill, '/b'),
        face.rename('/a', '/session/a'),
        face.rename('/d', '/session/d'),
        face.cp('/d', '/session/d', { recursive: true }),
        face.symlink('/a', '/session/link'),
        face.chmod('/session', 0o700),
      ];
      for (const operation of refused) expect(await messageOf(operation)).toContain('EROFS');
    }
    expect(view.changeSet()).toBeNull();
    const change = { type: 'mkdir', path: '/session/two', baseVersion: 0, mode: 0o755, mtimeMs: 0 };
    const changeSet = { baseSeq: seq, changes: [change as never] };
    expect(await messageOf(workspace.commit(changeSet, user))).toBe(
      "/session/two: /session shows the sessions' own files. Commit with root: 'session/<id>', or elsewhere.",
    );
    expect(workspace.seq()).toBe(seq);
  });

  it('is in no draft, whatever is done by whichever path', async () => {
    const { workspace } = await openRoots({ '/d/a': 'A', '/d/b': 'B' });
    await writeSpill(workspace, 'long');
    await workspace.fs.symlink('/session/one', '/link');
    await workspace.fs.symlink(spill, '/d/spill');
    const address = { root: 'main', minSeq: workspace.seq() };
    const places = ['/session', '/session/one', spill, '/link', '/link/new', '/link/tool-results'];
    const paths = [...places, '/d', '/d/a', '/d/spill', '/d/../session/new', '/session/../d/b'];
    const recursive = { recursive: true, force: true };
    type Operation = (fs: SyncFileSystem, path: string, other: string) => unknown;
    const operations: readonly Operation[] = [
      (fs, path) => fs.writeFileSync(path, 'x'),
      (fs, path) => fs.appendFileSync(path, 'x'),
      (fs, path) => fs.truncateSync(path, 1),
      (fs, path) => fs.openPathSync(path, 'w+'),
      (fs, path) => fs.writePartSync(path, 0, new Uint8Array(3)),
      (fs, path) => fs.mkdirSync(path),
      (fs, path) => fs.mkdirSync(`${path}/deep/deeper`, { recursive: true }),
      (fs, path) => fs.mkdtempSync(`${path}/t`),
      (fs, path) => fs.rmSync(path, recursive),
      (fs, path) => fs.rmdirSync(path),
      (fs, path) => fs.unlinkSync(path),
      (fs, path) => fs.chmodSync(path, 0o600),
      (fs, path) => fs.utimesSync(path, 1, 1),
      (fs, path) => fs.lutimesSync(path, 1, 1),
      (fs, path, other) => fs.renameSync(path, other),
      (fs, path, other) => fs.copyFileSync(path, other),
      (fs, path, other) => fs.cpSync(path, other, recursive),
      (fs, path, other) => fs.cpSync(path, other, { ...recursive, dereference: true }),
      (fs, path, other) => fs.symlinkSync(path, other),
      (fs, path, other) => fs.linkSync(path, other),
    ];
    let changed = 0;
    for (const operate of operations) {
      for (const path of paths) {
        for (const other of paths) {
          const view = await workspace.openView(address, openAccess('/'));
          try {
            operate(view.fs.sync, path, other);
          } catch (error) {
            expect(error).toHaveProperty('code');
          }
          const changes = (view.changeSet()?.changes ?? []).map((change) => change.path);
          expect(changes.filter((at) => at === '/session' || at.startsWith('/session/'))).toEqual(
            [],
          );
          if (changes.length > 0) changed += 1;
          if (operate.length < 3) break;
        }
      }
    }
    expect(changed).toBeGreaterThan(50);
  });

  it('can be copied from', async () => {
    const { workspace } = await openRoots({});
    const id = await writeSpill(workspace, 'long');
    await workspace.fs.copyFile(spill, '/copy');
    await workspace.roots.drop(id, user);
    expect(await workspace.fs.readFile('/copy', 'utf8')).toBe('long');
  });

  it('is neither branched, compared, merged, rewound to nor merged into', async () => {
    const { workspace, commit } = await openRoots({ '/a': 'A' });
    const id = await writeSpill(workspace, 'long');
    const { id: branch } = await workspace.roots.branch('try', user);
    await commit(branch, (fs) => fs.writeFileSync('/a', 'B'));
    const { roots } = workspace;
    for (const operation of [
      roots.branch('of it', { ...user, from: id }),
      roots.diff(id),
      roots.diff('main', { against: id }),
      roots.merge(id, user),
      roots.merge(branch, { ...user, into: id }),
      roots.rewind(id, user),
    ]) {
      expect(await messageOf(operation)).toBe(
        `'${id}' holds a session's own files: it is no version of the workspace. Name a checkpoint, a branch or main.`,
      );
    }
  });

  it('is made once, whoever asks, listed where it is asked for, and dropped once', async () => {
    const { workspace } = await openRoots({});
    const [one, same] = await Promise.all(
      ['one', 'one'].map((session) => workspace.roots.session(session, user)),
    );
    expect(one).toEqual(same);
    expect(one).toMatchObject({ id: 'session/one', kind: 'session', label: '', seq: 1 });
    const branch = await workspace.roots.branch('try', user);
    expect(await workspace.roots.list()).toEqual([branch]);
    expect(await workspace.roots.list({ kind: 'session' })).toEqual([one]);
    await workspace.roots.drop('session/one', user);
    expect(await workspace.roots.list({ kind: 'session' })).toEqual([]);
    expect(await workspace.fs.readdir('/')).toEqual([]);
    // A task that ends late doesn't bring them back.
    const late = workspace.at('session/one').fs.writeFile('/late', 'x');
    expect(await messageOf(late)).toContain("The workspace has no root 'session/one'");
  });

  it.each(['', '..', 'a/b', 'a b', 'x'.repeat(129), 7])('is refused for the id %j', async (id) => {
    const { workspace } = await openRoots({});
    expect(await messageOf(workspace.roots.session(id as string, user))).toBe(
      "A session's id has letters, digits, - and _, at most 128.",
    );
  });

  it('is there after a reopening, with fifty others beside 1 024 branches', async () => {
    const files = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`/f${at}`, 'x']));
    const { workspace, writer, reopen } = await openRoots(files);
    for (let at = 0; at < 1024; at += 1) {
      await workspace.roots.branch(`branch ${at}`, user);
      if (at % 21 === 0) await writeSpill(workspace, `long ${at}`, `s${at / 21}`);
    }
    await writeSpill(workspace, 'long', 's49');
    expect(await messageOf(workspace.roots.branch('one more', user))).toContain('1024');
    const { messages, replica } = await openReplicaOf(writer);
    // A session among branches costs its own files, not the tree's once more.
    expect(JSON.stringify(messages[0]).length).toBeLessThan(250_000);
    const address = { root: 'main', minSeq: workspace.seq() };
    const shown = await readRoot(replica, address);
    expect(Object.keys(shown)).toHaveLength(350);
    expect(shown['/session/s48/tool-results/call-1.txt']).toBe('long 1008');
    const again = createWriterWorkspace(await reopen());
    expect(await readRoot(again, address)).toEqual(shown);
    expect(await again.roots.list({ kind: 'session' })).toHaveLength(50);
  });

  it('is told of: to watchers of other roots by the paths that they see', async () => {
    const { workspace } = await openRoots({});
    const { id: branch } = await workspace.roots.branch('try', user);
    const events: ChangeEvent[] = [];
    workspace.onChange((event) => events.push(event));
    const watching = ['main', branch].map(async (root) => {
      const names: (string | null)[] = [];
      for await (const { filename } of workspace.at(root).fs.watch('/', { recursive: true })) {
        names.push(filename);
        if (filename?.endsWith('call-1.txt')) break;
      }
      return names;
    });
    await writeSpill(workspace, 'long');
    const seen = ['session/one', 'session/one/tool-results', spill.slice(1)];
    expect(await Promise.all(watching)).toEqual([seen, seen]);
    await workspace.roots.drop('session/one', user);
    expect(events.map(({ root, changes }) => [root, ...changes.map(({ path }) => path)])).toEqual([
      ['main', '/session/one'],
      ['session/one', '/tool-results'],
      ['session/one', '/tool-results/call-1.txt'],
      ['main', '/session/one'],
    ]);
  });
});

describe('what main has at /session from before sessions had roots', () => {
  /** A workspace as an older version left it. */
  async function openOld() {
    const medium = createMemoryMedium();
    const { log, state } = await openWorkspaceLog(medium);
    const made = { mode: 0o755, mtimeMs: 0 };
    const bytes = new TextEncoder().encode('old');
    const file = { type: 'write', contentId: log.nextContentId, size: 3, mode: 0o644 } as const;
    const record: WorkspaceRecord = {
      seq: 1,
      ...user,
      changes: [
        { type: 'mkdir', path: '/session', ...made },
        { type: 'mkdir', path: '/session/old', ...made },
        { ...file, path: '/session/old/x.txt', mtimeMs: 0 },
      ],
    };
    const contents = [{ contentId: file.contentId, bytes }];
    await log.append([encodeRecord(record, contents)], 'power', state);
    await log.close(applyRecord(state, record));
    return createWriterWorkspace(await openTestWriter(medium));
  }

  it('stays, can be read, and is beside the sessions of now', async () => {
    const workspace = await openOld();
    const hash = await workspace.treeHash();
    await writeSpill(workspace, 'long');
    const { fs } = workspace;
    expect(await fs.readdir('/session')).toEqual(['old', 'one']);
    expect(await fs.readFile('/session/old/x.txt', 'utf8')).toBe('old');
    expect(await searched(workspace, 'main', '/', workspace.seq())).toEqual([]);
    expect(await workspace.treeHash()).toBe(hash);
  });

  it('is hidden by the files of the same session, and not lost', async () => {
    const workspace = await openOld();
    const id = await writeSpill(workspace, 'long', 'old');
    expect(await workspace.fs.readdir('/session/old')).toEqual(['tool-results']);
    await workspace.roots.drop(id, user);
    expect(await workspace.fs.readFile('/session/old/x.txt', 'utf8')).toBe('old');
  });

  it('is a part of rewinds, and can be removed by a commit', async () => {
    const workspace = await openOld();
    const { id } = await workspace.roots.checkpoint('before', user);
    const remove = { type: 'remove', path: '/session', baseVersion: 1, recursive: true } as const;
    await workspace.commit({ baseSeq: 1, changes: [remove] }, user);
    expect(await workspace.fs.readdir('/')).toEqual([]);
    await workspace.roots.rewind(id, user);
    expect(await workspace.fs.readFile('/session/old/x.txt', 'utf8')).toBe('old');
  });
});
