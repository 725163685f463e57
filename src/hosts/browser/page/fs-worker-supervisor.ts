// The FS worker from the host's side: started, opened, and replaced when it ends. It may die at any
// moment. Requests then wait, and acknowledged data isn't lost.
import { transfer, wrap, type Remote } from 'comlink';
import { SdkError, toSerializedError } from '../../../core/errors.ts';
import { createDeferred } from '../../../core/async/deferred.ts';
import { createId } from '../../../core/ids.ts';
import type { WorkspaceInfo } from '../../../workspace/workspace.ts';
import type { ToolWorkerFeeds } from '../pool/connect-tool-worker.ts';
import { createClosedHostError } from '../../closed-host.ts';
import { createFsWorkerClient, type FsWorkerClient } from './fs-worker-client.ts';
import { fromControlResult } from '../wire/control-result.ts';
import type { FsWorkerControl, FsWorkerSetup, ControlResult } from '../wire/protocol.ts';
import type { StartedWorker } from '../pool/start-worker.ts';
import { watchLife } from '../wire/worker-life.ts';

export interface FsWorkerOptions {
  readonly start: () => StartedWorker;
  readonly setup: Pick<FsWorkerSetup, 'workspace' | 'driver' | 'cwd'>;
  readonly isVisible: () => boolean;
}

/** Dispose of it to end the worker at once. `close` releases the files first. */
export interface FsWorker extends ToolWorkerFeeds, Disposable {
  readonly port: FsWorkerClient;
  /** Called once. Rejects if the workspace can't be opened. */
  open(): Promise<WorkspaceInfo>;
  /**
   * Calls back when the worker's feeds have ended: another worker has replaced it, or none will.
   */
  onFeedsEnded(listener: () => void): void;
  tellVisible(): void;
  requireAlone(): Promise<void>;
  close(how: 'close' | 'destroy'): Promise<void>;
}

/** One worker, from its start to its end. */
interface Running {
  readonly control: Remote<FsWorkerControl>;
  /** Resolves to the reason when it has ended by itself. Never rejects. */
  readonly ended: Promise<SdkError>;
  /** True if it was started and then ended from outside. */
  readonly isGone: boolean;
  /** True if nothing was heard of the worker in its time. */
  readonly isSilent: boolean;
  /**
   * Resolves once it is loaded; from then on its end is noticed. Rejects if it doesn't load in that
   * time.
   */
  live(patienceMs: number): Promise<void>;
  /** Ends it. Pending requests get the error that the host is closed. */
  end(): void;
}

// 60 s: its file may come over a slow network, to a busy device. 20 s were not enough at a load of
// 28. A file that can't be loaded is reported at once. A worker that was killed before its first
// sign of life isn't.
const startMs = 60_000;

// A successor's file is cached, so it normally starts in 0.2 s. A worker without any sign of life
// was killed early, which says nothing about the next one. So it is retried more often than one
// that reports an error. The last attempts have more time for slow machines.
const restartsMs = [2000, 2000, 2000, 5000, 5000, 5000, 20_000];
// 3: if three workers can't open the files, a fourth can't either.
const maxRefusals = 3;

// 8 workers in a row that ended while opening the files, or within 5 s without an answer. A single
// request can't be the cause, because fs-worker-client.ts sends each at most five times.
const maxInVain = 8;
const youngMs = 5000;

/** Starts the worker at once. */
export function createFsWorker(options: FsWorkerOptions): FsWorker {
  const { setup, isVisible } = options;
  const port = createFsWorkerClient();
  let running = startRunning(options.start);
  /** True if it has opened the files and its end wasn't noticed yet. */
  let isUp = false;
  let isClosing = false;
  /** Why there will be no worker any more. */
  let failure: SdkError | undefined;
  /** How many workers in a row have ended without use. */
  let inVain = 0;
  let tellFeedsEnded = () => {};
  let replaced: Promise<void> = Promise.resolve();

  /** Sends a control request. If the worker dies, the result is its end. */
  const ask = async <Value>(
    question: (control: Remote<FsWorkerControl>) => Promise<ControlResult<Value>>,
  ): Promise<Value> => {
    if (failure) throw failure;
    const { control, ended } = running;
    const failed = ended.then((reason) => Promise.reject(reason));
    return fromControlResult(await Promise.race([question(control), failed]));
  };

  async function openRunning(patienceMs: number): Promise<WorkspaceInfo> {
    const opening = running;
    const { port1, port2 } = new MessageChannel();
    await opening.live(patienceMs);
    const wasVisible = isVisible();
    const { info, applied } = await ask((control) =>
      control.open(
        { ...setup, isVisible: wasVisible, unanswered: port.unanswered() },
        transfer(port2, [port2]),
      ),
    );
    port.connect(port1, applied, info.seq);
    isUp = true;
    // The worker ignored changes of visibility while it was opening the files.
    if (isVisible() !== wasVisible) tellVisible();
    const openedMs = performance.now();
    void opening.ended.then((reason) => {
      if (isClosing) return;
      const isInVain = !port.hasAnswered && performance.now() - openedMs < youngMs;
      inVain = isInVain ? inVain + 1 : 0;
      replaced = replace(reason, info);
    });
    return info;
  }

  function tellVisible(): void {
    void running.control.setVisible(isVisible());
  }

  async function replace(reason: SdkError, { isPersistent }: WorkspaceInfo): Promise<void> {
    isUp = false;
    running.end();
    port.disconnect();
    if (!isPersistent) failure = reason;
    else failure = await startAnother(reason);
    if (failure) port.fail(failure);
    if (!isClosing) tellFeedsEnded();
  }

  /** Resolves to undefined once there is one. */
  async function startAnother(reason: SdkError): Promise<SdkError | undefined> {
    let failed = reason;
    let refusals = 0;
    let silences = 0;
    while (!isClosing && inVain < maxInVain) {
      const patienceMs = restartsMs[silences];
      if (patienceMs === undefined || refusals === maxRefusals) return failed;
      try {
        running = startRunning(options.start);
        await openRunning(patienceMs);
        return undefined;
      } catch (error) {
        if (SdkError.isInstance(error)) failed = error;
        if (running.isGone) inVain += 1;
        else if (running.isSilent) silences += 1;
        else refusals += 1;
        running.end();
      }
    }
    return isClosing ? failed : createVainError(failed);
  }

  return {
    port,
    open: () => openRunning(startMs),
    onFeedsEnded: (listener) => void (tellFeedsEnded = listener),
    tellVisible,
    async requireAlone() {
      await replaced;
      await ask((control) => control.requireAlone());
    },
    async close(how) {
      await replaced;
      isClosing = true;
      await ask((control) => control[how]());
    },
    async startFeed(id, feed) {
      if (failure) return { ok: false, error: toSerializedError(failure) };
      // All feeds start again with the successor, so this one isn't started now.
      if (!isUp) return nothingDone();
      return Promise.race([running.control.startFeed(id, feed), running.ended.then(nothingDone)]);
    },
    endFeed: (id) => Promise.race([running.control.endFeed(id), running.ended.then(nothingDone)]),
    [Symbol.dispose]() {
      isClosing = true;
      port[Symbol.dispose]();
      running.end();
    },
  };
}

function createEndedError(): SdkError {
  return new SdkError('worker-lost', 'The FS worker ended, and said nothing.');
}

function createSilentError(patienceMs: number): SdkError {
  return new SdkError(
    'worker-lost',
    `The FS worker was not ready after ${patienceMs / 1000} s: its file is slow to come, or this device is very busy. ` +
      'Reload the page to try again.',
    { data: { patienceMs } },
  );
}

function createVainError(cause: SdkError): SdkError {
  return new SdkError(
    'worker-lost',
    `The FS worker ended ${maxInVain} times, each time before it had answered anything, and is not ` +
      'started again. The page may be out of memory: close other tabs, then reload it.',
    { cause },
  );
}

const nothingDone = (): ControlResult<null> => ({ ok: true, value: null });

function startRunning(start: () => StartedWorker): Running {
  const started = start();
  const lifeLock = `rockpool-life:${createId()}`;
  let life: Disposable | undefined;
  const { promise: died, resolve: die } = createDeferred<SdkError>();
  const ended = Promise.race([started.failure, died]);
  const control = wrap<FsWorkerControl>(started.worker);
  let isOver = false;
  let isGone = false;
  let isSilent = false;
  const noticeEnd = () => {
    isGone = true;
    die(createEndedError());
  };
  const giveUp = (patienceMs: number) => {
    isSilent = true;
    die(createSilentError(patienceMs));
  };
  return {
    control,
    ended,
    get isGone() {
      return isGone;
    },
    get isSilent() {
      return isSilent;
    },
    async live(patienceMs) {
      let showsLife: boolean;
      const silence = setTimeout(() => giveUp(patienceMs), patienceMs);
      const failed = ended.then((reason) => Promise.reject(reason));
      try {
        showsLife = fromControlResult(await Promise.race([control.live(lifeLock), failed]));
      } finally {
        clearTimeout(silence);
      }
      if (showsLife && !isOver) life = watchLife(lifeLock, noticeEnd);
    },
    end() {
      isOver = true;
      die(createClosedHostError());
      life?.[Symbol.dispose]();
      started[Symbol.dispose]();
    },
  };
}
