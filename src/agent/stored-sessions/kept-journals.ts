// The journals that a workspace keeps, as they lie there: one stream a session. Whatever lists, reads,
// exports or mirrors sessions goes by it.
import { SdkError } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { isSessionId, sessionOfRoot } from '../../core/session/session-path.ts';
import type { StreamEntry, StreamInfo, WorkspaceStreams } from '../../workspace/streams.ts';
import { decodeRecord } from '../journal/journal-codec.ts';
import type { EncodedRecord } from '../journal/journal-codec.ts';
import { toJournalId } from '../journal/stored-journal.ts';
import { toLedgerId } from '../session/handover/ledger.ts';

/** A journal, before any of it is read. */
export interface StoredJournal extends Pick<StreamInfo, 'length' | 'bytes'> {
  readonly sessionId: string;
  /** Something is known of its moves: it may run elsewhere. */
  readonly wasMoved: boolean;
}

/** The journals of a workspace, in the order in which they were made. */
export async function listJournals(streams: WorkspaceStreams): Promise<StoredJournal[]> {
  const listed = await streams.list();
  const ids = new Set(listed.map(({ id }) => id));
  return listed.flatMap(({ id, length, bytes }) => {
    const sessionId = sessionOfRoot(id);
    if (sessionId === undefined || length === 0) return [];
    return [{ sessionId, length, bytes, wasMoved: ids.has(toLedgerId(sessionId)) }];
  });
}

/** @throws SdkError `bad-usage` for what can't be a session's id. */
export async function findJournal(
  streams: WorkspaceStreams,
  sessionId: string,
): Promise<StoredJournal | undefined> {
  if (!isSessionId(sessionId)) {
    throw new SdkError(
      'bad-usage',
      `${JSON.stringify(sessionId)} can't be a session's id: it has letters, digits, - and _, at most 128.`,
      { data: { sessionId } },
    );
  }
  return (await listJournals(streams)).find((journal) => journal.sessionId === sessionId);
}

/** The same, where there must be one. */
export async function requireJournal(
  streams: WorkspaceStreams,
  sessionId: string,
): Promise<StoredJournal> {
  const found = await findJournal(streams, sessionId);
  if (found) return found;
  throw new SdkError(
    'bad-usage',
    `The workspace keeps no session "${sessionId}". listSessions({ host }) gives those that it keeps.`,
    { data: { sessionId } },
  );
}

/** An entry as data; bytes in it stay where they are. */
export async function decodeEntry(
  { value, contents = [], seq }: StreamEntry,
  streams: WorkspaceStreams,
): Promise<Readonly<Record<string, unknown>>> {
  const entry = await decodeRecord(value, contents, (id) => streams.readContent(id));
  if (!isRecord(entry)) return {};
  return { ...entry, ...(seq !== undefined && { seq }) };
}

/** The entries from number `from` on with their contents' bytes, for whoever takes them out of the workspace. */
export async function* readEncoded(
  streams: WorkspaceStreams,
  sessionId: string,
  from = 1,
): AsyncGenerator<EncodedRecord, void, undefined> {
  for await (const { value, contents = [], seq } of streams.read(toJournalId(sessionId), from)) {
    const bytes = await Promise.all(contents.map((id) => streams.readContent(id)));
    // The number of the commit that it landed with tells a person's changes between.
    yield {
      value: isRecord(value) && seq !== undefined ? { ...value, seq } : value,
      contents: bytes,
    };
  }
}
