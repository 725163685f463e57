// The local half of the git bench, in a worker as a tool's. It runs our git and stock
// isomorphic-git, each on the draft of a workspace in OPFS.
import { Buffer } from 'buffer';
import { expose } from 'comlink';
import * as stock from 'isomorphic-git';
import { openOpfsLog } from '../../../../src/workspace/drivers/opfs-log.ts';
import type { WorkspaceView } from '../../../../src/workspace/draft/view.ts';
import { createGit } from '../../../../src/workspace/git/commands/create-git.ts';
import { openWorkspace } from '../../../../src/workspace/open-workspace.ts';
import { openAccess } from '../../../support/files/workspaces.ts';

// Stock code takes it from the global object.
Object.assign(globalThis, { Buffer });

const person = { name: 'A', email: 'a@example.org' };
const rounds = 5;

export interface LocalFigures {
  readonly checkoutMs: number;
  readonly firstStatusMs: number;
  readonly statusMs: number;
  readonly statusReopenedMs: number;
  readonly commitMs: number;
  readonly switchMs: number;
  readonly stockCheckoutMs: number;
  readonly stockStatusMs: number;
  readonly stockCommitMs: number;
}

type Files = readonly { readonly path: string; readonly bytes: Uint8Array }[];
type Opened = Awaited<ReturnType<typeof openWorkspace>>;

async function measure(name: string, files: Files): Promise<LocalFigures> {
  let workspace = await openWorkspace(await openOpfsLog(name), { name });
  try {
    const ours = await measureOurs(workspace, files);
    await workspace[Symbol.asyncDispose]();
    // Another workspace over the same bytes: nothing of the first is known to it.
    workspace = await openWorkspace(await openOpfsLog(name), { name });
    const reopened = await openView(workspace);
    const git = createGit(reopened, { directory: '/r', author: person });
    const [statusReopenedMs] = await time(() => git.status());
    return { ...ours, statusReopenedMs, ...(await measureStock(workspace, files)) };
  } finally {
    await workspace[Symbol.asyncDispose]();
  }
}

async function measureOurs(workspace: Opened, files: Files) {
  let view = await openView(workspace);
  const git = () => createGit(view, { directory: '/r', author: person });
  const keep = async () => {
    const changes = view.changeSet();
    if (changes) await workspace.commit(changes, { author: { kind: 'agent' } });
    view = await openView(workspace);
  };
  writeAll(view, '/r', files);
  await git().branch.list();
  const [checkoutMs] = await time(() => git().reset({ mode: 'hard' }));
  await keep();
  const [firstStatusMs] = await time(() => git().status());
  const statuses: number[] = [];
  const commits: number[] = [];
  const switches: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const path = `packages/p${round}/src/d0/file${round * 10}.ts`;
    view.fs.sync.writeFileSync(`/r/${path}`, `round ${round}\n`);
    const [statusMs, status] = await time(() => git().status());
    if (status.files.length !== 1) throw new Error(`${status.files.length} files are changed.`);
    statuses.push(statusMs);
    const [commitMs] = await time(async () => {
      await git().add(path);
      await git().commit({ message: `Round ${round}` });
    });
    commits.push(commitMs);
    await keep();
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const branch of ['other', 'main']) {
      const [switchMs] = await time(() => git().switch(branch));
      switches.push(switchMs);
    }
    await keep();
  }
  return {
    checkoutMs,
    firstStatusMs,
    statusMs: median(statuses),
    commitMs: median(commits),
    switchMs: median(switches),
  };
}

/** On another draft of the same workspace. Once each: a round takes seconds. */
async function measureStock(workspace: Opened, files: Files) {
  const view = await openView(workspace);
  const fs = { promises: view.fs };
  const dir = '/stock';
  writeAll(view, dir, files);
  const [stockCheckoutMs] = await time(() => stock.checkout({ fs, dir, ref: 'main', force: true }));
  const path = 'packages/p0/src/d0/file0.ts';
  view.fs.sync.writeFileSync(`${dir}/${path}`, 'changed\n');
  // Once before, as ours has been asked before.
  await stock.statusMatrix({ fs, dir });
  const [stockStatusMs] = await time(() => stock.statusMatrix({ fs, dir }));
  const [stockCommitMs] = await time(async () => {
    await stock.add({ fs, dir, filepath: path });
    await stock.commit({ fs, dir, message: 'Round', author: person });
  });
  return { stockCheckoutMs, stockStatusMs, stockCommitMs };
}

function openView(workspace: Opened): Promise<WorkspaceView> {
  return workspace.openView({ root: 'main', minSeq: workspace.seq() }, openAccess('/'));
}

function writeAll(view: WorkspaceView, directory: string, files: Files): void {
  for (const { path, bytes } of files) {
    const target = `${directory}/${path}`;
    view.fs.sync.mkdirSync(target.slice(0, target.lastIndexOf('/')), { recursive: true });
    view.fs.sync.writeFileSync(target, bytes);
  }
}

async function time<Result>(work: () => Promise<Result>): Promise<[ms: number, result: Result]> {
  const startedAt = performance.now();
  const result = await work();
  return [performance.now() - startedAt, result];
}

function median(values: readonly number[]): number {
  return (
    values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN
  );
}

const worker = { measure };

export type LocalWorker = typeof worker;

expose(worker);
