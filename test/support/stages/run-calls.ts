// One message's calls through a real turn, in all but the model.
import { runTurn } from '../../../src/agent/turn/loop.ts';
import type {
  ContentBlock,
  ToolResultBlock,
  ToolUseBlock,
} from '../../../src/core/messages/blocks.ts';
import type { ModelEvent } from '../../../src/core/messages/messages.ts';
import type { CanUseTool } from '../../../src/core/permissions/permission.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import type { ModelRequest } from '../../../src/model/model.ts';
import { assistantMessage } from '../models/model-streams.ts';
import { createTestSession } from './test-session.ts';
import type { TestSessionOptions } from './test-session.ts';
import { plainTool } from './test-tools.ts';

/** The tool with its work on this thread. */
export const here = (tool: Tool, changes: Partial<Tool> = {}): Tool => {
  const { runsIn: _, ...rest } = tool as Tool & { runsIn: 'worker' };
  return { ...rest, call: () => Promise.resolve({ data: 'done' }), ...changes };
};
/** One that works, to be called beside one that doesn't. */
export const healthy = here(plainTool({ name: 'Healthy', isReadOnly: () => true }));

/** A turn whose messages aren't read. */
export const quiet = {
  includePartialMessages: false,
  signal: new AbortController().signal,
};

export interface RunOptions extends TestSessionOptions {
  /** To every question. */
  readonly answer?: 'allow' | 'deny';
}

/** The results of one message's calls, the requests of the turn, and how often a person was asked. */
export async function runCalls(
  tools: readonly Tool[],
  calls: readonly ContentBlock[],
  { answer = 'allow', ...options }: RunOptions = {},
) {
  const requests: ModelRequest[] = [];
  const model = {
    name: 'test',
    apiKeySource: 'none',
    async *stream(request: ModelRequest): AsyncGenerator<ModelEvent, void> {
      requests.push({ ...request, messages: [...request.messages] });
      const says = { type: 'text', text: 'Done.' } as const;
      yield* requests.length === 1
        ? toEvents(assistantMessage(calls, { stop_reason: 'tool_use' }))
        : toEvents(assistantMessage([says], { stop_reason: 'end_turn' }));
    },
  } as const;
  let asked = 0;
  const canUseTool: CanUseTool = () => {
    asked += 1;
    return Promise.resolve(
      answer === 'allow' ? { behavior: answer } : { behavior: answer, message: 'No.' },
    );
  };
  const session = await createTestSession({ tools, canUseTool, ...options, model });
  const { end } = await runTurn(session, { role: 'user', content: 'Go.' }, quiet);
  // Behind the model's message; before it there may be a reminder of the mode.
  const sent = requests[1]?.messages ?? [];
  const after = sent[sent.findLastIndex(({ role }) => role === 'assistant') + 1];
  const results = (after?.content ?? []) as readonly ToolResultBlock[];
  return { end: end.type, results, requests, asked };
}

export const callOf = (name: string, input: object, id = name): ToolUseBlock => ({
  type: 'tool_use',
  id,
  name,
  input: input as Record<string, unknown>,
});
