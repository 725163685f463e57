// The view of TaskGet: the present task.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { CodeBlock } from '../../react/kit/code-block.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { TaskLines } from '../../react/kit/task-lines.tsx';
import { taskGetInputSchema, taskGetOutputSchema } from './schema.ts';
import type { TaskGetInput, TaskGetOutput } from './schema.ts';

export const view = defineView(
  { input: taskGetInputSchema, output: taskGetOutputSchema },
  TaskGetView,
);

function TaskGetView({ call }: { readonly call: ParsedCall<TaskGetInput, TaskGetOutput> }) {
  const { input, output, state } = call;
  const task = output?.task;
  return (
    <CallFrame
      call={call}
      title={wordFor(state, 'Looking at a task', output ? 'Looked at a task' : 'Look at a task')}
      detail={task?.subject ?? input.taskId}
      meta={output && (task ? `task ${task.id}` : 'not there')}
    >
      {task && (
        <TaskLines
          label={`Task ${task.id}`}
          tasks={[{ key: task.id, text: task.subject, status: task.status, note: toNote(task) }]}
        />
      )}
      {task?.description && <CodeBlock text={task.description} wraps />}
    </CallFrame>
  );
}

function toNote({ blocks, blockedBy }: NonNullable<TaskGetOutput['task']>): string {
  return [
    ...(blockedBy.length > 0 ? [`waits for ${blockedBy.join(', ')}`] : []),
    ...(blocks.length > 0 ? [`holds up ${blocks.join(', ')}`] : []),
  ].join(' · ');
}
