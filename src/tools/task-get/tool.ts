// The definition of the tool TaskGet. It has no worker half, because the list belongs to the
// session.
import { listTasks, readRecordedTasks } from '../../core/session/task-list.ts';
import { toSummary } from '../../core/tool/summary.ts';
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import { taskGetDescription, taskGetPrompt, taskGetToolName } from './prompt.ts';
import { taskGetInputSchema, taskGetOutputSchema, type TaskGetOutput } from './schema.ts';

export const taskGetTool = buildTool({
  name: taskGetToolName,
  searchHint: 'show one task of the task list',
  shouldDefer: true,
  get inputSchema() {
    return taskGetInputSchema();
  },
  get outputSchema() {
    return taskGetOutputSchema();
  },

  description: (input) => Promise.resolve(input ? `Show task ${input.taskId}` : taskGetDescription),
  prompt: () => Promise.resolve(taskGetPrompt),

  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  checkPermissions: () => Promise.resolve({ behavior: 'allow' }),

  call: ({ taskId }, { states }) => {
    const task = listTasks(readRecordedTasks(states)).find(({ id }) => id === taskId);
    if (!task) return Promise.resolve({ data: { task: null } });
    const { id, subject, description, status, blocks, blockedBy } = task;
    return Promise.resolve({
      data: {
        task: { id, subject, description, status, blocks: [...blocks], blockedBy: [...blockedBy] },
      },
    });
  },

  userFacingName: () => 'Show task',
  getToolUseSummary: (input) => toSummary(input.taskId ?? '') || null,
  getActivityDescription: (input) =>
    input.taskId === undefined ? null : `Looking at task ${toSummary(input.taskId)}`,

  mapToolResultToToolResultBlockParam: (output, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: toText(output),
  }),
} satisfies ToolDef<ReturnType<typeof taskGetInputSchema>, TaskGetOutput>);

function toText({ task }: TaskGetOutput): string {
  if (!task) return 'There is no such task. TaskList shows those that there are.';
  const { id, subject, description, status, blocks, blockedBy } = task;
  return [
    `Task ${id} (${status}): ${subject}`,
    ...(blockedBy.length > 0 ? [`Waits for: ${blockedBy.join(', ')}`] : []),
    ...(blocks.length > 0 ? [`Holds up: ${blocks.join(', ')}`] : []),
    ...(description === '' ? [] : ['', description]),
  ].join('\n');
}
