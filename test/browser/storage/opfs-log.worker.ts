// An FS worker for tests: a workspace on opfs-log behind a few calls, and what it appends to beside it.
import { expose } from 'comlink';
import { toSerializedError, type SerializedError } from '../../../src/core/errors.ts';
import {
  deleteOpfsLog,
  openOpfsLog,
  type OpfsLogOptions,
} from '../../../src/workspace/drivers/opfs-log.ts';
import { FeedPacker } from '../../../src/workspace/feed/feed-packer.ts';
import type { PackedSegment } from '../../../src/workspace/feed/feed.ts';
import type { AppendFile } from '../../../src/workspace/log/log-medium.ts';
import { createNextTask } from '../../../src/core/async/next-task.ts';
import { PackedContents } from '../../../src/workspace/feed/packed-contents.ts';
import type { Workspace, WorkspaceInfo } from '../../../src/workspace/workspace.ts';
import { createWriterWorkspace } from '../../../src/workspace/commit/writer-workspace.ts';
import { openWorkspaceWriter, type WorkspaceWriter } from '../../../src/workspace/commit/writer.ts';
import { withFiles } from '../../support/files/workspaces.ts';

let active: AppendFile | undefined;
let writer: WorkspaceWriter | undefined;
let workspace: Workspace | undefined;

/** What a call came to, with our error's code, which comlink would drop. */
export type Answer<Value> =
  { readonly value: Value; readonly error?: never } | { readonly error: SerializedError };

async function answer<Value>(run: () => Promise<Value>): Promise<Answer<Value>> {
  try {
    return { value: await run() };
  } catch (error) {
    return { error: toSerializedError(error) };
  }
}

function opened(): Workspace {
  if (!workspace) throw new TypeError('Nothing is open.');
  return workspace;
}

async function openWith(name: string, options: OpfsLogOptions): Promise<void> {
  const medium = withFiles(await openOpfsLog(name, options), (file) => {
    active = file;
    return {};
  });
  writer = await openWorkspaceWriter(medium, { name, gather: createNextTask() });
  workspace = createWriterWorkspace(writer);
}

const control = {
  open: (name: string, patienceMs?: number): Promise<Answer<WorkspaceInfo>> =>
    answer(async () => {
      await openWith(name, patienceMs === undefined ? {} : { patienceMs });
      return opened().info();
    }),
  /** Steals it from a worker that still has it. */
  takeOver: (name: string): Promise<Answer<WorkspaceInfo>> =>
    answer(async () => {
      await openWith(name, { takeOver: true });
      return opened().info();
    }),
  write: (path: string, text: string) => answer(() => opened().fs.writeFile(path, text)),
  writeZeros: (path: string, length: number) =>
    answer(() => opened().fs.writeFile(path, new Uint8Array(length))),
  read: (path: string) => answer(() => opened().fs.readFile(path, 'utf8')),
  list: () => answer(() => opened().fs.readdir('/')),
  treeHash: () => answer(() => opened().treeHash()),
  info: () => answer(() => opened().info()),
  close: () => answer(async () => opened()[Symbol.asyncDispose]()),
  delete: (name: string, patienceMs?: number) =>
    answer(() => deleteOpfsLog(name, patienceMs === undefined ? {} : { patienceMs })),
  /** Appends bytes that are no record, as a write that was torn would leave them. */
  tear: () => answer(async () => active?.append(new Uint8Array([64, 0, 0, 0, 1, 2, 3]), 'process')),
  /** All contents, as another realm gets them. */
  pack: () =>
    answer(async () => {
      if (!writer) throw new TypeError('Nothing is open.');
      return (await new FeedPacker(writer, (bytes) => new Blob([bytes])).snapshot()).segments;
    }),
  /** The contents of such segments as texts, each read at once. */
  readPackedSync: (segments: readonly PackedSegment[]) =>
    answer(async () => {
      const contents = new PackedContents();
      for (const segment of segments) contents.add(segment);
      return segments.flatMap((segment) =>
        segment.contents
          .filter((_, at) => at % 3 === 0)
          .map((contentId) => new TextDecoder().decode(contents.readSync(contentId))),
      );
    }),
  /** What a browser that lacks an API would say. */
  openWithout: (api: 'locks' | 'storage', name: string) => {
    Object.defineProperty(navigator, api, { value: undefined, configurable: true });
    return answer(() => openOpfsLog(name)).finally(() => Reflect.deleteProperty(navigator, api));
  },
};

export type OpfsLogControl = typeof control;

expose(control);
