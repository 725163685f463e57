// Cells as an agent runs them, through the whole pipeline. It alone decides when a cell that can't
// be cut is killed, and it alone runs nested tools.
import * as z from 'zod';
import {
  buildTool,
  createScriptedModel,
  query,
  type BrowserHost,
  type ScriptBlock,
  type Tool,
  type ToolDef,
} from 'rockpool/browser';

/** One cell, and how long it may run. */
export interface AgentCell {
  readonly code: string;
  readonly timeout?: number;
}

/** When the cell went to its worker and when the conversation had its result; the page's clock. */
export interface AgentAnswer {
  readonly startedAt: number;
  readonly settledAt: number;
  /** The tool result as the model sees it, in JSON. */
  readonly text: string;
}

/** Runs the cells one after the other in one conversation, where `Nothing` is a tool too. */
export async function runAgentCells(
  host: BrowserHost,
  cells: readonly AgentCell[],
): Promise<AgentAnswer[]> {
  const startTimes: number[] = [];
  const watched: BrowserHost = {
    ...host,
    executor: {
      start(...parameters) {
        startTimes.push(performance.now());
        return host.executor.start(...parameters);
      },
    },
  };
  const calls = cells.map((input) => ({
    blocks: [{ type: 'tool_use', name: 'Repl', input } as unknown as ScriptBlock],
  }));
  const options = {
    host: watched,
    model: createScriptedModel({
      script: { turns: [...calls, { blocks: [{ type: 'text', text: 'Done.' }] }] },
    }),
    tools: [...(await host.loadTools()), nothingTool as unknown as Tool],
    permissionMode: 'bypassPermissions',
  } as const;
  const answers: AgentAnswer[] = [];
  for await (const message of query({ prompt: 'Work.', options })) {
    // Those of nested calls come before their cell's own.
    if (message.type !== 'user' || message.parent_tool_use_id !== null) continue;
    const settledAt = performance.now();
    const startedAt = startTimes[answers.length];
    if (startedAt === undefined) throw new Error('A result came before its call.');
    answers.push({ startedAt, settledAt, text: JSON.stringify(message.message.content) });
  }
  if (answers.length !== cells.length) throw new Error(`${answers.length} cells were answered.`);
  return answers;
}

const nothingSchema = z.strictObject({});

/** Does nothing, on the agent's own thread: what a nested call of it takes is all overhead. */
const nothingTool = buildTool({
  name: 'Nothing',
  inputSchema: nothingSchema,
  maxResultSizeChars: 1000,
  description: () => Promise.resolve('Does nothing.'),
  prompt: () => Promise.resolve(''),
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  call: () => Promise.resolve({ data: null }),
  mapToolResultToToolResultBlockParam: (_, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: 'Nothing was done.',
  }),
} satisfies ToolDef<typeof nothingSchema, null>);
