// The FS worker as the host holds it: started, opened, and replaced when it ends. It may die at any
// moment; whoever asks for something meanwhile waits, and nothing that it acknowledged is lost.
import { transfer, wrap, type Remote } from 'comlink';
import { SdkError } from '../../core/errors.ts';
import { createId } from '../../core/ids.ts';
import type { WorkspaceInfo } from '../../workspace/workspace.ts';
import type { ToolWorkerFeeds } from './connect-tool-worker.ts';
import { createFsWorkerPort, type FsWorkerPort } from './fs-worker-port.ts';
import { fromOutcome } from './outcome.ts';
import type { FsWorkerControl, FsWorkerSetup, Outcome } from './protocol.ts';
import type { StartedWorker } from './start-worker.ts';
import { watchLife } from './worker-life.ts';

export interface FsWorkerOptions {
  readonly start: () => StartedWorker;
  readonly setup: Pick<FsWorkerSetup, 'workspace' | 'driver' | 'cwd'>;
  readonly isVisible: () => boolean;
}

/** Dispose it to end the worker as it is; `close` lets it go of the files first. */
export interface FsWorker extends ToolWorkerFeeds, Disposable {
  readonly port: FsWorkerPort;
  /** Called once. Rejects where the workspace can't be opened. */
  open(): Promise<WorkspaceInfo>;
  /** Calls back each time that another one has taken its place, with the same files. */
  onReplaced(listener: () => void): void;
  tellVisible(): void;
  requireAlone(): Promise<void>;
  close(how: 'close' | 'destroy'): Promise<void>;
}

/** One worker, from its start to its end. */
interface Running {
  readonly control: Remote<FsWorkerControl>;
  /** Settles with the reason when it has ended by itself. Never rejects. */
  readonly ended: Promise<SdkError>;
  /** Resolves once it is loaded; from then on its end is noticed. Rejects where it doesn't load. */
  live(): Promise<void>;
  end(): void;
}

// Three in a row that don't get as far as to open the files: the fourth would not either.
const maxStarts = 3;

/** Starts it at once. */
export function createFsWorker(options: FsWorkerOptions): FsWorker {
  const { setup, isVisible } = options;
  const port = createFsWorkerPort();
  let running = startRunning(options.start);
  let isClosing = false;
  let tellReplaced = () => {};
  let replaced: Promise<void> = Promise.resolve();

  /** Of one that dies it is answered by the end of the other. */
  const ask = async <Value>(
    question: (control: Remote<FsWorkerControl>) => Promise<Outcome<Value>>,
  ): Promise<Value> => {
    const { control, ended } = running;
    const failed = ended.then((reason) => Promise.reject(reason));
    return fromOutcome(await Promise.race([question(control), failed]));
  };

  async function openRunning(): Promise<WorkspaceInfo> {
    const opening = running;
    const { port1, port2 } = new MessageChannel();
    await opening.live();
    const { info, applied } = await ask((control) =>
      control.open(
        { ...setup, isVisible: isVisible(), unanswered: port.unanswered() },
        transfer(port2, [port2]),
      ),
    );
    port.connect(port1, applied);
    void opening.ended.then((reason) => {
      if (!isClosing) replaced = replace(reason, info);
    });
    return info;
  }

  async function replace(reason: SdkError, { isPersistent }: WorkspaceInfo): Promise<void> {
    running.end();
    port.disconnect();
    if (!isPersistent) {
      port.fail(reason);
      return;
    }
    let failure: unknown = reason;
    for (let start = 1; start <= maxStarts && !isClosing; start += 1) {
      try {
        running = startRunning(options.start);
        await openRunning();
        tellReplaced();
        return;
      } catch (error) {
        failure = error;
        running.end();
      }
    }
    port.fail(SdkError.isInstance(failure) ? failure : reason);
  }

  return {
    port,
    open: openRunning,
    onReplaced: (listener) => void (tellReplaced = listener),
    tellVisible: () => void running.control.setVisible(isVisible()),
    async requireAlone() {
      await replaced;
      await ask((control) => control.requireAlone());
    },
    async close(how) {
      await replaced;
      isClosing = true;
      await ask((control) => control[how]());
    },
    // One that dies with the request is no loss: all feeds begin anew with its successor.
    startFeed: (id, feed) =>
      Promise.race([running.control.startFeed(id, feed), running.ended.then(nothingDone)]),
    endFeed: (id) => Promise.race([running.control.endFeed(id), running.ended.then(nothingDone)]),
    [Symbol.dispose]() {
      isClosing = true;
      port[Symbol.dispose]();
      running.end();
    },
  };
}

// 20 s: its file may have to come over a slow network. One that was ended before it could say that it
// lives says nothing any more.
const startMs = 20_000;

function createSilentError(what: 'did not start' | 'ended'): SdkError {
  return new SdkError('worker-lost', `The FS worker ${what}, and said nothing.`);
}

const nothingDone = (): Outcome<null> => ({ ok: true, value: null });

function startRunning(start: () => StartedWorker): Running {
  const started = start();
  const lifeLock = `rockpool-life:${createId()}`;
  let life: Disposable | undefined;
  let die: (reason: SdkError) => void = () => {};
  const died = new Promise<SdkError>((resolve) => void (die = resolve));
  const ended = Promise.race([started.failure, died]);
  const control = wrap<FsWorkerControl>(started.worker);
  let isOver = false;
  return {
    control,
    ended,
    async live() {
      const silence = setTimeout(() => die(createSilentError('did not start')), startMs);
      const failed = ended.then((reason) => Promise.reject(reason));
      fromOutcome(await Promise.race([control.live(lifeLock), failed]));
      clearTimeout(silence);
      if (!isOver) life = watchLife(lifeLock, () => die(createSilentError('ended')));
    },
    end() {
      isOver = true;
      life?.[Symbol.dispose]();
      started[Symbol.dispose]();
    },
  };
}
