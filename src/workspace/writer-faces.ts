// A writer as the Workspace that hosts hold. It opens no views, so the FS worker, which puts it behind
// a port, loads nothing of what they are made of, search above all.
import { onChangeEvent } from './change-events.ts';
import { hashTree } from './tree-hash.ts';
import { versionAt } from './tree.ts';
import type { Workspace } from './workspace.ts';
import { createWriterFileSystem } from './writer-file-system.ts';
import type { WriterPort } from './writer-port.ts';
import { createWriterRoots } from './writer-roots.ts';

/** Owns the writer: disposing the workspace closes it. */
export function createWriterFaces(writer: WriterPort): Workspace {
  return {
    fs: createWriterFileSystem(writer),
    roots: createWriterRoots(writer),
    info: async () => writer.info(),
    seq: () => writer.seq,
    commit: (changeSet, options) => writer.commit(changeSet, options),
    versions: async (paths) => paths.map((path) => versionAt(writer.root, path)),
    treeHash: () => hashTree(writer.root, writer.contents),
    onChange: (listener) => onChangeEvent(writer, listener),
    [Symbol.asyncDispose]: () => writer.close(),
  };
}
