import { describe, expect, it } from 'vitest';
import { ByteCache } from '../../../src/workspace/state/byte-cache.ts';
import type { StoredPart } from '../../../src/workspace/state/content-source.ts';
import { PackedContents } from '../../../src/workspace/feed/packed-contents.ts';
import { codeOf } from '../../contract/file-system.contract.ts';

/** A Blob that counts how often it is read, and may fail once. */
class CountedBlob extends Blob {
  reads = 0;
  bytesRead = 0;
  /** The number of the one that fails. */
  failingRead = 0;

  override slice(start = 0, end = this.size): Blob {
    this.reads += 1;
    this.bytesRead += end - start;
    const part = super.slice(start, end);
    if (this.reads === this.failingRead) {
      part.arrayBuffer = () => Promise.reject(new DOMException('gone', 'NotFoundError'));
    }
    return part;
  }
}

/** `count` contents of `size` bytes each, in one segment; content n is filled with n. */
function pack(count: number, size: number) {
  const bytes = new Uint8Array(count * size);
  const list: number[] = [];
  for (let at = 0; at < count; at += 1) {
    bytes.fill(at, at * size, (at + 1) * size);
    list.push(at, at * size, size);
  }
  return { bytes, list };
}

/** From `first` on, every `step`th. */
const every = (step: number, count: number, first = 0) =>
  Array.from({ length: count }, (_, at) => first + at * step);

const firstBytes = (contents: readonly Uint8Array[]) =>
  contents.map((bytes) => [bytes[0], bytes.length]);

describe('PackedContents', () => {
  it('gives contents in the order asked, from bytes and from Blobs alike', async () => {
    const { bytes, list } = pack(10, 4);
    for (const data of [bytes, new Blob([bytes])]) {
      const contents = new PackedContents();
      contents.add({ data, contents: list });
      expect(firstBytes(await contents.readMany([7, 0, 7, 3]))).toEqual([
        [7, 4],
        [0, 4],
        [7, 4],
        [3, 4],
      ]);
    }
  });

  it('reads more of a Blob each time and one piece ahead, and nothing twice that it keeps', async () => {
    // 20 MB, in blocks of 256 KB.
    const { bytes, list } = pack(20_000, 1024);
    const data = new CountedBlob([bytes]);
    const contents = new PackedContents();
    contents.add({ data, contents: list });
    const reads: number[] = [];
    for (let first = 0; first < 20_000; first += 100) {
      const batch = every(1, 100, first);
      expect(firstBytes(await contents.readMany(batch))).toEqual(
        batch.map((contentId) => [contentId % 256, 1024]),
      );
      reads.push(data.reads);
    }
    // 256 KB; 1 MB and then what follows it; 4 MB when the 4 MB before it are begun to be used.
    expect([reads[0], reads[4], reads[20], data.reads]).toEqual([1, 3, 4, 7]);
    await contents.readMany(every(100, 200));
    expect([data.reads, data.bytesRead]).toEqual([7, data.size]);
  });

  it('reads blocks that follow each other in one piece, and on, where one call asks for them', async () => {
    const { bytes, list } = pack(20_000, 1024);
    const data = new CountedBlob([bytes]);
    const contents = new PackedContents();
    contents.add({ data, contents: list });
    // Three blocks of 256 KB, and four times as much from there on.
    await contents.readMany(every(1, 700));
    expect([data.reads, data.bytesRead]).toEqual([1, 12 * 262_144]);
    await contents.readMany(every(1, 700, 700));
    expect(data.reads).toBe(1);
  });

  it('reads no more than blocks where it can keep few of them and there is no order', async () => {
    const { bytes, list } = pack(20_000, 1024);
    const data = new CountedBlob([bytes]);
    const contents = new PackedContents({ maxCacheBytes: 4_194_304 });
    contents.add({ data, contents: list });
    for (const contentId of every(7919, 40)) await contents.readMany([contentId % 20_000]);
    expect([data.reads > 30, data.bytesRead <= data.reads * 262_144]).toEqual([true, true]);
  });

  it('reads no large file ahead, however near it is', async () => {
    const { bytes, list } = pack(2000, 1024);
    const large = 6_000_000;
    const data = new CountedBlob([bytes, new Uint8Array(large).fill(7)]);
    const contents = new PackedContents();
    contents.add({ data, contents: [...list, 2000, bytes.length, large] });
    for (const batch of [[0], every(1, 999, 1), every(1, 1000, 1000)]) {
      await contents.readMany(batch);
    }
    expect(data.bytesRead).toBe(bytes.length);
    expect(firstBytes(await contents.readMany([2000]))).toEqual([[7, large]]);
  });

  it('reads again what it could not read ahead', async () => {
    const { bytes, list } = pack(20_000, 1024);
    const data = new CountedBlob([bytes]);
    const contents = new PackedContents();
    contents.add({ data, contents: list });
    await contents.readMany([0]);
    // What is asked for next comes; what is read ahead of it doesn't.
    data.failingRead = 3;
    await contents.readMany([300]);
    expect(data.reads).toBe(3);
    const batch = every(1, 100, 1300);
    expect(firstBytes(await contents.readMany(batch))).toEqual(
      batch.map((contentId) => [contentId % 256, 1024]),
    );
    data.failingRead = data.reads + 1;
    expect(await codeOf(contents.readMany([19_999]))).toBe('ECONFLICT');
  });

  it("reads through a file's owner, in pieces that take it little time, and large files by itself", async () => {
    const { bytes, list } = pack(20_000, 1024);
    const large = 6_000_000;
    const data = new CountedBlob([bytes, new Uint8Array(large).fill(7)]);
    const asked: StoredPart[] = [];
    const readStored = async (part: StoredPart) => {
      asked.push(part);
      return bytes.slice(part.from, part.to);
    };
    const contents = new PackedContents({ readStored });
    contents.add({ data, contents: [...list, 20_000, bytes.length, large], file: 'segment-1' });
    for (let first = 0; first < 20_000; first += 100) {
      const batch = every(1, 100, first);
      expect(firstBytes(await contents.readMany(batch))).toEqual(
        batch.map((contentId) => [contentId % 256, 1024]),
      );
    }
    expect(new Set(asked.map(({ file }) => file))).toEqual(new Set(['segment-1']));
    expect(Math.max(...asked.map(({ from, to }) => to - from))).toBeLessThanOrEqual(1_048_576);
    expect(asked.reduce((sum, { from, to }) => sum + to - from, 0)).toBe(bytes.length);
    expect(data.reads).toBe(0);
    expect(firstBytes(await contents.readMany([20_000]))).toEqual([[7, large]]);
    expect([data.reads, data.bytesRead]).toEqual([1, large]);
  });

  it('reads the Blob where the owner of its file is gone, or no longer has it', async () => {
    const { bytes, list } = pack(10, 1000);
    const data = new CountedBlob([bytes]);
    const contents = new PackedContents({ readStored: async () => undefined });
    contents.add({ data, contents: list, file: 'segment-1' });
    expect(firstBytes(await contents.readMany([3, 9]))).toEqual([
      [3, 1000],
      [9, 1000],
    ]);
    expect(data.reads).toBe(1);
  });

  it("doesn't pass on by which name its feed's source knows a file", async () => {
    const { bytes, list } = pack(2, 10);
    const contents = new PackedContents();
    contents.add({ data: new Blob([bytes]), contents: list, file: 'segment-1' });
    const [passedOn] = await contents.packed(new Set([1]));
    expect(passedOn?.contents).toEqual(list);
    expect(passedOn).not.toHaveProperty('file');
  });

  it('reads a block once for all who ask for it at a time', async () => {
    const { bytes, list } = pack(10, 1000);
    const data = new CountedBlob([bytes]);
    const contents = new PackedContents();
    contents.add({ data, contents: list });
    await Promise.all([contents.readMany([1, 2]), contents.readMany([3]), contents.readMany([4])]);
    expect(data.reads).toBe(1);
  });

  it('reads again what a full cache had to drop', async () => {
    const { bytes, list } = pack(3, 300_000);
    const data = new CountedBlob([bytes]);
    const contents = new PackedContents({ maxCacheBytes: 700_000 });
    contents.add({ data, contents: list });
    for (const contentId of [0, 1, 2, 2, 0]) {
      expect(firstBytes(await contents.readMany([contentId]))).toEqual([[contentId, 300_000]]);
    }
    expect(data.reads).toBe(4);
  });

  it('takes the last of several places of a content', async () => {
    const contents = new PackedContents();
    contents.add({ data: new Blob([new Uint8Array([1, 2])]), contents: [7, 0, 1, 8, 1, 1] });
    contents.add({ data: new Uint8Array([9]), contents: [7, 0, 1] });
    expect(firstBytes(await contents.readMany([7, 8]))).toEqual([
      [9, 1],
      [2, 1],
    ]);
  });

  it('fails with EIO for what the medium has lost', async () => {
    const contents = new PackedContents();
    contents.addLost([5]);
    expect(await codeOf(contents.readMany([5]))).toBe('EIO');
    expect(() => contents.readSync(5)).toThrow("the medium lost this file's bytes");
  });

  it('reads at once what it has as bytes', () => {
    const { bytes, list } = pack(3, 5);
    const contents = new PackedContents();
    contents.add({ data: bytes, contents: list });
    expect(firstBytes([contents.readSync(2)])).toEqual([[2, 5]]);
  });

  it('says so when it has no such content', async () => {
    const contents = new PackedContents();
    expect(() => contents.readSync(1)).toThrow('The replica has no content 1.');
    expect(await codeOf(contents.readMany([1]))).toBe('internal');
  });
});

describe('ByteCache', () => {
  it('drops what was used longest ago, and never holds more than its bound', () => {
    const cache = new ByteCache<string>(10);
    const put = (key: string, size: number) => cache.set(key, new Uint8Array(size));
    put('a', 4);
    put('b', 4);
    cache.get('a');
    put('c', 4);
    expect([cache.get('a')?.length, cache.get('b'), cache.get('c')?.length]).toEqual([
      4,
      undefined,
      4,
    ]);
    put('a', 6);
    put('large', 11);
    expect([cache.bytes, cache.get('large')]).toEqual([10, undefined]);
  });
});
