import { describe, expect, it } from 'vitest';
import { SdkError } from '../../../src/core/errors.ts';
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';
import { checksum } from '../../../src/core/hashes/checksum.ts';
import { encodeSegmentHeader } from '../../../src/workspace/log/segment-header.ts';
import { segmentName } from '../../../src/workspace/log/file-name.ts';
import type { LogMedium } from '../../../src/workspace/log/log-medium.ts';
import { createWriterWorkspace } from '../../../src/workspace/commit/writer-workspace.ts';
import { codeOf } from '../../contract/file-system.contract.ts';
import { openTestWriter } from '../../support/files/workspaces.ts';

async function open(medium: LogMedium) {
  return createWriterWorkspace(await openTestWriter(medium));
}

async function contentsOf(medium: LogMedium): Promise<Record<string, string>> {
  const contents: Record<string, string> = {};
  for (const { name, length } of await medium.list()) {
    contents[name] = (await (await medium.open(name)).read(0, length)).join();
  }
  return contents;
}

async function mediumWith(name: string, bytes: Uint8Array): Promise<LogMedium> {
  const medium = createMemoryMedium();
  await (await medium.create(name)).append(bytes, 'power');
  return medium;
}

function magicHeader(magic: string, version: number): Uint8Array {
  const bytes = new Uint8Array(16);
  new TextEncoder().encodeInto(magic, bytes);
  const view = new DataView(bytes.buffer);
  view.setUint32(8, version, true);
  view.setUint32(12, checksum(bytes.subarray(0, 12)), true);
  return bytes;
}

/** A record as format 1 wrote it. */
function oldRecord(seq: number, metadata: unknown, content: string): Uint8Array {
  const json = new TextEncoder().encode(JSON.stringify(metadata));
  const length = 4 + json.length + content.length;
  const bytes = new Uint8Array(16 + Math.ceil(length / 4) * 4);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, length, true);
  view.setBigUint64(8, BigInt(seq), true);
  view.setUint32(16, json.length, true);
  bytes.set(json, 20);
  bytes.set(new TextEncoder().encode(content), 20 + json.length);
  view.setUint32(4, checksum(bytes.subarray(8), checksum(bytes.subarray(0, 4))), true);
  return bytes;
}

function oldWrite(seq: number, path: string, content: string): Uint8Array {
  const change = { type: 'write', path, contentId: seq, size: content.length, mode: 0o644 };
  const contents = [[seq, content.length]];
  const metadata = { author: { kind: 'user' }, changes: [{ ...change, mtimeMs: 1 }], contents };
  return oldRecord(seq, metadata, content);
}

function join(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(parts.flatMap((part) => [...part]));
}

describe('opening a log', () => {
  it('finds every record again: tree, contents, versions and number', async () => {
    const medium = createMemoryMedium();
    const first = await open(medium);
    await first.fs.mkdir('/dir');
    await first.fs.writeFile('/dir/a', 'A');
    await first.fs.utimes('/dir/a', 0, 5);
    await first.fs.chmod('/dir/a', 0o755);
    const second = await open(medium);
    expect(await second.fs.readFile('/dir/a', 'utf8')).toBe('A');
    expect(await second.treeHash()).toBe(await first.treeHash());
    expect(await second.versions(['/dir', '/dir/a', '/b'])).toEqual([1, 4, 0]);
    const { mode, mtimeMs } = await second.fs.stat('/dir/a');
    expect([mode, mtimeMs]).toEqual([0o100755, 5000]);
    await second.fs.writeFile('/b', 'B');
    const third = await open(medium);
    expect(await third.fs.readMany(['/dir/a', '/b'])).toEqual([
      new Uint8Array([65]),
      new Uint8Array([66]),
    ]);
    expect(await third.info()).toMatchObject({ seq: 5, droppedBytes: 0, lostFiles: [] });
  });

  it('reads records that are larger than its window', async () => {
    const medium = createMemoryMedium();
    const first = await open(medium);
    const large = new Uint8Array(5_000_000).map((_, at) => at % 251);
    await first.fs.writeFile('/large', large);
    await first.fs.writeFile('/small', 'behind it');
    const second = await open(medium);
    expect(await second.treeHash()).toBe(await first.treeHash());
    expect(await second.fs.readFile('/small', 'utf8')).toBe('behind it');
  });

  it('finds nothing on an empty medium, nor where its first segment was torn', async () => {
    const empty = createMemoryMedium();
    expect(await (await open(empty)).info()).toMatchObject({ seq: 0, droppedBytes: 0 });
    const header = (await empty.open('segment-00000001-000000')).read(0, 40);
    const torn = await mediumWith('segment-00000001-000000', (await header).slice());
    expect(await (await open(torn)).info()).toMatchObject({ seq: 0, droppedBytes: 40 });
    expect((await torn.list()).map(({ name }) => name).sort()).toEqual([
      'segment-00000001-000000',
      'segment-00000002-000000',
    ]);
  });

  it('does without a file that it does not need and cannot open', async () => {
    const medium = createMemoryMedium();
    const first = await open(medium);
    await first.fs.writeFile('/a', 'text of a');
    await first[Symbol.asyncDispose]();
    const dead = segmentName({ epoch: 0, index: 0 });
    await (
      await medium.create(dead)
    ).append(encodeSegmentHeader({ epoch: 0, index: 0 }, []), 'power');
    const tried: string[] = [];
    const second = await open({
      ...medium,
      open(name) {
        tried.push(name);
        if (name !== dead) return medium.open(name);
        return Promise.reject(new SdkError('EIO', 'The medium has no hand free.'));
      },
    });
    expect(await second.fs.readFile('/a', 'utf8')).toBe('text of a');
    expect(tried).toContain(dead);
  });

  it('does not believe an image of what a later owner did not accept', async () => {
    const medium = createMemoryMedium();
    const former = await open(medium);
    await former.fs.writeFile('/a', 'A');
    const { logBytes: length } = await former.info();
    await former.fs.writeFile('/b', 'B');
    await former[Symbol.asyncDispose]();
    const live = [{ name: 'segment-00000001-000000', length }];
    const header = encodeSegmentHeader({ epoch: 2, index: 0 }, live);
    await (await medium.create('segment-00000002-000000')).append(header, 'power');
    const next = await open(medium);
    expect([await next.fs.readdir('/'), next.seq()]).toEqual([['a'], 1]);
  });

  it('goes by the image that has a stream’s newest entries, though a content of theirs is lost', async () => {
    const medium = createMemoryMedium();
    const former = await open(medium);
    await former.fs.writeFile('/a', 'A');
    await former.streams.append('s', [{ value: 1 }], { at: 0 });
    const { logBytes: length } = await former.info();
    const contents = [new Uint8Array(1000).fill(7)];
    await former.streams.append('s', [{ value: 2, contents }, { value: 3 }], { at: 1 });
    await former[Symbol.asyncDispose]();
    // What isn't flushed may be gone after a power cut, whatever was written later.
    const segment = 'segment-00000001-000000';
    const flushed = await (await medium.open(segment)).read(0, length);
    await medium.remove(segment);
    await (await medium.create(segment)).append(flushed, 'power');
    const next = await open(medium);
    const values: unknown[] = [];
    for await (const { value } of next.streams.read('s')) values.push(value);
    expect([values, next.seq()]).toEqual([[1, 2, 3], 1]);
    expect(await next.fs.readFile('/a', 'utf8')).toBe('A');
  });

  it.each([
    ['segment-00000007-000000', 'RKPLLOG\n'],
    ['image-00000007-1', 'RKPLIMG\n'],
    ['log', 'RKPLLOG\n'],
  ])('refuses a newer format in %s, and leaves everything untouched', async (name, magic) => {
    const bytes = join(magicHeader(magic, 5), new Uint8Array(100));
    const medium = await mediumWith(name, bytes);
    const before = await contentsOf(medium);
    await expect(openTestWriter(medium)).rejects.toMatchObject({
      code: 'EIO',
      data: { formatVersion: 5 },
    });
    expect(await contentsOf(medium)).toEqual(before);
  });
});

describe('a whole record that can not be carried out', () => {
  const mkdir = { type: 'mkdir', path: '/dir', mode: 0o755, mtimeMs: 1 };

  it.each([
    ['a change of a later version', { changes: [{ ...mkdir, type: 'hardlink' }] }],
    ['a change of the roots of a later version', { changes: [], rootChange: { type: 'swap' } }],
    ['a path whose directory is missing', { changes: [{ ...mkdir, path: '/no/dir' }] }],
    ['a root that is not there', { changes: [mkdir], root: 'branch' }],
    ['no changes at all', {}],
  ])('(%s) keeps the log closed, and all behind it where it is', async (_, fields) => {
    const author = { kind: 'user' };
    const name = 'segment-00000001-000000';
    const log = join(
      encodeSegmentHeader({ epoch: 1, index: 0 }, []),
      oldWrite(1, '/a', 'A'),
      oldRecord(2, { author, contents: [], ...fields }, ''),
      oldRecord(3, { author, contents: [], changes: [mkdir] }, ''),
    );
    const medium = await mediumWith(name, log);
    const offset = log.length - oldRecord(3, { author, contents: [], changes: [mkdir] }, '').length;
    const bad = oldRecord(2, { author, contents: [], ...fields }, '').length;
    await expect(openTestWriter(medium)).rejects.toMatchObject({
      code: 'EIO',
      message: expect.stringMatching(/does not understand; the log was left untouched/),
      data: { file: name, offset: offset - bad },
    });
    expect(await contentsOf(medium)).toEqual({ [name]: log.join() });
  });
});

describe('a log of format 1', () => {
  const log = join(
    magicHeader('RKPLLOG\n', 1),
    oldWrite(1, '/a', 'of old'),
    oldWrite(2, '/b', 'as well'),
  );

  it('is opened as a segment, and goes on in the new format', async () => {
    const medium = await mediumWith('log', log);
    const first = await open(medium);
    expect(await first.fs.readFile('/a', 'utf8')).toBe('of old');
    await first.fs.writeFile('/b', 'new');
    await first[Symbol.asyncDispose]();
    const second = await open(medium);
    expect(await second.fs.readFile('/a', 'utf8')).toBe('of old');
    expect(await second.fs.readFile('/b', 'utf8')).toBe('new');
    expect(await second.info()).toMatchObject({ seq: 3, droppedBytes: 0, lostFiles: [] });
    // Nothing was added to it, nor taken away.
    expect((await contentsOf(medium))['log']).toBe(log.join());
  });

  it('is cut where it was torn', async () => {
    const medium = await mediumWith('log', log.slice(0, -5));
    const workspace = await open(medium);
    expect(await workspace.fs.readdir('/')).toEqual(['a']);
    const torn = oldWrite(2, '/b', 'as well').length - 5;
    expect(await workspace.info()).toMatchObject({ seq: 1, droppedBytes: torn });
    expect(await (await open(medium)).info()).toMatchObject({ seq: 1, droppedBytes: 0 });
  });

  it.each([0, 7, 8, 12])('is refused when it does not begin as one (byte %i)', async (at) => {
    const foreign = log.slice();
    foreign[at] = (foreign[at] ?? 0) ^ 1;
    const medium = await mediumWith('log', foreign);
    expect(await codeOf(openTestWriter(medium))).toBe('EIO');
    expect(await contentsOf(medium)).toEqual({ log: foreign.join() });
  });
});
