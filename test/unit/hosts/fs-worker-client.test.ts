// The page's end of the port to the FS worker, over one worker after the other. What is open when
// one ends is done once, by the next one, or says why it isn't.
import { describe, expect, it } from 'vitest';
import { SdkError, toSerializedError } from '../../../src/core/errors.ts';
import { createFsWorkerClient } from '../../../src/hosts/browser/page/fs-worker-client.ts';
import { catchSurfaced } from '../../support/catch-surfaced.ts';
import type { Posted } from '../../../src/hosts/browser/wire/outbox.ts';
import type {
  FromFsWorker,
  FsRequest,
  ImportProgress,
  ToFsWorker,
} from '../../../src/hosts/browser/wire/protocol.ts';

const isWorkerd = navigator.userAgent === 'Cloudflare-Workers';

const info: FsRequest = { type: 'info' };
const append: FsRequest = {
  type: 'fs',
  operation: 'appendFile',
  parameters: ['/a', 'x'],
  root: 'main',
};
const branch: FsRequest = { type: 'roots', operation: 'branch', parameters: [] };
const change = { baseSeq: 0, changes: [] };
const commit: FsRequest = {
  type: 'commit',
  changeSet: change,
  options: { author: { kind: 'user' } },
};
const load: FsRequest = {
  type: 'import',
  source: { kind: 'entries', entries: [] },
  settings: { directory: '/', exclude: [] },
};
const origin = { client: 'first', number: 7 };

/** A port, and workers that the test plays, each with what it was sent. */
function openPort() {
  const port = createFsWorkerClient();
  return {
    port,
    connect(applied?: Parameters<typeof port.connect>[1], seq?: number) {
      const { port1, port2 } = new MessageChannel();
      const sent: ToFsWorker[] = [];
      let wake = () => {};
      port2.addEventListener('message', ({ data }: MessageEvent<Posted<ToFsWorker>>) => {
        sent.push(...[data].flat());
        wake();
      });
      port2.start();
      port.connect(port1, applied, seq);
      return {
        say: (message: FromFsWorker) => port2.postMessage(message),
        /** What the first messages are about, once so many have come. */
        async hear(count: number): Promise<unknown[]> {
          while (sent.length < count) await new Promise<void>((resolve) => void (wake = resolve));
          return sent.map((message) =>
            message.type === 'cancel' ? `cancel ${message.id}` : message.request,
          );
        },
        end() {
          port.disconnect();
          port2.close();
        },
      };
    },
  };
}

/** Resolves once the port has taken all that the worker said before. */
async function settled(
  { port }: ReturnType<typeof openPort>,
  worker: { say(message: FromFsWorker): void },
): Promise<void> {
  const heard = new Promise<void>((resolve) => {
    const listening = port.onChange(() => {
      listening[Symbol.dispose]();
      resolve();
    });
  });
  const event = { seq: 1, root: 'main', author: { kind: 'user' }, changes: [] } as const;
  worker.say({ type: 'change', event });
  await heard;
}

const lost = (message: string) => ({ code: 'worker-lost', message });

describe('the port to the FS worker', () => {
  it('keeps what is asked for while there is no worker, and what one left unanswered', async () => {
    const opened = openPort();
    const early = opened.port.request(info);
    const first = opened.connect();
    expect(await first.hear(1)).toEqual([info]);
    first.end();
    const late = opened.port.request(append);
    const second = opened.connect();
    expect(await second.hear(2)).toEqual([info, append]);
    second.say({ type: 'reply', id: 2, value: 'late' });
    second.say({ type: 'reply', id: 1, value: 'early' });
    expect(await Promise.all([early, late])).toEqual(['early', 'late']);
  });

  it('answers what was applied without an answer by what it results in, and does it no more', async () => {
    const opened = openPort();
    const appending = opened.port.request(append);
    const committing = opened.port.request(commit);
    const refused = opened.port.request(append);
    const making = opened.port.request(branch);
    const first = opened.connect();
    for (const id of [1, 2, 3, 4]) {
      first.say({ type: 'committing', id, origin: { ...origin, number: id }, value: `done ${id}` });
    }
    await settled(opened, first);
    expect(opened.port.unanswered()).toEqual(
      [1, 2, 3, 4].map((id) => ({ id, origin: { ...origin, number: id } })),
    );
    first.end();
    const second = opened.connect([
      [1, 11],
      [2, 12],
      [4, 14],
    ]);
    expect(await appending).toBe('done 1');
    expect(await committing).toEqual({ seq: 12 });
    // What was made has an id that only the worker knew.
    await expect(making).rejects.toMatchObject(
      lost(
        'The FS worker ended before it could answer. What was asked for is done; look at roots.list() or history.list().',
      ),
    );
    // It wasn't in the log: it is asked for anew, and so is nothing else.
    expect(await second.hear(1)).toEqual([append]);
    expect(opened.port.unanswered()).toEqual([]);
    second.say({ type: 'reply', id: 3, value: null });
    expect(await refused).toBe(null);
  });

  // workerd moves no buffers over a port; in a page they do.
  it.skipIf(isWorkerd)(
    'sends bytes that move once: by a worker that ended they are committed, or it says so',
    async () => {
      const opened = openPort();
      const packed = [new Uint8Array([1]), new Uint8Array([2])];
      const [done, cut] = packed.map((changeSet) =>
        opened.port.request({ ...commit, changeSet }, { transfer: [changeSet.buffer] }),
      );
      const first = opened.connect();
      const sent = packed.map((bytes) => ({ ...commit, changeSet: bytes.slice() }));
      expect(await first.hear(2)).toEqual(sent);
      expect(packed.map(({ byteLength }) => byteLength)).toEqual([0, 0]);
      first.say({ type: 'committing', id: 1, origin, value: null });
      await settled(opened, first);
      first.end();
      opened.connect([[1, 11]]);
      expect(await done).toEqual({ seq: 11 });
      await expect(cut).rejects.toMatchObject(
        lost(
          'The FS worker ended before it had committed what the command changed. Nothing of it is there; run it again.',
        ),
      );
    },
  );

  it('knows of what was applied without an answer by the time that it answers', async () => {
    const opened = openPort();
    const appending = opened.port.request(append);
    const first = opened.connect([], 10);
    first.say({ type: 'committing', id: 1, origin, value: null });
    await settled(opened, first);
    first.end();
    expect(opened.port.seq).toBe(10);
    // A call that is started now must see what was appended, and nobody has told of the record.
    opened.connect([[1, 11]], 11);
    await appending;
    expect(opened.port.seq).toBe(11);
  });

  it('gives a request up that five workers have ended over, and goes on', async () => {
    const opened = openPort();
    const deadly = opened.port.request(append);
    for (let sends = 1; sends <= 5; sends += 1) {
      const worker = opened.connect();
      expect(await worker.hear(1)).toEqual([append]);
      worker.end();
    }
    const next = opened.connect();
    await expect(deadly).rejects.toMatchObject(
      lost('The FS worker ended 5 times while it was at this request, which is not tried again.'),
    );
    const asked = opened.port.request(info);
    expect(await next.hear(1)).toEqual([info]);
    next.say({ type: 'reply', id: 2, value: 'there' });
    expect(await asked).toBe('there');
  });

  it('does not do an import again that was cut in the middle', async () => {
    const opened = openPort();
    const told: ImportProgress[] = [];
    const importing = opened.port.request(load, { onProgress: (progress) => told.push(progress) });
    const first = opened.connect();
    await first.hear(1);
    const progress = { files: 1, bytes: 2, excluded: 3 };
    first.say({ type: 'progress', id: 1, progress });
    await settled(opened, first);
    first.end();
    const second = opened.connect();
    await expect(importing).rejects.toMatchObject({ code: 'worker-lost' });
    void opened.port.request(info);
    expect(await second.hear(1)).toEqual([info]);
    expect(told).toEqual([progress]);
  });

  it.each([load, { type: 'tick', delayMs: 10 } as const])(
    'stops what is aborted, whether there is a worker or not: %o',
    async (request) => {
      const opened = openPort();
      const controllers = [new AbortController(), new AbortController(), new AbortController()];
      const [unsent, cut, asked] = controllers.map(({ signal }) =>
        opened.port.request(request, { signal }),
      );
      const aborted = { code: 'aborted' };
      // Before any worker has it.
      controllers[0]?.abort();
      await expect(unsent).rejects.toMatchObject(aborted);
      const first = opened.connect();
      expect(await first.hear(2)).toEqual([request, request]);
      // The worker is asked to stop, and ends over it.
      controllers[1]?.abort();
      expect(await first.hear(3)).toEqual([request, request, 'cancel 2']);
      first.end();
      // While there is none.
      controllers[2]?.abort();
      await expect(asked).rejects.toMatchObject(aborted);
      const second = opened.connect();
      await expect(cut).rejects.toMatchObject(aborted);
      void opened.port.request(info);
      expect(await second.hear(1)).toEqual([info]);
    },
  );

  it('goes on where a listener to the progress of an import throws', async () => {
    const uncaught = catchSurfaced();
    const { port, connect } = openPort();
    const worker = connect();
    const mistake = new Error('A mistake of the page.');
    const loaded = port.request(load, {
      onProgress() {
        throw mistake;
      },
    });
    await worker.hear(1);
    worker.say({ type: 'progress', id: 1, progress: { files: 1, bytes: 1, excluded: 0 } });
    worker.say({ type: 'reply', id: 1, value: { files: 1, bytes: 1, excluded: 0 } });
    expect(await loaded).toEqual({ files: 1, bytes: 1, excluded: 0 });
    expect(uncaught).toEqual([mistake]);
    port[Symbol.dispose]();
  });

  it('knows whether the worker of now has answered anything', async () => {
    const opened = openPort();
    const first = opened.connect();
    expect(opened.port.hasAnswered).toBe(false);
    const failing = opened.port.request(info);
    const error = toSerializedError(new SdkError('EIO', 'No.'));
    first.say({ type: 'failed', id: 1, error });
    await expect(failing).rejects.toMatchObject({ code: 'EIO' });
    first.end();
    expect(opened.port.hasAnswered).toBe(true);
    opened.connect();
    expect(opened.port.hasAnswered).toBe(false);
  });

  it('is deaf to a worker that has a successor', async () => {
    const opened = openPort();
    const { port1, port2 } = new MessageChannel();
    opened.port.connect(port1);
    const asked = opened.port.request(info);
    const next = opened.connect();
    port1.dispatchEvent(
      new MessageEvent('message', { data: { type: 'reply', id: 1, value: 'of the first' } }),
    );
    next.say({ type: 'reply', id: 1, value: 'of the next' });
    expect(await asked).toBe('of the next');
    port2.close();
  });

  it('fails what cannot be cloned, at once or when a worker comes, and nothing else', async () => {
    const opened = openPort();
    const unsendable = { ...append, parameters: ['/a', () => {}] };
    const early = opened.port.request(unsendable);
    const other = opened.port.request(info);
    const first = opened.connect();
    await expect(early).rejects.toMatchObject({ name: 'DataCloneError' });
    await expect(opened.port.request(unsendable)).rejects.toMatchObject({ name: 'DataCloneError' });
    first.say({ type: 'reply', id: 2, value: 'there' });
    expect(await other).toBe('there');
  });

  it('asks in one message for what is asked for in one task, in order', async () => {
    const opened = openPort();
    const { port1, port2 } = new MessageChannel();
    opened.port.connect(port1);
    const posted = new Promise((resolve) => {
      port2.onmessage = ({ data }: MessageEvent<unknown>) => resolve(data);
    });
    const controller = new AbortController();
    const asked = [
      opened.port.request(info),
      opened.port.request(load, { signal: controller.signal }),
      opened.port.request(append),
    ];
    controller.abort();
    expect(await posted).toEqual([
      { type: 'request', id: 1, request: info },
      { type: 'request', id: 2, request: load },
      { type: 'request', id: 3, request: append },
      { type: 'cancel', id: 2 },
    ]);
    // And what is answered in one message, each hears.
    port2.postMessage([3, 2, 1].map((id) => ({ type: 'reply', id, value: `answer ${id}` })));
    expect(await Promise.all(asked)).toEqual(['answer 1', 'answer 2', 'answer 3']);
    port2.close();
  });

  it('hears nothing more of a message once it was closed by a part of it', async () => {
    const opened = openPort();
    const { port1, port2 } = new MessageChannel();
    opened.port.connect(port1);
    const heard: number[] = [];
    opened.port.onChange(({ seq }) => {
      heard.push(seq);
      opened.port[Symbol.dispose]();
    });
    const open = opened.port.request(info);
    const event = { root: 'main', author: { kind: 'user' }, changes: [] };
    port2.postMessage([1, 2].map((seq) => ({ type: 'change', event: { ...event, seq } })));
    await expect(open).rejects.toMatchObject({ code: 'bad-usage' });
    expect(heard).toEqual([1]);
    port2.close();
  });

  it('forgets what throws as it is looked at, and asks the next worker for the rest', async () => {
    const opened = openPort();
    const first = opened.connect();
    const changeSet = {
      ...change,
      get changes(): never {
        throw new RangeError('no changes');
      },
    };
    await expect(opened.port.request({ ...commit, changeSet })).rejects.toThrow('no changes');
    first.end();
    void opened.port.request(info);
    expect(await opened.connect().hear(1)).toEqual([info]);
  });

  it('forgets the signal of what could not be cloned', async () => {
    const opened = openPort();
    const first = opened.connect();
    const controller = new AbortController();
    const unsendable = { ...append, parameters: ['/a', () => {}] };
    const cut = opened.port.request(unsendable, { signal: controller.signal });
    await expect(cut).rejects.toMatchObject({ name: 'DataCloneError' });
    controller.abort();
    void opened.port.request(info);
    expect(await first.hear(1)).toEqual([info]);
  });
});
