import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/workspace/drivers/memory.ts';
import { headerBytes } from '../../../src/workspace/log.ts';
import type { LogStore } from '../../../src/workspace/log-store.ts';
import { createWriterWorkspace } from '../../../src/workspace/writer-workspace.ts';
import { codeOf } from '../../contract/file-system.contract.ts';
import { openTestWriter } from '../../support/workspaces.ts';

async function storeOf(bytes: Uint8Array): Promise<LogStore> {
  const store = createMemoryStore();
  await store.append(bytes);
  return store;
}

/** A log of a few records of every kind, and the tree's hash after each of them. */
async function writeHistory(): Promise<{ log: Uint8Array; ends: number[]; hashes: string[] }> {
  const store = createMemoryStore();
  const workspace = createWriterWorkspace(await openTestWriter(store));
  const { fs } = workspace;
  const ends = [store.length()];
  const hashes = [await workspace.treeHash()];
  for (const step of [
    () => fs.mkdir('/dir/sub', { recursive: true }),
    () => fs.writeFile('/dir/a', 'the first content'),
    () => fs.writeFile('/dir/a', 'another'),
    () => fs.symlink('a', '/dir/link'),
    () => fs.writeFile('/empty', ''),
    () => fs.rename('/dir/a', '/dir/sub/ü'),
    () => fs.rm('/dir', { recursive: true }),
  ]) {
    await step();
    ends.push(store.length());
    hashes.push(await workspace.treeHash());
  }
  return { log: await store.read(0, store.length()), ends, hashes };
}

describe('opening a log', () => {
  it('replays every record: tree, contents, versions and number', async () => {
    const store = createMemoryStore();
    const first = createWriterWorkspace(await openTestWriter(store));
    await first.fs.mkdir('/dir');
    await first.fs.writeFile('/dir/a', 'A');
    await first.fs.utimes('/dir/a', 0, 5);
    await first.fs.chmod('/dir/a', 0o755);
    const second = createWriterWorkspace(await openTestWriter(store));
    expect(await second.fs.readFile('/dir/a', 'utf8')).toBe('A');
    expect(await second.treeHash()).toBe(await first.treeHash());
    expect(await second.versions(['/dir', '/dir/a', '/b'])).toEqual([1, 4, 0]);
    const { mode, mtimeMs } = await second.fs.stat('/dir/a');
    expect([mode, mtimeMs]).toEqual([0o100755, 5000]);
    expect(await second.info()).toEqual(await first.info());
    await second.fs.writeFile('/b', 'B');
    expect(await second.fs.readMany(['/dir/a', '/b'])).toEqual([
      new Uint8Array([65]),
      new Uint8Array([66]),
    ]);
  });

  it('yields a prefix of the history from any cut of the log, and goes on from there', async () => {
    const { log, ends, hashes } = await writeHistory();
    await fc.assert(
      fc.asyncProperty(fc.nat(log.length), async (length) => {
        const store = await storeOf(log.slice(0, length));
        const workspace = createWriterWorkspace(await openTestWriter(store));
        const survivors = Math.max(0, ends.filter((end) => end <= length).length - 1);
        expect(workspace.seq()).toBe(survivors);
        expect(await workspace.treeHash()).toBe(hashes[survivors]);
        const kept = ends[survivors] ?? headerBytes;
        const { droppedBytes } = await workspace.info();
        expect(droppedBytes).toBe(length < headerBytes ? 0 : length - kept);
        await workspace.fs.writeFile('/after', 'more');
        const reopened = createWriterWorkspace(await openTestWriter(store));
        expect(await reopened.treeHash()).toBe(await workspace.treeHash());
      }),
    );
  });

  it('yields a prefix of the history from a log with any one bit flipped', async () => {
    const { log, ends, hashes } = await writeHistory();
    const anyBit = fc.nat((log.length - headerBytes) * 8 - 1);
    await fc.assert(
      fc.asyncProperty(anyBit, async (bit) => {
        const at = headerBytes + (bit >>> 3);
        const damaged = log.slice();
        damaged[at] = (damaged[at] ?? 0) ^ (1 << (bit & 7));
        const workspace = createWriterWorkspace(await openTestWriter(await storeOf(damaged)));
        // All before the record that was hit, nothing from it on.
        const survivors = ends.filter((end) => end <= at).length - 1;
        expect(workspace.seq()).toBe(survivors);
        expect(await workspace.treeHash()).toBe(hashes[survivors]);
      }),
    );
  });

  it('yields a prefix when the tail is zeros or garbage', async () => {
    const { log, ends, hashes } = await writeHistory();
    await fc.assert(
      fc.asyncProperty(fc.nat(log.length), fc.nat(255), async (cut, fill) => {
        const from = Math.max(cut, headerBytes);
        const damaged = log.slice();
        damaged.fill(fill, from);
        const workspace = createWriterWorkspace(await openTestWriter(await storeOf(damaged)));
        const survivors = hashes.indexOf(await workspace.treeHash());
        expect(survivors).toBe(workspace.seq());
        expect(survivors).toBeGreaterThanOrEqual(ends.filter((end) => end <= from).length - 1);
      }),
    );
  });

  it('refuses what is no log, or a newer one, and leaves it untouched', async () => {
    const { log } = await writeHistory();
    for (const at of [0, 7, 8, 12]) {
      const foreign = log.slice();
      foreign[at] = (foreign[at] ?? 0) ^ 1;
      const store = await storeOf(foreign);
      expect(await codeOf(openTestWriter(store))).toBe('EIO');
      expect(await store.read(0, store.length())).toEqual(foreign);
    }
  });

  it('reads records that are larger than its window', async () => {
    const store = createMemoryStore();
    const first = createWriterWorkspace(await openTestWriter(store));
    const large = new Uint8Array(5_000_000).map((_, at) => at % 251);
    await first.fs.writeFile('/large', large);
    await first.fs.writeFile('/small', 'behind it');
    const second = createWriterWorkspace(await openTestWriter(store));
    expect(await second.treeHash()).toBe(await first.treeHash());
    expect(await second.fs.readFile('/small', 'utf8')).toBe('behind it');
  });
});
