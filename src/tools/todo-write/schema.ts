// TodoWrite's input and output, as in the Claude Agent SDK.
import * as z from 'zod';
import { taskStatuses } from '../../core/session/task-list.ts';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

const todos = () =>
  z.array(
    z.strictObject({
      content: z.string().describe('What is to be done, in a line.'),
      status: z.enum(taskStatuses).describe('How far it has come.'),
      activeForm: z.string().describe('What is shown while it is in progress.'),
    }),
  );

export const todoWriteInputSchema = lazySchema(() =>
  z.strictObject({ todos: todos().describe('The whole list, in order.') }),
);

/** The parsed input of a call of TodoWrite. */
export type TodoWriteInput = z.output<ReturnType<typeof todoWriteInputSchema>>;

export const todoWriteOutputSchema = lazySchema(() =>
  z.strictObject({ oldTodos: todos(), newTodos: todos() }),
);

/** The output of TodoWrite, as data. */
export type TodoWriteOutput = z.output<ReturnType<typeof todoWriteOutputSchema>>;

/**
 * Names the call that wrote the list. So a call that was cut before its result was recorded knows
 * that it is done.
 */
export const recordedTodosSchema = lazySchema(() =>
  todoWriteOutputSchema().extend({ call: z.string() }),
);

export type RecordedTodos = z.output<ReturnType<typeof recordedTodosSchema>>;
