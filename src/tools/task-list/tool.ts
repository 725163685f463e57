// The definition of the tool TaskList. It has no worker half, because the list belongs to the
// session.
import { listTasks, readRecordedTasks } from '../../core/session/task-list.ts';
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import { taskListDescription, taskListPrompt, taskListToolName } from './prompt.ts';
import { taskListInputSchema, taskListOutputSchema, type TaskListOutput } from './schema.ts';

export const taskListTool = buildTool({
  name: taskListToolName,
  searchHint: 'show all tasks of the task list',
  shouldDefer: true,
  get inputSchema() {
    return taskListInputSchema();
  },
  get outputSchema() {
    return taskListOutputSchema();
  },

  description: (input) => Promise.resolve(input ? 'Show the task list' : taskListDescription),
  prompt: () => Promise.resolve(taskListPrompt),

  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  checkPermissions: () => Promise.resolve({ behavior: 'allow' }),

  call: (_input, { states }) => {
    const tasks = listTasks(readRecordedTasks(states)).map(
      ({ id, subject, status, owner, blockedBy }) => ({
        id,
        subject,
        status,
        ...(owner !== undefined && { owner }),
        blockedBy: [...blockedBy],
      }),
    );
    return Promise.resolve({ data: { tasks } });
  },

  userFacingName: () => 'Show tasks',
  getActivityDescription: () => 'Looking at the task list',

  mapToolResultToToolResultBlockParam: ({ tasks }, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: tasks.length === 0 ? 'The task list is empty.' : toLines(tasks).join('\n'),
  }),
} satisfies ToolDef<ReturnType<typeof taskListInputSchema>, TaskListOutput>);

/** Finished tasks hold nothing up any more. */
function toLines(tasks: TaskListOutput['tasks']): string[] {
  const done = new Set(tasks.filter(({ status }) => status === 'completed').map(({ id }) => id));
  return tasks.map(({ id, subject, status, owner, blockedBy }) => {
    const waitsFor = blockedBy.filter((other) => !done.has(other));
    const facts = [
      status,
      ...(owner === undefined ? [] : [`owner ${owner}`]),
      ...(waitsFor.length === 0 ? [] : [`waits for ${waitsFor.join(', ')}`]),
    ];
    return `${id}. ${subject} (${facts.join('; ')})`;
  });
}
