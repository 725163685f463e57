// Lists what runs now: background tasks, and sub-agents in a tree. Each has a button that stops it.
import type { RunningTask } from '../transcript.ts';
import { describeWork } from './describe-agent.ts';
import { TaskActions } from './task-actions.tsx';

/** The tasks that run now, and the handler of their stop buttons. */
export interface RunningTasksProps {
  /** `SessionSnapshot.tasks`. */
  readonly tasks: readonly RunningTask[];
  /** For `Query.stopTask`. */
  readonly onStop: (taskId: string) => void;
  /**
   * For `Query.backgroundTasks`: an agent that its call waits for has a button that sends it to the background. Left
   * out: it has none.
   */
  readonly onBackground?: (toolUseId: string) => void;
}

/** Shows one line a task, below that of the agent that has started it. Empty if no task runs. */
export function RunningTasks({ tasks, ...handlers }: RunningTasksProps) {
  if (tasks.length === 0) return null;
  const known = new Set(tasks.map(({ taskId }) => taskId));
  const outer = tasks.filter(({ parentTaskId = '' }) => !known.has(parentTaskId));
  return (
    <div className="rp-tasks">
      <TaskList label="Running now" listed={outer} tasks={tasks} {...handlers} />
    </div>
  );
}

interface TaskListProps extends RunningTasksProps {
  readonly label: string;
  /** The part of `tasks` that is listed here. */
  readonly listed: readonly RunningTask[];
}

function TaskList({ label, listed, tasks, ...handlers }: TaskListProps) {
  const { onStop, onBackground } = handlers;
  return (
    <ul aria-label={label}>
      {listed.map((task) => {
        const { taskId, toolUseId, description, agent } = task;
        const inner = tasks.filter(({ parentTaskId }) => parentTaskId === taskId);
        return (
          <li key={taskId}>
            <div className="rp-running">
              <span className="rp-spinner" aria-hidden="true" />
              <TaskText task={task} />
              <TaskActions
                label={description}
                onBackground={
                  onBackground && agent?.canBeBackgrounded
                    ? () => onBackground(toolUseId)
                    : undefined
                }
                onStop={() => onStop(taskId)}
              />
            </div>
            {inner.length > 0 && (
              <TaskList
                label={`Started by ${description}`}
                listed={inner}
                tasks={tasks}
                {...handlers}
              />
            )}
          </li>
        );
      })}
    </ul>
  );
}

function TaskText({ task: { description, agent } }: { readonly task: RunningTask }) {
  if (!agent) return <span className="rp-running-text">In the background: {description}</span>;
  return (
    <>
      <span className="rp-running-text">
        <b>{description}</b> {agent.type}
        {agent.isBackground && <span className="rp-hidden">, in the background</span>}
      </span>
      <span className="rp-running-work">{describeWork(agent)}</span>
    </>
  );
}
