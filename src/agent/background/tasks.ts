// What runs beside the conversation, as the rest of the agent knows it. Most conversations have none:
// all that a task needs is loaded with the first (open-tasks.ts).
import type { BackgroundTasks, StartedTask } from '../../core/tool/background.ts';
import { loadOnce } from '../../core/load-once.ts';
import type { Clock } from '../../core/tool/ports.ts';
import type { SDKMessage, SDKUserMessage } from '../../core/sdk-message.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { AllowedCall } from '../calls/authorize.ts';
import type { DispatchOutcome } from '../calls/dispatch.ts';
import type { Settled } from '../calls/settled.ts';
import { createIdleGate } from './idle-gate.ts';
import type { OpenTasks } from './open-tasks.ts';
import type { UserMessage } from './task-end.ts';

/** What a call does in the background. Neither part rejects. */
export interface TaskWork {
  readonly call: AllowedCall;
  /** Stations 6 to 8. */
  run(task: RunningTask): Promise<DispatchOutcome>;
  /** Station 10: called when the agent is idle. What it commits waits for that again. */
  settle(outcome: DispatchOutcome, task: RunningTask): Promise<Settled>;
}

/** A task, as its own work sees it. */
export interface RunningTask extends StartedTask {
  /** Aborted when the task is stopped, or the query ends. */
  readonly signal: AbortSignal;
  /** Adds what a progress payload says to its output file. */
  print(progress: unknown): void;
  /** As a person's refusal does that asks for it. */
  stop(): void;
  /** Resolves when none of the conversation's own calls runs. Rejects when the task is stopped. */
  whenIdle(): Promise<void>;
}

/** One session's. */
export interface SessionTasks extends BackgroundTasks {
  /** One of the conversation's own calls runs, until it is disposed: nothing is committed meanwhile. */
  enterCall(): Disposable;
  /**
   * Starts a task. It tells of itself by `task_started` and, once, by `task_notification`.
   *
   * @throws SdkError `limit-exceeded` where too many run, and what the workspace throws where the
   * output file can't be made.
   */
  start(work: TaskWork): Promise<StartedTask>;
  /** Has a task ended by itself that the model wasn't told of? */
  hasNews(): boolean;
  /** As {@link BackgroundTasks.stop}, by a person: the model is told of it with its next request. */
  stopByPerson(taskId: string): Promise<void>;
  /** What the model is to be told now. Each is given once. */
  takeNotifications(): readonly UserMessage[];
  /** The same as one prompt, where there is news; undefined where there is none. */
  takeNews(): SDKUserMessage | undefined;
  /** Stops what still computes, and waits for what is being judged. None can be started afterwards. */
  close(): Promise<void>;
}

/** What the tasks have of their session. */
export interface TaskPorts {
  readonly sessionId: string;
  readonly sessionDirectory: string;
  readonly workspace: Pick<Workspace, 'fs'>;
  readonly clock: Clock;
  /** Gets the tasks' messages, also while no turn runs. */
  readonly emit: (message: SDKMessage) => void;
  /** Aborted with the query. */
  readonly signal: AbortSignal;
  /** See {@link StartedTask}. */
  readonly endsWithFinalResponse: boolean;
}

const loadOpenTasks = loadOnce(() => import('./open-tasks.ts'));

/** None runs to begin with. */
export function createSessionTasks(ports: TaskPorts): SessionTasks {
  const gate = createIdleGate();
  let open: OpenTasks | undefined;
  let isClosed = false;

  async function whenOpen(): Promise<OpenTasks> {
    const { createOpenTasks } = await loadOpenTasks();
    open ??= createOpenTasks(ports, gate);
    // The conversation may have ended while it was loading.
    if (isClosed) await open.close();
    return open;
  }

  return {
    enterCall: () => gate.enter(),
    start: async (work) => (await whenOpen()).start(work),
    stop: async (taskId) => (await whenOpen()).stop(taskId),
    stopByPerson: async (taskId) => (await whenOpen()).stopByPerson(taskId),
    hasNews: () => open?.hasNews() ?? false,
    takeNotifications: () => open?.takeNotifications() ?? [],
    takeNews: () => open?.takeNews(),
    async close() {
      isClosed = true;
      await open?.close();
    },
  };
}
