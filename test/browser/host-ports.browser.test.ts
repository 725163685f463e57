// What the FS worker's ports accept, and the page's clock: each end joined to the other by a
// MessageChannel in one window.
import { describe, expect, it } from 'vitest';
import { createFsWorkerPort } from '../../src/hosts/browser/fs-worker-port.ts';
import { serveSubscriber } from '../../src/hosts/browser/serve-subscriber.ts';
import { serveWorkspace } from '../../src/hosts/browser/serve-workspace.ts';
import { createWorkerClock } from '../../src/hosts/browser/worker-clock.ts';
import { createMemoryMedium } from '../../src/workspace/drivers/memory.ts';
import { FeedPacker } from '../../src/workspace/feed-packer.ts';
import { packForTab } from '../../src/workspace/serve-feed.ts';
import { createWriterWorkspace } from '../../src/workspace/writer-workspace.ts';
import { openWorkspaceWriter } from '../../src/workspace/writer.ts';

async function openWorkspace() {
  const writer = await openWorkspaceWriter(createMemoryMedium(), { name: 'test' });
  return { writer, workspace: createWriterWorkspace(writer) };
}

/** The port's messages, awaited by number. */
function collect(port: MessagePort) {
  const received: unknown[] = [];
  let wake = () => {};
  port.onmessage = (event) => {
    received.push(event.data);
    wake();
  };
  return async (count: number): Promise<unknown[]> => {
    while (received.length < count) await new Promise<void>((resolve) => void (wake = resolve));
    return received;
  };
}

const request = (id: number, body: unknown) => ({ type: 'request', id, request: body });
const call = (operation: string, ...parameters: unknown[]) => ({
  type: 'fs',
  operation,
  parameters,
});

describe('serveWorkspace', () => {
  it('refuses foreign messages, changes nothing, and goes on', async () => {
    const { writer, workspace } = await openWorkspace();
    const { port1, port2 } = new MessageChannel();
    serveWorkspace(port2, { workspace, writer, nextOrigin: () => undefined });
    const receive = collect(port1);
    const hash = await workspace.treeHash();

    port1.postMessage('hello');
    port1.postMessage({ type: 'CONSTRUCT', path: ['constructor', 'constructor'] });
    port1.postMessage(request(1, call('constructor', 'return 1')));
    port1.postMessage(request(2, call('__proto__')));
    port1.postMessage(request(3, { type: 'commit', changeSet: {}, options: {} }));
    port1.postMessage(request(4, call('writeFile', '/a', { toString: 'evil' })));
    port1.postMessage(request(5, { type: 'shell', command: 'rm' }));
    expect(await receive(7)).toMatchObject([
      { type: 'refused', reason: expect.stringContaining('a message that is no object') },
      { type: 'refused', reason: expect.stringContaining('a message without a number') },
      { type: 'failed', id: 1, error: { code: 'invalid-input' } },
      { type: 'failed', id: 2, error: { code: 'invalid-input' } },
      { type: 'failed', id: 3, error: { code: 'invalid-input' } },
      { type: 'failed', id: 4, error: { message: 'fs.writeFile takes (text, data, options).' } },
      { type: 'failed', id: 5, error: { code: 'invalid-input' } },
    ]);
    expect(await workspace.treeHash()).toBe(hash);
    port1.postMessage(request(6, call('readdir', '/')));
    expect((await receive(8)).at(-1)).toEqual({ type: 'reply', id: 6, value: [] });
  });
});

describe('serveSubscriber', () => {
  it('sends a snapshot and then each record', async () => {
    const { writer, workspace } = await openWorkspace();
    const { port1, port2 } = new MessageChannel();
    serveSubscriber(writer, new FeedPacker(writer, packForTab), port2);
    const receive = collect(port1);
    port1.postMessage({ type: 'subscribe' });
    await receive(1);
    await workspace.fs.writeFile('/a.txt', 'x');
    expect(await receive(2)).toMatchObject([
      { type: 'snapshot', state: { seq: 0 } },
      { type: 'record', record: { seq: 1, changes: [{ type: 'write', path: '/a.txt' }] } },
    ]);
  });

  it('is deaf to a worker that tries to write through it', async () => {
    const { writer, workspace } = await openWorkspace();
    const { port1, port2 } = new MessageChannel();
    serveSubscriber(writer, new FeedPacker(writer, packForTab), port2);
    const receive = collect(port1);
    port1.postMessage({ type: 'subscribe' });
    await receive(1);
    const hash = await workspace.treeHash();
    const closed = new Promise<void>((resolve) => {
      port2.close = () => {
        MessagePort.prototype.close.call(port2);
        resolve();
      };
    });
    port1.postMessage(request(1, call('writeFile', '/a.txt', 'x')));
    await closed;
    expect(await workspace.treeHash()).toBe(hash);
    await workspace.fs.writeFile('/b.txt', 'x');
    expect(await receive(1)).toHaveLength(1);
  });
});

describe('createFsWorkerPort', () => {
  it('rejects all that is open, and all that follows, when the worker is lost', async () => {
    const { port1 } = new MessageChannel();
    const port = createFsWorkerPort();
    port.connect(port1);
    const open = port.request({ type: 'info' });
    // The other end is of another version: it understands nothing.
    port1.dispatchEvent(new MessageEvent('message', { data: { type: 'refused', reason: 'No.' } }));
    await expect(open).rejects.toMatchObject({
      code: 'worker-lost',
      message: 'No. Is assets.fsWorker of the same version as the page?',
    });
    await expect(port.request({ type: 'info' })).rejects.toMatchObject({ code: 'worker-lost' });
  });
});

describe('createWorkerClock', () => {
  it("fires by the worker's tick where the page's own timer is late", async () => {
    const clock = createWorkerClock({ request: () => Promise.resolve(null) });
    // A minute by the page's timer: were it that which fires, the test would run out of time.
    await new Promise<void>((resolve) => clock.after(60_000, resolve));
  });

  it("fires by the page's own timer where there is no worker, and not when disposed", async () => {
    const order: string[] = [];
    const clock = createWorkerClock({ request: () => Promise.reject(new Error('gone')) });
    const stopped = clock.after(1, () => order.push('stopped'));
    stopped[Symbol.dispose]();
    await new Promise<void>((resolve) => clock.after(5, () => (order.push('fired'), resolve())));
    expect(order).toEqual(['fired']);
  });
});
