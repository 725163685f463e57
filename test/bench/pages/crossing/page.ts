// The page of the crossing bench: calls that do nothing, from the page to a worker and back, by each
// way in turn.
import { transfer, wrap } from 'comlink';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import { createBrowserHost, type BrowserHost } from 'rockpool/browser';
import peersUrl from './peers.worker.ts?worker&url';
import type { Peers } from './peers.worker.ts';
import type { ResultName } from './results.ts';
import toolWorkerUrl from './tool.worker.ts?worker&url';

/** Milliseconds of each call, by way. */
export interface CrossingTimes {
  readonly raw: readonly number[];
  readonly comlink: readonly number[];
  readonly ours: readonly number[];
}

export interface SustainedCalls {
  readonly calls: number;
  readonly seconds: number;
  /** Bytes of the page and its workers, after a tenth of the time and at the end. */
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

declare global {
  interface Window {
    /** Set when the page is ready. */
    crossing?: typeof page;
  }
}

interface Way {
  call(name: ResultName): Promise<unknown>;
  /** Ends its worker, so that nobody's memory is measured with ours. */
  end(): void;
}

let host: BrowserHost | undefined;

const page = {
  async open(): Promise<void> {
    host = await createBrowserHost({
      workspace: 'crossing',
      driver: 'memory',
      assets: { toolWorker: toolWorkerUrl, wasm: wasmUrl },
    });
  },

  /** One call after the other; the ways in turn, a batch each. */
  async cross(name: ResultName, rounds: number, batch: number): Promise<CrossingTimes> {
    const ours = { call: callOurs, end: () => {} };
    const ways = { raw: openRaw(), comlink: openComlink(), ours };
    const times = { raw: [] as number[], comlink: [] as number[], ours: [] as number[] };
    for (let round = 0; round <= rounds; round += 1) {
      for (const way of ['raw', 'comlink', 'ours'] as const) {
        for (let call = 0; call < batch; call += 1) {
          const startedAt = performance.now();
          await ways[way].call(name);
          // The first round warms up.
          if (round > 0) times[way].push(performance.now() - startedAt);
        }
      }
    }
    for (const way of Object.values(ways)) way.end();
    return times;
  },

  /** A bare worker, from its start to its first answer. Its code is cached. */
  async startRaw(): Promise<number> {
    const startedAt = performance.now();
    const worker = new Worker(peersUrl, { type: 'module' });
    await wrap<Peers>(worker).call('Nothing');
    const ms = performance.now() - startedAt;
    worker.terminate();
    return ms;
  },

  /** From the end of the only worker to the next call's answer, with a spare or without. */
  async replace(hasSpare: boolean): Promise<number> {
    if (!hasSpare) await kill();
    const startedAt = performance.now();
    await kill();
    await callOurs('Nothing');
    const ms = performance.now() - startedAt;
    // The next spare is loaded meanwhile.
    await new Promise((resolve) => setTimeout(resolve, 500));
    return ms;
  },

  /** Eight calls are under way all the time. */
  async sustain(seconds: number): Promise<SustainedCalls> {
    const startedAt = performance.now();
    const end = startedAt + seconds * 1000;
    let calls = 0;
    const keepCalling = async () => {
      for (; performance.now() < end; calls += 1) await callOurs('Nothing');
    };
    const callers = Array.from({ length: 8 }, keepCalling);
    await new Promise((resolve) => setTimeout(resolve, seconds * 100));
    const bytesBefore = await measureMemory();
    await Promise.all(callers);
    const took = (performance.now() - startedAt) / 1000;
    return { calls, seconds: took, bytesBefore, bytesAfter: await measureMemory() };
  },
};
window.crossing = page;

/** Of the page and its workers, after a collection of garbage: for pages that are isolated. */
async function measureMemory(): Promise<number> {
  const { measureUserAgentSpecificMemory } = performance as Performance & {
    measureUserAgentSpecificMemory?: () => Promise<{ readonly bytes: number }>;
  };
  if (!measureUserAgentSpecificMemory) throw new Error('This browser measures no memory.');
  return (await measureUserAgentSpecificMemory.call(performance)).bytes;
}

function openRaw(): Way {
  const { port1, port2 } = new MessageChannel();
  const worker = new Worker(peersUrl, { type: 'module' });
  const listening = wrap<Peers>(worker).listen(transfer(port2, [port2]));
  const open = new Map<number, (result: unknown) => void>();
  let lastId = 0;
  port1.onmessage = ({ data }: MessageEvent<{ id: number; result: unknown }>) => {
    open.get(data.id)?.(data.result);
    open.delete(data.id);
  };
  return {
    async call(name) {
      if (lastId === 0) await listening;
      lastId += 1;
      const id = lastId;
      return new Promise((resolve) => {
        open.set(id, resolve);
        port1.postMessage({ id, name });
      });
    },
    end: () => worker.terminate(),
  };
}

function openComlink(): Way {
  const worker = new Worker(peersUrl, { type: 'module' });
  const remote = wrap<Peers>(worker);
  return { call: (name) => remote.call(name), end: () => worker.terminate() };
}

function start(name: ResultName) {
  if (!host) throw new Error('The bench has not opened the host.');
  return host.executor.start(
    {
      callId: 'call-1',
      toolName: name,
      input: {},
      sessionId: 'crossing',
      address: { root: 'main', minSeq: host.workspace.seq() },
      access: { cwd: '/', roots: ['/'], readOnlyRoots: [], rules: [], write: 'deny' },
      cwd: '/',
      limits: { timeoutMs: 60_000, maxFileBytes: 1, maxOutputChars: 1, maxMemoryBytes: 1 },
      knownVersions: [],
      isStateless: true,
    },
    () => {},
  );
}

async function callOurs(name: ResultName): Promise<unknown> {
  const reply = await start(name).reply;
  if (reply.type !== 'done') throw new Error(`${name}: ${JSON.stringify(reply)}`);
  return reply.output;
}

async function kill(): Promise<void> {
  const work = start('Nothing');
  work.kill('The bench wants a new one.');
  await work.reply;
}
