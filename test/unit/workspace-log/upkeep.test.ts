import { describe, expect, it } from 'vitest';
import type { LogLimits } from '../../../src/workspace/log/log-limits.ts';
import type { LogMedium } from '../../../src/workspace/log/log-medium.ts';
import { createWriterWorkspace } from '../../../src/workspace/commit/writer-workspace.ts';
import { openWorkspaceWriter } from '../../../src/workspace/commit/writer.ts';
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';
import { codeOf } from '../../contract/file-system.contract.ts';
import { TornDisk } from '../../support/storage/torn-medium.ts';
import { withFiles } from '../../support/files/workspaces.ts';

/** 10 KB segments, and nothing else is due unless a test says so. */
const limits: Partial<LogLimits> = {
  segmentBytes: 10_000,
  imageBytes: 1_000_000,
  deadBytes: 1_000_000,
  pieceBytes: 2000,
  smallSegments: 1000,
};

async function open(medium: LogMedium, more: Partial<LogLimits> = {}) {
  const writer = await openWorkspaceWriter(medium, {
    name: 'test',
    limits: { ...limits, ...more },
  });
  const workspace = createWriterWorkspace(writer);
  return { writer, workspace, fs: workspace.fs };
}

async function lengthsOf(medium: LogMedium): Promise<Record<string, number>> {
  const files = await medium.list();
  return Object.fromEntries(files.map(({ name, length }) => [name, length]).sort());
}

function textOf(at: number): string {
  return `${at} `.repeat(300);
}

/** Lets all come to an end that waits for nothing outside. */
async function settled(): Promise<void> {
  for (let hops = 0; hops < 1000; hops += 1) await undefined;
}

describe('segments', () => {
  it('are followed by others when they are full, and a large record has one of its own', async () => {
    const medium = createMemoryMedium();
    const { fs, workspace } = await open(medium);
    for (let at = 0; at < 10; at += 1) await fs.writeFile(`/f${at}`, new Uint8Array(3000).fill(at));
    await fs.writeFile('/large', new Uint8Array(50_000));
    await fs.writeFile('/last', 'x');
    const lengths = Object.values(await lengthsOf(medium));
    expect(lengths).toHaveLength(6);
    expect(lengths.filter((length) => length > 10_000)).toHaveLength(1);
    const next = await open(medium);
    expect(await next.workspace.treeHash()).toBe(await workspace.treeHash());
    expect(await next.fs.readFile('/f7')).toEqual(new Uint8Array(3000).fill(7));
  });

  it('that begin where there is no room fail the commit alone', async () => {
    const disk = new TornDisk();
    const { fs, writer } = await open(disk.open());
    await fs.writeFile('/a', new Uint8Array(9000));
    disk.capacity = 9300;
    expect(await codeOf(fs.writeFile('/b', new Uint8Array(9000)))).toBe('ENOSPC');
    disk.capacity = 100_000;
    await fs.writeFile('/b', new Uint8Array(9000));
    expect((await open(disk.open())).writer.seq).toBe(writer.seq);
  });

  it('whose first flush failed make nothing invalid that is acknowledged later', async () => {
    let isFailing = false;
    const medium = createMemoryMedium();
    const failing: LogMedium = {
      ...withFiles(medium, (file) => ({
        async append(bytes, durability) {
          await file.append(bytes, durability);
          if (isFailing && file.length() < 500) throw new Error('the flush failed');
        },
      })),
      // Nor can it be taken back.
      remove: async () => {
        throw new Error('a bad sector');
      },
    };
    const { fs, writer } = await open(failing);
    await fs.writeFile('/a', new Uint8Array(9000));
    isFailing = true;
    expect(await codeOf(fs.writeFile('/b', new Uint8Array(9000)))).toBe('EIO');
    isFailing = false;
    await fs.writeFile('/c', 'C');
    expect((await open(medium)).writer.seq).toBe(writer.seq);
  });
});

describe('upkeep', () => {
  it('rests after a commit, not before each piece, and for none that comes meanwhile', async () => {
    const rests: (() => void)[] = [];
    const medium = createMemoryMedium();
    const writer = await openWorkspaceWriter(medium, {
      name: 'test',
      limits: { ...limits, imageBytes: 2000, deadBytes: 12_000 },
      rest: () => new Promise<void>((resolve) => rests.push(resolve)),
    });
    const { fs } = createWriterWorkspace(writer);
    for (let at = 0; at < 30; at += 1) await fs.writeFile('/f', textOf(at));
    await settled();
    const images = async () =>
      Object.keys(await lengthsOf(medium)).filter((name) => name.startsWith('image'));
    expect(await images()).toEqual([]);
    const before = rests.length;
    rests.at(-1)?.();
    await settled();
    // An image, and a compaction in several pieces, which writes two.
    expect(await images()).toHaveLength(2);
    expect(writer.info().logBytes).toBeLessThan(12_000);
    expect(rests).toHaveLength(before);
  });
});

describe('images', () => {
  it('spare the replay: what is before them need not even be there', async () => {
    const disk = new TornDisk();
    const first = await open(disk.open(), { imageBytes: 2000 });
    for (let at = 0; at < 20; at += 1) await first.fs.writeFile('/f', textOf(at));
    await first.workspace[Symbol.asyncDispose]();
    const names = [...disk.files.keys()].sort();
    expect(names.slice(0, 2)).toEqual(['image-00000001-0', 'image-00000001-1']);
    // All segments but the last: they hold overwritten contents only.
    for (const name of names.slice(2, -1)) disk.files.delete(name);
    const second = await open(disk.open());
    expect(await second.fs.readFile('/f', 'utf8')).toBe(textOf(19));
    expect(await second.workspace.info()).toMatchObject({ seq: 20, lostFiles: [] });
  });

  it('that can not be written cost no commit, are told of, and are tried again', async () => {
    let isFailing = true;
    const medium = createMemoryMedium();
    const failing: LogMedium = {
      ...medium,
      create: (name) => {
        if (isFailing && name.startsWith('image')) throw new DOMException('', 'QuotaExceededError');
        return medium.create(name);
      },
    };
    const { fs, workspace } = await open(failing, { imageBytes: 2000 });
    for (let at = 0; at < 9; at += 1) await fs.writeFile('/f', textOf(at));
    expect((await workspace.info()).upkeepError).toMatch(/^ENOSPC: no space left/);
    isFailing = false;
    for (let at = 0; at < 9; at += 1) await fs.writeFile('/f', textOf(at));
    const { seq, upkeepError } = await workspace.info();
    expect([seq, upkeepError]).toEqual([18, undefined]);
    expect(Object.keys(await lengthsOf(medium))).toContain('image-00000001-0');
  });

  it('that do not fit take no room from commits', async () => {
    const disk = new TornDisk();
    const { fs, workspace } = await open(disk.open(), { imageBytes: 2000 });
    for (let at = 0; at < 10; at += 1) await fs.writeFile(`/${'n'.repeat(200)}${at}`, '');
    // Enough for some commits, too little for the image that they make due.
    disk.capacity = disk.used + 1500;
    await fs.writeFile('/a', 'A');
    await settled();
    for (let at = 0; at < 3; at += 1) await fs.writeFile('/b', 'B');
    expect((await workspace.info()).upkeepError).toMatch(/^ENOSPC: no space left/);
  });
});

describe('compaction', () => {
  const compacting = { imageBytes: 3000, deadBytes: 20_000 };

  it('frees what was overwritten, and keeps all files and what named roots still need', async () => {
    const medium = createMemoryMedium();
    const { fs, writer, workspace } = await open(medium, compacting);
    for (let at = 0; at < 20; at += 1) await fs.writeFile(`/keep-${at}`, textOf(at));
    const make = {
      type: 'make',
      id: 'point',
      kind: 'checkpoint',
      label: '',
      createdMs: 0,
    } as const;
    await writer.changeRoots({ ...make, from: 'main' }, { author: { kind: 'user' } });
    for (let at = 0; at < 200; at += 1) await fs.writeFile(`/keep-${at % 5}`, textOf(1000 + at));
    // 180 KB were written, 20 KB are live, and a little less than 20 KB may be dead.
    const { logBytes } = await workspace.info();
    expect(logBytes).toBeLessThan(80_000);
    const lengths = await lengthsOf(medium);
    const names = Object.keys(lengths).filter((name) => name.startsWith('segment'));
    expect(names.reduce((sum, name) => sum + (lengths[name] ?? 0), 0)).toBe(logBytes);

    const next = await open(medium, compacting);
    expect(await next.workspace.treeHash()).toBe(await workspace.treeHash());
    const point = next.writer.state.roots.get('point')?.root;
    const contentIds = Array.from({ length: 20 }, (_, at) => {
      const node = point?.entries.get(`keep-${at}`);
      return node?.kind === 'file' ? Number(node.content) : 0;
    });
    const contents = await next.writer.contents.readMany(contentIds);
    expect(contents.map((bytes) => new TextDecoder().decode(bytes))).toEqual(
      Array.from({ length: 20 }, (_, at) => textOf(at)),
    );
  });

  it('refuses a draft of long ago that speaks of what is gone, and says to read again', async () => {
    const { fs, writer } = await open(createMemoryMedium(), compacting);
    await fs.writeFile('/a', textOf(0));
    for (let at = 0; at < 100; at += 1) await fs.writeFile('/a', textOf(at));
    const content = { contentId: 1 };
    const change = { type: 'write', path: '/b', baseVersion: 0, content, mode: 0o644 } as const;
    const copy = { baseSeq: 1, changes: [{ ...change, mtimeMs: 1 }] };
    expect(await codeOf(writer.commit(copy, { author: { kind: 'agent' } }))).toBe('ECONFLICT');
  });

  it('merges the small segments that many short openings leave', async () => {
    const medium = createMemoryMedium();
    for (let at = 0; at < 30; at += 1) {
      const { fs, workspace } = await open(medium, { segmentBytes: 640_000, smallSegments: 8 });
      await fs.writeFile(`/f${at}`, textOf(at));
      // Nothing to write, but a turn for a piece of upkeep after each.
      const nothing = { baseSeq: 0, changes: [] };
      for (let turn = 0; turn < 20; turn += 1) {
        await workspace.commit(nothing, { author: { kind: 'user' } });
      }
      await workspace[Symbol.asyncDispose]();
    }
    const { fs } = await open(medium);
    expect(Object.keys(await lengthsOf(medium)).length).toBeLessThan(16);
    for (let at = 0; at < 30; at += 1)
      expect(await fs.readFile(`/f${at}`, 'utf8')).toBe(textOf(at));
  });

  it('frees the log of format 1 and what former owners left', async () => {
    const medium = createMemoryMedium();
    await (await medium.create('segment-00000001-000009')).append(new Uint8Array(40), 'power');
    const { fs } = await open(medium, compacting);
    for (let at = 0; at < 100; at += 1) await fs.writeFile('/a', textOf(at));
    expect(Object.keys(await lengthsOf(medium))).not.toContain('segment-00000001-000009');
  });

  it('goes on after it failed, and loses nothing by it', async () => {
    let appends = 0;
    const medium = createMemoryMedium();
    const failing = withFiles(medium, (file) => ({
      append(bytes, durability) {
        appends += 1;
        if (appends % 7 === 0) throw new Error('a bad sector');
        return file.append(bytes, durability);
      },
    }));
    const { fs, workspace, writer } = await open(failing, compacting);
    for (let at = 0; at < 300; at += 1) await fs.writeFile('/a', textOf(at)).catch(() => {});
    expect((await workspace.info()).logBytes).toBeLessThan(100_000);
    const next = await open(medium);
    expect(next.writer.seq).toBe(writer.seq);
    expect(await next.workspace.treeHash()).toBe(await workspace.treeHash());
  });
});

describe('a full medium', () => {
  const shortly = { deadBytes: 10_000_000 };
  const large = (at: number, length = 9000) => new Uint8Array(length).fill(at);

  it('takes a write for which a removed file makes room, and no other', async () => {
    const disk = new TornDisk();
    const { fs, workspace } = await open(disk.open(), shortly);
    for (let at = 0; at < 10; at += 1) await fs.writeFile(`/f${at}`, large(at));
    disk.capacity = disk.used + 6000;
    expect(await codeOf(fs.writeFile('/g', large(77, 7000)))).toBe('ENOSPC');
    await fs.rm('/f3');
    await fs.writeFile('/g', large(77, 7000));
    expect(await codeOf(fs.writeFile('/h', large(78, 7000)))).toBe('ENOSPC');
    const next = await open(disk.open());
    expect(await next.workspace.treeHash()).toBe(await workspace.treeHash());
    expect(await next.fs.readFile('/g')).toEqual(large(77, 7000));
    expect(await next.fs.readFile('/f9')).toEqual(large(9));
  });

  it('is freed segment by segment, so that the copies have room', async () => {
    const disk = new TornDisk();
    const { fs, workspace } = await open(disk.open(), shortly);
    for (let at = 0; at < 60; at += 1) await fs.writeFile(`/f${at}`, textOf(at));
    for (let at = 0; at < 60; at += 1) if (at % 5 !== 0) await fs.rm(`/f${at}`);
    // All that is live would not fit beside what is there.
    disk.capacity = disk.used + 4000;
    const added = textOf(7).repeat(12);
    await fs.writeFile('/added', added);
    expect(disk.used).toBeLessThan(disk.capacity);
    const next = await open(disk.open());
    expect(await next.fs.readFile('/added', 'utf8')).toBe(added);
    for (let at = 0; at < 60; at += 5)
      expect(await next.fs.readFile(`/f${at}`, 'utf8')).toBe(textOf(at));
    expect(await next.workspace.treeHash()).toBe(await workspace.treeHash());
  });
});
