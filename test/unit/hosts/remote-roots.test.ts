// The page's checkpoints and branches, kept by a worker: over a real MessageChannel, in one thread.
import { afterAll, describe, expect, it } from 'vitest';
import { createFsWorkerClient } from '../../../src/hosts/browser/page/fs-worker-client.ts';
import { serveWorkspace } from '../../../src/hosts/browser/fs-worker/serve-workspace.ts';
import { createWorkspaceClient } from '../../../src/hosts/browser/page/workspace-client.ts';
import { agent, messageOf, openRoots, readRoot, user } from '../../support/files/roots.ts';
import { openAccess } from '../../support/files/workspaces.ts';

const opened: Disposable[] = [];

afterAll(() => {
  for (const each of opened.splice(0)) each[Symbol.dispose]();
});

/** `page` is the client; the other members are the worker's side. */
async function openRemote(files: Readonly<Record<string, string>>) {
  const local = await openRoots(files);
  const { workspace, writer } = local;
  const { port1, port2 } = new MessageChannel();
  const serving = serveWorkspace(port1, {
    workspace,
    writer,
    nextOrigin: () => undefined,
    isLeading: () => true,
  });
  const port = createFsWorkerClient();
  port.connect(port2, [], workspace.seq());
  opened.push(serving, port);
  const page = createWorkspaceClient({ port, close: async () => {} });
  return { ...local, page, port };
}

describe("a page's roots", () => {
  it('have every operation that the workspace has', async () => {
    const { page, workspace } = await openRemote({});
    expect(Object.keys(page.roots).toSorted()).toEqual(Object.keys(workspace.roots).toSorted());
  });

  it('are branched, compared, merged, rewound and dropped from the page', async () => {
    const { page, workspace, commit } = await openRemote({ '/a': 'A\n' });
    const checkpoint = await page.roots.checkpoint('before', user);
    const branch = await page.roots.branch('try', agent);
    expect(await page.roots.list()).toEqual([checkpoint, branch]);
    await commit(branch.id, (fs) => fs.writeFileSync('/a', 'branch\n'));
    const [change] = await page.roots.diff(branch.id);
    expect(change).toMatchObject({ path: '/a', type: 'update', additions: 1, deletions: 1 });
    expect(await page.roots.merge(branch.id, user)).toEqual({ seq: 5, paths: ['/a'] });
    expect(await page.fs.readFile('/a', 'utf8')).toBe('branch\n');
    const { undo } = await page.roots.rewind(checkpoint.id, { ...user, keep: 'user' });
    expect(await page.fs.readFile('/a', 'utf8')).toBe('A\n');
    await page.roots.drop(branch.id, user);
    expect((await workspace.roots.list()).map(({ id }) => id)).toEqual([checkpoint.id, undo]);
  });

  it('are merged by the list that was given, whatever becomes of it afterwards', async () => {
    const { page, commit } = await openRemote({ '/a': 'A', '/b': 'B' });
    const { id } = await page.roots.branch('try', agent);
    await commit(id, (fs) => ['/a', '/b'].forEach((path) => fs.writeFileSync(path, 'branch')));
    const paths = ['/a'];
    const merging = page.roots.merge(id, { ...user, paths });
    const asking = page.versions(paths);
    paths[0] = '/b';
    const { seq, paths: merged } = await merging;
    expect(merged).toEqual(['/a']);
    expect([await asking, await page.versions(['/a'])]).toEqual([[1], [seq]]);
  });

  it('are beside what stands in main, which the page can look up', async () => {
    const { page, workspace } = await openRemote({ '/a': 'A' });
    const paths = ['/a', '/b'];
    const asking = page.lookUp(paths);
    paths[0] = '/b';
    expect(await asking).toEqual(await workspace.lookUp(['/a', '/b']));
    expect(await asking).toEqual([expect.objectContaining({ kind: 'file', size: 1 }), null]);
  });

  it('are read, written and watched by their ids', async () => {
    const { page } = await openRemote({ '/a': 'A' });
    const { id } = await page.roots.branch('try', agent);
    const branch = page.at(id);
    const watching = branch.fs.watch('/')[Symbol.asyncIterator]().next();
    await page.fs.writeFile('/c', 'of main');
    await branch.fs.writeFile('/b', 'B');
    expect((await watching).value).toEqual({ eventType: 'rename', filename: 'b' });
    expect(await branch.fs.readdir('/')).toEqual(['a', 'b']);
    expect(await page.fs.readdir('/')).toEqual(['a', 'c']);
    const paths = ['/a', '/b'];
    const asking = [branch.versions(paths), branch.lookUp(paths), page.versions(paths)];
    paths.length = 0;
    const [versions, states, ofMain] = await Promise.all(asking);
    expect([versions, ofMain]).toEqual([
      [1, 4],
      [1, 0],
    ]);
    expect(states).toMatchObject([{ size: 1 }, { size: 1 }]);
    expect(await messageOf(page.at('none').fs.stat('/a'))).toContain("no root 'none'");
  });

  it("hold a session's own files, which all of them show", async () => {
    const { page } = await openRemote({});
    const { id } = await page.roots.session('one', agent);
    await page.at(id).fs.writeFile('/file', 'x');
    const { id: branch } = await page.roots.branch('try', agent);
    for (const root of ['main', branch]) {
      expect(await page.at(root).fs.readFile('/session/one/file', 'utf8')).toBe('x');
    }
    expect(await page.roots.list({ kind: 'session' })).toMatchObject([{ id: 'session/one' }]);
    expect(await messageOf(page.fs.rm('/session/one/file'))).toContain('EROFS');
  });

  it('are beside the file history, whose calls the page takes back', async () => {
    const { page, port, workspace } = await openRemote({ '/a': 'one' });
    expect(Object.keys(page.history).toSorted()).toEqual(Object.keys(workspace.history).toSorted());
    const content = new TextEncoder().encode('two');
    const write = { type: 'write', path: '/a', baseVersion: 1, content, mode: 0o644 } as const;
    const author = { kind: 'agent', callId: 'c1' } as const;
    await page.commit({ baseSeq: 1, changes: [{ ...write, mtimeMs: 1 }] }, { author });
    const [entry] = await page.history.list();
    const id = entry?.before?.kind === 'file' ? entry.before.contentId : 0;
    expect(new TextDecoder().decode(await page.history.readContent(id))).toBe('one');
    expect(await page.history.undo('c1')).toMatchObject({ type: 'undone', seq: page.seq() });
    expect(await page.fs.readFile('/a', 'utf8')).toBe('one');
    const request = { type: 'history', operation: 'constructor', parameters: [] } as never;
    expect(await messageOf(port.request(request))).toContain('no operation of history');
  });

  it('can be viewed from the moment on that the page knows their ids', async () => {
    const { page, workspace } = await openRemote({ '/a': 'A' });
    const { id } = await page.roots.branch('try', agent);
    expect(page.seq()).toBe(workspace.seq());
    const files = await readRoot(workspace, { root: id, minSeq: page.seq() });
    expect(files).toEqual({ '/a': 'A' });
  });

  it('refuse with the words that the worker has, and change nothing', async () => {
    const { page, port, workspace, commit } = await openRemote({ '/a': 'a\n' });
    const { id } = await page.roots.branch('try', agent);
    await commit(id, (fs) => fs.writeFileSync('/a', 'branch\n'));
    await commit('main', (fs) => fs.writeFileSync('/a', 'main\n'));
    const seq = workspace.seq();
    await expect(page.roots.merge(id, user)).rejects.toMatchObject({
      code: 'ECONFLICT',
      data: { paths: ['/a'] },
    });
    expect(await messageOf(page.roots.drop('gone', user))).toContain("no root 'gone'");
    expect(await messageOf(page.roots.rewind(id, null as never))).toBe('Options is no object.');
    for (const operation of ['constructor', '__proto__', 'then']) {
      const request = { type: 'roots', operation, parameters: ['return 1'] } as never;
      expect(await messageOf(port.request(request))).toContain(
        `no operation of roots "${operation}"`,
      );
    }
    expect(workspace.seq()).toBe(seq);
  });

  it('take a commit that merges', async () => {
    const { page, workspace } = await openRemote({ '/a': 'one\ntwo\nthree\n' });
    const view = await workspace.openView({ root: 'main', minSeq: 0 }, openAccess('/'));
    view.fs.sync.writeFileSync('/a', 'ONE\ntwo\nthree\n');
    await workspace.fs.writeFile('/a', 'one\ntwo\nTHREE\n');
    const changes = view.changeSet()?.changes ?? [];
    await page.commit({ baseSeq: 1, changes }, { ...agent, merge: 'text' });
    expect(await page.fs.readFile('/a', 'utf8')).toBe('ONE\ntwo\nTHREE\n');
  });
});
