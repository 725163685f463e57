// The sub-agents of a kept session, and what each of them said and did, without opening it.
import type { SDKMessage } from '../../core/messages/sdk-message.ts';
import type { Host } from '../host.ts';
import { SessionFold } from '../journal/fold.ts';
import { readEntries } from '../journal/stored-journal.ts';
import { withHost } from '../session/with-host.ts';
import { requireJournal } from './kept-journals.ts';
import { checkRange, readMessages } from './session-messages.ts';
import type { GetSessionMessagesOptions } from './session-messages.ts';

/** Where the session is kept. */
export interface ListSubagentsOptions {
  readonly host: Pick<Host, 'workspace'>;
}

/**
 * The ids of the session's sub-agents, the oldest first. Those that a rewind took back aren't among them.
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
 * What the sub-agent said and did, and what its calls gave, the oldest first; with its texts, whether or not
 * `forwardSubagentText` was set. Those of agents that it has begun are their own. Empty for an unknown agent.
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
