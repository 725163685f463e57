// The definition of the tool SendMessage. It has no worker half, because the session carries the
// mail.
import { clipText } from '../../core/text/clip-text.ts';
import { toSummary } from '../../core/tool/summary.ts';
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import type { CallContext } from '../../core/tool/context.ts';
import type { ToolResult } from '../../core/tool/tool.ts';
import { sendMessageDescription, sendMessagePrompt, sendMessageToolName } from './prompt.ts';
import {
  sendMessageInputSchema,
  sendMessageOutputSchema,
  type SendMessageInput,
  type SendMessageOutput,
} from './schema.ts';

// 20 000: about 5 000 tokens. It goes into the reader's conversation whole.
const maxMessageChars = 20_000;

export const sendMessageTool = buildTool({
  name: sendMessageToolName,
  searchHint: 'write to another running agent or teammate',
  shouldDefer: true,
  get inputSchema() {
    return sendMessageInputSchema();
  },
  get outputSchema() {
    return sendMessageOutputSchema();
  },

  description: (input) =>
    Promise.resolve(input ? `Write to agent ${input.to}` : sendMessageDescription),
  prompt: () => Promise.resolve(sendMessagePrompt),

  validateInput({ to, message }) {
    const missing = to.trim() === '' ? 'to' : message.trim() === '' ? 'message' : undefined;
    const isTooLong = message.length > maxMessageChars;
    if (missing === undefined && !isTooLong) return Promise.resolve({ result: true });
    const sentence = isTooLong
      ? `message has ${message.length} characters, and may have ${maxMessageChars}. Write the rest to a file, and name that.`
      : `${missing} is empty: give an agent's id or name, and what it is to read.`;
    return Promise.resolve({ result: false, errorCode: 1, message: sentence });
  },
  // The call changes only what another agent of the session knows. That agent's calls are judged as
  // ever.
  checkPermissions: () => Promise.resolve({ behavior: 'allow' }),
  changesOnlySession: () => true,

  call: sendMessage,
  // The same call sends the same letter, which isn't given twice.
  resumeCall: sendMessage,

  userFacingName: () => 'Send message',
  getToolUseSummary: ({ to }) => toSummary(to ?? '') || null,
  getActivityDescription: ({ to }) => (to === undefined ? null : `Writing to ${to}`),
  toAutoClassifierInput: ({ to, message }) => `to agent ${to}: ${clipText(message, 2_000)}`,

  mapToolResultToToolResultBlockParam: ({ to, hasWoken }, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: hasWoken
      ? `${to} was at rest and goes on with it. You are told when it ends.`
      : `${to} reads it with its next request.`,
  }),
} satisfies ToolDef<ReturnType<typeof sendMessageInputSchema>, SendMessageOutput>);

async function sendMessage(
  { to, message }: SendMessageInput,
  { agents, toolUseID }: CallContext,
): Promise<ToolResult<SendMessageOutput>> {
  const { hasWoken } = await agents.send(to, message, toolUseID);
  return { data: { to, hasWoken } };
}
