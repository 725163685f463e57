// The page's end of the MCP worker, over a worker that stops to hear in the middle of a call.
import mcpWorkerUrl from '../../../src/hosts/browser/mcp-worker/mcp.worker.ts?worker&url';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/core/async/system-clock.ts';
import { createMcpWorkerClient } from '../../../src/hosts/browser/page/mcp-worker-client.ts';
import { startWorker } from '../../../src/hosts/browser/pool/start-worker.ts';
import { readTaskId } from '../../../src/mcp/client/connection.ts';
import type { Connection } from '../../../src/mcp/client/connection.ts';
import { toListeners } from '../../support/mcp/mcp-listeners.ts';

/** Pings twice as often; deadlines stay, as a worker takes its time to load. More often no slow machine would hear one. */
const hurried = {
  now: () => Date.now(),
  after(delayMs: number, callback: () => void) {
    const timer = setTimeout(callback, delayMs > 1_000 ? delayMs : delayMs / 2);
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};

/** The MCP worker, but that a call of `spin` never gives the thread back. */
function toSpinning(worker: string): string {
  const code = `
    const inner = new Worker(${JSON.stringify(new URL(worker, location.href).href)}, { type: 'module' });
    inner.onmessage = ({ data }) => self.postMessage(data);
    self.onmessage = ({ data }) => {
      if (data.toolName === 'spin') for (;;);
      inner.postMessage(data);
    };`;
  const url = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
  onTestFinished(() => URL.revokeObjectURL(url));
  return url;
}

it('is ended and replaced when it hangs: every call has an answer, and servers can come back', async () => {
  let started = 0;
  const url = toSpinning(mcpWorkerUrl);
  const client = createMcpWorkerClient(() => {
    started += 1;
    return startWorker({ asset: 'mcpWorker', create: () => new Worker(url) });
  }, hurried);
  onTestFinished(() => client[Symbol.dispose]());
  const server = await (await fetch('/mcp-server')).text();
  const lost: string[] = [];
  const { signal } = new AbortController();
  const connect = (name: string): Promise<Connection> => {
    const listeners = toListeners({ onLost: () => void lost.push(name) });
    return client.connect({ type: 'http', url: server }, listeners, signal);
  };
  const options = { signal, onProgress: () => undefined };
  const [one, two] = await Promise.all([connect('one'), connect('two')]);
  expect(started).toBe(1);
  const open = two.call('slow', {}, options);
  const hung = one.call('spin', {}, options);
  const said = 'did not answer in time and was ended';
  await Promise.all([expect(hung).rejects.toThrow(said), expect(open).rejects.toThrow(said)]);
  expect(lost.toSorted()).toEqual(['one', 'two']);
  await expect(two.call('echo', { text: 'On.' }, options)).rejects.toThrow(said);
  const again = await connect('two');
  expect(started).toBe(2);
  expect(await again.call('echo', { text: 'On.' }, options)).toMatchObject({
    content: [{ text: 'On.' }],
  });
});

it('follows a task by which a server answers, to its result', async () => {
  const client = createMcpWorkerClient(
    () =>
      startWorker({
        asset: 'mcpWorker',
        create: () => new Worker(mcpWorkerUrl, { type: 'module' }),
      }),
    systemClock,
  );
  onTestFinished(() => client[Symbol.dispose]());
  const url = await (await fetch('/mcp-server/tasks')).text();
  const options = { signal: new AbortController().signal, onProgress: () => undefined };
  const connection = await client.connect({ type: 'http', url }, toListeners(), options.signal);
  expect(connection.offer.answersByTasks).toBe(true);
  const taskId = readTaskId(await connection.call('measure', {}, options)) ?? 'none';
  expect(await connection.follow(taskId, options)).toMatchObject({ content: [{ text: '12 m.' }] });
});
