// Random work on a workspace's log, and the expected result: the state at every acknowledged revision. Contents show
// by themselves whether they are right.
import type { Change } from '../../../src/core/change-set.ts';
import { dirname } from '../../../src/core/path.ts';
import type { LogLimits } from '../../../src/workspace/log/log-limits.ts';
import { toPlainState } from '../../../src/workspace/state/plain-state.ts';
import { nodeAt, subtreeVersion, visitTree } from '../../../src/workspace/tree/tree.ts';
import type { DirectoryNode, FileNode, TreeNode } from '../../../src/workspace/tree/tree.ts';
import type { CommitOptions, CommitResult, Durability } from '../../../src/workspace/workspace.ts';
import { createWriterStreams } from '../../../src/workspace/commit/writer-streams.ts';
import type { StreamRequest } from '../../../src/workspace/commit/validate-stream.ts';
import type { WorkspaceWriter } from '../../../src/workspace/commit/writer.ts';
import type { NewStreamEntry, StreamAppend } from '../../../src/workspace/streams.ts';
import type { Random } from './torn-medium.ts';

/** The limits are so small that a few commits cause new segments, images and compactions. */
export const tinyLimits: LogLimits = {
  segmentBytes: 3000,
  imageBytes: 900,
  deadBytes: 1500,
  pieceBytes: 300,
  smallSegments: 6,
  packBytes: 120,
};

/** What was acknowledged. Grows with {@link workOn}. */
export interface LogHistory {
  /** By revision; 0 is the empty workspace. */
  readonly states: string[];
  /** The last revision that was acknowledged with durability `power`. */
  flushed: number;
}

export function emptyHistory(writer: WorkspaceWriter): LogHistory {
  return { states: [stateOf(writer)], flushed: 0 };
}

/** The contents of a file that was written at that time. */
export function contentAt(mtimeMs: number): Uint8Array {
  return new Uint8Array((mtimeMs * 37) % 400).fill(mtimeMs % 251);
}

/** The writer, and an older tree, like that of a draft that isn't committed yet. */
interface Work {
  readonly writer: WorkspaceWriter;
  readonly random: Random;
  former: DirectoryNode;
}

/** Makes a number of commits, or ends when the medium fails. Some commits share a flush. */
export async function workOn(
  writer: WorkspaceWriter,
  history: LogHistory,
  { count, random }: { readonly count: number; readonly random: Random },
): Promise<void> {
  const work: Work = { writer, random, former: writer.root };
  for (let done = 0; done < count;) {
    if (random(20) === 0) work.former = writer.root;
    const group = Array.from({ length: 1 + random(3) }, () => {
      done += 1;
      return commitOne(work, history);
    });
    await Promise.all(group);
  }
}

async function commitOne(work: Work, history: LogHistory): Promise<void> {
  const { writer, random } = work;
  const durability: Durability = random(2) === 0 ? 'power' : 'process';
  const options = { author: { kind: random(3) === 0 ? 'user' : 'agent' }, durability } as const;
  const note = () => {
    history.states[writer.state.revision] = stateOf(writer);
  };
  const listening = [writer.onRecord(note), writer.onStreamRecord(note)];
  try {
    await changeOne(work, options);
    // Later records may have shared its flush.
    const { revision } = writer.state;
    if (durability === 'power') history.flushed = Math.max(history.flushed, revision);
  } catch {
    // The commit conflicted with another in the same flush, or the medium has failed. In both cases it wasn't
    // acknowledged, so it isn't in the history.
  } finally {
    for (const each of listening) each[Symbol.dispose]();
  }
}

function changeOne(work: Work, options: CommitOptions): Promise<CommitResult> {
  const { writer, random } = work;
  const durability = options.durability && { durability: options.durability };
  switch (random(8)) {
    case 0:
      return writer.changeRoots(rootChange(writer, random), options);
    case 1:
      return writer.changeStream({ type: 'append', ...appendTo(work) }, { ...durability });
    case 2:
      return writer.changeStream(forkOrDrop(work), { ...durability });
    case 3:
      return commitChanges(work, { ...options, append: appendTo(work) });
    default:
      return commitChanges(work, options);
  }
}

/** Sometimes at a length that another one had. */
function appendTo({ writer, random }: Work): StreamAppend {
  const stream = `s${random(3)}`;
  const at = writer.state.streams.get(stream)?.length ?? 0;
  const entries = Array.from({ length: 1 + random(3) }, () => entryAt(random(1000)));
  return { stream, at, entries };
}

/** An entry whose value determines its content. */
function entryAt(number: number): NewStreamEntry {
  const value = { number, text: 'x'.repeat(number % 40) };
  return number % 8 === 0 ? { value, contents: [contentAt(number)] } : { value };
}

function forkOrDrop({ writer, random }: Work): StreamRequest {
  const ids = writer.state.streams.keys().toSorted();
  const from = ids[random(ids.length)] ?? 's0';
  const { length = 1 } = writer.state.streams.get(from) ?? {};
  if (ids.length > 4) return { type: 'drop', stream: from };
  return { type: 'fork', stream: `f${random(3)}`, from, length: 1 + random(length) };
}

/** There are some: a commit without any is answered at once, whatever was flushed. */
function commitChanges(work: Work, options: CommitOptions): Promise<CommitResult> {
  let changes = changesOf(work);
  while (changes.length === 0) changes = changesOf(work);
  return work.writer.commit({ baseSeq: 0, changes }, options);
}

function changesOf(work: Work): Change[] {
  const { writer, random } = work;
  const { root, seq } = writer;
  const directory = `/d${random(3)}`;
  switch (random(12)) {
    case 0:
      return removeTree(root, directory);
    case 1: {
      // A file takes its place.
      const baseVersion = nodeAt(root, directory)?.version ?? 0;
      return [...removeTree(root, directory), newFile(directory, baseVersion, seq * 7)];
    }
    case 2:
      return renameTree(root, directory, `/d${random(3)}`);
    case 3:
      return copyFile(work, `/f${random(6)}`);
    default:
      return changeFile(
        root,
        [`/f${random(6)}`, `${directory}/e/f${random(3)}`][random(2)] ?? '/',
        {
          mtimeMs: seq * 7 + random(1000),
          isRemoving: random(4) === 0,
        },
      );
  }
}

function changeFile(
  root: DirectoryNode,
  path: string,
  { mtimeMs, isRemoving }: { readonly mtimeMs: number; readonly isRemoving: boolean },
): Change[] {
  const node = nodeAt(root, path);
  const baseVersion = node?.version ?? 0;
  if (node && isRemoving) return [{ type: 'remove', path, baseVersion }];
  const parents: string[] = [];
  for (let parent = dirname(path); !nodeAt(root, parent); parent = dirname(parent)) {
    parents.unshift(parent);
  }
  return [...parents.map(makeDirectory), newFile(path, baseVersion, mtimeMs)];
}

function makeDirectory(path: string): Change {
  return { type: 'mkdir', path, baseVersion: 0, mode: 0o755, mtimeMs: 1 };
}

function newFile(path: string, baseVersion: number, mtimeMs: number): Change {
  return { type: 'write', path, baseVersion, content: contentAt(mtimeMs), mode: 0o644, mtimeMs };
}

/** Removes the node at the path and everything below it. */
function removeTree(root: DirectoryNode, path: string): Change[] {
  const node = nodeAt(root, path);
  if (!node) return [];
  const baseVersion = subtreeVersion(node);
  if (node.kind !== 'directory') return [{ type: 'remove', path, baseVersion }];
  return [{ type: 'remove', path, baseVersion, recursive: true }];
}

function renameTree(root: DirectoryNode, from: string, to: string): Change[] {
  const tree = nodeAt(root, from);
  if (!tree || nodeAt(root, to)) return [];
  const made: Change[] = [];
  visitTree(to, tree, (path, node) => made.push(asBefore(path, 0, node)));
  return [...made, ...removeTree(root, from)];
}

/** The change of a draft that copied a file earlier. The file's content may be overwritten by now. */
function copyFile({ former, writer, random }: Work, path: string): Change[] {
  const files: FileNode[] = [];
  visitTree('/', former, (_, node) => {
    if (node.kind === 'file') files.push(node);
  });
  const source = files[random(files.length + 1)];
  return source ? [asBefore(path, nodeAt(writer.root, path)?.version ?? 0, source)] : [];
}

/** Without moving bytes. */
function asBefore(path: string, baseVersion: number, node: TreeNode): Change {
  if (node.kind !== 'file') return makeDirectory(path);
  const content = { contentId: Number(node.content) };
  const { mode, mtimeMs } = node;
  return { type: 'write', path, baseVersion, content, mode, mtimeMs };
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

/** The entries of all streams that aren't what was appended. */
async function wrongEntries(writer: WorkspaceWriter): Promise<string[]> {
  const streams = createWriterStreams(writer);
  const wrong: string[] = [];
  for (const { id, length } of await streams.list()) {
    let last = 0;
    try {
      for await (const { n, value, contents = [] } of streams.read(id)) {
        last += 1;
        const { number } = value as { readonly number: number };
        const { value: wanted, contents: bytes = [] } = entryAt(number);
        const read = await Promise.all(contents.map((each) => streams.readContent(each)));
        const isRight =
          n === last &&
          JSON.stringify([value, read.join()]) === JSON.stringify([wanted, bytes.join()]);
        if (!isRight) wrong.push(`${id} ${n}`);
      }
      if (last !== length) wrong.push(`${id} has ${last} of ${length}`);
    } catch (error) {
      wrong.push(`${id}: ${String(error)}`);
    }
  }
  return wrong;
}

/**
 * How each file's bytes read, of all roots, and each entry of the streams: those that are not
 * what was written.
 */
export async function wrongContents(writer: WorkspaceWriter): Promise<string[]> {
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
  return [...new Set([...wrong, ...(await wrongEntries(writer))])].sort();
}
