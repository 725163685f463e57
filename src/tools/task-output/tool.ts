// The definition of the tool TaskOutput. It has no worker half, because tasks belong to the agent.
import { toSummary } from '../../core/tool/summary.ts';
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import { taskOutputDescription, taskOutputPrompt, taskOutputToolName } from './prompt.ts';
import {
  defaultWaitMs,
  taskOutputInputSchema,
  taskOutputOutputSchema,
  type TaskOutputOutput,
} from './schema.ts';

// 20 000 characters: the last 400 lines or so, in which a run says how it ended.
const maxTailChars = 20_000;

// 5 s: to read the file behind the wait.
const slackMs = 5_000;

export const taskOutputTool = buildTool({
  name: taskOutputToolName,
  aliases: ['BashOutput'],
  searchHint: 'wait for a background task, read its output',
  shouldDefer: true,
  get inputSchema() {
    return taskOutputInputSchema();
  },
  get outputSchema() {
    return taskOutputOutputSchema();
  },

  description: (input) =>
    Promise.resolve(input ? `Read the output of task ${input.task_id}` : taskOutputDescription),
  prompt: () => Promise.resolve(taskOutputPrompt),

  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  checkPermissions: () => Promise.resolve({ behavior: 'allow' }),
  getTimeoutMs: ({ timeout = defaultWaitMs }) => timeout + slackMs,
  // The call only waits, so a new prompt is answered at once.
  interruptBehavior: () => 'cancel',

  async call({ task_id, block = true, timeout = defaultWaitMs }, context) {
    const { tasks, fs, abortController } = context;
    const { signal } = abortController;
    if (block) await tasks.whenEnded(task_id, { timeoutMs: timeout, signal });
    const { taskId, taskType, description, status, outputPath } = tasks.find(task_id);
    const text = await fs.readFile(outputPath, 'utf8');
    const from = Math.max(0, text.length - maxTailChars);
    return {
      data: {
        task_id: taskId,
        task_type: taskType,
        description,
        status,
        output: text.slice(from),
        omitted: from,
        output_file: outputPath,
      },
    };
  },

  userFacingName: () => 'Task output',
  getToolUseSummary: (input) => toSummary(input.task_id ?? '') || null,
  getToolUseTag: ({ block, timeout }) =>
    block !== false && typeof timeout === 'number' ? `at most ${timeout / 1000} s` : null,
  getActivityDescription: (input) => {
    if (input.task_id === undefined) return null;
    const verb = input.block === false ? 'Looking at' : 'Waiting for';
    return `${verb} ${toSummary(input.task_id)}`;
  },

  mapToolResultToToolResultBlockParam: (output, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: toText(output),
  }),
} satisfies ToolDef<ReturnType<typeof taskOutputInputSchema>, TaskOutputOutput>);

function toText({ task_id, description, status, output, omitted, output_file }: TaskOutputOutput) {
  const head = `Task ${task_id} (${description}): ${status}`;
  if (output.trim() === '') return `${head}\nIt has printed nothing so far.`;
  const before = omitted > 0 ? `\n(${omitted} characters before this are in ${output_file})` : '';
  return `${head}${before}\n${output}`;
}
