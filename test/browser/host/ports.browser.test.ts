// What the FS worker's ports accept, and the page's clock: each end joined to the other by a
// MessageChannel in one window.
import { describe, expect, it } from 'vitest';
import { createFsWorkerClient } from '../../../src/hosts/browser/page/fs-worker-client.ts';
import { followFeed } from '../../../src/hosts/browser/tool-worker/follow-feed.ts';
import { serveSubscriber } from '../../../src/hosts/browser/fs-worker/serve-subscriber.ts';
import { serveWorkspace } from '../../../src/hosts/browser/fs-worker/serve-workspace.ts';
import { createWorkerClock } from '../../../src/hosts/browser/page/worker-clock.ts';
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';
import type { LogMedium } from '../../../src/workspace/log/log-medium.ts';
import { FeedPacker } from '../../../src/workspace/feed/feed-packer.ts';
import { packForTab } from '../../../src/workspace/feed/serve-feed.ts';
import { createWriterWorkspace } from '../../../src/workspace/commit/writer-workspace.ts';
import { createStoredMedium } from '../../support/storage/stored-medium.ts';
import { openAccess } from '../../support/files/workspaces.ts';
import { openWorkspaceWriter } from '../../../src/workspace/commit/writer.ts';

async function openWorkspace(medium: LogMedium = createMemoryMedium()) {
  const writer = await openWorkspaceWriter(medium, { name: 'test' });
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

/** Three of them are worth a segment of their own, which others can read. */
const text = 'x'.repeat(500_000);

const whenClosed = (port: MessagePort) =>
  new Promise<void>((resolve) => {
    port.close = () => {
      MessagePort.prototype.close.call(port);
      resolve();
    };
  });

const request = (id: number, body: unknown) => ({ type: 'request', id, request: body });
const call = (operation: string, ...parameters: unknown[]) => ({
  type: 'fs',
  root: 'main',
  operation,
  parameters,
});

describe('serveWorkspace', () => {
  it('refuses what it does not know, changes nothing, and goes on', async () => {
    const { writer, workspace } = await openWorkspace();
    const { port1, port2 } = new MessageChannel();
    serveWorkspace(port2, {
      workspace,
      writer,
      nextOrigin: () => undefined,
      isLeading: () => true,
    });
    const receive = collect(port1);
    const hash = await workspace.treeHash();

    port1.postMessage({ type: 'CONSTRUCT', path: ['constructor', 'constructor'] });
    port1.postMessage(request(1, call('constructor', 'return 1')));
    port1.postMessage(request(2, call('__proto__')));
    port1.postMessage(request(3, { type: 'commit', changeSet: {}, options: {} }));
    port1.postMessage(request(4, call('writeFile', '/a', { toString: 'evil' })));
    port1.postMessage(request(5, { type: 'shell', command: 'rm' }));
    const answers = (await receive(6)) as { id?: number }[];
    expect(answers.toSorted((one, other) => (one.id ?? 0) - (other.id ?? 0))).toMatchObject([
      { type: 'refused', reason: 'The FS worker knows no message of the type "CONSTRUCT".' },
      { type: 'failed', id: 1 },
      { type: 'failed', id: 2 },
      { type: 'failed', id: 3 },
      { type: 'failed', id: 4, error: { message: 'fs.writeFile takes (text, data, options).' } },
      { type: 'failed', id: 5, error: { code: 'invalid-input' } },
    ]);
    expect(await workspace.treeHash()).toBe(hash);
    port1.postMessage(request(6, call('readdir', '/')));
    expect((await receive(7)).at(-1)).toEqual({ type: 'reply', id: 6, value: [] });
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

  it('reads parts of stored files, and says so where it can not', async () => {
    const { writer, workspace } = await openWorkspace(createStoredMedium());
    for (const name of ['a', 'b', 'c']) await workspace.fs.writeFile(`/${name}`, text);
    const { port1, port2 } = new MessageChannel();
    serveSubscriber(writer, new FeedPacker(writer, packForTab), port2);
    const receive = collect(port1);
    port1.postMessage({ type: 'subscribe' });
    const [snapshot] = (await receive(1)) as { segments: { file: string; data: Blob }[] }[];
    const { file = '', data = new Blob() } = snapshot?.segments[0] ?? {};
    const read = (id: number, part: unknown) =>
      port1.postMessage({ type: 'read-stored', id, part });
    read(1, { file, from: 1000, to: 1010 });
    read(2, { file: 'segment-of-nobody', from: 0, to: 10 });
    read(3, { file, from: 0, to: data.size + 1 });
    expect((await receive(4)).slice(1)).toEqual([
      { type: 'stored', id: 1, bytes: new Uint8Array(10).fill(120) },
      { type: 'stored', id: 2, bytes: undefined },
      { type: 'stored', id: 3, bytes: undefined },
    ]);
  });

  it.each([
    { id: 1 },
    { id: 1, part: { file: 7, from: 0, to: 1 } },
    { id: 1, part: { file: 'a', from: -1, to: 1 } },
    { id: 1, part: { file: 'a', from: 2, to: 1 } },
    { id: 1, part: { file: 'a', from: 0, to: 2 ** 60 } },
    { part: { file: 'a', from: 0, to: 1 } },
  ])('is deaf to a worker that asks to read %j', async (fields) => {
    const { writer } = await openWorkspace();
    const { port1, port2 } = new MessageChannel();
    serveSubscriber(writer, new FeedPacker(writer, packForTab), port2);
    const closed = whenClosed(port2);
    port1.postMessage({ type: 'read-stored', ...fields });
    await closed;
  });

  it('is deaf to a worker that tries to write through it', async () => {
    const { writer, workspace } = await openWorkspace();
    const { port1, port2 } = new MessageChannel();
    serveSubscriber(writer, new FeedPacker(writer, packForTab), port2);
    const receive = collect(port1);
    port1.postMessage({ type: 'subscribe' });
    await receive(1);
    const hash = await workspace.treeHash();
    const closed = whenClosed(port2);
    port1.postMessage(request(1, call('writeFile', '/a.txt', 'x')));
    await closed;
    expect(await workspace.treeHash()).toBe(hash);
    await workspace.fs.writeFile('/b.txt', 'x');
    expect(await receive(1)).toHaveLength(1);
  });
});

describe('followFeed', () => {
  it('reads the Blob itself when the FS worker that it asked was replaced', async () => {
    const { writer, workspace } = await openWorkspace(createStoredMedium());
    for (const name of ['a', 'b', 'c']) await workspace.fs.writeFile(`/${name}`, text);
    const serve = (port: MessagePort) =>
      serveSubscriber(writer, new FeedPacker(writer, packForTab), port);
    const first = new MessageChannel();
    // It never answers what it is asked to read.
    const asked = new Promise<void>((resolve) => {
      writer.contents.readStored = () => {
        resolve();
        return new Promise(() => {});
      };
    });
    serve(first.port1);
    const { replica, follow } = followFeed(first.port2);
    const { fs } = await replica.openView({ root: 'main', minSeq: 1 }, openAccess('/'));
    const reading = fs.readFile('/b', 'utf8');
    await asked;
    const second = new MessageChannel();
    serve(second.port1);
    follow(second.port2);
    expect(await reading).toBe(text);
  });
});

describe('createFsWorkerClient', () => {
  it('rejects all that is open, and all that follows, when the worker is lost', async () => {
    const { port1 } = new MessageChannel();
    const port = createFsWorkerClient();
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
