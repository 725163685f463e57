// What runs beside the conversation: starts tasks, keeps count of them, stops them, and tells of each
// end exactly once. What a task is made of are the stations, which `loop.ts` hands in.
import { createAbortError } from '../../core/abort.ts';
import type { BackgroundTasks, StartedTask, TaskSummary } from '../../core/background.ts';
import { clipText } from '../../core/clip-text.ts';
import { SdkError } from '../../core/errors.ts';
import type { Clock } from '../../core/ports.ts';
import type { SDKMessage, SDKUserMessage } from '../../core/sdk-message.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { AllowedCall } from '../authorize.ts';
import type { DispatchOutcome } from '../dispatch.ts';
import type { Settled } from '../settled.ts';
import { toTaskPromptMessage } from '../to-sdk-message.ts';
import { createIdleGate } from './idle-gate.ts';
import type { TaskReport } from './run-task.ts';
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
  /** Adds to its output file. */
  print(text: string): void;
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

// 3: each has a worker and a sandbox of its own, beside the one of the conversation; a tab on an
// ordinary machine has four cores.
const MAX_TASKS = 3;

interface Task extends TaskSummary {
  readonly controller: AbortController & Disposable;
  readonly ended: Promise<TaskReport>;
  /** It is done computing: its changes are being judged. */
  isSettling: boolean;
  /** The model stops it, and learns of it by that call's result. */
  isStoppedByModel: boolean;
}

/** None runs to begin with. */
export function createSessionTasks(ports: TaskPorts): SessionTasks {
  const { emit, sessionId } = ports;
  const gate = createIdleGate();
  const tasks = new Map<string, Task>();
  const notifications: { readonly message: UserMessage; readonly isNews: boolean }[] = [];
  let isClosed = false;
  /** Those whose file is being made count, too. */
  let starting = 0;

  function tell(task: Task, { status, notification, message }: TaskReport): void {
    tasks.delete(task.taskId);
    task.controller[Symbol.dispose]();
    const isStopped = status === 'stopped';
    if (!isStopped || !task.isStoppedByModel) {
      // What a person stopped needs no answer, but the model must not wait for it.
      notifications.push({ message: notification, isNews: !isStopped });
    }
    emit(message);
  }

  const hasNews = () => notifications.some(({ isNews }) => isNews);
  const takeNotifications = () => notifications.splice(0).map(({ message }) => message);

  function find(taskId: string): Task {
    const task = tasks.get(taskId);
    if (task) return task;
    throw unknownTask(taskId, [...tasks.values()]);
  }

  function abort(task: Task, reason: string): Promise<TaskReport> {
    task.controller.abort(createAbortError(reason));
    return task.ended;
  }

  return {
    enterCall: () => gate.enter(),
    async start(work) {
      if (isClosed) throw createAbortError(closedReason);
      if (tasks.size + starting >= MAX_TASKS) throw tooMany([...tasks.values()]);
      starting += 1;
      // Loaded with the first task: most conversations have none.
      const opened = await import('./run-task.ts')
        .then(({ openTask }) => openTask(work, ports, gate))
        .finally(() => (starting -= 1));
      const task: Task = {
        ...opened.summary,
        controller: opened.controller,
        // In a microtask of its own: whatever the work does at once, the task is known by then.
        ended: Promise.resolve().then(() => opened.run(() => (task.isSettling = true))),
        isSettling: false,
        isStoppedByModel: false,
      };
      tasks.set(task.taskId, task);
      void task.ended.then((end) => tell(task, end));
      if (isClosed) void abort(task, closedReason);
      return opened.running;
    },
    async stop(taskId) {
      const task = find(taskId);
      task.isStoppedByModel = true;
      const { status } = await abort(task, stoppedReason);
      const { taskType, description } = task;
      return { taskId, taskType, description, status };
    },
    async stopByPerson(taskId) {
      await abort(find(taskId), stoppedReason);
    },
    hasNews,
    takeNotifications,
    takeNews() {
      if (!hasNews()) return undefined;
      const content = takeNotifications().flatMap((message) => message.content);
      return toTaskPromptMessage(sessionId, { role: 'user', content });
    },
    async close() {
      isClosed = true;
      const open = [...tasks.values()];
      await Promise.all(
        open.map((task) => (task.isSettling ? task.ended : abort(task, closedReason))),
      );
    },
  };
}

const stoppedReason = 'The task was stopped.';
const closedReason = 'The conversation is over.';

function tooMany(tasks: readonly TaskSummary[]): SdkError {
  return new SdkError(
    'limit-exceeded',
    `${MAX_TASKS} tasks run in the background already, as many as may. Wait until one has ended, or stop one: ${list(tasks)}.`,
    { data: { limit: MAX_TASKS } },
  );
}

function unknownTask(taskId: string, tasks: readonly TaskSummary[]): SdkError {
  const others = tasks.length === 0 ? 'None does.' : `Those that do: ${list(tasks)}.`;
  return new SdkError(
    'bad-usage',
    `No task ${clipText(taskId, 100)} runs in the background. ${others}`,
    { data: { taskId } },
  );
}

function list(tasks: readonly TaskSummary[]): string {
  return tasks.map(({ taskId, description }) => `${taskId} (${description})`).join(', ');
}
