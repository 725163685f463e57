// Reads a stored session's journal without opening the session: its fold, and the messages for viewers.
import { SdkError } from '../../core/errors.ts';
import type { SDKMessage } from '../../core/messages/sdk-message.ts';
import type { Host } from '../host.ts';
import { SessionFold } from '../journal/fold.ts';
import { toKeptMessages } from '../journal/kept-messages.ts';
import { readEntries } from '../journal/stored-journal.ts';
import { withHost } from '../session/with-host.ts';
import { requireJournal } from './kept-journals.ts';

/** The host, and which messages to read. */
export interface GetSessionMessagesOptions {
  readonly host: Pick<Host, 'workspace'>;
  /** @defaultValue all */
  readonly limit?: number;
  /** How many of the oldest messages to skip. @defaultValue 0 */
  readonly offset?: number;
}

/**
 * Reads the kept messages, oldest first: those with an `n`, as viewers got them. Messages that a rewind has reverted
 * are included, as for a viewer.
 *
 * @throws SdkError `bad-usage` for a session that the workspace doesn't store; `invalid-input` for a damaged journal;
 * `unsupported-environment` for one of a newer format
 */
export async function getSessionMessages(
  sessionId: string,
  options: GetSessionMessagesOptions,
): Promise<SDKMessage[]> {
  const { host, limit = Infinity, offset = 0 } = withHost(options);
  checkRange({ limit, offset });
  const messages = await readMessages(sessionId, host);
  return messages.slice(offset, offset + limit);
}

/** @throws SdkError `bad-usage` for a value that isn't a whole number from 0 on */
export function checkRange(range: { readonly limit: number; readonly offset: number }): void {
  for (const [name, count] of Object.entries(range)) {
    if (count === Infinity || (Number.isSafeInteger(count) && count >= 0)) continue;
    throw new SdkError('bad-usage', `${name} must be a whole number from 0, not ${count}.`);
  }
}

/** All kept messages of the session and its sub-agents. Rejects as {@link getSessionMessages}. */
export async function readMessages(
  sessionId: string,
  { workspace }: Pick<Host, 'workspace'>,
): Promise<SDKMessage[]> {
  await requireJournal(workspace.streams, sessionId);
  const messages: SDKMessage[] = [];
  const fold = new SessionFold();
  for (const entry of await readEntries(workspace, sessionId)) {
    fold.apply(entry);
    messages.push(...toKeptMessages(entry, fold, sessionId));
  }
  return messages;
}
