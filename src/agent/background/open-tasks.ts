// Starts tasks, keeps count of them, stops them, and tells of each end exactly once. What a task is
// made of are the stations, which start-task.ts hands in.
import { createAbortError } from '../../core/abort.ts';
import type { TaskSummary } from '../../core/tool/background.ts';
import { clipText } from '../../core/clip-text.ts';
import { SdkError } from '../../core/errors.ts';
import type { IdleGate } from './idle-gate.ts';
import { toTaskPromptMessage } from './task-messages.ts';
import { openTask } from './run-task.ts';
import type { TaskReport } from './run-task.ts';
import type { UserMessage } from './task-end.ts';
import type { SessionTasks, TaskPorts } from './tasks.ts';

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

/** All but the gate, which also tells of calls where no task has ever run. */
export type OpenTasks = Omit<SessionTasks, 'enterCall'>;

/** None runs to begin with. */
export function createOpenTasks(ports: TaskPorts, gate: IdleGate): OpenTasks {
  const { emit, sessionId } = ports;
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
    async start(work) {
      if (isClosed) throw createAbortError(closedReason);
      if (tasks.size + starting >= MAX_TASKS) throw tooMany([...tasks.values()]);
      starting += 1;
      const opened = await openTask(work, ports, gate).finally(() => (starting -= 1));
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
