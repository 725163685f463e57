// The page of the MCP bench: servers of another origin by our worker, and by the bare client in a worker.
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import { createBrowserHost, type BrowserHost } from 'rockpool/browser';
import { startHeartbeat } from '../../../support/browser/heartbeat.ts';
import type { RemoteMcpServer } from '../../../../src/core/mcp/mcp-server.ts';
import type { BareRequest } from './bare.worker.ts';
import bareUrl from './bare.worker.ts?worker&url';
import { toListeners } from '../../../support/mcp/mcp-listeners.ts';

declare global {
  interface Window {
    /** Set when the page is ready. */
    mcp?: typeof page;
  }
}

/** Milliseconds of each round, by way. */
export interface McpTimes {
  readonly ours: readonly number[];
  readonly bare: readonly number[];
}

let host: BrowserHost | undefined;
let server: RemoteMcpServer | undefined;
let bare: Worker | undefined;

const page = {
  /** Which files a page without servers has fetched. */
  async open(): Promise<readonly string[]> {
    host = await createBrowserHost({
      workspace: 'mcp',
      driver: 'memory',
      assets: { wasm: wasmUrl },
    });
    return performance.getEntriesByType('resource').map(({ name }) => name);
  },

  /** In turn; the first round of each warms up. */
  async connect(url: string, rounds: number): Promise<McpTimes> {
    const times = { ours: [] as number[], bare: [] as number[] };
    for (let round = 0; round <= rounds; round += 1) {
      const ours = await time(() => connectOurs(url));
      const theirs = await time(() => askBare({ url }));
      if (round === 0) continue;
      times.ours.push(ours);
      times.bare.push(theirs);
    }
    return times;
  },

  /** Both are connected. */
  async call(url: string, rounds: number): Promise<McpTimes> {
    const times = { ours: [] as number[], bare: [] as number[] };
    const echo = server?.toTools('there').find(({ name }) => name === 'mcp__there__echo');
    const context = { abortController: new AbortController() } as never;
    for (let round = 0; round < rounds; round += 1) {
      const input = { text: `Hello ${round}.` };
      times.ours.push(
        await time(() => echo?.call?.(input, context, undefined as never, undefined as never)),
      );
      times.bare.push(await time(() => askBare({ url, ...input })));
    }
    return times;
  },

  /** For how long the page could do nothing while it connected; and why it could not, where it couldn't. */
  async blocked(url: string): Promise<{ readonly ms: number; readonly why: string }> {
    const heartbeat = startHeartbeat();
    const why = await connectOurs(url).then(() => '', String);
    return { ms: heartbeat.stop(), why };
  },
};

async function connectOurs(url: string): Promise<void> {
  await server?.close();
  const { signal } = new AbortController();
  const listeners = { ...toListeners(), signal, onTools: () => undefined };
  server = await host?.mcp?.connect('there', { type: 'http', url }, listeners);
  server?.toTools('there');
}

function askBare(request: BareRequest): Promise<unknown> {
  bare ??= new Worker(bareUrl, { type: 'module' });
  const worker = bare;
  return new Promise((resolve) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.postMessage(request);
  });
}

async function time(work: () => Promise<unknown> | undefined): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

window.mcp = page;
