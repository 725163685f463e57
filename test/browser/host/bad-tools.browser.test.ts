// Tools that misbehave in real workers: each call has a clear end, and the next one finds all as it was.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import toolWorker from './host-tools.worker.ts?worker&url';
import type { WorkReply } from '../../../src/core/tool/ports.ts';
import {
  createBrowserHost,
  type BrowserHost,
} from '../../../src/hosts/browser/page/create-browser-host.ts';

const { Worker: PlainWorker } = globalThis;
let host: BrowserHost;
let living = 0;
let mostWorkers = 0;

beforeAll(async () => {
  globalThis.Worker = class extends PlainWorker {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(url, options);
      living += 1;
      mostWorkers = Math.max(mostWorkers, living);
    }

    override terminate(): void {
      living -= 1;
      super.terminate();
    }
  };
  host = await createBrowserHost({
    workspace: `bad-tools-${crypto.randomUUID()}`,
    driver: 'memory',
    toolWorkers: 2,
    assets: { wasm: wasmUrl, toolWorker },
  });
});

afterAll(async () => {
  await host.destroy();
  globalThis.Worker = PlainWorker;
});

beforeEach(() => host.workspace.fs.writeFile('/a.txt', 'as it was'));

function start(toolName: string, input: Record<string, string> = {}, isStateless = false) {
  return host.executor.start(
    {
      callId: crypto.randomUUID(),
      toolName,
      input,
      sessionId: 'session-1',
      address: { root: 'main', minSeq: host.workspace.seq() },
      access: { cwd: '/', roots: ['/'], readOnlyRoots: [], rules: [], write: 'deny' },
      cwd: '/',
      limits: { timeoutMs: 5000, maxFileBytes: 1e6, maxOutputChars: 1e6, maxMemoryBytes: 1e6 },
      knownVersions: [],
      ...(isStateless && { isStateless: true }),
    },
    () => {},
  );
}

const run = (toolName: string, input?: Record<string, string>): Promise<WorkReply> =>
  start(toolName, input).reply;

describe('a tool in a worker', () => {
  it.each(['Function', 'ProgressFunction'])(
    'fails with the reason where it gives what cannot be cloned: %s',
    async (toolName) => {
      expect(await run(toolName)).toMatchObject({
        type: 'failed',
        error: { message: expect.stringMatching(/can ?not be cloned|could not be cloned/u) },
      });
      expect(await run('Echo', { a: 'b' })).toMatchObject({ type: 'done', output: { a: 'b' } });
    },
  );

  it('takes nothing from others that detaches the bytes that it was given', async () => {
    expect(await run('Detach', { path: '/a.txt' })).toMatchObject({ type: 'done', output: 0 });
    expect(await run('ReadFile', { path: '/a.txt' })).toMatchObject({ output: 'as it was' });
    expect(await host.workspace.fs.readFile('/a.txt', 'utf8')).toBe('as it was');
  });

  it('has saved its state as it was when it gave it, whatever becomes of the bytes', async () => {
    // Each tool has a state of its own, so it is the same one that is asked.
    expect(await run('DetachState')).toMatchObject({ type: 'done', output: null });
    expect(await run('DetachState')).toMatchObject({ type: 'done', output: 5 });
  });

  it('does no harm with what it posts past its port', async () => {
    expect(await run('Post')).toMatchObject({ type: 'done', output: 'posted' });
    expect(await run('Echo', { a: 'b' })).toMatchObject({ type: 'done' });
  });

  it('is ended with its worker where it speaks out of protocol on the calls port, and runs twice at most', async () => {
    expect(await run('Garbage')).toMatchObject({
      type: 'lost',
      message: expect.stringMatching(/isn't part of the protocol.*It ended a second worker/u),
    });
    expect(await run('Echo', { a: 'b' })).toMatchObject({ type: 'done' });
    expect(await host.workspace.fs.readFile('/a.txt', 'utf8')).toBe('as it was');
  });

  it('that never settles is cut, and its worker replaced', async () => {
    const never = start('Never');
    never.interrupt('Enough.');
    never.kill('Enough.');
    expect(await never.reply).toEqual({ type: 'lost', message: 'Enough.' });
    expect(await run('Echo', { a: 'b' })).toMatchObject({ type: 'done' });
  });

  it('answers each of 10 000 calls of one moment, in two workers', async () => {
    const calls = Array.from({ length: 10_000 }, (_, at) => start('Echo', { at: `${at}` }, true));
    const replies = await Promise.all(calls.map(({ reply }) => reply));
    expect(replies.map((reply) => reply.type === 'done' && reply.output)).toEqual(
      calls.map((_, at) => ({ at: `${at}` })),
    );
    // The FS worker, two tool workers and the spare.
    expect(mostWorkers).toBeLessThanOrEqual(4);
  });
});
