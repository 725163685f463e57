/** The headless command's inline host: the same turn in Node's own thread, without a browser. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createInlineHost } from 'rockpool/inline';
import type { Host } from 'rockpool';
import type { PackedEntry } from './file-pack.ts';
import { createFolderWriter, readFolder } from './folder-entries.ts';
import type { HeadlessArguments } from './headless-arguments.ts';
import type { HeadlessOptions } from './headless-browser.ts';
import { readWorkspace, runTask } from './headless-session.ts';

/** True if the turn ended with success. Rejects when it could not be run at all. */
export async function runInline(
  { workspace, out, ...task }: HeadlessArguments,
  { print, signal }: HeadlessOptions,
): Promise<boolean> {
  const host = await createInlineHost({ loadWasm });
  try {
    for (const entries of readFolder(workspace)) await load(host, entries);
    const emit = (message: unknown) => print(JSON.stringify(message));
    const isSuccess = await runTask(task, { host, emit, signal });
    if (out !== undefined) {
      const writer = createFolderWriter(out);
      for await (const entries of readWorkspace(host)) writer.write(entries);
      writer.finish();
    }
    return isSuccess;
  } finally {
    await host[Symbol.asyncDispose]();
  }
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
