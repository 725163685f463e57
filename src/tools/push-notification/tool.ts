// The definition of the tool PushNotification. It has no worker half, because the host's
// `onPushNotification` reaches the person.
import { throwIfAborted } from '../../core/async/abort.ts';
import { describeThrown, ToolError } from '../../core/errors.ts';
import { toSummary } from '../../core/tool/summary.ts';
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import type { CallContext } from '../../core/tool/context.ts';
import type { ToolResult } from '../../core/tool/tool.ts';
import { toValidation } from '../../core/tool/validation.ts';
import {
  pushNotificationDescription,
  pushNotificationPrompt,
  pushNotificationToolName,
} from './prompt.ts';
import {
  pushNotificationInputSchema,
  pushNotificationOutputSchema,
  type PushNotificationInput,
  type PushNotificationOutput,
} from './schema.ts';

export const pushNotificationTool = buildTool({
  name: pushNotificationToolName,
  searchHint: 'notify the user who is away',
  shouldDefer: true,
  get inputSchema() {
    return pushNotificationInputSchema();
  },
  get outputSchema() {
    return pushNotificationOutputSchema();
  },

  description: (input) =>
    Promise.resolve(
      input ? `Notify you: ${toSummary(input.message)}` : pushNotificationDescription,
    ),
  prompt: () => Promise.resolve(pushNotificationPrompt),

  validateInput({ message }, { agentId }) {
    const mistake =
      agentId !== undefined
        ? 'Only the agent that speaks with the user notifies them. Say it in your report.'
        : message.trim() === ''
          ? 'message is empty: say what has happened.'
          : undefined;
    return toValidation(mistake);
  },
  // The person has told the browser or the host whether they want messages, and where.
  checkPermissions: () => Promise.resolve({ behavior: 'allow' }),
  isReadOnly: () => true,

  call: notify,
  // The person may have the message already, and nobody here knows.
  resumeCall: () =>
    Promise.reject(
      new ToolError(
        'The session was closed while the user was notified. They may have been: do it again only where it matters.',
      ),
    ),

  userFacingName: () => 'Notify',
  getToolUseSummary: ({ message }) => toSummary(message ?? '') || null,
  getActivityDescription: () => 'Notifying you',
  extractSearchText: ({ message }) => message,
  toAutoClassifierInput: ({ message }) => `notify the user: ${message}`,

  mapToolResultToToolResultBlockParam: (output, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: describeOutput(output),
  }),
} satisfies ToolDef<ReturnType<typeof pushNotificationInputSchema>, PushNotificationOutput>);

async function notify(
  { message, status }: PushNotificationInput,
  context: CallContext,
): Promise<ToolResult<PushNotificationOutput>> {
  const { sessionId, clock, onPushNotification, addNotification } = context;
  const { signal } = context.abortController;
  // Every follower of the session, here or elsewhere, gets it as a message.
  addNotification(message);
  if (!onPushNotification) return { data: { message, disabledReason: 'no_transport' } };
  try {
    const notification = { message, sessionId, ...(status && { status }) };
    const { pushSent, localSent, disabledReason } = await onPushNotification(notification, {
      signal,
    });
    const isSent = pushSent === true || localSent === true;
    return {
      data: {
        message,
        ...(pushSent !== undefined && { pushSent }),
        ...(localSent !== undefined && { localSent }),
        ...(disabledReason !== undefined && { disabledReason }),
        ...(isSent && { sentAt: new Date(clock.now()).toISOString() }),
      },
    };
  } catch (cause) {
    throwIfAborted(signal);
    throw new ToolError(`The user couldn't be notified: ${describeThrown(cause)}`, { cause });
  }
}

const reasons = {
  config_off: 'The user has not allowed notifications. Only they can: do not try again.',
  user_present: 'The user is looking at the page: no notification was sent.',
  no_transport: 'No notification was sent: there is no way to a user who is away.',
} as const;

function describeOutput({ pushSent, localSent, disabledReason }: PushNotificationOutput): string {
  if (pushSent) return 'The notification is on its way to the user.';
  if (localSent) return 'The notification is shown on the user’s screen.';
  return `${reasons[disabledReason ?? 'no_transport']} They find your words in the conversation.`;
}
