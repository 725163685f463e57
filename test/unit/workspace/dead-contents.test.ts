// A draft may copy a file whose content nothing holds any more when it is committed: the bytes are written anew then.
// What the writer takes for live is so.
import { describe, expect, it } from 'vitest';
import { createWriterWorkspace } from '../../../src/workspace/commit/writer-workspace.ts';
import { openWorkspaceWriter } from '../../../src/workspace/commit/writer.ts';
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';
import type { LogMedium } from '../../../src/workspace/log/log-medium.ts';
import { openAccess, openReplicaOf } from '../../support/files/workspaces.ts';

const limits = {
  segmentBytes: 10_000,
  imageBytes: 3000,
  deadBytes: 20_000,
  pieceBytes: 2000,
  smallSegments: 1000,
};
const author = { kind: 'agent' } as const;

async function open(medium: LogMedium) {
  const writer = await openWorkspaceWriter(medium, { name: 'test', limits });
  const workspace = createWriterWorkspace(writer);
  return { writer, workspace, fs: workspace.fs };
}
type Opened = Awaited<ReturnType<typeof open>>;

/** Upkeep is done between two turns of the event loop. */
async function overwrite({ fs }: Opened, times: number): Promise<void> {
  for (let at = 0; at < times; at += 1) {
    await fs.writeFile('/noise', `${at} `.repeat(300));
    await new Promise((resolve) => setTimeout(resolve));
  }
}

const lines = (first: string, last: string) => `${first}\n2\n3\n4\n5\n6\n7\n8\n${last}\n`;

/** `/f` stands beside contents that stay, in a log whose beginning is gone. */
async function begin(opened: Opened): Promise<void> {
  await overwrite(opened, 60);
  for (let at = 0; at < 60; at += 1) await opened.fs.writeFile(`/keep-${at}`, `${at} `.repeat(300));
  await opened.fs.writeFile('/f', lines('1', '9'));
}

async function draftCopyOfF({ workspace, writer }: Opened) {
  const view = await workspace.openView({ root: 'main', minSeq: writer.seq }, openAccess('/'));
  await view.fs.copyFile('/f', '/copy');
  const changeSet = view.changeSet();
  if (!changeSet) throw new Error('The copy is no change.');
  return changeSet;
}

describe('a copy of what only a merged branch had', () => {
  async function merge(medium: LogMedium) {
    const opened = await open(medium);
    const { fs, workspace } = opened;
    await begin(opened);
    const draft = await draftCopyOfF(opened);
    const { id } = await workspace.roots.branch('b', { author });
    await fs.writeFile('/f', lines('one', '9'));
    await workspace.at(id).fs.writeFile('/f', lines('1', 'nine'));
    // Any copy has the writer look for what is live: the branch's base has it.
    await fs.copyFile('/keep-1', '/other');
    await workspace.roots.merge(id, { author });
    return { opened, draft };
  }

  it('is there after a reopening', async () => {
    const medium = createMemoryMedium();
    const { opened, draft } = await merge(medium);
    await overwrite(opened, 30);
    await opened.writer.commit(draft, { author });
    const again = await open(medium);
    expect((await again.workspace.info()).lostFiles).toEqual([]);
    expect(await again.fs.readFile('/copy', 'utf8')).toBe(lines('1', '9'));
  });

  it('can be read by a replica that came later', async () => {
    const { opened, draft } = await merge(createMemoryMedium());
    const { replica } = await openReplicaOf(opened.writer);
    const { seq } = await opened.writer.commit(draft, { author });
    const view = await replica.openView({ root: 'main', minSeq: seq }, openAccess('/'));
    expect(view.fs.sync.readFileSync('/copy', 'utf8')).toBe(lines('1', '9'));
  });
});

it('is there where it was committed to a branch that was made at the same time', async () => {
  const medium = createMemoryMedium();
  const opened = await open(medium);
  await begin(opened);
  const draft = await draftCopyOfF(opened);
  await opened.fs.writeFile('/f', 'overwritten');
  await overwrite(opened, 30);
  const { workspace } = opened;
  await Promise.all([
    workspace.roots.branch('b', { author, id: 'b' }),
    workspace.commit(draft, { author, root: 'b' }),
  ]);
  const again = await open(medium);
  expect(await again.workspace.at('b').fs.readFile('/copy', 'utf8')).toBe(lines('1', '9'));
});
