// The view of TaskUpdate: the requested changes of a task.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { CodeBlock } from '../../react/kit/code-block.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { taskUpdateInputSchema, taskUpdateOutputSchema } from './schema.ts';
import type { TaskUpdateInput, TaskUpdateOutput } from './schema.ts';

export const view = defineView(
  { input: taskUpdateInputSchema, output: taskUpdateOutputSchema },
  TaskUpdateView,
);

type Status = NonNullable<TaskUpdateInput['status']>;

/** The words while the task is in progress, when it is done, and before. */
const words: Readonly<Record<Status | 'other', readonly [string, string, string]>> = {
  pending: ['Putting back', 'Put back', 'Put back'],
  in_progress: ['Beginning with', 'Began with', 'Begin with'],
  completed: ['Completing', 'Completed', 'Complete'],
  deleted: ['Deleting', 'Deleted', 'Delete'],
  other: ['Changing', 'Changed', 'Change'],
};

function TaskUpdateView({
  call,
}: {
  readonly call: ParsedCall<TaskUpdateInput, TaskUpdateOutput>;
}) {
  const { input, output, state } = call;
  const { taskId = output?.taskId, description } = input;
  const [doing, done, toDo] = words[input.status ?? 'other'];
  const facts = listFacts(input);
  return (
    <CallFrame
      call={call}
      title={wordFor(state, doing, output?.success ? done : toDo)}
      detail={taskId !== undefined && `task ${taskId}`}
      meta={output?.success && output.updatedFields.length === 0 && 'as it was'}
    >
      {facts.length > 0 && (
        <ul className="rp-task-facts" aria-label="What is changed">
          {facts.map((fact) => (
            <li key={fact}>{fact}</li>
          ))}
        </ul>
      )}
      {description && <CodeBlock text={description} wraps />}
    </CallFrame>
  );
}

function listFacts(input: Partial<TaskUpdateInput>): string[] {
  const { subject, activeForm, owner, addBlocks = [], addBlockedBy = [], metadata } = input;
  return [
    ...(subject === undefined ? [] : [`Subject: ${subject}`]),
    ...(activeForm === undefined ? [] : [`While it is done: ${activeForm}`]),
    ...(owner === undefined ? [] : [`Owner: ${owner === '' ? 'nobody' : owner}`]),
    ...(addBlocks.length === 0 ? [] : [`Holds up: ${addBlocks.join(', ')}`]),
    ...(addBlockedBy.length === 0 ? [] : [`Waits for: ${addBlockedBy.join(', ')}`]),
    ...(metadata === undefined ? [] : [`Kept with it: ${Object.keys(metadata).join(', ')}`]),
  ];
}
