// The session's task list: its progress in a line, and the tasks below it.
import { Collapsible } from '../kit/collapsible.tsx';
import { countDone, TaskLines, toTaskNote } from '../kit/task-lines.tsx';
import { readSessionTasks } from '../session-task-list.ts';
import type { TaskListReaders } from '../session-task-list.ts';
import type { Turn } from '../transcript.ts';

/** The turns that the list is read from. */
export interface TaskListProps {
  /** `SessionSnapshot.turns`. */
  readonly turns: readonly Turn[];
  /** Read the list from the tools' calls: `taskListReaders`, and those of your own tools. */
  readonly readers: TaskListReaders;
  /** @defaultValue true */
  readonly isOpenByDefault?: boolean;
}

/** Shows nothing if the session has no list. */
export function TaskList({ turns, readers, isOpenByDefault = true }: TaskListProps) {
  const tasks = readSessionTasks(turns, readers);
  if (tasks.length === 0) return null;
  const current = tasks.find(({ status }) => status === 'in_progress');
  return (
    <section className="rp-task-list" aria-label="Task list">
      <Collapsible
        isOpenByDefault={isOpenByDefault}
        summary={
          <span className="rp-task-list-line">
            <span className="rp-task-list-count">Tasks: {countDone(tasks)}</span>
            {current && (
              <span className="rp-task-list-now">{current.activeForm ?? current.subject}</span>
            )}
          </span>
        }
      >
        <TaskLines
          label="Tasks"
          tasks={tasks.map((task) => {
            const { id, subject, status, activeForm } = task;
            const note = toTaskNote(task, tasks);
            const words = status === 'in_progress' ? (activeForm ?? subject) : subject;
            return {
              key: id,
              text: `${id}. ${words}`,
              status,
              ...(note !== undefined && { note }),
            };
          })}
        />
      </Collapsible>
    </section>
  );
}
