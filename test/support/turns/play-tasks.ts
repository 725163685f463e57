// A whole query whose model calls the tools of the task list, a reply for each entry of the list of calls.
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import { openHost, runHooked, toResults } from './run-hooked.ts';
import type { HookedRun } from './run-hooked.ts';

export type TaskCall = readonly [name: string, input?: Readonly<Record<string, unknown>>];

export interface TasksPlayed extends HookedRun {
  /** What each call gave as data; undefined for one that failed. */
  readonly outputs: readonly unknown[];
  /** What the model was told of each. */
  readonly texts: readonly string[];
}

/** Of one reply: one call, or several. */
export async function playTasks(
  replies: readonly (TaskCall | readonly TaskCall[])[],
  options: Omit<Partial<QueryOptions>, 'host' | 'model'> = { tasksV2: true },
): Promise<TasksPlayed> {
  await using host = await openHost();
  let made = 0;
  const toBlock = ([name, input = {}]: TaskCall) => {
    made += 1;
    return { type: 'tool_use', id: `call-${made}`, name, input } as const;
  };
  const turns = replies.map((reply) => ({
    blocks: isOne(reply) ? [toBlock(reply)] : reply.map(toBlock),
  }));
  const run = await runHooked(host, turns, options);
  return {
    ...run,
    texts: toResults(run.messages),
    outputs: run.messages.flatMap((message) =>
      message.type === 'user' && toResults([message]).length > 0 ? [message.tool_use_result] : [],
    ),
  };
}

function isOne(reply: TaskCall | readonly TaskCall[]): reply is TaskCall {
  return typeof reply[0] === 'string';
}

export const create = (subject: string, rest: Record<string, unknown> = {}): TaskCall => [
  'TaskCreate',
  { subject, description: '', ...rest },
];

export const update = (taskId: string, rest: Record<string, unknown> = {}): TaskCall => [
  'TaskUpdate',
  { taskId, ...rest },
];

export const listTasks: TaskCall = ['TaskList'];

export const writeTodos = (
  ...todos: readonly (readonly [content: string, status?: string])[]
): TaskCall => [
  'TodoWrite',
  {
    todos: todos.map(([content, status = 'pending']) => ({
      content,
      status,
      activeForm: `${content} …`,
    })),
  },
];
