// The definition of the tool TaskUpdate. It has no worker half, because the list belongs to the
// session.
import { throwIfAborted } from '../../core/async/abort.ts';
import { isSameData } from '../../core/values/same-data.ts';
import { toSummary } from '../../core/tool/summary.ts';
import {
  describeUnknownTask,
  findCycle,
  findFault,
  hookedTimeoutMs,
  listTasks,
  readRecordedTasks,
  recordTask,
} from '../../core/session/task-list.ts';
import type { RecordedTask, TaskChange } from '../../core/session/task-list.ts';
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import type { CallContext } from '../../core/tool/context.ts';
import { toValidation } from '../../core/tool/validation.ts';
import { taskUpdateDescription, taskUpdatePrompt, taskUpdateToolName } from './prompt.ts';
import {
  taskUpdateInputSchema,
  taskUpdateOutputSchema,
  type TaskUpdateInput,
  type TaskUpdateOutput,
} from './schema.ts';

export const taskUpdateTool = buildTool({
  name: taskUpdateToolName,
  searchHint: 'change, complete or delete a task of the list',
  shouldDefer: true,
  get inputSchema() {
    return taskUpdateInputSchema();
  },
  get outputSchema() {
    return taskUpdateOutputSchema();
  },

  description: (input) =>
    Promise.resolve(input ? `Change task ${input.taskId}` : taskUpdateDescription),
  prompt: () => Promise.resolve(taskUpdatePrompt),

  validateInput: (input) => toValidation(findFault(input)),
  checkPermissions: () => Promise.resolve({ behavior: 'allow' }),
  changesOnlySession: () => true,
  getTimeoutMs: () => hookedTimeoutMs,

  call: async (input, context) => ({
    data: await context.states.runAlone(() => update(input, context)),
  }),
  resumeCall: async (input, context) => {
    const { states, toolUseID } = context;
    const done = readRecordedTasks(states).find(({ lastChange }) => lastChange?.call === toolUseID);
    if (done?.lastChange) return { data: toOutput(done.id, done.lastChange) };
    return { data: await states.runAlone(() => update(input, context)) };
  },

  userFacingName: () => 'Change task',
  getToolUseSummary: (input) => toSummary(describe(input)) || null,
  getActivityDescription: (input) =>
    input.taskId === undefined ? null : `Changing task ${toSummary(input.taskId)}`,
  toAutoClassifierInput: (input) => `change the task list: ${JSON.stringify(input)}`,

  mapToolResultToToolResultBlockParam: (output, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: toText(output),
    ...(!output.success && { is_error: true }),
  }),
} satisfies ToolDef<ReturnType<typeof taskUpdateInputSchema>, TaskUpdateOutput>);

async function update(input: TaskUpdateInput, context: CallContext): Promise<TaskUpdateOutput> {
  const { states, toolUseID, abortController, announceTask } = context;
  throwIfAborted(abortController.signal);
  const { taskId } = input;
  const refuse = (error: string) => ({ success: false, taskId, updatedFields: [], error });
  const recorded = readRecordedTasks(states);
  const tasks = listTasks(recorded);
  const before = recorded.find(({ id, status }) => id === taskId && status !== 'deleted');
  if (!before) return refuse(describeUnknownTask(taskId, tasks));
  const others = [...(input.addBlocks ?? []), ...(input.addBlockedBy ?? [])];
  const unknown = others.find((other) => !tasks.some(({ id }) => id === other));
  if (unknown !== undefined) return refuse(describeUnknownTask(unknown, tasks));

  const after = apply(before, input);
  const fault = findFault(after);
  if (fault !== undefined) return refuse(fault);
  const cycle = findCycle(listTasks(recorded.map((task) => (task === before ? after : task))));
  if (cycle) {
    return refuse(
      `Nothing was changed: task ${taskId} would wait for itself. Each of these would wait for the one before it: ${cycle.join(', ')}.`,
    );
  }
  const change = compare(before, after, toolUseID);
  if (change.updatedFields.length === 0) return toOutput(taskId, change);
  if (change.statusChange?.to === 'completed') {
    const refusal = await announceTask('TaskCompleted', after);
    if (refusal !== undefined) return refuse(`Task ${taskId} was not changed: ${refusal}`);
    throwIfAborted(abortController.signal);
  }
  await recordTask(states, { ...after, lastChange: change });
  return toOutput(taskId, change);
}

/** The task with the input's changes. */
function apply(task: RecordedTask, input: TaskUpdateInput): RecordedTask {
  const { owner: ownerBefore, metadata: metadataBefore, ...rest } = task;
  const { subject, description, activeForm, status, addBlocks, addBlockedBy } = input;
  const owner = input.owner ?? ownerBefore ?? '';
  const merged = Object.entries({ ...metadataBefore, ...input.metadata });
  const metadata = Object.fromEntries(merged.filter(([, value]) => value !== null));
  return {
    ...rest,
    ...(subject !== undefined && { subject }),
    ...(description !== undefined && { description }),
    ...(activeForm !== undefined && { activeForm }),
    ...(status && { status }),
    ...(owner !== '' && { owner }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    blocks: [...new Set([...task.blocks, ...(addBlocks ?? [])])],
    blockedBy: [...new Set([...task.blockedBy, ...(addBlockedBy ?? [])])],
  };
}

const fields = [
  'subject',
  'description',
  'activeForm',
  'status',
  'blocks',
  'blockedBy',
  'owner',
  'metadata',
] as const;

function compare(before: RecordedTask, after: RecordedTask, call: string): TaskChange {
  const { status: from } = before;
  const { status: to } = after;
  return {
    call,
    updatedFields: fields.filter((field) => !isSameData(before[field], after[field])),
    ...(from !== to && { statusChange: { from, to } }),
  };
}

function toOutput(taskId: string, change: TaskChange): TaskUpdateOutput {
  const { updatedFields, statusChange } = change;
  return {
    success: true,
    taskId,
    updatedFields: [...updatedFields],
    ...(statusChange && { statusChange: { ...statusChange } }),
  };
}

function toText({ taskId, updatedFields, error, statusChange }: TaskUpdateOutput): string {
  if (error !== undefined) return error;
  if (updatedFields.length === 0) return `Task ${taskId} is as it was: it had all that already.`;
  if (statusChange?.to === 'deleted') return `Task ${taskId} is off the list.`;
  const changes = updatedFields.map((field) =>
    field === 'status' && statusChange ? `status (now ${statusChange.to})` : field,
  );
  return `Task ${taskId} is changed: ${changes.join(', ')}.`;
}

function describe({ taskId, status }: Partial<TaskUpdateInput>): string {
  if (taskId === undefined) return '';
  return status === undefined ? taskId : `${taskId}: ${status.replace('_', ' ')}`;
}
