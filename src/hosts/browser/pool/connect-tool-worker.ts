// Real tool workers behind the executor's port: started, booted, spoken to, ended.
import { transfer, wrap, type Remote } from 'comlink';
import { SdkError, messageOf } from '../../../core/errors.ts';
import { createId } from '../../../core/ids.ts';
import type {
  ControlResult,
  FromToolWorker,
  FsWorkerControl,
  ToToolWorker,
  ToolWorkerControl,
  ToolWorkerSetup,
} from '../wire/protocol.ts';
import { fromControlResult } from '../wire/control-result.ts';
import { readFromToolWorker } from '../wire/read-message.ts';
import { startWorker, type StartedWorker, type WorkerAsset } from './start-worker.ts';
import type {
  ConnectToolWorker,
  ToolWorkerConnection,
  ToolWorkerListeners,
} from './worker-connection.ts';
import { watchLife } from '../wire/worker-life.ts';

// 500 ms: the first call in a worker that replaces another has its answer within 100. One that hangs
// must not be left without a spare for its own end.
const patienceMs = 500;

/** What a real worker is made of. */
export interface ToolWorkerConnectorOptions {
  readonly createWorker: () => Worker;
  /** Where its file is named. @defaultValue `toolWorker` */
  readonly asset?: WorkerAsset;
  readonly feeds: ToolWorkerFeeds;
  readonly setup: ToolWorkerSetup;
}

/**
 * What a tool worker needs of the FS worker: a feed of its own. Neither method rejects. A feed that is
 * asked for while the FS worker is being replaced begins when all begin again.
 */
export type ToolWorkerFeeds = Pick<FsWorkerControl, 'startFeed' | 'endFeed'>;

/** Dispose it to end the spare; what it connected is ended by itself. */
export interface ToolWorkerConnector extends Disposable {
  readonly connect: ConnectToolWorker;
  /**
   * Calls are to be expected soon. Workers fetch what their tools have marked as worth fetching
   * ahead: those that there are, and each one that starts.
   */
  expectCalls(): void;
  /** The FS worker was replaced, or is gone for good: each worker's feed begins again, or it ends. */
  feedAnew(): void;
  /** The first spare is loaded, and may work here. Rejects with the reason where it can't. */
  readonly ready: Promise<void>;
}

/**
 * Makes the connector that starts real workers. From the start on it keeps one spare, loaded but
 * not booted. So neither the first call nor one after a kill waits for anything to load. The spare
 * has the code of the tools, too, that calls have used before it. Only a booted one has a replica
 * of the workspace.
 */
export function createToolWorkerConnector(
  options: ToolWorkerConnectorOptions,
): ToolWorkerConnector {
  let spare: ControlledWorker | undefined;
  const start = () => {
    const worker = startControlled(options);
    // Whoever needs it awaits it; calls learn of a failure by their own worker's.
    worker.prepared.catch(() => {});
    void worker.failure.then(() => {
      if (spare !== worker) return;
      spare = undefined;
      worker[Symbol.dispose]();
    });
    return worker;
  };
  const first = start();
  spare = first;
  const fed = new Set<FedConnection>();
  /** Tools that have answered a call. */
  const usedTools = new Set<string>();
  let isDisposed = false;
  let isExpecting = false;
  const warmSpare = () => {
    if (!spare || !(isExpecting || usedTools.size > 0)) return;
    // What couldn't be loaded the calls will try again, and say why it fails.
    spare.control.warm(options.setup, [...usedTools]).catch(() => {});
  };
  const takeWorker = () => {
    const worker = spare ?? start();
    spare = undefined;
    return worker;
  };
  // Only now, so that it delays no worker that a call waits for.
  const onSettledIn = () => {
    if (isDisposed || spare) return;
    spare = start();
    warmSpare();
  };
  // Not earlier: nothing is loaded beside a call that has to load it too.
  const onAnswered = (toolName: string) => {
    if (usedTools.has(toolName)) return;
    usedTools.add(toolName);
    warmSpare();
  };
  return {
    ready: first.prepared,
    connect(listeners) {
      const connection = connect(
        {
          ...options,
          takeWorker,
          isExpecting: () => isExpecting,
          onSettledIn,
          onAnswered,
          onEnded: () => void fed.delete(connection),
        },
        listeners,
      );
      fed.add(connection);
      return connection;
    },
    expectCalls() {
      if (isExpecting) return;
      isExpecting = true;
      // The spare last: it finds in the browser's cache what the others have fetched.
      const connections = [...fed].map((connection) => connection.warm());
      void Promise.all(connections).then(warmSpare);
    },
    feedAnew() {
      for (const connection of fed) connection.feedAnew();
    },
    [Symbol.dispose]() {
      isDisposed = true;
      spare?.[Symbol.dispose]();
    },
  };
}

/**
 * A worker with its one control, kept for as long as the worker. When the garbage collector takes
 * comlink's last proxy for a worker, comlink has the worker listen no more.
 */
interface ControlledWorker extends StartedWorker {
  readonly control: Remote<ToolWorkerControl>;
  /** It is loaded, and may work here. Rejects with the reason where it can't. */
  readonly prepared: Promise<void>;
}

function startControlled({
  createWorker: create,
  asset = 'toolWorker',
}: ToolWorkerConnectorOptions): ControlledWorker {
  const started = startWorker({ asset, create });
  const control = wrap<ToolWorkerControl>(started.worker);
  const lifeLock = `rockpool-life:${createId()}`;
  const loaded = control.prepare(lifeLock);
  let life: Disposable | undefined;
  let isEnded = false;
  const died = new Promise<SdkError>((resolve) => {
    const watch = (outcome: ControlResult<boolean>) => {
      if (isEnded || !outcome.ok || !outcome.value) return;
      life = watchLife(lifeLock, () => resolve(lost('it ended without a word')));
    };
    loaded.then(watch, () => {});
  });
  const failure = Promise.race([started.failure, died]);
  const failed = failure.then((reason) => Promise.reject(reason));
  return {
    worker: started.worker,
    control,
    failure,
    prepared: Promise.race([loaded, failed]).then((outcome) => void fromControlResult(outcome)),
    [Symbol.dispose]() {
      isEnded = true;
      life?.[Symbol.dispose]();
      started[Symbol.dispose]();
    },
  };
}

interface FedConnection extends ToolWorkerConnection {
  feedAnew(): void;
  /** Fetches ahead, where the worker is up. Never rejects: what failed the calls try again. */
  warm(): Promise<void>;
}

interface ConnectOptions extends ToolWorkerConnectorOptions {
  readonly takeWorker: () => ControlledWorker;
  readonly isExpecting: () => boolean;
  /** It needs nothing more to serve, and nor does its first call. Comes more than once. */
  readonly onSettledIn: () => void;
  /** A call of this tool was answered. */
  readonly onAnswered: (toolName: string) => void;
  readonly onEnded: () => void;
}

function connect(
  { takeWorker, isExpecting, onSettledIn, onAnswered, onEnded, feeds, setup }: ConnectOptions,
  { onReady, onMessage, onEnd }: ToolWorkerListeners,
): FedConnection {
  // Two ports, so that dropping one worker's calls and ending its feed need nothing of the worker.
  const feedId = createId();
  const calls = new MessageChannel();
  const feed = new MessageChannel();
  let started: ControlledWorker | undefined;
  /** The tools of the calls that were sent and haven't answered. */
  const toolNames = new Map<number, string>();
  let isFollowing = false;
  let isEnded = false;

  function end(): void {
    isEnded = true;
    onEnded();
    // Chromium lets a terminated busy worker run on for 2 s, so the port goes first: whatever the
    // worker still does, nobody hears it.
    calls.port1.close();
    void feeds.endFeed(feedId);
    started?.[Symbol.dispose]();
  }

  function fail(error: unknown): void {
    if (isEnded) return;
    end();
    onEnd(SdkError.isInstance(error) ? error : lost(error));
  }

  function send(message: ToToolWorker): void {
    if (message.type !== 'start') {
      calls.port1.postMessage(message);
      return;
    }
    // Copied once, and moved: a clone would be made of a copy.
    const savedState = message.savedState?.slice() ?? null;
    calls.port1.postMessage({ ...message, savedState }, savedState ? [savedState.buffer] : []);
    toolNames.set(message.id, message.request.toolName);
  }

  function noteAnswer(id: number): void {
    const toolName = toolNames.get(id);
    toolNames.delete(id);
    if (toolName !== undefined) onAnswered(toolName);
    if (isFollowing) onSettledIn();
  }

  async function boot(): Promise<void> {
    if (isEnded) return;
    started = takeWorker();
    void started.failure.then(fail);
    const { control } = started;
    const [fed, booted] = await Promise.all([
      feeds.startFeed(feedId, transfer(feed.port1, [feed.port1])),
      control.boot(setup, transfer(calls.port2, [calls.port2]), transfer(feed.port2, [feed.port2])),
    ]);
    fromControlResult(fed);
    const facts = fromControlResult(booted);
    if (isEnded) return;
    onReady(facts);
    await control.whenFollowing();
    isFollowing = true;
    const warmed = isExpecting() ? warm() : Promise.resolve();
    if (toolNames.size === 0) void warmed.then(onSettledIn);
    setTimeout(onSettledIn, patienceMs);
  }

  async function warm(): Promise<void> {
    await started?.control.warm(setup, []).catch(() => {});
  }

  calls.port1.addEventListener('message', (event) => {
    if (isEnded) return;
    let message: FromToolWorker;
    try {
      message = readFromToolWorker(event.data);
    } catch (error) {
      // Security: a worker that speaks out of protocol isn't trusted with its next message.
      fail(error);
      return;
    }
    onMessage(message);
    if (message.type === 'reply') noteAnswer(message.id);
  });
  calls.port1.addEventListener('messageerror', () => {
    fail(lost('one of its messages could not be read'));
  });
  calls.port1.start();
  // A task later: whoever connects must hold the connection before it can end.
  void Promise.resolve().then(boot).catch(fail);

  function feedAnew(): void {
    // Before that it has no feed that could have ended.
    if (!started) return;
    const { port1, port2 } = new MessageChannel();
    feeds
      .startFeed(feedId, transfer(port1, [port1]))
      .then(fromControlResult)
      .catch(fail);
    started.control
      .follow(transfer(port2, [port2]))
      .then(fromControlResult)
      .catch(fail);
  }

  return { send, end, feedAnew, warm };
}

function lost(cause: unknown): SdkError {
  const reason = messageOf(cause);
  return new SdkError('worker-lost', `The tool worker was lost: ${reason}.`, { cause });
}
