// Reads the sub-agents of a stored session, and their messages, without opening the session.
import type { SDKMessage } from '../../core/messages/sdk-message.ts';
import type { Host } from '../host.ts';
import { SessionFold } from '../journal/fold.ts';
import { readEntries } from '../journal/stored-journal.ts';
import { withHost } from '../session/with-host.ts';
import { requireJournal } from './kept-journals.ts';
import { checkRange, readMessages } from './session-messages.ts';
import type { GetSessionMessagesOptions } from './session-messages.ts';

/** The host whose workspace stores the session. */
export interface ListSubagentsOptions {
  readonly host: Pick<Host, 'workspace'>;
}

/**
 * The ids of the session's sub-agents, oldest first, without those that a rewind has reverted.
 *
 * @throws SdkError as {@link getSubagentMessages}.
 */
export async function listSubagents(
  sessionId: string,
  options: ListSubagentsOptions,
): Promise<string[]> {
  const { host } = withHost(options);
  await requireJournal(host.workspace.streams, sessionId);
  const fold = new SessionFold();
  for (const entry of await readEntries(host.workspace, sessionId)) fold.apply(entry);
  return [...fold.agents].flatMap(([id, { isGone }]) => (isGone ? [] : id));
}

/**
 * The messages of the sub-agent with the results of its calls, oldest first. Its texts are included, whether or not
 * `forwardSubagentText` was set. Messages of agents that it has started aren't included. Empty for an unknown agent.
 *
 * @throws SdkError as `getSessionMessages`.
 */
export async function getSubagentMessages(
  sessionId: string,
  agentId: string,
  options: GetSessionMessagesOptions,
): Promise<SDKMessage[]> {
  const { host, limit = Infinity, offset = 0 } = withHost(options);
  checkRange({ limit, offset });
  const messages = await readMessages(sessionId, host);
  return messages
    .filter((message) => 'agent_id' in message && message.agent_id === agentId)
    .slice(offset, offset + limit);
}
