// Runs commands of git on stored workspaces, one after the other, and commits what each did. It stops dead at the point
// of a number, so that the page can end it there. git-kills.browser.test.ts starts and ends it.
import { createServerFetch } from '../../../src/core/host-ports/fetch-port.ts';
import { Draft } from '../../../src/workspace/draft/draft.ts';
import { openMedium } from '../../../src/workspace/drivers/open-medium.ts';
import { createGit } from '../../../src/workspace/git/commands/create-git.ts';
import { openWorkspace } from '../../../src/workspace/open-workspace.ts';
import { openAccess } from '../../support/files/workspaces.ts';

export interface GitKillsTask {
  /** The workspace. */
  readonly name: string;
  /** `look` tells what is there; `prepare` clones, and commits on two branches. */
  readonly command: 'prepare' | 'clone' | 'merge' | 'push' | 'look';
  readonly url: string;
  /** From 1 on; 0 is none. */
  readonly stopAt: number;
}

/** What a repository is, as far as a kill could break it; null where there is none. */
export interface GitState {
  readonly head: string | null;
  readonly parents: number;
  /** Changed and missing files. */
  readonly files: readonly string[];
  readonly tracking: string | null;
}

export type GitKillsReport =
  | { readonly type: 'stopped'; readonly point: string }
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'over'; readonly points: readonly string[] }
  | { readonly type: 'found'; readonly hash: string; readonly state: GitState | null };

type Workspace = Awaited<ReturnType<typeof openWorkspace>>;

const directory = '/p';
let points: string[] = [];
let stopAt = 0;
let isCounting = false;

function pass(point: string): void {
  if (!isCounting) return;
  points.push(point);
  if (points.length !== stopAt) return;
  postMessage({ type: 'stopped', point } satisfies GitKillsReport);
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
  Atomics.wait(new Int32Array(memory.buffer), 0, 0);
}

/** What a file is to git. */
function kindOf(path: string): string {
  if (!path.includes('/.git/')) return 'file';
  return /\/(objects|refs|logs|index|HEAD|config|MERGE_\w+|ORIG_HEAD)/u.exec(path)?.[1] ?? 'other';
}

const { put, reset } = Draft.prototype;
Object.assign(Draft.prototype, {
  put(this: Draft, ...given: Parameters<Draft['put']>) {
    pass(`draft: ${kindOf(given[0])}`);
    put.apply(this, given);
  },
  reset(this: Draft, ...given: Parameters<Draft['reset']>) {
    pass('draft: many files');
    reset.apply(this, given);
  },
});

const storage = FileSystemSyncAccessHandle.prototype;
for (const name of ['write', 'flush', 'truncate'] as const) {
  // The cast: three methods of different arguments are handled alike.
  const run = storage[name] as (...given: unknown[]) => unknown;
  Object.assign(storage, {
    [name](this: FileSystemSyncAccessHandle, ...given: unknown[]) {
      pass(`storage: ${name}`);
      return run.apply(this, given);
    },
  });
}

const network = createServerFetch(async (url, init) => {
  const service = /git-(?:upload|receive)-pack/u.exec(String(url))?.[0] ?? 'other';
  const what = `${init?.method === 'POST' ? 'sent to' : 'refs of'} ${service}`;
  pass(`${what}: before`);
  const response = await fetch(url, init);
  pass(`${what}: answered`);
  const arriving = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      pass(`${what}: arriving`);
      controller.enqueue(chunk);
    },
    flush: () => pass(`${what}: arrived`),
  });
  return new Response(response.body?.pipeThrough(arriving), response);
});

const author = { name: 'A', email: 'a@example.org' };

async function openGit(workspace: Workspace) {
  const view = await workspace.openView({ root: 'main', minSeq: workspace.seq() }, openAccess('/'));
  const options = { author, network: { fetch: network } };
  return { view, top: createGit(view, options), git: createGit(view, { ...options, directory }) };
}

async function run({ name, command, url }: GitKillsTask): Promise<GitKillsReport> {
  const workspace = await openWorkspace(await openMedium(name, { driver: 'opfs-log' }), { name });
  const { view, top, git } = await openGit(workspace);
  const said = new Set<string>();
  const onProgress = ({ phase }: { readonly phase: string }) => {
    if (said.has(phase)) return;
    said.add(phase);
    pass(`progress: ${phase}`);
  };
  if (command === 'look') {
    const [hash, state] = [await workspace.treeHash(), await look(workspace, git)];
    await workspace[Symbol.asyncDispose]();
    return { type: 'found', hash, state };
  }
  isCounting = command !== 'prepare';
  if (command === 'clone') await top.clone(url, { directory, onProgress });
  if (command === 'merge') await git.merge('topic', { fastForward: 'never', onProgress });
  if (command === 'push') await git.push({ onProgress });
  if (command === 'prepare') {
    await top.clone(url, { directory });
    await git.switch('topic', { create: true });
    for (const file of ['one', 'two']) await view.fs.writeFile(`${directory}/${file}`, file);
    await git.add('.');
    await git.commit({ message: 'on topic' });
    await git.switch('main');
    await view.fs.writeFile(`${directory}/three`, 'three');
    await git.add('.');
    await git.commit({ message: 'on main' });
  }
  const changes = view.changeSet();
  if (changes) await workspace.commit(changes, { author: { kind: 'user' } });
  pass('committed');
  isCounting = false;
  await workspace[Symbol.asyncDispose]();
  return { type: 'over', points };
}

async function look(
  workspace: Workspace,
  git: ReturnType<typeof createGit>,
): Promise<GitState | null> {
  if ((await workspace.lookUp([directory]))[0] === null) return null;
  const [{ head, files }, branches, [last]] = [
    await git.status(),
    await git.branch.list({ remotes: true }),
    await git.log({ maxCount: 1 }),
  ];
  return {
    head,
    parents: last?.parents.length ?? 0,
    files: files.map(({ path }) => path),
    tracking: branches.find(({ name }) => name === 'origin/main')?.oid ?? null,
  };
}

addEventListener('message', ({ data }: MessageEvent<GitKillsTask>) => {
  ({ stopAt } = data);
  points = [];
  run(data).then(
    (report) => postMessage(report),
    (error: unknown) => {
      postMessage({ type: 'failed', message: String(error) } satisfies GitKillsReport);
    },
  );
});
