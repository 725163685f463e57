// Calls of the tools of the task list, and of those about what runs in the background.
import type { MonitorInput, MonitorOutput } from '../../../src/tools/monitor/schema.ts';
import type { TaskCreateInput, TaskCreateOutput } from '../../../src/tools/task-create/schema.ts';
import type { TaskGetInput, TaskGetOutput } from '../../../src/tools/task-get/schema.ts';
import type { TaskListInput, TaskListOutput } from '../../../src/tools/task-list/schema.ts';
import type { TaskOutputInput, TaskOutputOutput } from '../../../src/tools/task-output/schema.ts';
import type { TaskStopInput, TaskStopOutput } from '../../../src/tools/task-stop/schema.ts';
import type { TaskUpdateInput, TaskUpdateOutput } from '../../../src/tools/task-update/schema.ts';
import type { TodoWriteInput, TodoWriteOutput } from '../../../src/tools/todo-write/schema.ts';
import type { ToolExample } from '../tool-example.ts';

const subject = 'Test the boundary of an hour';
const description = 'At 59 minutes and 30 seconds the text must say one hour.';

const watched: MonitorOutput = {
  taskId: 'b1',
  timeoutMs: 300_000,
  outputFile: '/session/s1/tasks/b1.output',
};

export const monitorExample: ToolExample<MonitorInput, MonitorOutput> = {
  input: { description: 'changes of the sources', files: { pattern: 'src/**' } },
  output: watched,
  failure: 'Give one source: command, ws or files.',
  variants: {
    'of a cell': {
      input: {
        description: 'the tests',
        command: 'const { failed } = await runTests();\nconsole.log(`${failed} failed`);',
      },
      output: watched,
      isTask: true,
    },
    'of a socket': {
      input: { description: 'the build', ws: { url: 'wss://build.example/events' } },
      output: watched,
    },
  },
};

export const taskCreateExample: ToolExample<TaskCreateInput, TaskCreateOutput> = {
  input: { subject, description },
  output: { task: { id: '2', subject, description } },
  failure: 'A task needs a subject.',
};

export const taskGetExample: ToolExample<TaskGetInput, TaskGetOutput> = {
  input: { taskId: '2' },
  output: {
    task: { id: '2', subject, description, status: 'in_progress', blocks: ['3'], blockedBy: [] },
  },
  failure: 'The task list could not be read.',
  variants: { 'that isn’t there': { input: { taskId: '9' }, output: { task: null } } },
};

export const taskListExample: ToolExample<TaskListInput, TaskListOutput> = {
  input: {},
  output: {
    tasks: [
      { id: '1', subject: 'Find what rounds down', status: 'completed', blockedBy: [] },
      { id: '2', subject, status: 'in_progress', owner: 'tester', blockedBy: [] },
      {
        id: '3',
        subject: 'Say in the README how durations are rounded, with an example',
        status: 'pending',
        blockedBy: ['2'],
      },
    ],
  },
  failure: 'The task list could not be read.',
};

export const taskOutputExample: ToolExample<TaskOutputInput, TaskOutputOutput> = {
  input: { task_id: 'b1', timeout: 5000 },
  output: {
    task_id: 'b1',
    task_type: 'repl',
    description: 'Watch the tests',
    status: 'running',
    output: '12 passed\nwaiting for changes …',
    omitted: 2048,
    output_file: '/session/s1/tasks/b1.output',
  },
  failure: 'No task b1 runs in the background. None does.',
};

export const taskStopExample: ToolExample<TaskStopInput, TaskStopOutput> = {
  input: { task_id: 'b1' },
  output: {
    message: 'Task b1 (Watch the tests) is stopped. Nothing that it did was kept.',
    task_id: 'b1',
    task_type: 'repl',
    command: 'Watch the tests',
  },
  failure: 'No task b1 runs in the background. None does.',
};

export const taskUpdateExample: ToolExample<TaskUpdateInput, TaskUpdateOutput> = {
  input: { taskId: '2', status: 'completed', owner: 'tester' },
  output: {
    success: true,
    taskId: '2',
    updatedFields: ['status', 'owner'],
    statusChange: { from: 'in_progress', to: 'completed' },
  },
  failure: 'There is no task 2: the task list is empty.',
};

const todos: TodoWriteInput['todos'] = [
  { content: 'Find what rounds down', status: 'completed', activeForm: 'Finding what rounds down' },
  { content: 'Mend it', status: 'in_progress', activeForm: 'Mending it' },
  { content: subject, status: 'pending', activeForm: 'Testing the boundary' },
];

export const todoWriteExample: ToolExample<TodoWriteInput, TodoWriteOutput> = {
  input: { todos },
  output: { oldTodos: [], newTodos: todos },
  failure: 'Entry 1 has no content: say what is to be done.',
};
