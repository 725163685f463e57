// The view of TaskOutput: the task, its state, and the end of its output.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { CodeBlock } from '../../react/kit/code-block.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { FileLink } from '../../react/kit/file-link.tsx';
import { taskOutputInputSchema, taskOutputOutputSchema } from './schema.ts';
import type { TaskOutputInput, TaskOutputOutput } from './schema.ts';

export const view = defineView(
  { input: taskOutputInputSchema, output: taskOutputOutputSchema },
  TaskOutputView,
);

function TaskOutputView({
  call,
}: {
  readonly call: ParsedCall<TaskOutputInput, TaskOutputOutput>;
}) {
  const { input, output, state } = call;
  const doing = input.block === false ? 'Looking at a task' : 'Waiting for a task';
  return (
    <CallFrame
      call={call}
      title={wordFor(state, doing, output ? 'Looked at a task' : 'Look at a task')}
      detail={output?.description ?? <code>{input.task_id}</code>}
      meta={output?.status}
    >
      {output && output.omitted > 0 && (
        <p className="rp-note">
          {output.omitted} characters before this are in{' '}
          <FileLink path={output.output_file} suffix="" />
        </p>
      )}
      {output && output.output !== '' && <CodeBlock text={output.output} label="Output" />}
    </CallFrame>
  );
}
