// Grep in Node: the tool's own body over a workspace in memory, on the bench's thread.
import { grepWorker } from '../../../src/tools/grep/worker.ts';
import type { GrepInput } from '../../../src/tools/grep/schema.ts';
import { SearchService } from '../../../src/search/search-service.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';
import type { ViewSource } from '../../../src/workspace/draft/view.ts';
import type { Workspace } from '../../../src/workspace/workspace.ts';
import type { Change } from '../../../src/core/change-set.ts';
import type { PathAccess } from '../../../src/core/access/path-access.ts';
import { dirname } from '../../../src/core/path.ts';
import type { CorpusFile } from './corpus.ts';
import type { GrepFound } from './measure-queries.ts';

export type NodeWorkspace = Workspace & ViewSource;

const directory = '/workspace';

/** All calls share what a search learns, as those of a worker do. */
const searches = new SearchService();

const access: PathAccess = {
  cwd: directory,
  roots: [directory],
  readOnlyRoots: [],
  rules: [],
  write: 'deny',
};

/** All files in one commit. */
export async function fillWorkspace(files: readonly CorpusFile[]): Promise<NodeWorkspace> {
  const workspace = await createMemoryWorkspace();
  const changes: Change[] = [];
  const made = new Set(['/']);
  const attributes = { baseVersion: 0, mtimeMs: 0 };
  const make = (path: string): void => {
    if (made.has(path)) return;
    make(dirname(path));
    made.add(path);
    changes.push({ ...attributes, type: 'mkdir', path, mode: 0o755 });
  };
  for (const { path, bytes } of files) {
    const whole = `${directory}/${path}`;
    make(dirname(whole));
    changes.push({ ...attributes, type: 'write', path: whole, mode: 0o644, content: bytes });
  }
  await workspace.commit({ baseSeq: 0, changes }, { author: { kind: 'user' } });
  return workspace;
}

export async function openNodeView(workspace: NodeWorkspace) {
  const view = await workspace.openView({ root: 'main', minSeq: workspace.seq() }, access);
  return { ...view, fs: searches.over(view) };
}

/** A call as the inline executor makes it: a view of its own, and the body. */
export async function grepInNode(workspace: NodeWorkspace, input: object): Promise<GrepFound> {
  const startedAt = performance.now();
  const { fs } = await openNodeView(workspace);
  const output = await grepWorker.handler(
    input as GrepInput,
    {
      fs,
      cwd: directory,
      signal: new AbortController().signal,
      limits: { maxFileBytes: 10_000_000, timeoutMs: 60_000 },
      realm: {},
      progress: () => {},
      // The cast: as much of a call's world as Grep looks at.
    } as unknown as Parameters<typeof grepWorker.handler>[1],
  );
  const ms = performance.now() - startedAt;
  return {
    ms,
    files: output.numFiles,
    lines: output.numLines ?? 0,
    matches: output.numMatches ?? 0,
  };
}
