// How the page keeps an FS worker: workers that the test plays open the workspace, or don't, and end.
import { expose, transfer, type Endpoint } from 'comlink';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { SdkError, toSerializedError } from '../../../src/core/errors.ts';
import { createDeferred } from '../../../src/core/async/deferred.ts';
import { createFsWorker } from '../../../src/hosts/browser/page/fs-worker-supervisor.ts';
import type {
  FsWorkerControl,
  FsWorkerSetup,
  ControlResult,
  ToFsWorker,
} from '../../../src/hosts/browser/wire/protocol.ts';
import type { StartedWorker } from '../../../src/hosts/browser/pool/start-worker.ts';

const done: ControlResult<null> = { ok: true, value: null };
const broken = new SdkError('EIO', 'The disk is broken.');
const gone = new SdkError('worker-lost', 'It fell over.');

const facts = {
  info: {
    driver: 'opfs-log',
    name: 'played',
    seq: 0,
    isPersistent: true,
    logBytes: 0,
    droppedBytes: 0,
    lostFiles: [],
  },
  applied: [],
} as const;

/** What one worker does that isn't like every other. */
type Part = Partial<FsWorkerControl>;

interface Played {
  /** What it was asked by comlink since it was loaded. */
  readonly asked: unknown[][];
  readonly setup: FsWorkerSetup | undefined;
  end(): void;
}

/**
 * An FS worker of the page whose threads are the test's: the first plays the first part, and so on.
 * `vanish` ends one without a word.
 */
function play(parts: (at: number, vanish: () => void) => Part) {
  const workers: Played[] = [];
  const releases: (() => void)[] = [];
  let isVisible = true;
  const start = (): StartedWorker => {
    const { port1, port2 } = new MessageChannel();
    const asked: unknown[][] = [];
    let setup: FsWorkerSetup | undefined;
    let port: MessagePort | undefined;
    let vanish = () => {};
    const note =
      (name: string) =>
      async (...given: unknown[]): Promise<ControlResult<null>> => {
        asked.push([name, ...given.filter((value) => !(value instanceof MessagePort))]);
        return done;
      };
    const control: FsWorkerControl = {
      // It keeps its lock: the test ends it by `failure`.
      live: async (lifeLock) => {
        await new Promise<void>((resolve) => {
          void navigator.locks.request(lifeLock, () => {
            resolve();
            return new Promise<void>((release) => {
              releases.push(release);
              vanish = release;
            });
          });
        });
        return { ok: true, value: true };
      },
      open: async (given, opened) => {
        setup = given;
        port = opened;
        port.onmessage = ({ data }: MessageEvent<ToFsWorker>) => {
          if (data.type === 'request') port?.postMessage({ type: 'reply', id: data.id, value: at });
        };
        return { ok: true, value: facts };
      },
      startFeed: note('startFeed'),
      endFeed: note('endFeed'),
      setVisible: note('setVisible'),
      requireAlone: note('requireAlone'),
      close: note('close'),
      destroy: note('destroy'),
    };
    const at = workers.length;
    expose({ ...control, ...parts(at, () => vanish()) }, port2 as Endpoint);
    const { promise: failure, resolve: fail } = createDeferred<SdkError>();
    port1.start();
    workers.push({
      asked,
      get setup() {
        return setup;
      },
      end: () => fail(gone),
    });
    return {
      worker: port1 as unknown as Worker,
      failure,
      [Symbol.dispose]: () => (port1.close(), port2.close(), port?.close()),
    };
  };
  const fsWorker = createFsWorker({
    start,
    setup: { workspace: 'played', cwd: '/' },
    isVisible: () => isVisible,
  });
  onTestFinished(() => {
    fsWorker[Symbol.dispose]();
    for (const release of releases) release();
  });
  const nextFeedsEnd = () => new Promise<void>((resolve) => fsWorker.onFeedsEnded(resolve));
  return {
    fsWorker,
    workers,
    /** Resolves once each tool worker is to be fed anew. */
    endLast(): Promise<void> {
      const fedAnew = nextFeedsEnd();
      workers.at(-1)?.end();
      return fedAnew;
    },
    hide: () => void (isVisible = false),
  };
}

const refuseToOpen: Part = {
  open: async () => ({ ok: false, error: toSerializedError(broken) }),
};

function feedPort(): MessagePort {
  const { port1 } = new MessageChannel();
  return transfer(port1, [port1]);
}

describe('createFsWorker', () => {
  it('says why there will be no worker any more, whatever is asked of it', async () => {
    const { fsWorker, workers, endLast } = play((at) => (at === 0 ? {} : refuseToOpen));
    await fsWorker.open();
    await endLast();
    expect(workers).toHaveLength(4);
    const isBroken = { code: 'EIO', message: broken.message };
    await expect(fsWorker.port.request({ type: 'info' })).rejects.toMatchObject(isBroken);
    await expect(fsWorker.requireAlone()).rejects.toMatchObject(isBroken);
    await expect(fsWorker.close('destroy')).rejects.toMatchObject(isBroken);
    expect(await fsWorker.startFeed('feed', feedPort())).toMatchObject({
      ok: false,
      error: isBroken,
    });
  });

  it('leaves no question open when it is disposed', async () => {
    const { fsWorker } = play(() => ({ requireAlone: () => new Promise(() => {}) }));
    await fsWorker.open();
    const asked = fsWorker.requireAlone();
    await Promise.resolve();
    fsWorker[Symbol.dispose]();
    await expect(asked).rejects.toMatchObject({ code: 'bad-usage' });
  });

  it('lets a tool worker begin while there is none, which is fed with all others', async () => {
    const { promise: opening, resolve: open } = createDeferred();
    const { promise: begun, resolve: begin } = createDeferred();
    const { fsWorker, workers, endLast } = play((at) =>
      at === 0
        ? {}
        : {
            open: async () => {
              begin();
              await opening;
              return { ok: true, value: facts };
            },
          },
    );
    await fsWorker.open();
    const fedAnew = endLast();
    await begun;
    expect(await fsWorker.startFeed('early', feedPort())).toEqual(done);
    open();
    await fedAnew;
    expect(await fsWorker.startFeed('late', feedPort())).toEqual(done);
    expect(workers[1]?.asked).toEqual([['startFeed', 'late']]);
  });

  it('is replaced as often as it ends, unless each is in vain', async () => {
    const { fsWorker, workers, endLast } = play(() => ({}));
    await fsWorker.open();
    for (let ends = 1; ends < 8; ends += 1) await endLast();
    // This one wasn't: the count begins anew.
    expect(await fsWorker.port.request({ type: 'info' })).toBe(7);
    for (let ends = 1; ends <= 8; ends += 1) await endLast();
    expect(await fsWorker.port.request({ type: 'info' })).toBe(15);
    for (let ends = 1; ends <= 9; ends += 1) await endLast();
    expect(workers).toHaveLength(24);
    await expect(fsWorker.port.request({ type: 'info' })).rejects.toMatchObject({
      code: 'worker-lost',
      message: expect.stringContaining('ended 8 times'),
    });
  });

  it('is started anew however often it is ended while it opens the files, up to seven times', async () => {
    const opening = (vanish: () => void): Part => ({
      open: () => {
        vanish();
        return new Promise(() => {});
      },
    });
    const { fsWorker, workers, endLast } = play((at, vanish) =>
      at >= 1 && at <= 7 ? opening(vanish) : {},
    );
    await fsWorker.open();
    expect(await fsWorker.port.request({ type: 'info' })).toBe(0);
    await endLast();
    expect(workers).toHaveLength(9);
    expect(await fsWorker.port.request({ type: 'info' })).toBe(8);
  });

  it('is not taken for ended where it has no Web Locks to show that it lives', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    let lifeLock = '';
    const lockless: Part = {
      live: async (name) => ((lifeLock = name), { ok: true, value: false }),
      open: async () => {
        // It comes after whatever the page has asked of this lock.
        await navigator.locks.request(lifeLock, () => {});
        await vi.advanceTimersByTimeAsync(1000);
        return { ok: false, error: toSerializedError(broken) };
      },
    };
    const { fsWorker } = play(() => lockless);
    await expect(fsWorker.open()).rejects.toMatchObject({ code: 'EIO' });
  });

  it('is started anew where nothing was heard of the one before, up to six times', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    // When it has been asked, the time that it has is the only one that runs.
    const silent: Part = {
      live: () => (void vi.advanceTimersToNextTimerAsync(), new Promise(() => {})),
    };
    const { fsWorker, workers, endLast } = play((at) => (at >= 1 && at !== 7 ? silent : {}));
    await fsWorker.open();
    await endLast();
    expect(workers).toHaveLength(8);
    expect(await fsWorker.port.request({ type: 'info' })).toBe(7);
    await endLast();
    expect(workers).toHaveLength(15);
    await expect(fsWorker.port.request({ type: 'info' })).rejects.toMatchObject({
      code: 'worker-lost',
      message:
        'The FS worker was not ready after 20 s: its file is slow to come, or this device is very busy. ' +
        'Reload the page to try again.',
    });
  });

  it('hears what became of the page while it opened the files', async () => {
    const { fsWorker, workers, hide } = play(() => ({
      open: async () => (hide(), { ok: true, value: facts }),
    }));
    await fsWorker.open();
    await fsWorker.requireAlone();
    expect(workers[0]?.asked).toEqual([['setVisible', false], ['requireAlone']]);
  });
});
