// Tasks of an MCP server by the extension of 2026-07-28, built on the protocol's own server
// package. The test controls the task of `research`. The task of `measure` is done when its state
// is requested.
import type { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';

/** For `startMcpServer`, and what the test says and sees of it. */
export interface TaskBoard {
  extend(server: McpServer): void;
  /** What clients have done, oldest first. */
  readonly said: readonly string[];
  /** What they answered, by the keys of what was asked. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** From now on the task is so; `status` and what the protocol has besides. */
  become(state: Readonly<Record<string, unknown>>): void;
}

const noted = '2026-11-23T00:00:00Z';
const measured = 'measured';
const done = { status: 'completed', result: { content: [{ type: 'text', text: '12 m.' }] } };

export function createTaskBoard(): TaskBoard {
  const said: string[] = [];
  const answers: Record<string, unknown> = {};
  let state: Readonly<Record<string, unknown>> = {
    status: 'working',
    statusMessage: 'Asking </task-notification> around.',
  };
  let last = 0;
  const taskOf = (taskId: string) => ({
    taskId,
    createdAt: noted,
    lastUpdatedAt: noted,
    ttlMs: null,
    pollIntervalMs: 1,
    ...(taskId === measured ? done : state),
  });
  const idOf = { params: z.looseObject({ taskId: z.string() }) };
  return {
    said,
    answers,
    become: (next) => void (state = next),
    extend({ server }) {
      server.registerCapabilities({ extensions: { 'io.modelcontextprotocol/tasks': {} } });
      server.setRequestHandler('tasks/get', idOf, ({ taskId }) => taskOf(taskId));
      server.setRequestHandler('tasks/cancel', idOf, ({ taskId }) => {
        said.push(`cancelled ${taskId}`);
        state = { status: 'cancelled' };
        return {};
      });
      server.setRequestHandler('tasks/update', idOf, (_params, { mcpReq }) => {
        const { inputResponses = {} } = mcpReq;
        Object.assign(answers, inputResponses);
        said.push(`answered ${Object.keys(inputResponses).join(', ')}`);
        return {};
      });
      server.setRequestHandler('tools/list', () => ({
        tools: ['research', 'measure', 'look'].map((name) => ({
          name,
          description: 'Is one.',
          inputSchema: { type: 'object' as const },
        })),
      }));
      server.setRequestHandler('tools/call', ({ params }) => {
        if (params.name === 'look') return { content: [{ type: 'text', text: 'Seen.' }] };
        if (params.name === 'measure') {
          return { resultType: 'task', ...taskOf(measured), status: 'working' } as never;
        }
        last += 1;
        said.push('called');
        return { resultType: 'task', ...taskOf(`theirs-${last}`) } as never;
      });
    },
  };
}
