// Streams and the file history where a browser keeps them: in OPFS behind a tab's FS worker, in two tabs, and
// in IndexedDB.
import { describe, expect, it } from 'vitest';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import { createBrowserHost } from '../../../src/hosts/browser/page/create-browser-host.ts';
import { deleteIdbLog, openIdbLog } from '../../../src/workspace/drivers/idb-log.ts';
import { openWorkspace } from '../../../src/workspace/open-workspace.ts';
import type { WorkspaceStreams } from '../../../src/workspace/streams.ts';
import type { Workspace } from '../../../src/workspace/workspace.ts';

const author = { kind: 'agent' } as const;

/** So long that a few of them fill a pack. */
const long = (at: number) => `${at} ${'x'.repeat(9000)}`;

async function valuesOf(streams: WorkspaceStreams, from?: number): Promise<unknown[]> {
  const values: unknown[] = [];
  for await (const { value } of streams.read('journal', from)) values.push(value);
  return values;
}

async function fill({ streams, commit, fs }: Workspace): Promise<void> {
  for (let at = 0; at < 10; at += 1) {
    await streams.append('journal', [{ value: long(at) }], { at, durability: 'process' });
  }
  await fs.mkdir('/d', { recursive: true });
  const content = new TextEncoder().encode('settled');
  const change = { type: 'write', path: '/d/file', baseVersion: 0, content } as const;
  const changeSet = { baseSeq: 0, changes: [{ ...change, mode: 0o644, mtimeMs: 1 }] };
  const entries = [{ value: 'settled', contents: [new Uint8Array([1, 2, 3])] }];
  await commit(changeSet, { author, append: { stream: 'journal', at: 10, entries } });
}

async function expectFilled({ streams, fs }: Workspace): Promise<void> {
  const values = Array.from({ length: 10 }, (_, at) => long(at));
  expect(await valuesOf(streams)).toEqual([...values, 'settled']);
  expect(await fs.readFile('/d/file', 'utf8')).toBe('settled');
  for await (const { contents } of streams.read('journal', 11)) {
    expect(await streams.readContent(contents?.[0] ?? 0)).toEqual(new Uint8Array([1, 2, 3]));
  }
}

describe('streams', () => {
  it('are there in a tab after a reload, and in the tabs beside it', async () => {
    const workspace = `host-streams ${crypto.randomUUID()}`;
    const open = () => createBrowserHost({ workspace, assets: { wasm: wasmUrl } });
    const before = await open();
    await fill(before.workspace);
    await before[Symbol.asyncDispose]();
    const [first, second] = [await open(), await open()];
    try {
      expect((await second.workspace.info()).role).toBe('follower');
      for (const host of [first, second]) await expectFilled(host.workspace);
      const told = new Promise((resolve) => {
        first.workspace.streams.onAppend(({ entries }) => resolve(entries));
      });
      const { streams } = second.workspace;
      expect(await streams.append('journal', [{ value: 'second' }], { at: 11 })).toEqual({
        length: 12,
      });
      expect(await told).toEqual([{ n: 12, value: 'second' }]);
      const slow = first.workspace.streams.append('journal', [{ value: 'slow' }], { at: 11 });
      await expect(slow).rejects.toMatchObject({
        code: 'EFENCED',
        data: { stream: 'journal', length: 12 },
      });
      await streams.fork('journal', 'fork', { length: 3 });
      const listed = await first.workspace.streams.list();
      expect(listed.map(({ id, length }) => [id, length])).toEqual([
        ['journal', 12],
        ['fork', 3],
      ]);
      // The leader goes, and the other one goes on.
      await first[Symbol.asyncDispose]();
      await streams.append('journal', [{ value: 'alone' }], { at: 12 });
      expect(await valuesOf(streams, 11)).toEqual(['settled', 'second', 'alone']);
    } finally {
      await second.destroy();
    }
  });

  it('are there in IndexedDB after it was opened again', async () => {
    const name = `host-streams ${crypto.randomUUID()}, idb`;
    const before = await openWorkspace(await openIdbLog(name), { name });
    await fill(before);
    await before[Symbol.asyncDispose]();
    const after = await openWorkspace(await openIdbLog(name), { name });
    await expectFilled(after);
    await after[Symbol.asyncDispose]();
    await deleteIdbLog(name);
  });
});

describe('the file history', () => {
  it('takes a call back after a reload, from the tab beside the one that has the log', async () => {
    const workspace = `host-history ${crypto.randomUUID()}`;
    const open = () => createBrowserHost({ workspace, assets: { wasm: wasmUrl } });
    const before = await open();
    await before.workspace.fs.writeFile('/a', 'one\n');
    const content = new TextEncoder().encode('one\ntwo\n');
    const baseVersion = before.workspace.seq();
    const change = { type: 'write', path: '/a', baseVersion, content } as const;
    const changes = [{ ...change, mode: 0o644, mtimeMs: 1 }];
    const call = { ...author, callId: 'call-1', sessionId: 'session-1' };
    await before.workspace.commit({ baseSeq: baseVersion, changes }, { author: call });
    await before[Symbol.asyncDispose]();
    const [first, second] = [await open(), await open()];
    try {
      expect((await second.workspace.info()).role).toBe('follower');
      const { history, fs } = second.workspace;
      await first.workspace.fs.writeFile('/a', 'zero\none\ntwo\n');
      expect(await history.undo('call-1')).toMatchObject({ type: 'moved', conflicts: [] });
      const undone = await history.undo('call-1', { merge: 'text' });
      expect(undone).toMatchObject({ type: 'undone', seq: second.workspace.seq() });
      expect(await fs.readFile('/a', 'utf8')).toBe('zero\none\n');
      const [newest] = await first.workspace.history.list({ path: '/a' });
      expect(newest?.callId).toBe(undone.type === 'undone' ? undone.undo : '');
    } finally {
      await first[Symbol.asyncDispose]();
      await second.destroy();
    }
  });
});
