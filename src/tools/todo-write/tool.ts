// The definition of the tool TodoWrite. It has no worker half, because the list is a state of the
// session, one for each agent.
import { maxListedTasks } from '../../core/session/task-list.ts';
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import type { CallContext } from '../../core/tool/context.ts';
import { toValidation } from '../../core/tool/validation.ts';
import { todoWriteDescription, todoWritePrompt, todoWriteToolName } from './prompt.ts';
import {
  recordedTodosSchema,
  todoWriteInputSchema,
  todoWriteOutputSchema,
  type RecordedTodos,
  type TodoWriteInput,
  type TodoWriteOutput,
} from './schema.ts';

export const todoWriteTool = buildTool({
  name: todoWriteToolName,
  searchHint: 'write the list of what is to be done',
  shouldDefer: true,
  get inputSchema() {
    return todoWriteInputSchema();
  },
  get outputSchema() {
    return todoWriteOutputSchema();
  },

  description: (input) =>
    Promise.resolve(input ? 'Write the list of what is to be done' : todoWriteDescription),
  prompt: () => Promise.resolve(todoWritePrompt),

  validateInput: (input) => toValidation(findFault(input)),
  checkPermissions: () => Promise.resolve({ behavior: 'allow' }),
  changesOnlySession: () => true,

  call: (input, context) => write(input, context),
  resumeCall: async (input, context) => {
    const last = read(context);
    if (last?.call !== context.toolUseID) return write(input, context);
    const { oldTodos, newTodos } = last;
    return { data: { oldTodos, newTodos } };
  },

  userFacingName: () => 'To do',
  getToolUseSummary: ({ todos }) => {
    if (!todos) return null;
    const done = todos.filter((todo) => todo?.status === 'completed').length;
    return `${done} of ${todos.length} done`;
  },
  getActivityDescription: () => 'Writing the list of what is to be done',
  toAutoClassifierInput: ({ todos }) => `to do: ${JSON.stringify(todos)}`,

  mapToolResultToToolResultBlockParam: ({ newTodos }, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: toText(newTodos),
  }),
} satisfies ToolDef<ReturnType<typeof todoWriteInputSchema>, TodoWriteOutput>);

type Todos = TodoWriteOutput['newTodos'];

/** A sub-agent has its own list, because it doesn't know the others' lists. */
const keyOf = ({ agentId }: CallContext) =>
  agentId === undefined ? 'todos' : (`todos/${agentId}` as const);

/** Undefined for an invalid list, for example of an imported session. The next call replaces it. */
function read(context: CallContext): RecordedTodos | undefined {
  const value = context.states.get(keyOf(context));
  return recordedTodosSchema().safeParse(value, { jitless: true }).data;
}

async function write({ todos }: TodoWriteInput, context: CallContext) {
  const { states, toolUseID, agentId } = context;
  const data: TodoWriteOutput = { oldTodos: read(context)?.newTodos ?? [], newTodos: todos };
  const value: RecordedTodos = { ...data, call: toolUseID };
  // A sub-agent's list has no reminder, because the main agent would get it after a compaction.
  await states.set(keyOf(context), value, agentId === undefined ? toReminder(todos) : undefined);
  return { data };
}

// 100: enough for a model to continue. In a longer list, unfinished entries come first.
const maxReminded = 100;

function toReminder(todos: Todos): string | undefined {
  const open = todos.filter(({ status }) => status !== 'completed');
  if (open.length === 0) return undefined;
  const told = todos.length > maxReminded ? open.slice(0, maxReminded) : todos;
  const lines = told.map(({ content, status }) => `- ${content} (${status})`);
  const more = todos.length - told.length;
  if (more > 0) lines.push(`(and ${more} more, done ones among them)`);
  return `The list of what is to be done, as you wrote it last with ${todoWriteToolName}:\n${lines.join('\n')}`;
}

// 1 000 characters: an entry is a line, and a person sees all of it.
const maxChars = 1_000;

function findFault({ todos }: TodoWriteInput): string | undefined {
  if (todos.length > maxListedTasks) {
    return `The list has ${todos.length} entries, and ${maxListedTasks} are the most: make one entry of several.`;
  }
  for (const [at, { content, activeForm }] of todos.entries()) {
    if (content.trim() === '') return `Entry ${at + 1} has no content: say what is to be done.`;
    const { length } = content + activeForm;
    if (length <= maxChars) continue;
    return `Entry ${at + 1} has ${length} characters, and ${maxChars} are the most: say it in a line.`;
  }
  return undefined;
}

function toText(todos: Todos): string {
  if (todos.length === 0) return 'The list is empty now.';
  const count = (wanted: string) => todos.filter(({ status }) => status === wanted).length;
  return `The list is written: ${count('completed')} of ${todos.length} done, ${count('in_progress')} in progress.`;
}
