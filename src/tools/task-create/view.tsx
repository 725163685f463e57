// The view of TaskCreate: the task, and its description.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { CodeBlock } from '../../react/kit/code-block.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { taskCreateInputSchema, taskCreateOutputSchema } from './schema.ts';
import type { TaskCreateInput, TaskCreateOutput } from './schema.ts';

export const view = defineView(
  { input: taskCreateInputSchema, output: taskCreateOutputSchema },
  TaskCreateView,
);

function TaskCreateView({
  call,
}: {
  readonly call: ParsedCall<TaskCreateInput, TaskCreateOutput>;
}) {
  const { input, output, state } = call;
  return (
    <CallFrame
      call={call}
      title={wordFor(state, 'Adding a task', output ? 'Added a task' : 'Add a task')}
      detail={output?.task.subject ?? input.subject}
      meta={output && `task ${output.task.id}`}
    >
      {input.description && <CodeBlock text={input.description} wraps />}
    </CallFrame>
  );
}
