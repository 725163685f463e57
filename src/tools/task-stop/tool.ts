// The definition of the tool TaskStop. It has no worker half, because tasks belong to the agent.
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import { toSummary } from '../../core/tool/summary.ts';
import { toValidation } from '../../core/tool/validation.ts';
import { taskStopDescription, taskStopPrompt, taskStopToolName } from './prompt.ts';
import {
  taskStopInputSchema,
  taskStopOutputSchema,
  type TaskStopInput,
  type TaskStopOutput,
} from './schema.ts';

export const taskStopTool = buildTool({
  name: taskStopToolName,
  aliases: ['KillShell', 'KillBash'],
  searchHint: 'stop a running background task',
  shouldDefer: true,
  get inputSchema() {
    return taskStopInputSchema();
  },
  get outputSchema() {
    return taskStopOutputSchema();
  },

  description: (input) =>
    Promise.resolve(input ? `Stop task ${readId(input)}` : taskStopDescription),
  prompt: () => Promise.resolve(taskStopPrompt),

  validateInput: (input) =>
    toValidation(readId(input) === '' ? 'Say which task: give its task_id.' : undefined),
  // The task is the conversation's own, and stopping it leaves everything as it was before.
  checkPermissions: () => Promise.resolve({ behavior: 'allow' }),
  changesOnlySession: () => true,

  async call(input, { tasks }) {
    const stopped = await tasks.stop(readId(input));
    const { taskId, taskType, description, status, keepsChanges } = stopped;
    const rest = keepsChanges ? 'What it had changed stays.' : 'Nothing that it did was kept.';
    const message =
      status === 'stopped'
        ? `Task ${taskId} (${description}) is stopped. ${rest}`
        : `Task ${taskId} (${description}) had come to its end before it could be stopped.`;
    return {
      data: { message, task_id: taskId, task_type: taskType, command: description },
    };
  },

  userFacingName: () => 'Stop task',
  getToolUseSummary: (input) => toSummary(readId(input)) || null,
  getActivityDescription: (input) => (readId(input) === '' ? null : `Stopping ${readId(input)}`),
  toAutoClassifierInput: (input) => `stop background task ${readId(input)}`,

  mapToolResultToToolResultBlockParam: ({ message }, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: message,
  }),
} satisfies ToolDef<ReturnType<typeof taskStopInputSchema>, TaskStopOutput>);

function readId(input: Partial<TaskStopInput>): string {
  return input.task_id ?? input.shell_id ?? '';
}
