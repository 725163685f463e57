// The page's face of files that a worker owns, over a real MessageChannel and in one thread.
import { afterAll, describe, expect, it } from 'vitest';
import { createFsWorkerClient } from '../../../src/hosts/browser/page/fs-worker-client.ts';
import { serveWorkspace } from '../../../src/hosts/browser/fs-worker/serve-workspace.ts';
import { createWorkspaceClient } from '../../../src/hosts/browser/page/workspace-client.ts';
import type { FileSystem } from '../../../src/workspace/files/file-system.ts';
import { createWriterWorkspace } from '../../../src/workspace/commit/writer-workspace.ts';
import { openTestWriter } from '../../support/files/workspaces.ts';
import { codeOf, describeFileSystem } from '../../contract/file-system.contract.ts';

const root = '/project';
const opened: Disposable[] = [];

afterAll(() => {
  for (const each of opened.splice(0)) each[Symbol.dispose]();
});

async function openRemote(): Promise<{ readonly fs: FileSystem; readonly local: FileSystem }> {
  const writer = await openTestWriter();
  const workspace = createWriterWorkspace(writer);
  await workspace.fs.mkdir(root);
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
  const client = createWorkspaceClient({ port, close: async () => {} });
  return { fs: client.fs, local: workspace.fs };
}

describeFileSystem("a page's view", async () => ({ fs: (await openRemote()).fs, root }), {
  refusesFilters: true,
});

describe("a page's file system", () => {
  it('has every operation that the workspace has', async () => {
    const { fs, local } = await openRemote();
    expect(Object.keys(fs).sort()).toEqual(Object.keys(local).sort());
  });

  it('writes the bytes that it was called with, whatever becomes of them afterwards', async () => {
    const { fs } = await openRemote();
    const bytes = new Uint8Array([1, 2, 3]);
    const writing = fs.writeFile(`${root}/file`, bytes);
    bytes.fill(9);
    await writing;
    expect([...(await fs.readFile(`${root}/file`))]).toEqual([1, 2, 3]);
  });

  it('goes by the options and lists that it was called with, whatever becomes of them', async () => {
    const { fs } = await openRemote();
    const options = { mode: 0o600 };
    const writing = fs.writeFile(`${root}/file`, 'text', options);
    options.mode = 0o644;
    await writing;
    expect((await fs.stat(`${root}/file`)).mode & 0o777).toBe(0o600);
    const paths = [`${root}/file`];
    const reading = fs.readMany(paths, 'utf8');
    paths.length = 0;
    expect(await reading).toEqual(['text']);
  });

  it('loses none of hundreds of changes to one file that are made at once', async () => {
    const { fs, local } = await openRemote();
    const all = Array.from({ length: 300 }, (_, at) => String(at).padStart(3, '0'));
    await Promise.all(
      all.map((text, at) => (at % 3 === 0 ? local : fs).appendFile(`${root}/log`, text)),
    );
    const written = await fs.readFile(`${root}/log`, 'utf8');
    expect(written.match(/\d{3}/gu)?.toSorted()).toEqual(all);
  });

  it('watches what others commit', async () => {
    const { fs, local } = await openRemote();
    const watcher = fs.watch(root);
    const next = watcher.next();
    await local.writeFile(`${root}/theirs`, '');
    expect(await next).toEqual({ value: { eventType: 'rename', filename: 'theirs' }, done: false });
    await watcher.return?.();
  });

  it('keeps no handle in the worker: one goes on over a port of its own lifetime', async () => {
    const { fs, local } = await openRemote();
    const handle = await fs.open(`${root}/file`, 'a');
    await handle.write('1');
    await local.appendFile(`${root}/file`, '2');
    await handle.write('3');
    expect(await local.readFile(`${root}/file`, 'utf8')).toBe('123');
  });

  it('refuses what no message could carry with the code that Node has', async () => {
    const { fs } = await openRemote();
    expect(await codeOf(fs.writeFile(`${root}/file`, (() => {}) as never))).toBe(
      'ERR_INVALID_ARG_TYPE',
    );
    expect(await codeOf(fs.chmod(`${root}/file`, {} as never))).toBe('ERR_INVALID_ARG_TYPE');
  });
});
