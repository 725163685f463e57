import { describe, expect, it } from 'vitest';
import type { LogLimits } from '../../../src/workspace/log/log-limits.ts';
import { createWriterWorkspace } from '../../../src/workspace/commit/writer-workspace.ts';
import { openWorkspaceWriter } from '../../../src/workspace/commit/writer.ts';
import { codeOf } from '../../contract/file-system.contract.ts';
import { asideOn, TornDisk } from '../../support/storage/torn-medium.ts';

/** 10 KB segments, and nothing else is due unless a test says so. */
const limits: Partial<LogLimits> = {
  segmentBytes: 10_000,
  imageBytes: 1_000_000,
  deadBytes: 1_000_000,
  pieceBytes: 2000,
  smallSegments: 1000,
};

const compacting = { imageBytes: 3000, deadBytes: 20_000 };

async function open(disk: TornDisk, more: Partial<LogLimits> = {}) {
  const writer = await openWorkspaceWriter(disk.open(), {
    name: 'test',
    limits: { ...limits, ...more },
  });
  const workspace = createWriterWorkspace(writer);
  return { writer, workspace, fs: workspace.fs };
}

function textOf(at: number): string {
  return `${at} `.repeat(300);
}

function bytesOf(disk: TornDisk): Record<string, string> {
  return Object.fromEntries([...disk.files].map(([name, { bytes }]) => [name, bytes.join()]));
}

/** A copy, as readers share the bytes. */
function flip(disk: TornDisk, name: string, at: number): void {
  const file = disk.files.get(name);
  if (!file) throw new TypeError(`There is no ${name}.`);
  file.bytes = file.bytes.slice();
  file.bytes[at] = (file.bytes[at] ?? 0) ^ 1;
}

function namesOf(disk: TornDisk, prefix: string): string[] {
  return [...disk.files.keys()].filter((name) => name.startsWith(prefix)).sort();
}

describe('a log of which nothing can be reached', () => {
  it('stays closed and as it is, when both images are damaged that a compaction left', async () => {
    const disk = new TornDisk();
    const { fs, workspace } = await open(disk, compacting);
    for (let at = 0; at < 100; at += 1) await fs.writeFile(`/f${at % 3}`, textOf(at));
    await workspace[Symbol.asyncDispose]();
    expect(namesOf(disk, 'segment')).not.toContain('segment-00000001-000000');
    for (const name of namesOf(disk, 'image')) flip(disk, name, 100);
    const before = bytesOf(disk);
    expect(await codeOf(open(disk))).toBe('EIO');
    expect(bytesOf(disk)).toEqual(before);
  });

  it('stays closed when the first of its segments begins with a flipped byte, and has records', async () => {
    const disk = new TornDisk();
    const { fs } = await open(disk);
    await fs.writeFile('/a', 'A');
    flip(disk, 'segment-00000001-000000', 40);
    const before = bytesOf(disk);
    expect(await codeOf(open(disk))).toBe('EIO');
    expect(bytesOf(disk)).toEqual(before);
  });

  it('stays closed when its first segment was cut between two records, and another one follows', async () => {
    const disk = new TornDisk();
    const { fs } = await open(disk);
    await fs.writeFile('/a', 'A');
    await (await open(disk)).fs.writeFile('/b', 'B');
    const file = disk.files.get('segment-00000001-000000');
    if (file) file.bytes = file.bytes.slice(0, 64);
    const before = bytesOf(disk);
    expect(await codeOf(open(disk))).toBe('EIO');
    expect(bytesOf(disk)).toEqual(before);
  });

  it('opens empty where nothing was acknowledged, whatever was torn', async () => {
    const disk = new TornDisk();
    const { fs } = await open(disk);
    await fs.writeFile('/large', new Uint8Array(500));
    const file = disk.files.get('segment-00000001-000000');
    if (file) file.bytes = file.bytes.slice(0, 300);
    const next = await open(disk);
    expect([next.writer.seq, next.writer.info().droppedBytes]).toEqual([0, 300 - 64]);
  });
});

describe('segments behind damage', () => {
  it('are told of at each opening, and outlive all compactions', async () => {
    const disk = new TornDisk();
    const first = await open(disk);
    for (let at = 0; at < 60; at += 1) await first.fs.writeFile('/f', textOf(at));
    const [, damaged = '', ...behind] = namesOf(disk, 'segment');
    expect(behind.length).toBeGreaterThan(2);
    flip(disk, damaged, 200);
    const dropped = [damaged, ...behind].map((name) => disk.files.get(name)?.bytes.join());

    let droppedBytes = 0;
    for (let opening = 0; opening < 3; opening += 1) {
      const { fs, writer, workspace } = await open(disk, compacting);
      droppedBytes ||= writer.info().droppedBytes;
      expect(droppedBytes).toBeGreaterThan(15_000);
      expect(writer.info().droppedBytes).toBeGreaterThanOrEqual(droppedBytes);
      for (let at = 0; at < 100; at += 1) await fs.writeFile('/f', textOf(at));
      await workspace[Symbol.asyncDispose]();
    }
    // What was before the damage is compacted away.
    expect(namesOf(disk, 'segment')).not.toContain('segment-00000001-000000');
    expect(asideOn(disk)).not.toEqual([]);
    expect([damaged, ...behind].map((name) => disk.files.get(name)?.bytes.join())).toEqual(dropped);
  });

  it('are none where a record was only torn, and compaction frees all', async () => {
    const disk = new TornDisk();
    const first = await open(disk);
    for (let at = 0; at < 20; at += 1) await first.fs.writeFile('/f', textOf(at));
    const newest = namesOf(disk, 'segment').at(-1) ?? '';
    const file = disk.files.get(newest);
    if (file) file.bytes = file.bytes.slice(0, -5);
    const second = await open(disk, compacting);
    expect(second.writer.info().droppedBytes).toBeGreaterThan(0);
    for (let at = 0; at < 100; at += 1) await second.fs.writeFile('/f', textOf(at));
    expect(namesOf(disk, 'segment')).not.toContain(newest);
    expect((await open(disk)).writer.info().droppedBytes).toBe(0);
  });
});

describe('a segment with a damaged content', () => {
  it('stays for as long as a file needs it, and then is freed', async () => {
    const disk = new TornDisk();
    const { fs, workspace } = await open(disk, compacting);
    await fs.writeFile('/damaged', textOf(0));
    await fs.writeFile('/other', textOf(1));
    const name = 'segment-00000001-000000';
    flip(disk, name, 600);
    const bytes = disk.files.get(name)?.bytes.slice(0, 1000).join();
    expect(await codeOf(fs.readFile('/damaged'))).toBe('EIO');
    for (let at = 0; at < 200; at += 1) await fs.writeFile('/other', textOf(at));
    expect(namesOf(disk, 'segment').length).toBeLessThan(6);
    expect(disk.files.get(name)?.bytes.slice(0, 1000).join()).toBe(bytes);
    await workspace[Symbol.asyncDispose]();

    const next = await open(disk, compacting);
    expect(await codeOf(next.fs.readFile('/damaged'))).toBe('EIO');
    for (let at = 0; at < 100; at += 1) await next.fs.writeFile('/other', textOf(at));
    expect(disk.files.get(name)?.bytes.slice(0, 1000).join()).toBe(bytes);
    await next.fs.writeFile('/damaged', 'written anew');
    for (let at = 0; at < 100; at += 1) await next.fs.writeFile('/other', textOf(at));
    expect(namesOf(disk, 'segment')).not.toContain(name);
  });
});
