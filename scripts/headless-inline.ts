/** The headless command's inline host: the same turn in Node's own thread, without a browser. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { listSessions } from 'rockpool';
import type { Host, SDKSessionInfo } from 'rockpool';
import { createInlineHost } from 'rockpool/inline';
import { openWorkspace } from 'rockpool/workspace';
import type { PackedEntry } from './file-pack.ts';
import { createFolderWriter, readFolder } from './folder-entries.ts';
import { openFolderMedium } from './folder-medium.ts';
import type { HeadlessArguments } from './headless-arguments.ts';
import type { HeadlessOptions } from './headless-browser.ts';
import { readWorkspace, runTask } from './headless-session.ts';

/** True if the turn ended with success. Rejects when it could not be run at all. */
export async function run(
  { workspace, out, profile, ...task }: HeadlessArguments,
  { print, signal }: HeadlessOptions,
): Promise<boolean> {
  await using opened = await openHost(profile);
  const { host } = opened;
  if (workspace !== undefined) {
    for (const entries of readFolder(workspace)) await load(host, entries);
  }
  const emit = (message: unknown) => print(JSON.stringify(message));
  const isSuccess = await runTask(task, { host, emit, signal });
  if (out !== undefined) {
    const writer = createFolderWriter(out);
    for await (const entries of readWorkspace(host)) writer.write(entries);
    writer.finish();
  }
  return isSuccess;
}

/** The sessions that a profile keeps, the newest first. */
export async function list(profile: string): Promise<SDKSessionInfo[]> {
  await using opened = await openHost(profile);
  return listSessions({ host: opened.host, includeArchived: true });
}

/** Its workspace is the profile's, or one in memory. */
async function openHost(
  profile: string | undefined,
): Promise<{ readonly host: Host } & AsyncDisposable> {
  if (profile === undefined) {
    const host = await createInlineHost({ loadWasm });
    return { host, [Symbol.asyncDispose]: () => host[Symbol.asyncDispose]() };
  }
  const workspace = await openWorkspace(openFolderMedium(join(profile, 'inline')), {
    name: 'headless',
  });
  const host = await createInlineHost({ workspace, loadWasm });
  return {
    host,
    async [Symbol.asyncDispose]() {
      await host[Symbol.asyncDispose]();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

async function load({ workspace: { fs }, cwd }: Host, entries: readonly PackedEntry[]) {
  for (const entry of entries) {
    const path = `${cwd}/${entry.path}`;
    // Parents come before children, so every directory is there.
    if ('isDirectory' in entry) await fs.mkdir(path, { recursive: true });
    else if ('target' in entry) await fs.symlink(entry.target, path);
    else {
      await fs.writeFile(path, entry.bytes);
      if (entry.mode !== undefined) await fs.chmod(path, entry.mode);
      if (entry.mtimeMs !== undefined) {
        const mtime = new Date(entry.mtimeMs);
        await fs.utimes(path, mtime, mtime);
      }
    }
  }
}

async function loadWasm(): Promise<WebAssembly.Module> {
  const path = createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm');
  return WebAssembly.compile(await readFile(path));
}
