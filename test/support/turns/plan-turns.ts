// Turns that plan: enter plan mode, write the plan, ask a person, and continue. For tests of plan mode's tools.
import { query } from '../../../src/agent/query.ts';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import type { Host } from '../../../src/agent/host.ts';
import type { ToolUseBlock } from '../../../src/core/messages/blocks.ts';
import { isToolResultBlock } from '../../../src/core/messages/blocks.ts';
import type { CanUseTool, PermissionResult } from '../../../src/core/permissions/permission.ts';
import type { SDKMessage, SDKResultMessage } from '../../../src/core/messages/sdk-message.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import type { ListModel, Reply } from './play-turns.ts';
import { asks, listModel, says } from './play-turns.ts';

export const planPath = '/session/s1/plan.md';
export const thePlan = '# The plan\n\n1. Write b.txt.\n';

export const toolUse = (id: string, name: string, input: object = {}): ToolUseBlock => ({
  type: 'tool_use',
  id,
  name,
  input: input as Record<string, unknown>,
});
export const enters = () => asks(toolUse('enter', 'EnterPlanMode'));
export const plans = (content = thePlan, path = planPath) =>
  asks(toolUse('plan', 'Write', { file_path: path, content }));
export const exits = (id = 'exit') => asks(toolUse(id, 'ExitPlanMode'));
export const works = (id = 'work') =>
  asks(toolUse(id, 'Write', { file_path: 'b.txt', content: 'b' }));

/** Enters, plans, puts the plan to the person, works, and says so. */
export const wholePlan = (): readonly Reply[] => [
  enters(),
  plans(),
  exits(),
  works(),
  says('Done.'),
];

export interface PlanTurn {
  readonly host: Host;
  readonly model: ListModel;
  readonly result: SDKResultMessage;
  readonly messages: readonly SDKMessage[];
  /** Each question, as the host was asked. */
  readonly asked: readonly { readonly toolName: string; readonly input: unknown }[];
  /** What the model was told of the call. */
  told(callId: string): string;
  /** Undefined if the file doesn't exist. */
  file(path: string): Promise<string | undefined>;
}

/** The answers by the tool's name. The last one is repeated. */
export type Answers = Readonly<Record<string, readonly PermissionResult[]>>;

export const yes: PermissionResult = { behavior: 'allow' };

/** One turn in a session `s1`. `answers` undefined: no person can answer. */
export async function playPlan(
  replies: readonly Reply[],
  answers: Answers | undefined,
  options: Partial<QueryOptions> = {},
): Promise<PlanTurn> {
  const host = options.host ?? (await createInlineHost());
  const model = listModel('claude-test', replies);
  const asked: { toolName: string; input: unknown }[] = [];
  const canUseTool: CanUseTool = (toolName, input) => {
    const before = asked.filter((one) => one.toolName === toolName).length;
    asked.push({ toolName, input });
    const known = answers?.[toolName] ?? [];
    const answer = known[Math.min(before, known.length - 1)];
    if (!answer) throw new Error(`Nobody foresaw a question about ${toolName}.`);
    return Promise.resolve(answer);
  };
  const messages: SDKMessage[] = [];
  const id = options.resume === undefined && { sessionId: 's1' };
  const given = { ...id, ...options, host, model, ...(answers && { canUseTool }) };
  for await (const message of query({ prompt: 'Go.', options: given })) messages.push(message);
  const result = messages.find((message) => message.type === 'result');
  if (!result) throw new Error('The turn has no result.');
  return {
    host,
    model,
    result,
    messages,
    asked,
    told(callId) {
      const text = told(messages, callId);
      return typeof text === 'string' ? text : JSON.stringify(text);
    },
    file: (path) => host.workspace.fs.readFile(path, 'utf8').catch(() => undefined),
  };
}

/** What the results say of the call. */
function told(messages: readonly SDKMessage[], callId: string): unknown {
  const blocks = messages.flatMap((message) =>
    message.type === 'user' && typeof message.message.content !== 'string'
      ? message.message.content
      : [],
  );
  return blocks.filter(isToolResultBlock).find((block) => block.tool_use_id === callId)?.content;
}
