// Random work on a workspace's log, and what must be found of it afterwards: the state at every
// number that was acknowledged, and contents that tell by themselves whether they are right.
import type { Change } from '../../src/core/change-set.ts';
import type { LogLimits } from '../../src/workspace/log/log-limits.ts';
import { toPlainState } from '../../src/workspace/plain-state.ts';
import { nodeAt, visitTree, type DirectoryNode } from '../../src/workspace/tree.ts';
import type { Durability } from '../../src/workspace/workspace.ts';
import type { WorkspaceWriter } from '../../src/workspace/writer.ts';
import type { Random } from './torn-medium.ts';

/** So small that a few commits roll over, write images and compact. */
export const tinyLimits: LogLimits = {
  segmentBytes: 3000,
  imageBytes: 900,
  deadBytes: 1500,
  pieceBytes: 300,
  smallSegments: 6,
};

/** What was acknowledged. Grows with {@link workOn}, and is cut to what {@link verify} found. */
export interface LogHistory {
  /** By number; 0 is the empty workspace. */
  readonly states: string[];
  /** The last number that was acknowledged with `power`. */
  flushed: number;
}

export function emptyHistory(writer: WorkspaceWriter): LogHistory {
  return { states: [stateOf(writer)], flushed: 0 };
}

/** The contents of a file that was written at that time. */
function contentAt(mtimeMs: number): Uint8Array {
  return new Uint8Array((mtimeMs * 37) % 400).fill(mtimeMs % 251);
}

/** Commits until it has done so many, or the medium is gone. Some share a flush. */
export async function workOn(
  writer: WorkspaceWriter,
  history: LogHistory,
  { count, random }: { readonly count: number; readonly random: Random },
): Promise<void> {
  for (let done = 0; done < count;) {
    const group = Array.from({ length: 1 + random(3) }, () => {
      done += 1;
      return commitOne(writer, history, random);
    });
    await Promise.all(group);
  }
}

async function commitOne(
  writer: WorkspaceWriter,
  history: LogHistory,
  random: Random,
): Promise<void> {
  const durability: Durability = random(2) === 0 ? 'power' : 'process';
  const options = { author: { kind: random(3) === 0 ? 'user' : 'agent' }, durability } as const;
  const listening = writer.onRecord(({ record }) => {
    history.states[record.seq] = stateOf(writer);
  });
  try {
    const { seq } =
      random(8) === 0
        ? await writer.changeRoots(rootChange(writer, random), options)
        : await writer.commit({ baseSeq: 0, changes: [change(writer, random)] }, options);
    if (durability === 'power') history.flushed = Math.max(history.flushed, seq);
  } catch {
    // It conflicted with what it shared a flush with, or the medium is gone: either way nothing of
    // it was acknowledged, so the history doesn't hold it.
  } finally {
    listening[Symbol.dispose]();
  }
}

function change(writer: WorkspaceWriter, random: Random): Change {
  const path = `/f${random(6)}`;
  const node = nodeAt(writer.root, path);
  const baseVersion = node?.version ?? 0;
  if (node && random(4) === 0) return { type: 'remove', path, baseVersion };
  const mtimeMs = writer.seq * 7 + random(1000);
  const content = contentAt(mtimeMs);
  return { type: 'write', path, baseVersion, content, mode: 0o644, mtimeMs };
}

function rootChange(writer: WorkspaceWriter, random: Random) {
  const [oldest] = writer.state.roots.keys();
  if (oldest !== undefined && random(2) === 0) return { type: 'drop', id: oldest } as const;
  const [id, kind] = [`root-${writer.seq}-${random(1000)}`, 'checkpoint'] as const;
  return { type: 'make', id, kind, label: '', createdMs: 0, from: 'main' } as const;
}

export function stateOf(writer: WorkspaceWriter): string {
  return JSON.stringify(toPlainState(writer.state));
}

/** How each file's bytes read, of all roots: those that are not what was written. */
export async function wrongFiles(writer: WorkspaceWriter): Promise<string[]> {
  const trees: DirectoryNode[] = [writer.root];
  for (const { base, root } of writer.state.roots.values()) trees.push(base, root);
  const wrong: string[] = [];
  for (const tree of new Set(trees)) {
    const files: { path: string; contentId: number; mtimeMs: number }[] = [];
    visitTree('/', tree, (path, node) => {
      if (node.kind === 'file') {
        files.push({ path, contentId: Number(node.content), mtimeMs: node.mtimeMs });
      }
    });
    for (const { path, contentId, mtimeMs } of files) {
      const read = await writer.contents.readMany([contentId]).catch((error: unknown) => error);
      const isRight = Array.isArray(read) && read.join() === contentAt(mtimeMs).join();
      if (!isRight) wrong.push(`${path}: ${String(read)}`);
    }
  }
  return [...new Set(wrong)].sort();
}
