// The page of the kill tests: a tab that writes to its own folder until it is killed, telling the test
// before each operation and after each acknowledgement.
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import { createBrowserHost, type BrowserHost, type WorkspaceInfo } from 'rockpool/browser';
import { playHistory, type Operation } from './kill-history.ts';

/** What a test finds at `window.killPage`. Paths are relative to `/workspace`. */
export interface KillPage {
  open(workspace: string): Promise<WorkspaceInfo>;
  /** Plays the seed's history in the folder; ends only where an operation fails. */
  play(folder: string, seed: number): Promise<string>;
  /** Every file below the folder, by its path there. */
  read(folder: string): Promise<Record<string, string>>;
}

declare global {
  interface Window {
    killPage?: KillPage;
    /** Given by the test. Resolves once the test has heard it. */
    heard?: (folder: string, number: number, what: 'begun' | 'done') => Promise<void>;
  }
}

let host: BrowserHost;

window.killPage = {
  async open(workspace) {
    host = await createBrowserHost({ workspace, assets: { wasm: wasmUrl } });
    return host.workspace.info();
  },
  async play(folder, seed) {
    let number = 0;
    try {
      await host.workspace.fs.mkdir(`/workspace/${folder}`, { recursive: true });
      for (const { operation } of playHistory(seed)) {
        number += 1;
        await window.heard?.(folder, number, 'begun');
        await carryOut(`/workspace/${folder}`, operation);
        void window.heard?.(folder, number, 'done');
      }
    } catch (error) {
      return `Operation ${number} failed: ${String(error)}`;
    }
    return 'A history never ends.';
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
    return Object.fromEntries(
      paths.map((path, at) => {
        const bytes = contents[at];
        if (!(bytes instanceof Uint8Array)) throw bytes ?? new Error(`${path} is not there.`);
        return [path.slice(top.length + 1), new TextDecoder().decode(bytes)];
      }),
    );
  },
};

async function carryOut(top: string, operation: Operation): Promise<void> {
  const { fs } = host.workspace;
  const parentOf = (path: string) => path.slice(0, path.lastIndexOf('/'));
  const makeParent = (path: string) => fs.mkdir(parentOf(`${top}/${path}`), { recursive: true });
  switch (operation.type) {
    case 'write':
      await makeParent(operation.path);
      return fs.writeFile(`${top}/${operation.path}`, operation.text);
    case 'append':
      return fs.appendFile(`${top}/${operation.path}`, operation.text);
    case 'rename':
      await makeParent(operation.to);
      return fs.rename(`${top}/${operation.from}`, `${top}/${operation.to}`);
    case 'remove':
      return fs.unlink(`${top}/${operation.path}`);
    case 'batch':
      return commitFiles(top, operation.files);
    case 'tool':
      return writeByTool(top, operation.files);
  }
}

/** All of them in one commit of the page's own. */
async function commitFiles(
  top: string,
  files: readonly (readonly [string, string])[],
): Promise<void> {
  for (const [path] of files) {
    await host.workspace.fs.mkdir(`${top}/${path.split('/')[0]}`, { recursive: true });
  }
  const changes = files.map(([path, text]) => ({
    type: 'write' as const,
    path: `${top}/${path}`,
    baseVersion: 0,
    content: new TextEncoder().encode(text),
    mode: 0o644,
    mtimeMs: 0,
  }));
  await host.workspace.commit({ baseSeq: 0, changes }, { author: { kind: 'user' } });
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
