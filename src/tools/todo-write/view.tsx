// The view of TodoWrite: the present list, or the requested one.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { countDone, TaskLines } from '../../react/kit/task-lines.tsx';
import { todoWriteInputSchema, todoWriteOutputSchema } from './schema.ts';
import type { TodoWriteInput, TodoWriteOutput } from './schema.ts';

export const view = defineView(
  { input: todoWriteInputSchema, output: todoWriteOutputSchema },
  TodoWriteView,
);

function TodoWriteView({ call }: { readonly call: ParsedCall<TodoWriteInput, TodoWriteOutput> }) {
  const { input, output, state } = call;
  const todos = output?.newTodos ?? input.todos ?? [];
  return (
    <CallFrame
      call={call}
      title={wordFor(state, 'Writing the list', output ? 'Wrote the list' : 'Write the list')}
      meta={output && (todos.length === 0 ? 'empty' : countDone(todos))}
      isOpen
    >
      {todos.length > 0 && (
        <TaskLines
          label="To do"
          tasks={todos.map(({ content, activeForm, status }, at) => ({
            key: String(at),
            text: status === 'in_progress' && activeForm !== '' ? activeForm : content,
            status,
          }))}
        />
      )}
    </CallFrame>
  );
}
