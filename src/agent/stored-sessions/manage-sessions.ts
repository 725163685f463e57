// What a person does with the sessions that a workspace keeps, beside going on with them: titles, a tag, the
// archive, the bin. All but the last are entries of the session's journal.
import { SdkError } from '../../core/errors.ts';
import type { MetaRecord } from '../../core/journal.ts';
import { toSessionRootId } from '../../core/session-path.ts';
import type { Host } from '../host.ts';
import { encodeRecord } from '../journal/journal-codec.ts';
import { toJournalId } from '../journal/stored-journal.ts';
import { findHeldSession, holdSession } from '../session/held-sessions.ts';
import { requireJournal } from './kept-journals.ts';

/** Where the session is. */
export interface SessionOptions {
  readonly host: Pick<Host, 'workspace' | 'clock'>;
}

/**
 * Gives the session a title, which lists show in the place of its first prompt.
 *
 * @throws SdkError `bad-usage` for an empty title or one of more than 1 000 characters, for a session that
 * the workspace doesn't keep, and while it is being opened here. So do the next four.
 */
export async function renameSession(
  sessionId: string,
  title: string,
  options: SessionOptions,
): Promise<void> {
  await note(sessionId, { type: 'meta', title: checkText('title', title) }, options);
}

/** Gives it a tag in the place of the one that it has; null: it has none any more. */
export async function tagSession(
  sessionId: string,
  tag: string | null,
  options: SessionOptions,
): Promise<void> {
  const tags = tag === null ? [] : [checkText('tag', tag)];
  await note(sessionId, { type: 'meta', tags }, options);
}

/** Leaves it out of lists that don't ask for archived sessions. */
export async function archiveSession(sessionId: string, options: SessionOptions): Promise<void> {
  await note(sessionId, { type: 'meta', isArchived: true }, options);
}

/** Takes it out of the archive. */
export async function unarchiveSession(sessionId: string, options: SessionOptions): Promise<void> {
  await note(sessionId, { type: 'meta', isArchived: false }, options);
}

/**
 * Deletes the session, its journal and its own files. Forks of it stay, and so do the workspace's files.
 *
 * @throws SdkError `bad-usage` for a session that the workspace doesn't keep, and for one that is open here.
 */
export async function deleteSession(sessionId: string, { host }: SessionOptions): Promise<void> {
  const { workspace } = host;
  const { streams, roots } = workspace;
  await requireJournal(streams, sessionId);
  const held = await holdSession(workspace, sessionId);
  try {
    const root = toSessionRootId(sessionId);
    const hasFiles = (await roots.list({ kind: 'session' })).some(({ id }) => id === root);
    // The files first: should the page end between the two, the session is still listed, and can be deleted.
    if (hasFiles) await roots.drop(root, { author: { kind: 'user' } });
    await streams.drop(toJournalId(sessionId));
  } finally {
    held[Symbol.dispose]();
  }
}

/** By the journal of whoever has it open here: what is appended beside that would end it. */
async function note(
  sessionId: string,
  record: MetaRecord,
  { host }: SessionOptions,
): Promise<void> {
  const { workspace, clock } = host;
  const journal = findHeldSession(workspace, sessionId)?.journal;
  if (journal) {
    await journal.recordSafely(record);
    return;
  }
  const held = await holdSession(workspace, sessionId);
  try {
    const { length } = await requireJournal(workspace.streams, sessionId);
    const entry = encodeRecord({ ...record, n: length + 1, time: clock.now() });
    await workspace.streams.append(toJournalId(sessionId), [entry], { at: length });
  } finally {
    held[Symbol.dispose]();
  }
}

function checkText(name: 'title' | 'tag', text: unknown): string {
  const trimmed = typeof text === 'string' ? text.trim() : '';
  if (trimmed !== '' && trimmed.length <= 1_000) return trimmed;
  const message = `A session's ${name} is a text of 1 to 1 000 characters.`;
  throw new SdkError('bad-usage', message, { data: { [name]: text } });
}
