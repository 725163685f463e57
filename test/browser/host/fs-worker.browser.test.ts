// The FS worker dies while it is used. Who waits is answered by its successor, each change is made
// once, and tool workers go on with the same workspace.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import toolWorker from './host-tools.worker.ts?worker&url';
import {
  createBrowserHost,
  type BrowserHost,
  type BrowserHostOptions,
} from '../../../src/hosts/browser/page/create-browser-host.ts';

const { Worker: PlainWorker } = globalThis;
/** The FS workers that were started, the last one at the end. */
const fsWorkers: Worker[] = [];

beforeAll(() => {
  globalThis.Worker = class extends PlainWorker {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(url, options);
      if (String(url).includes('fs.worker')) fsWorkers.push(this);
    }
  };
});

afterAll(() => {
  globalThis.Worker = PlainWorker;
});

const openHost = (options: Partial<BrowserHostOptions>) =>
  createBrowserHost({
    workspace: `fs-worker-${crypto.randomUUID()}`,
    assets: { wasm: wasmUrl, toolWorker },
    ...options,
  });

async function withHost(
  options: Partial<BrowserHostOptions>,
  work: (host: BrowserHost) => Promise<void>,
): Promise<void> {
  const host = await openHost(options);
  try {
    await work(host);
  } finally {
    await host[Symbol.asyncDispose]();
  }
}

/** As when the browser ends it: nobody is told. */
const endFsWorker = () => fsWorkers.at(-1)?.terminate();

function readInWorker(host: BrowserHost, path: string) {
  const work = host.executor.start(
    {
      callId: crypto.randomUUID(),
      toolName: 'ReadFile',
      input: { path },
      sessionId: 'session-1',
      address: { root: 'main', minSeq: host.workspace.seq() },
      access: { cwd: '/', roots: ['/'], readOnlyRoots: [], rules: [], write: 'deny' },
      cwd: '/',
      limits: { timeoutMs: 5000, maxFileBytes: 1e6, maxOutputChars: 1e6, maxMemoryBytes: 1e6 },
      knownVersions: [],
    },
    () => {},
  );
  return work.reply;
}

describe.each(['opfs-log', 'idb-log'] as const)('an FS worker on %s that ends', (driver) => {
  // From source a worker's code is a hundred files: on a busy machine each takes seconds to start.
  const timeout = 60_000;
  it(
    'loses no request, and makes each change once, however often it ends',
    { timeout },
    async () => {
      await withHost({ driver }, async ({ workspace: { fs } }) => {
        await fs.writeFile('/log.txt', '');
        const lines: string[] = [];
        for (let round = 0; round < 3; round += 1) {
          const asked = Array.from({ length: 10 }, (_, at) => {
            const line = `${round}-${at};`;
            lines.push(line);
            return fs.appendFile('/log.txt', line);
          });
          const made = fs.mkdtemp('/made-');
          // Some of it is done by then, some is under way, and some not begun.
          await Promise.race([
            asked[round * 3],
            new Promise((resolve) => setTimeout(resolve, round)),
          ]);
          endFsWorker();
          const read = fs.readdir('/');
          await Promise.all(asked);
          expect(await fs.readdir(await made)).toEqual([]);
          expect(await read).toContain('log.txt');
        }
        const text = await fs.readFile('/log.txt', 'utf8');
        expect(text.split(';').toSorted()).toEqual(lines.join('').split(';').toSorted());
        expect((await fs.readdir('/')).filter((name) => name.startsWith('made-'))).toHaveLength(3);
      });
    },
  );

  it('is followed by its successor in tool workers, too', async () => {
    await withHost({ driver }, async (host) => {
      const { fs } = host.workspace;
      await fs.writeFile('/a.txt', 'before');
      expect(await readInWorker(host, '/a.txt')).toMatchObject({ output: 'before' });
      endFsWorker();
      const writing = fs.writeFile('/a.txt', 'after');
      expect(await readInWorker(host, '/a.txt')).toMatchObject({ type: 'done' });
      await writing;
      expect(await readInWorker(host, '/a.txt')).toMatchObject({ output: 'after' });
    });
  });
});

describe('an FS worker whose workspace is in memory', () => {
  it('takes it along, and says so', async () => {
    const host = await openHost({ driver: 'memory' });
    const { fs } = host.workspace;
    endFsWorker();
    await expect(fs.writeFile('/a.txt', 'x')).rejects.toMatchObject({ code: 'worker-lost' });
    await expect(fs.readFile('/a.txt')).rejects.toMatchObject({ code: 'worker-lost' });
    expect(await readInWorker(host, '/a.txt')).toEqual({
      type: 'lost',
      message: 'The FS worker ended, and said nothing.',
    });
    // There is nothing left that could be closed in order; its workers are ended all the same.
    await expect(host[Symbol.asyncDispose]()).rejects.toMatchObject({ code: 'worker-lost' });
  });
});
