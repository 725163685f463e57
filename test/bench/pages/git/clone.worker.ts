// The remote half of the git bench, in a worker as a tool's. It makes a clone by our git and one by
// stock isomorphic-git, each into the draft of a workspace in memory.
import { Buffer } from 'buffer';
import { expose } from 'comlink';
import * as stock from 'isomorphic-git';
import http from 'isomorphic-git/http/web';
import { createPageFetch } from '../../../../src/core/host-ports/fetch-port.ts';
import { createGit } from '../../../../src/workspace/git/commands/create-git.ts';
import { createMemoryWorkspace } from '../../../../src/workspace/memory-workspace.ts';
import { openAccess } from '../../../support/files/workspaces.ts';

// Stock code takes it from the global object.
Object.assign(globalThis, { Buffer });

/** One clone of depth 1, in milliseconds. It ends where its draft holds all files. */
async function clone(kind: 'ours' | 'stock', url: string, files: number): Promise<number> {
  const workspace = await createMemoryWorkspace();
  const view = await workspace.openView({ root: 'main', minSeq: 0 }, openAccess('/'));
  const startedAt = performance.now();
  if (kind === 'ours') {
    const fetchPort = createPageFetch((target, init) => fetch(target, init), 'bench');
    await createGit(view, { network: { fetch: fetchPort } }).clone(url, { directory: '/r' });
  } else {
    const fs = { promises: view.fs };
    await stock.clone({ fs, http, dir: '/r', url, depth: 1, singleBranch: true, noTags: true });
  }
  const elapsedMs = performance.now() - startedAt;
  const found = view.fs.sync
    .readdirSync('/r/packages', { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile()).length;
  if (found !== files) throw new Error(`The clone has ${found} files of ${files}.`);
  await workspace[Symbol.asyncDispose]();
  return elapsedMs;
}

const worker = { clone };

export type CloneWorker = typeof worker;

expose(worker);
