// A workspace that is opened again, in real workers. What searches had learned of it is there, and
// right. What is wrong with it costs only time.
import { expect, it, vi } from 'vitest';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import toolWorker from './host-tools.worker.ts?worker&url';
import type { WorkspaceDriver } from '../../../src/browser.ts';
import {
  createBrowserHost,
  type BrowserHost,
} from '../../../src/hosts/browser/page/create-browser-host.ts';
import { createRandom } from '../../support/random.ts';

/** More than is read at once, with so many trigrams that their index is worth saving. */
const random = createRandom(7);
const texts = Array.from({ length: 64 }, (_, at) => {
  const letters = Array.from({ length: 20_000 }, () =>
    String.fromCharCode(0x61 + random.below(26)),
  );
  return `${letters.join('')} number${at}\n`;
});

interface Found {
  readonly slices: number;
  readonly found: readonly string[];
}

async function find(host: BrowserHost, pattern: string): Promise<Found> {
  const access = { cwd: '/workspace', roots: ['/'], readOnlyRoots: [], rules: [] };
  const { reply } = host.executor.start(
    {
      callId: crypto.randomUUID(),
      toolName: 'Find',
      input: { pattern },
      sessionId: 'session-1',
      address: { root: 'main', minSeq: host.workspace.seq() },
      access: { ...access, write: 'deny' },
      cwd: '/workspace',
      limits: { timeoutMs: 20_000, maxFileBytes: 1e6, maxOutputChars: 1e6, maxMemoryBytes: 1e6 },
      knownVersions: [],
    },
    () => {},
  );
  const answer = await reply;
  if (answer.type !== 'done') throw new Error(JSON.stringify(answer));
  return answer.output as Found;
}

/** The files of the log, while it is open elsewhere. */
async function storedNames(workspace: string, driver: WorkspaceDriver): Promise<string[]> {
  const names: string[] = [];
  if (driver === 'opfs-log') {
    const root = await navigator.storage.getDirectory();
    const all = await root.getDirectoryHandle('rockpool');
    const directory = await all.getDirectoryHandle(workspace);
    for await (const name of directory.keys()) names.push(name);
    return names;
  }
  const database = await settled(indexedDB.open(`rockpool:${workspace}`));
  const files = database.transaction('files').objectStore('files');
  const keys = await settled(files.getAllKeys());
  database.close();
  return keys.map(String);
}

function settled<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error));
  });
}

it.each(['opfs-log', 'idb-log'] as const)(
  'a workspace on %s that is opened again has its search index, and reads only what is new',
  // From source a worker's code is a hundred files: on a busy machine each takes seconds to start.
  { timeout: 600_000 },
  async (driver) => {
    const workspace = `saved-index-${crypto.randomUUID()}`;
    const open = () =>
      createBrowserHost({
        workspace,
        driver,
        toolWorkers: 1,
        assets: { wasm: wasmUrl, toolWorker },
      });
    const first = await open();
    const { fs } = first.workspace;
    await Promise.all(texts.map((text, at) => fs.writeFile(`/workspace/f${at}`, text)));
    expect(await find(first, 'number17\\b')).toEqual({ slices: 2, found: ['/workspace/f17'] });
    const hasIndex = async () =>
      (await storedNames(workspace, driver)).some((name) => name.startsWith('index-'));
    await vi.waitUntil(hasIndex, { timeout: 240_000 });
    await fs.writeFile('/workspace/f17', 'nothing');
    await fs.writeFile('/workspace/f18', 'number17');
    await first[Symbol.asyncDispose]();

    const second = await open();
    // What was written after it was saved fits into one slice.
    expect(await find(second, 'number17\\b')).toEqual({ slices: 1, found: ['/workspace/f18'] });
    expect(await find(second, 'number19\\b')).toEqual({ slices: 0, found: ['/workspace/f19'] });
    await second[Symbol.asyncDispose]();
  },
);
