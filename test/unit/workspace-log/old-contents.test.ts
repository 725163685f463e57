import { describe, expect, it } from 'vitest';
import type { ChangeSet } from '../../../src/core/change-set.ts';
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';
import type { LogMedium } from '../../../src/workspace/log/log-medium.ts';
import { createWriterWorkspace } from '../../../src/workspace/commit/writer-workspace.ts';
import { openWorkspaceWriter, type WorkspaceWriter } from '../../../src/workspace/commit/writer.ts';
import { openAccess, openReplicaOf } from '../../support/files/workspaces.ts';

/** Images are written often, segments are removed soon. */
const limits = {
  segmentBytes: 10_000,
  imageBytes: 3000,
  deadBytes: 20_000,
  pieceBytes: 2000,
  smallSegments: 1000,
};

async function open(medium: LogMedium) {
  const writer = await openWorkspaceWriter(medium, { name: 'test', limits });
  const workspace = createWriterWorkspace(writer);
  return { writer, workspace, fs: workspace.fs };
}

function textOf(at: number): string {
  return `${at} `.repeat(300);
}

/** As a draft copies `/a`, that somebody overwrites before it is committed. */
function copyOfA(writer: WorkspaceWriter): ChangeSet {
  const node = writer.root.entries.get('a');
  const content = { contentId: node?.kind === 'file' ? Number(node.content) : 0 };
  const change = { type: 'write', path: '/copy', baseVersion: 0, content, mode: 0o644 } as const;
  return { baseSeq: writer.seq, changes: [{ ...change, mtimeMs: 1 }] };
}

const author = { kind: 'agent' } as const;

describe('a commit that speaks of a content which is overwritten by now', () => {
  it('is found whole again, after images and compactions that knew of no need for it', async () => {
    const medium = createMemoryMedium();
    const { fs, writer, workspace } = await open(medium);
    for (let at = 0; at < 100; at += 1) await fs.writeFile('/other', textOf(at));
    // Beside contents that stay, so that no compaction removes their segment.
    for (let at = 0; at < 8; at += 1) await fs.writeFile(`/keep-${at}`, textOf(at));
    await fs.writeFile('/a', 'as the draft saw it');
    const copy = copyOfA(writer);
    await fs.writeFile('/a', 'overwritten');
    for (let at = 0; at < 20; at += 1) await fs.writeFile('/other', textOf(at));
    const { seq } = await writer.commit(copy, { author });
    expect(await fs.readFile('/copy', 'utf8')).toBe('as the draft saw it');

    const next = await open(medium);
    expect([next.writer.seq, (await next.workspace.info()).lostFiles]).toEqual([seq, []]);
    expect(await next.fs.readFile('/copy', 'utf8')).toBe('as the draft saw it');
    expect(await next.workspace.treeHash()).toBe(await workspace.treeHash());
  });

  it('can be read by a replica that came after the overwriting', async () => {
    const { fs, writer } = await open(createMemoryMedium());
    await fs.writeFile('/a', 'as the draft saw it');
    const copy = copyOfA(writer);
    await fs.writeFile('/a', 'overwritten');
    const { replica } = await openReplicaOf(writer);
    // One flush with what may overwrite it.
    const write = fs.writeFile('/a', 'once more');
    const { seq } = await writer.commit(copy, { author });
    await write;
    const view = await replica.openView({ root: 'main', minSeq: seq }, openAccess('/'));
    expect(view.fs.sync.readFileSync('/copy', 'utf8')).toBe('as the draft saw it');
  });
});
