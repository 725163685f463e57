// Real tool workers behind the executor's port: starts, boots, messages and ends them.
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

// 500 ms: the first call in a replacement worker is answered within 100 ms. If it hangs, a spare
// must be available anyway.
const patienceMs = 500;

/** The parameters of real workers. */
export interface ToolWorkerConnectorOptions {
  readonly createWorker: () => Worker;
  /** The name of its file in `assets`. @defaultValue `toolWorker` */
  readonly asset?: WorkerAsset;
  readonly feeds: ToolWorkerFeeds;
  readonly setup: ToolWorkerSetup;
}

/**
 * What a tool worker needs of the FS worker: a feed of its own. Neither method rejects. A feed that
 * is requested while the FS worker is being replaced starts together with all others.
 */
export type ToolWorkerFeeds = Pick<FsWorkerControl, 'startFeed' | 'endFeed'>;

/** Dispose of it to end the spare. Connected workers are ended separately. */
export interface ToolWorkerConnector extends Disposable {
  readonly connect: ConnectToolWorker;
  /**
   * Call this when calls are expected soon. All current and later workers then load the tools that
   * are marked for loading ahead.
   */
  expectCalls(): void;
  /**
   * Call this when the FS worker was replaced, or is gone for good: each worker's feed restarts, or
   * the worker ends.
   */
  feedAnew(): void;
  /**
   * Resolves once the first spare is loaded and may run here. Otherwise rejects with the reason.
   */
  readonly ready: Promise<void>;
}

/**
 * Creates the connector that starts real workers. It always keeps one spare, loaded but not booted,
 * so that neither the first call nor one after a kill waits for loading. The spare also loads the
 * code of tools that were already used. Only a booted worker has a replica of the workspace.
 */
export function createToolWorkerConnector(
  options: ToolWorkerConnectorOptions,
): ToolWorkerConnector {
  let spare: ControlledWorker | undefined;
  const start = () => {
    const worker = startControlled(options);
    // Whoever needs it awaits it. Calls get the error of their own worker.
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
    // If loading fails, the calls try again and report the error.
    spare.control.warm(options.setup, [...usedTools]).catch(() => {});
  };
  const takeWorker = () => {
    const worker = spare ?? start();
    spare = undefined;
    return worker;
  };
  // Called only now, so that it doesn't delay a worker for which a call waits.
  const onSettledIn = () => {
    if (isDisposed || spare) return;
    spare = start();
    warmSpare();
  };
  // Not earlier, so that the spare doesn't load code at the same time as a call.
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
      // The spare is last, because it finds in the browser's cache what the others have loaded.
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
 * A worker with its control proxy, kept as long as the worker. When the last proxy is
 * garbage-collected, comlink makes the worker stop listening.
 */
interface ControlledWorker extends StartedWorker {
  readonly control: Remote<ToolWorkerControl>;
  /** Resolves once it is loaded and may run here. Otherwise rejects with the reason. */
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
  /** Loads code ahead if the worker has started. Never rejects: calls try again. */
  warm(): Promise<void>;
}

interface ConnectOptions extends ToolWorkerConnectorOptions {
  readonly takeWorker: () => ControlledWorker;
  readonly isExpecting: () => boolean;
  /**
   * Called when the worker and its first call need nothing more to load. May be called more than
   * once.
   */
  readonly onSettledIn: () => void;
  /** A call of this tool was answered. */
  readonly onAnswered: (toolName: string) => void;
  readonly onEnded: () => void;
}

function connect(
  { takeWorker, isExpecting, onSettledIn, onAnswered, onEnded, feeds, setup }: ConnectOptions,
  { onReady, onMessage, onEnd }: ToolWorkerListeners,
): FedConnection {
  // Separate ports, so that cutting a worker's calls or feed doesn't need the worker's cooperation.
  const feedId = createId();
  const calls = new MessageChannel();
  const feed = new MessageChannel();
  let started: ControlledWorker | undefined;
  /** The tools of calls that were sent but not answered. */
  const toolNames = new Map<number, string>();
  let isFollowing = false;
  let isEnded = false;

  function end(): void {
    isEnded = true;
    onEnded();
    // In Chromium a terminated busy worker runs for 2 s more. So the port is closed first, and
    // nothing that the worker still sends arrives.
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
    // Copied and transferred, because a clone would be a second copy.
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
      // Security: after a protocol violation nothing more is accepted from the worker.
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
  // In a later task, so that the caller has the connection before it can end.
  void Promise.resolve().then(boot).catch(fail);

  function feedAnew(): void {
    // Before that, no feed could have ended.
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
