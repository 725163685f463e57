// The tasks of a list, a line each, by state: done, in progress or waiting. For the views of the
// list's tools, and for the session's own list.
import { LongList } from './long-list.tsx';

/** One task, as a person reads it. */
export interface TaskLine {
  /** Unique in the list. */
  readonly key: string;
  readonly text: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
  /** The owner of the task, or what it waits for. */
  readonly note?: string;
}

const statusWords: Readonly<Record<TaskLine['status'], string>> = {
  pending: 'To do',
  in_progress: 'In progress',
  completed: 'Done',
};

/** `label`: what a screen reader calls the list. */
export function TaskLines(props: { readonly tasks: readonly TaskLine[]; readonly label: string }) {
  return (
    // 50: more are too many to read at once. A longer list has a button for the rest.
    <LongList items={props.tasks} step={50} noun="tasks">
      {(shown) => (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls: keyboards must reach it
        <ul className="rp-task-lines" aria-label={props.label} tabIndex={0}>
          {shown.map(({ key, text, status, note }) => (
            <li key={key} data-status={status}>
              <span className="rp-task-mark" aria-hidden="true" />
              <span className="rp-task-text">
                <span className="rp-hidden">{statusWords[status]}: </span>
                {text}
                {note && <span className="rp-task-note"> {note}</span>}
              </span>
            </li>
          ))}
        </ul>
      )}
    </LongList>
  );
}

/** "2 of 5 done". */
export function countDone(tasks: readonly Pick<TaskLine, 'status'>[]): string {
  const done = tasks.filter(({ status }) => status === 'completed').length;
  return `${done} of ${tasks.length} done`;
}

/** The note behind a task's text. Undefined: there is none. Finished tasks hold nothing up. */
export function toTaskNote(
  task: { readonly owner?: string | undefined; readonly blockedBy: readonly string[] },
  tasks: readonly { readonly id: string; readonly status: TaskLine['status'] }[],
): string | undefined {
  const open = new Set(tasks.flatMap(({ id, status }) => (status === 'completed' ? [] : [id])));
  const waitsFor = task.blockedBy.filter((id) => open.has(id));
  const parts = [
    ...(task.owner === undefined ? [] : [task.owner]),
    ...(waitsFor.length === 0 ? [] : [`waits for ${waitsFor.join(', ')}`]),
  ];
  return parts.length === 0 ? undefined : parts.join(' · ');
}
