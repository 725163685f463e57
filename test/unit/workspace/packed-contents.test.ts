import { describe, expect, it } from 'vitest';
import { ByteCache } from '../../../src/workspace/byte-cache.ts';
import type { PackedContent } from '../../../src/workspace/feed.ts';
import { PackedContents } from '../../../src/workspace/packed-contents.ts';
import { codeOf } from '../../contract/file-system.contract.ts';

/** A Blob that counts how often it is read. */
class CountedBlob extends Blob {
  reads = 0;

  override slice(start?: number, end?: number): Blob {
    this.reads += 1;
    return super.slice(start, end);
  }
}

/** `count` contents of `size` bytes each, in one segment; content n is filled with n. */
function pack(
  count: number,
  size: number,
): { bytes: Uint8Array<ArrayBuffer>; list: PackedContent[] } {
  const bytes = new Uint8Array(count * size).map((_, at) => Math.floor(at / size) % 256);
  const list = Array.from({ length: count }, (_, at): PackedContent => [at, at * size, size]);
  return { bytes, list };
}

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

  it('reads a batch from a Blob in few large slices, and not again what it keeps', async () => {
    const { bytes, list } = pack(200, 1000);
    const data = new CountedBlob([bytes]);
    const contents = new PackedContents();
    contents.add({ data, contents: list });
    const wanted = list.map(([contentId]) => contentId).filter((contentId) => contentId % 2 === 0);
    await contents.readMany(wanted);
    await contents.readMany(wanted);
    expect(data.reads).toBe(1);
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
