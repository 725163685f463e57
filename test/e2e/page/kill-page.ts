// The page of the kill tests. It is a tab that writes to its own folder until it is killed. It
// tells the test before each operation and after each acknowledgement.
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import { createBrowserHost, type BrowserHost, type WorkspaceInfo } from 'rockpool/browser';
import fsWorkerUrl from './kill-fs.worker.ts?worker&url';
import { parentOf, playHistory, type Operation } from './kill-history.ts';
import { stopChannel, type Stop, type StopMessage } from './kill-stop.ts';

/** What a test finds of a folder: no contents, which would take long to tell. */
export interface FoundFolder {
  /** The SHA-256 of every file below it, in hex, by its path there. */
  readonly files: Readonly<Record<string, string>>;
  readonly checkpoints: number;
}

/** What a test finds at `window.killPage`. Folders are in `/workspace`. */
export interface KillPage {
  /** The FS worker stands still where the stop says, which it tells by a request to `stopped`. */
  open(workspace: string, stop?: Stop): Promise<WorkspaceInfo>;
  /** As the stop of `open`, from now on. */
  stopAt(stop: Stop): Promise<void>;
  /** Plays the seed's history in the folder, so many operations of it. Rejects where one fails. */
  play(folder: string, seed: number, count: number): Promise<void>;
  /** No tab plays any more. Makes an image and a compaction due, for which the FS worker then rests. */
  endPlay(): Promise<void>;
  read(folder: string): Promise<FoundFolder>;
  remove(folder: string): Promise<void>;
  /** Goes back to the folder's last checkpoint. */
  rewind(folder: string): Promise<void>;
  /** Forgets the checkpoints and branches of all folders: there is room for a thousand. */
  dropRoots(): Promise<void>;
}

declare global {
  interface Window {
    killPage?: KillPage;
    /** Given by the test. Resolves once the test has heard it. */
    heard?: (folder: string, number: number, what: 'begun' | 'done') => Promise<void>;
  }
}

const author = { kind: 'user' } as const;
let host: BrowserHost;

window.killPage = {
  async open(workspace, stop) {
    const fsWorker = new URL(fsWorkerUrl, document.baseURI);
    fsWorker.searchParams.set('stopUrl', new URL('stopped', document.baseURI).href);
    if (stop) fsWorker.searchParams.set('stop', JSON.stringify(stop));
    host = await createBrowserHost({ workspace, assets: { wasm: wasmUrl, fsWorker } });
    return host.workspace.info();
  },
  stopAt: async (stop) => tellFsWorkers(stop),
  async play(folder, seed, count) {
    const top = `/workspace/${folder}`;
    await host.workspace.fs.mkdir(top, { recursive: true });
    let number = 0;
    for (const { operation } of playHistory(seed)) {
      number += 1;
      await window.heard?.(folder, number, 'begun');
      try {
        await carryOut(folder, operation);
      } catch (error) {
        throw new Error(`${folder}: operation ${number}, ${operation.type}: ${String(error)}`);
      }
      void window.heard?.(folder, number, 'done');
      if (number === count) return;
    }
  },
  async endPlay() {
    const { fs } = host.workspace;
    // More than half of the log is dead then, which shows with the next image. One is due, since
    // contents count an eighth of their bytes.
    const { logBytes } = await host.workspace.info();
    await fs.writeFile('/workspace/dead', new Uint8Array(logBytes + 500_000));
    await fs.unlink('/workspace/dead');
    await fs.writeFile('/workspace/last', new Uint8Array(400_000));
    tellFsWorkers('quiet');
  },
  async read(folder) {
    const { fs } = host.workspace;
    const top = `/workspace/${folder}`;
    // Killed before anything was done: there is nothing to be read.
    await fs.mkdir(top, { recursive: true });
    const entries = await fs.readdir(top, { recursive: true, withFileTypes: true });
    const paths = entries
      .filter((entry) => entry.isFile())
      .map((entry) => `${entry.parentPath}/${entry.name}`);
    const contents = await fs.readMany(paths);
    const files = await Promise.all(
      paths.map(async (path, at) => {
        const bytes = contents[at];
        if (!(bytes instanceof Uint8Array)) throw bytes ?? new Error(`${path} is not there.`);
        const sum = await crypto.subtle.digest('SHA-256', new Uint8Array(bytes));
        return [path.slice(top.length + 1), toHex(new Uint8Array(sum))] as const;
      }),
    );
    const checkpoints = (await checkpointsOf(folder)).length;
    return { files: Object.fromEntries(files), checkpoints };
  },
  remove: (folder) => host.workspace.fs.rm(`/workspace/${folder}`, { recursive: true }),
  rewind: rewindFolder,
  async dropRoots() {
    const { roots } = host.workspace;
    for (const { id } of await roots.list()) await roots.drop(id, { author });
  },
};

function tellFsWorkers(message: StopMessage): void {
  new BroadcastChannel(stopChannel).postMessage(message);
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function checkpointsOf(folder: string): Promise<string[]> {
  const roots = await host.workspace.roots.list();
  return roots.filter(({ label }) => label === folder).map(({ id }) => id);
}

async function carryOut(folder: string, operation: Operation): Promise<unknown> {
  const { fs, roots } = host.workspace;
  const top = `/workspace/${folder}`;
  const makeParent = (path: string) => fs.mkdir(parentOf(`${top}/${path}`), { recursive: true });
  switch (operation.type) {
    case 'write':
      await makeParent(operation.path);
      return fs.writeFile(`${top}/${operation.path}`, operation.text);
    case 'append':
      return fs.appendFile(`${top}/${operation.path}`, operation.text);
    case 'rename':
    case 'rename-tree':
      await makeParent(operation.to);
      return fs.rename(`${top}/${operation.from}`, `${top}/${operation.to}`);
    case 'remove':
      return fs.unlink(`${top}/${operation.path}`);
    case 'remove-tree':
      return fs.rm(`${top}/${operation.path}`, { recursive: true });
    case 'batch':
      await makeParents(top, operation.files);
      return commitFiles(top, operation.files);
    case 'tool':
      return writeByTool(top, operation.files);
    case 'merge':
      return mergeFiles(top, operation.files);
    case 'checkpoint':
      return roots.checkpoint(folder, { author });
    case 'rewind':
      return rewindFolder(folder);
  }
}

async function rewindFolder(folder: string): Promise<void> {
  const { roots } = host.workspace;
  const id = (await checkpointsOf(folder)).at(-1);
  if (id === undefined) throw new Error(`${folder} has no checkpoint.`);
  const { undo } = await roots.rewind(id, { author, paths: [`/workspace/${folder}`] });
  await roots.drop(undo, { author });
}

/** On a branch, and from there to `main` at once. */
async function mergeFiles(
  top: string,
  files: readonly (readonly [string, string])[],
): Promise<void> {
  const { roots } = host.workspace;
  await makeParents(top, files);
  const { id } = await roots.branch('merged at once', { author });
  await commitFiles(top, files, id);
  await roots.merge(id, { author });
  await roots.drop(id, { author });
}

async function makeParents(
  top: string,
  files: readonly (readonly [string, string])[],
): Promise<void> {
  for (const [path] of files) {
    await host.workspace.fs.mkdir(parentOf(`${top}/${path}`), { recursive: true });
  }
}

/** All of them in one commit of the page's own. Their directories are there. */
async function commitFiles(
  top: string,
  files: readonly (readonly [string, string])[],
  root = 'main',
): Promise<void> {
  const changes = files.map(([path, text]) => ({
    type: 'write' as const,
    path: `${top}/${path}`,
    baseVersion: 0,
    content: new TextEncoder().encode(text),
    mode: 0o644,
    mtimeMs: 0,
  }));
  await host.workspace.commit({ baseSeq: 0, changes }, { author, root });
}

/** A cell in a tool worker writes them; its change set is committed as the agent would. */
async function writeByTool(
  top: string,
  files: readonly (readonly [string, string])[],
): Promise<void> {
  const code = `import fs from 'node:fs';
    for (const [path, text] of ${JSON.stringify(files)}) {
      fs.mkdirSync('${top}/' + path.split('/')[0], { recursive: true });
      fs.writeFileSync('${top}/' + path, text);
    }`;
  const work = host.executor.start(
    {
      callId: crypto.randomUUID(),
      toolName: 'Repl',
      input: { code },
      sessionId: 'kills',
      address: { root: 'main', minSeq: host.workspace.seq() },
      access: {
        cwd: '/workspace',
        roots: ['/workspace'],
        readOnlyRoots: [],
        rules: [],
        write: 'allow',
      },
      cwd: '/workspace',
      limits: {
        timeoutMs: 30_000,
        maxFileBytes: 1e8,
        maxOutputChars: 10_000,
        maxMemoryBytes: 64 * 1024 * 1024,
      },
      knownVersions: [],
    },
    () => {},
  );
  const reply = await work.reply;
  if (reply.type !== 'done' || !reply.changeSet) throw new Error(JSON.stringify(reply));
  await host.workspace.commit(reply.changeSet, { author: { kind: 'agent' } });
}
