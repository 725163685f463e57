// The definition of the tool SendUserMessage. It has no worker half, because the person is shown
// its call.
import { clipText } from '../../core/text/clip-text.ts';
import { toSummary } from '../../core/tool/summary.ts';
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import type { ToolUseContext } from '../../core/tool/context.ts';
import { toValidation } from '../../core/tool/validation.ts';
import {
  sendUserMessageDescription,
  sendUserMessagePrompt,
  sendUserMessageToolName,
} from './prompt.ts';
import {
  sendUserMessageInputSchema,
  sendUserMessageOutputSchema,
  type SendUserMessageInput,
  type SendUserMessageOutput,
} from './schema.ts';

// 20 000, as for mail between agents: a longer text belongs in a file.
const maxMessageChars = 20_000;

export const sendUserMessageTool = buildTool({
  name: sendUserMessageToolName,
  aliases: ['Brief'],
  searchHint: 'tell the user something now',
  // Never deferred in proactive mode.
  shouldDefer: true,
  get inputSchema() {
    return sendUserMessageInputSchema();
  },
  get outputSchema() {
    return sendUserMessageOutputSchema();
  },

  description: () => Promise.resolve(sendUserMessageDescription),
  prompt: () => Promise.resolve(sendUserMessagePrompt),

  validateInput({ message }, { agentId }) {
    const mistake =
      agentId !== undefined
        ? 'Only the agent that speaks with the user writes to them. Say it in your report.'
        : message.trim() === ''
          ? 'message is empty: say what the user is to read.'
          : message.length > maxMessageChars
            ? `message has ${message.length} characters, and may have ${maxMessageChars}. Write the rest to a file, and name that.`
            : undefined;
    return toValidation(mistake);
  },
  checkPermissions: () => Promise.resolve({ behavior: 'allow' }),
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  changesOnlySession: () => true,

  call: send,
  // The call leaves nothing behind but its result.
  resumeCall: send,

  userFacingName: () => 'Message',
  getToolUseSummary: ({ message }) => toSummary(message ?? '') || null,
  getActivityDescription: () => 'Writing to you',
  extractSearchText: ({ message }) => message,
  toAutoClassifierInput: ({ message }) => `tell the user: ${clipText(message, 2_000)}`,

  mapToolResultToToolResultBlockParam: (_output, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: 'The user is shown it.',
  }),
} satisfies ToolDef<ReturnType<typeof sendUserMessageInputSchema>, SendUserMessageOutput>);

function send(
  { message }: SendUserMessageInput,
  { clock }: Pick<ToolUseContext, 'clock'>,
): Promise<{ data: SendUserMessageOutput }> {
  return Promise.resolve({ data: { message, sentAt: clock.now() } });
}
