// The view of TaskList: the tasks, a line each.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { countDone, TaskLines, toTaskNote } from '../../react/kit/task-lines.tsx';
import { taskListInputSchema, taskListOutputSchema } from './schema.ts';
import type { TaskListInput, TaskListOutput } from './schema.ts';

export const view = defineView(
  { input: taskListInputSchema, output: taskListOutputSchema },
  TaskListView,
);

function TaskListView({ call }: { readonly call: ParsedCall<TaskListInput, TaskListOutput> }) {
  const { output, state } = call;
  const tasks = output?.tasks ?? [];
  return (
    <CallFrame
      call={call}
      title={wordFor(
        state,
        'Looking at the task list',
        output ? 'Looked at the task list' : 'Look at the task list',
      )}
      meta={output && (tasks.length === 0 ? 'empty' : countDone(tasks))}
    >
      {tasks.length > 0 && (
        <TaskLines
          label="Tasks"
          tasks={tasks.map((task) => {
            const note = toTaskNote(task, tasks);
            const { id, subject, status } = task;
            return { key: id, text: `${id}. ${subject}`, status, ...(note && { note }) };
          })}
        />
      )}
    </CallFrame>
  );
}
