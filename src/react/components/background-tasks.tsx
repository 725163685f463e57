// Lists the background tasks, each with a button that stops it.
import type { RunningTask } from '../transcript.ts';

/** The tasks that run now, and what their stop buttons do. */
export interface BackgroundTasksProps {
  /** `SessionSnapshot.tasks`. */
  readonly tasks: readonly RunningTask[];
  /** For `Query.stopTask`. */
  readonly onStop: (taskId: string) => void;
}

/** One line a task; nothing to see where none runs. */
export function BackgroundTasks({ tasks, onStop }: BackgroundTasksProps) {
  if (tasks.length === 0) return null;
  return (
    <ul className="rp-tasks" aria-label="In the background">
      {tasks.map(({ taskId, description }) => (
        <li key={taskId}>
          <span className="rp-status-text">
            <span className="rp-spinner" aria-hidden="true" />
            In the background: {description}
          </span>
          <button
            type="button"
            className="rp-stop"
            aria-label={`Stop ${description}`}
            onClick={() => onStop(taskId)}
          >
            Stop
          </button>
        </li>
      ))}
    </ul>
  );
}
