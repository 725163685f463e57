// What a tool worker's calls load before they begin, and that the worker tells nobody meanwhile that
// its calls wait.
import { loadQuickjsWasm } from '#quickjs-wasm';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { WorkRequest } from '../../../src/core/tool/ports.ts';
import { splitRequest } from '../../../src/hosts/browser/wire/call-wire.ts';
import { OpenLoads } from '../../../src/hosts/browser/tool-worker/open-loads.ts';
import { serveCalls } from '../../../src/hosts/browser/tool-worker/serve-calls.ts';
import { SearchService } from '../../../src/search/search-service.ts';
import { whenThreadIsFree } from '../../../src/hosts/browser/tool-worker/thread-free.ts';
import { createVirtualClock } from '../../../src/hosts/inline/virtual-clock.ts';
import type { HostRealm, WorkerTool } from '../../../src/hosts/run-handler.ts';
import { nextTask } from '../../../src/core/next-task.ts';
import { requestOf } from '../../support/work-request.ts';

/** A promise that the test ends. */
function createGate<Value>() {
  let resolve!: (value: Value) => void;
  let reject!: (reason: Error) => void;
  const promise = new Promise<Value>((...ends) => void ([resolve, reject] = ends));
  return { promise, resolve, reject };
}

describe('OpenLoads', () => {
  it('is done when all have ended, one that failed too, and stops its clock', async () => {
    const clock = createVirtualClock();
    const loads = new OpenLoads(clock);
    const one = createGate<string>();
    const other = createGate<string>();
    const given = [loads.note(one.promise), loads.note(other.promise)];
    const ends: string[] = [];
    const done = loads.whenDone().then(() => void ends.push('done'));
    ends.push('one');
    one.resolve('code');
    await nextTask();
    ends.push('other');
    other.reject(new Error('no network'));
    await done;
    expect(ends).toEqual(['one', 'other', 'done']);
    expect(await Promise.allSettled(given)).toMatchObject([
      { value: 'code' },
      { status: 'rejected' },
    ]);
    expect(clock.pending()).toBe(0);
  });

  it('waits a second and no longer for what never ends', async () => {
    const clock = createVirtualClock();
    const loads = new OpenLoads(clock);
    void loads.note(new Promise(() => {}));
    const done = loads.whenDone();
    clock.advance(1000);
    await expect(done).resolves.toBeUndefined();
    // Nor again, when it is asked once more.
    await loads.whenDone();
    expect(clock.pending()).toBe(0);
  });
});

describe('serveCalls', () => {
  it('says that its calls wait only when they have begun, and what they compute with is there', async () => {
    const code = createGate<void>();
    const engine = createGate<WebAssembly.Module>();
    const tool: WorkerTool = {
      inputSchema: z.strictObject({}),
      handler: async (_input, { progress, realm }) => {
        progress('begun');
        await realm.loadWasm();
        progress('loaded');
        await new Promise(() => {});
      },
    };
    const { port1, port2 } = new MessageChannel();
    const heard: unknown[] = [];
    const isFree = createGate<void>();
    port1.onmessage = ({ data }) => {
      heard.push(data.progress ?? data.type);
      if (data.type === 'free') isFree.resolve();
    };
    using _served = serveCalls(port2, {
      entries: [{ name: 'Echo', load: () => code.promise.then(() => tool) }],
      views: { openView: async () => ({ fs: {}, seq: 0 }) as never },
      realm: { loadWasm: () => engine.promise } as HostRealm,
      search: new SearchService(),
    });
    const { settings, own } = splitRequest(requestOf('Echo') as WorkRequest);
    port1.postMessage({ type: 'settings', settings });
    port1.postMessage({ type: 'start', id: 1, request: own });
    port1.postMessage({ type: 'ask-free' });
    // As long as it would take it to find its thread free, and some more.
    const passTime = async () => {
      await nextTask();
      await whenThreadIsFree();
      await nextTask();
    };
    await passTime();
    code.resolve();
    await passTime();
    engine.resolve(await loadQuickjsWasm());
    await isFree.promise;
    expect(heard).toEqual(['begun', 'loaded', 'free']);
    port1.close();
  });
});
