// The definition of the tool TaskCreate. It has no worker half, because the list belongs to the
// session.
import { throwIfAborted } from '../../core/async/abort.ts';
import { SdkError } from '../../core/errors.ts';
import { toSummary } from '../../core/tool/summary.ts';
import {
  findFault,
  hookedTimeoutMs,
  listTasks,
  maxListedTasks,
  readRecordedTasks,
  recordTask,
} from '../../core/session/task-list.ts';
import type { RecordedTask } from '../../core/session/task-list.ts';
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import type { CallContext } from '../../core/tool/context.ts';
import { toValidation } from '../../core/tool/validation.ts';
import { taskCreateDescription, taskCreatePrompt, taskCreateToolName } from './prompt.ts';
import {
  taskCreateInputSchema,
  taskCreateOutputSchema,
  type TaskCreateInput,
  type TaskCreateOutput,
} from './schema.ts';

export const taskCreateTool = buildTool({
  name: taskCreateToolName,
  searchHint: 'add a task to the task list',
  shouldDefer: true,
  get inputSchema() {
    return taskCreateInputSchema();
  },
  get outputSchema() {
    return taskCreateOutputSchema();
  },

  description: (input) =>
    Promise.resolve(input ? `Add the task "${input.subject}"` : taskCreateDescription),
  prompt: () => Promise.resolve(taskCreatePrompt),

  validateInput: (input) => toValidation(findFault(input)),
  checkPermissions: () => Promise.resolve({ behavior: 'allow' }),
  changesOnlySession: () => true,
  getTimeoutMs: () => hookedTimeoutMs,

  call: async (input, context) => ({
    data: await context.states.runAlone(() => create(input, context)),
  }),
  resumeCall: async (input, context) => {
    const made = readRecordedTasks(context.states).find(
      ({ madeBy }) => madeBy === context.toolUseID,
    );
    if (made) return { data: toOutput(made) };
    return { data: await context.states.runAlone(() => create(input, context)) };
  },

  userFacingName: () => 'Add task',
  getToolUseSummary: (input) => toSummary(input.subject ?? '') || null,
  getActivityDescription: (input) =>
    input.subject === undefined ? null : `Adding the task ${toSummary(input.subject)}`,
  toAutoClassifierInput: (input) => `add to the task list: ${input.subject}`,

  mapToolResultToToolResultBlockParam: ({ task }, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: `Task ${task.id} is on the list: ${task.subject}`,
  }),
} satisfies ToolDef<ReturnType<typeof taskCreateInputSchema>, TaskCreateOutput>);

async function create(input: TaskCreateInput, context: CallContext): Promise<TaskCreateOutput> {
  const { states, toolUseID, abortController, announceTask } = context;
  throwIfAborted(abortController.signal);
  const recorded = readRecordedTasks(states);
  if (listTasks(recorded).length >= maxListedTasks) throw tooMany();
  const { subject, description, activeForm, metadata } = input;
  const task: RecordedTask = {
    id: String(recorded.length + 1),
    subject,
    description,
    ...(activeForm !== undefined && { activeForm }),
    status: 'pending',
    ...(metadata && { metadata }),
    blocks: [],
    blockedBy: [],
    madeBy: toolUseID,
  };
  const refusal = await announceTask('TaskCreated', task);
  if (refusal !== undefined) {
    throw new SdkError('permission-denied', `The task was not added: ${refusal}`);
  }
  throwIfAborted(abortController.signal);
  await recordTask(states, task);
  return toOutput(task);
}

function toOutput({ id, subject, description }: RecordedTask): TaskCreateOutput {
  return { task: { id, subject, ...(description !== '' && { description }) } };
}

function tooMany(): SdkError {
  return new SdkError(
    'limit-exceeded',
    `The task list has ${maxListedTasks} tasks, as many as it may: delete those that are done (TaskUpdate, status "deleted"), or make one task of several.`,
    { data: { limit: maxListedTasks } },
  );
}
