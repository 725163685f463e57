import { describe, expect, it } from 'vitest';
import type { Change, ChangeSet } from '../../../src/core/change-set.ts';
import { SdkError } from '../../../src/core/errors.ts';
import { createMemoryStore } from '../../../src/workspace/drivers/memory.ts';
import type { LogStore } from '../../../src/workspace/log-store.ts';
import type { ChangeAuthor, ChangeEvent } from '../../../src/workspace/workspace.ts';
import { createWriterWorkspace } from '../../../src/workspace/writer-workspace.ts';
import { openWorkspaceWriter, type WorkspaceWriter } from '../../../src/workspace/writer.ts';
import { codeOf } from '../../contract/file-system.contract.ts';
import { openAccess, openTestWriter } from '../../support/workspaces.ts';

const author: ChangeAuthor = { kind: 'agent', callId: 'call-1' };

function write(path: string, text: string, baseVersion = 0): Change {
  const content = new TextEncoder().encode(text);
  return { type: 'write', path, baseVersion, content, mode: 0o644, mtimeMs: 1 };
}

function mkdir(path: string, baseVersion = 0): Change {
  return { type: 'mkdir', path, baseVersion, mode: 0o755, mtimeMs: 1 };
}

function setOf(...changes: Change[]): ChangeSet {
  return { baseSeq: 0, changes };
}

async function failureOf(operation: Promise<unknown>): Promise<SdkError> {
  const error: unknown = await operation.catch((thrown: unknown) => thrown);
  if (!SdkError.isInstance(error)) throw new TypeError('It did not fail with an SdkError.');
  return error;
}

/** A store that holds `capacity` bytes and, as a disk does, takes a part of what doesn't fit. */
function createSmallStore(capacity: number): LogStore {
  const store = createMemoryStore();
  return {
    ...store,
    append(bytes) {
      const room = capacity - store.length();
      void store.append(bytes.subarray(0, Math.max(0, room)));
      if (bytes.length > room) throw new DOMException('full', 'QuotaExceededError');
    },
  };
}

async function stateOf(writer: WorkspaceWriter, store: LogStore) {
  const hash = await createWriterWorkspace(writer).treeHash();
  return { seq: writer.seq, hash, log: (await store.read(0, store.length())).join() };
}

describe('a commit', () => {
  it('lands whole, gives every path its number as version, and tells listeners in order', async () => {
    const writer = await openTestWriter();
    const workspace = createWriterWorkspace(writer);
    const events: ChangeEvent[] = [];
    const listening = workspace.onChange((event) => events.push(event));
    await workspace.commit(setOf(mkdir('/d'), write('/d/a', 'A')), { author });
    await workspace.commit(
      setOf({ type: 'remove', path: '/d/a', baseVersion: 1 }, write('/b', 'B')),
      { author: { kind: 'user' } },
    );
    listening[Symbol.dispose]();
    await workspace.commit(setOf(write('/c', 'C')), { author });
    expect(events).toEqual([
      {
        seq: 1,
        root: 'main',
        author,
        changes: [
          { path: '/d', type: 'create', kind: 'directory', version: 1 },
          { path: '/d/a', type: 'create', kind: 'file', version: 1 },
        ],
      },
      {
        seq: 2,
        root: 'main',
        author: { kind: 'user' },
        changes: [
          { path: '/d/a', type: 'delete', kind: 'file', version: 2 },
          { path: '/b', type: 'create', kind: 'file', version: 2 },
        ],
      },
    ]);
    expect(await workspace.versions(['/d', '/d/a', '/b', '/c'])).toEqual([1, 0, 2, 3]);
  });

  const conflicts: readonly [what: string, paths: string[], changes: Change[]][] = [
    ['a path that has moved on', ['/d/f'], [write('/d/f', 'mine', 1)]],
    ['a path that is there now', ['/d/f'], [write('/d/f', 'mine', 0)]],
    ['a path that is gone', ['/gone'], [write('/gone', 'mine', 1)]],
    ['an ancestor that is gone', ['/gone/f'], [write('/gone/f', 'mine')]],
    ['a file where a directory must be', ['/d/f/x'], [write('/d/f/x', 'mine')]],
    ['a directory that would be a file', ['/d'], [write('/d', 'mine', 1)]],
    ['a file that would be a directory', ['/d/f'], [mkdir('/d/f', 2)]],
    ['a directory that is not empty', ['/d'], [{ type: 'remove', path: '/d', baseVersion: 1 }]],
    ['several, all of them listed', ['/d/f', '/x/y'], [write('/d/f', ''), write('/x/y', '')]],
    ['one of two changes', ['/d/f'], [write('/new', 'fine'), write('/d/f', 'mine', 1)]],
  ];
  it.each(conflicts)('is refused for %s, and changes nothing', async (_what, paths, changes) => {
    const store = createMemoryStore();
    const writer = await openTestWriter(store);
    await writer.commit(setOf(mkdir('/d')), { author });
    await writer.commit(setOf(write('/d/f', 'theirs')), { author });
    const before = await stateOf(writer, store);
    const error = await failureOf(writer.commit(setOf(...changes), { author }));
    expect([error.code, error.data]).toEqual(['ECONFLICT', { paths }]);
    expect(await stateOf(writer, store)).toEqual(before);
  });

  it('of two drafts that wrote the same path only the first lands', async () => {
    const workspace = createWriterWorkspace(await openTestWriter());
    await workspace.fs.writeFile('/a', 'base');
    const address = { root: 'main', minSeq: 1 };
    const views = [
      await workspace.openView(address, openAccess('/')),
      await workspace.openView(address, openAccess('/')),
    ];
    const results = await Promise.all(
      views.map(async (view, at) => {
        view.fs.sync.writeFileSync('/a', `draft ${at}`);
        view.fs.sync.writeFileSync(`/only-${at}`, '');
        return codeOf(workspace.commit(view.changeSet() ?? setOf(), { author }));
      }),
    );
    expect(results).toEqual([undefined, 'ECONFLICT']);
    expect(await workspace.fs.readdir('/')).toEqual(['a', 'only-0']);
    expect(await workspace.fs.readFile('/a', 'utf8')).toBe('draft 0');
  });

  it('of nothing is no record', async () => {
    const writer = await openTestWriter();
    expect(await writer.commit(setOf(), { author })).toEqual({ seq: 0 });
    expect(writer.info().seq).toBe(0);
  });

  it('stands, and the other listeners are told, when a listener throws', async () => {
    const errors: unknown[] = [];
    const heard: number[] = [];
    const writer = await openWorkspaceWriter(createMemoryStore(), {
      name: 'test',
      onListenerError: (error) => errors.push(error),
    });
    writer.onRecord(() => {
      throw new Error('a faulty listener');
    });
    writer.onRecord(({ record }) => heard.push(record.seq));
    expect(await writer.commit(setOf(write('/a', 'A')), { author })).toEqual({ seq: 1 });
    expect([heard, errors]).toEqual([[1], [new Error('a faulty listener')]]);
  });
});

describe('a medium that fails', () => {
  it('rejects with ENOSPC when it is full, leaves tree and log as they were, and goes on', async () => {
    const store = createSmallStore(2000);
    const writer = await openTestWriter(store);
    await writer.commit(setOf(write('/a', 'A')), { author });
    const before = await stateOf(writer, store);
    const error = await failureOf(
      writer.commit(setOf(write('/large', 'x'.repeat(3000))), { author }),
    );
    expect([error.code, error.message]).toEqual([
      'ENOSPC',
      'ENOSPC: no space left: nothing was written. Free storage on this device, or delete what ' +
        'other workspaces of this site hold, and try again.',
    ]);
    expect(await stateOf(writer, store)).toEqual(before);
    await writer.commit(setOf(write('/small', 'fits')), { author });
    const reopened = await openTestWriter(store);
    expect(await stateOf(reopened, store)).toEqual(await stateOf(writer, store));
  });

  it('fails only the commit that did not fit, not those that shared its flush', async () => {
    const writer = await openTestWriter(createSmallStore(2000));
    const results = await Promise.all([
      codeOf(writer.commit(setOf(write('/a', 'A')), { author })),
      codeOf(writer.commit(setOf(write('/large', 'x'.repeat(3000))), { author })),
      codeOf(writer.commit(setOf(write('/b', 'B')), { author })),
    ]);
    expect(results).toEqual([undefined, 'ENOSPC', undefined]);
    expect(writer.root.entries.keys().sort()).toEqual(['a', 'b']);
  });

  it('can not be opened when not even an empty log fits, and is let go of', async () => {
    let closed = 0;
    const store = { ...createSmallStore(4), close: () => void (closed += 1) };
    expect([await codeOf(openTestWriter(store)), closed]).toEqual(['ENOSPC', 1]);
  });

  it('takes back a record whose flush failed', async () => {
    const store = createMemoryStore();
    let isFailing = false;
    const flush = () => {
      if (isFailing) throw new Error('the device is gone');
    };
    const writer = await openTestWriter({ ...store, flush });
    isFailing = true;
    const before = await stateOf(writer, store);
    const error = await failureOf(writer.commit(setOf(write('/a', 'A')), { author }));
    expect(error.code).toBe('EIO');
    expect(await stateOf(writer, store)).toEqual(before);
    await writer.commit(setOf(write('/a', 'A')), { author, durability: 'process' });
    expect(writer.seq).toBe(1);
  });

  it('takes no more commits once a failed write could not be undone', async () => {
    const store = createMemoryStore();
    let isFailing = false;
    const fail = () => {
      throw new Error('the device is gone');
    };
    const writer = await openTestWriter({
      ...store,
      append: (bytes) => (isFailing ? fail() : store.append(bytes)),
      truncate: (length) => (isFailing ? fail() : store.truncate(length)),
    });
    isFailing = true;
    const commits = [write('/a', 'A'), write('/b', 'B')].map((change) =>
      codeOf(writer.commit(setOf(change), { author })),
    );
    expect(await Promise.all(commits)).toEqual(['EIO', 'EIO']);
    isFailing = false;
    expect(await codeOf(writer.commit(setOf(write('/c', 'C')), { author }))).toBe('EIO');
    expect(writer.seq).toBe(0);
  });
});

describe('group commit', () => {
  it('shares a flush among the commits that waited for the one before', async () => {
    const store = createMemoryStore();
    let flushes = 0;
    const flush = async () => {
      flushes += 1;
    };
    const writer = await openTestWriter({ ...store, flush });
    flushes = 0;
    const commits = Array.from({ length: 200 }, (_, at) =>
      writer.commit(setOf(write(`/f${at}`, String(at))), { author }),
    );
    const seqs = (await Promise.all(commits)).map(({ seq }) => seq);
    expect(seqs).toEqual(Array.from({ length: 200 }, (_, at) => at + 1));
    expect(flushes).toBe(1);
  });

  it('does not flush for commits that only need the process to survive', async () => {
    const store = createMemoryStore();
    let flushes = 0;
    const writer = await openTestWriter({ ...store, flush: () => void (flushes += 1) });
    flushes = 0;
    await writer.commit(setOf(write('/a', 'A')), { author, durability: 'process' });
    expect(flushes).toBe(0);
  });

  it('closes after what is under way, and refuses what comes later', async () => {
    const writer = await openTestWriter();
    const first = writer.commit(setOf(write('/a', 'A')), { author });
    await Promise.all([writer.close(), writer.close()]);
    expect(await first).toEqual({ seq: 1 });
    expect(await codeOf(writer.commit(setOf(write('/b', 'B')), { author }))).toBe('EBADF');
  });
});
