// The view of TaskStop: the task, and its work until then.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { taskStopInputSchema, taskStopOutputSchema } from './schema.ts';
import type { TaskStopInput, TaskStopOutput } from './schema.ts';

export const view = defineView(
  { input: taskStopInputSchema, output: taskStopOutputSchema },
  TaskStopView,
);

function TaskStopView({ call }: { readonly call: ParsedCall<TaskStopInput, TaskStopOutput> }) {
  const { input, output, state } = call;
  return (
    <CallFrame
      call={call}
      title={wordFor(state, 'Stopping task', output ? 'Stopped task' : 'Stop task')}
      detail={output?.command ?? <code>{input.task_id ?? input.shell_id}</code>}
    >
      {output && <p className="rp-note">{output.message}</p>}
    </CallFrame>
  );
}
