import { describe, expect, it } from 'vitest';
import type { Change, ChangeSet } from '../../../src/core/change-set.ts';
import { SdkError } from '../../../src/core/errors.ts';
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';
import type { ChangeAuthor, ChangeEvent } from '../../../src/workspace/workspace.ts';
import { createWriterWorkspace } from '../../../src/workspace/commit/writer-workspace.ts';
import { openWorkspaceWriter, type WorkspaceWriter } from '../../../src/workspace/commit/writer.ts';
import { codeOf } from '../../contract/file-system.contract.ts';
import { TornDisk } from '../../support/storage/torn-medium.ts';
import { openAccess, openTestWriter, withFiles } from '../../support/files/workspaces.ts';

const author: ChangeAuthor = { kind: 'agent', callId: 'call-1' };

function write(path: string, text: string, baseVersion = 0): Change {
  const content = new TextEncoder().encode(text);
  return { type: 'write', path, baseVersion, content, mode: 0o644, mtimeMs: 1 };
}

function mkdir(path: string, baseVersion = 0): Change {
  return { type: 'mkdir', path, baseVersion, mode: 0o755, mtimeMs: 1 };
}

function link(path: string, parentVersion: number): Change {
  return { type: 'symlink', path, baseVersion: 0, parentVersion, target: 'f', mtimeMs: 1 };
}

function setOf(...changes: Change[]): ChangeSet {
  return { baseSeq: 0, changes };
}

async function failureOf(operation: Promise<unknown>): Promise<SdkError> {
  const error: unknown = await operation.catch((thrown: unknown) => thrown);
  if (!SdkError.isInstance(error)) throw new TypeError('It did not fail with an SdkError.');
  return error;
}

/** A medium that holds `capacity` bytes and, as a disk does, takes a part of what doesn't fit. */
function createSmallDisk(capacity: number): TornDisk {
  const disk = new TornDisk();
  disk.capacity = capacity;
  return disk;
}

async function stateOf(writer: WorkspaceWriter) {
  const hash = await createWriterWorkspace(writer).treeHash();
  return { seq: writer.seq, hash, logBytes: writer.info().logBytes };
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
    await workspace.fs.symlink('b', '/l');
    const [directory, gone, moved, link] = await workspace.lookUp(['/d', '/d/a', '/b', '/l']);
    expect([directory, gone, moved, link]).toEqual([
      { kind: 'directory', version: 1 },
      null,
      { kind: 'file', version: 2, size: 1, contentId: expect.any(Number) },
      { kind: 'symlink', version: 4, target: 'b' },
    ]);
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
    ['a directory that was made anew', ['/d/new'], [link('/d/new', 7)]],
    ['several, all of them listed', ['/d/f', '/x/y'], [write('/d/f', ''), write('/x/y', '')]],
    ['one of two changes', ['/d/f'], [write('/new', 'fine'), write('/d/f', 'mine', 1)]],
  ];
  it.each(conflicts)('is refused for %s, and changes nothing', async (_what, paths, changes) => {
    const writer = await openTestWriter();
    await writer.commit(setOf(mkdir('/d')), { author });
    await writer.commit(setOf(write('/d/f', 'theirs')), { author });
    const before = await stateOf(writer);
    const error = await failureOf(writer.commit(setOf(...changes), { author }));
    expect([error.code, error.data]).toEqual(['ECONFLICT', { paths }]);
    expect(await stateOf(writer)).toEqual(before);
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
    const writer = await openWorkspaceWriter(createMemoryMedium(), {
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
    const disk = createSmallDisk(2000);
    const writer = await openTestWriter(disk.open());
    await writer.commit(setOf(write('/a', 'A')), { author });
    const before = await stateOf(writer);
    const error = await failureOf(
      writer.commit(setOf(write('/large', 'x'.repeat(3000))), { author }),
    );
    expect([error.code, error.message]).toEqual([
      'ENOSPC',
      'ENOSPC: no space left: nothing was written. Free storage on this device, or delete what ' +
        'other workspaces of this site hold, and try again.',
    ]);
    expect(await stateOf(writer)).toEqual(before);
    await writer.commit(setOf(write('/small', 'fits')), { author });
    const reopened = await openTestWriter(disk.open());
    const { seq, hash } = await stateOf(writer);
    expect(await stateOf(reopened)).toMatchObject({ seq, hash });
  });

  it('fails only the commit that did not fit, not those that shared its flush', async () => {
    const writer = await openTestWriter(createSmallDisk(2000).open());
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
    const close = async () => void (closed += 1);
    const medium = { ...createSmallDisk(4).open(), close };
    expect([await codeOf(openTestWriter(medium)), closed]).toEqual(['ENOSPC', 1]);
  });

  it('is opened and read although it is full, and written to when there is room again', async () => {
    const disk = new TornDisk();
    const first = createWriterWorkspace(await openTestWriter(disk.open()));
    await first.fs.writeFile('/a', 'A');
    disk.capacity = 0;
    const second = createWriterWorkspace(await openTestWriter(disk.open()));
    expect(await second.fs.readFile('/a', 'utf8')).toBe('A');
    expect(await codeOf(second.fs.writeFile('/b', 'B'))).toBe('ENOSPC');
    disk.capacity = 10_000;
    await second.fs.writeFile('/b', 'B');
    const third = createWriterWorkspace(await openTestWriter(disk.open()));
    expect(await third.fs.readdir('/')).toEqual(['a', 'b']);
  });

  it('takes back a record whose flush failed', async () => {
    let isFailing = false;
    const medium = withFiles(createMemoryMedium(), (file) => ({
      async append(bytes, durability) {
        await file.append(bytes, durability);
        if (isFailing && durability === 'power') throw new Error('the device is gone');
      },
    }));
    const writer = await openTestWriter(medium);
    isFailing = true;
    const before = await stateOf(writer);
    const error = await failureOf(writer.commit(setOf(write('/a', 'A')), { author }));
    expect(error.code).toBe('EIO');
    expect(await stateOf(writer)).toEqual(before);
    await writer.commit(setOf(write('/a', 'A')), { author, durability: 'process' });
    expect(writer.seq).toBe(1);
  });

  it('takes no more commits once a failed write could not be undone', async () => {
    let isFailing = false;
    const failOr = <Value>(run: () => Value) => {
      if (isFailing) throw new Error('the device is gone');
      return run();
    };
    const medium = withFiles(createMemoryMedium(), (file) => ({
      append: (bytes, durability) => failOr(() => file.append(bytes, durability)),
      truncate: (length) => failOr(() => file.truncate(length)),
    }));
    const writer = await openTestWriter(medium);
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

describe('a commit that is sent again', () => {
  const origin = { client: 'tab-1', number: 7 };

  it('is answered with its number and not applied twice, also after the log was opened anew', async () => {
    const disk = new TornDisk();
    const writer = await openTestWriter(disk.open());
    const send = (to: WorkspaceWriter) =>
      to.commit(setOf(write('/a', 'A')), { author, origin, durability: 'process' });
    expect(await Promise.all([send(writer), send(writer)])).toEqual([{ seq: 1 }, { seq: 1 }]);
    await writer.commit(setOf(write('/b', 'B')), { author });
    expect(await send(writer)).toEqual({ seq: 1 });
    const next = await openTestWriter(disk.open());
    expect([await send(next), next.seq]).toEqual([{ seq: 1 }, 2]);
  });

  it('is not answered before the first is as durable as the second was asked to be', async () => {
    const disk = new TornDisk();
    const writer = await openTestWriter(disk.open());
    const change = setOf(write('/a', 'A'));
    await writer.commit(change, { author, origin, durability: 'process' });
    await writer.commit(change, { author, origin, durability: 'power' });
    disk.losePower();
    expect((await openTestWriter(disk.open())).seq).toBe(1);
  });
});

describe('a writer that was taken over', () => {
  it('refuses with EFENCED from then on, says what to do, and its bytes never count', async () => {
    const disk = new TornDisk();
    const zombie = await openTestWriter(disk.open());
    await zombie.commit(setOf(write('/a', 'A')), { author });
    const writer = await openTestWriter(disk.open());
    const refusals = await Promise.all(
      ['/z', '/y'].map((path) => codeOf(zombie.commit(setOf(write(path, 'Z')), { author }))),
    );
    expect(refusals).toEqual(['EFENCED', 'EFENCED']);
    expect(await codeOf(zombie.commit(setOf(write('/x', 'Z')), { author }))).toBe('EFENCED');
    await writer.commit(setOf(write('/b', 'B')), { author });
    const next = await openTestWriter(disk.open());
    expect(next.root.entries.keys().sort()).toEqual(['a', 'b']);
  });
});

describe('group commit', () => {
  /** Counts the appends that were flushed. */
  async function openCounting() {
    let flushes = 0;
    const medium = withFiles(createMemoryMedium(), (file) => ({
      async append(bytes, durability) {
        if (durability === 'power') flushes += 1;
        await file.append(bytes, durability);
      },
    }));
    const writer = await openTestWriter(medium);
    flushes = 0;
    return { writer, flushes: () => flushes };
  }

  it('shares a flush among the commits that waited for the one before', async () => {
    const { writer, flushes } = await openCounting();
    const commits = Array.from({ length: 200 }, (_, at) =>
      writer.commit(setOf(write(`/f${at}`, String(at))), { author }),
    );
    const seqs = (await Promise.all(commits)).map(({ seq }) => seq);
    expect(seqs).toEqual(Array.from({ length: 200 }, (_, at) => at + 1));
    expect(flushes()).toBe(1);
  });

  it('does not flush for commits that only need the process to survive', async () => {
    const { writer, flushes } = await openCounting();
    await writer.commit(setOf(write('/a', 'A')), { author, durability: 'process' });
    expect(flushes()).toBe(0);
  });

  it('closes after what is under way, and refuses what comes later', async () => {
    const writer = await openTestWriter();
    const first = writer.commit(setOf(write('/a', 'A')), { author });
    await Promise.all([writer.close(), writer.close()]);
    expect(await first).toEqual({ seq: 1 });
    expect(await codeOf(writer.commit(setOf(write('/b', 'B')), { author }))).toBe('EBADF');
  });
});
