// The journals that a workspace stores: one stream for each session. Code that lists, reads, exports or mirrors
// sessions uses this.
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
  /** True if the session was moved: it may run in another place. */
  readonly wasMoved: boolean;
}

/** The journals of a workspace, in the order of their creation. */
export async function listJournals(streams: WorkspaceStreams): Promise<StoredJournal[]> {
  const listed = await streams.list();
  const ids = new Set(listed.map(({ id }) => id));
  return listed.flatMap(({ id, length, bytes }) => {
    const sessionId = sessionOfRoot(id);
    if (sessionId === undefined || length === 0) return [];
    return [{ sessionId, length, bytes, wasMoved: ids.has(toLedgerId(sessionId)) }];
  });
}

/** @throws SdkError `bad-usage` for an invalid session id */
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

/** Finds a journal that must exist. */
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

/** Decodes an entry to data. Bytes in it aren't loaded. */
export async function decodeEntry(
  { value, contents = [], seq }: StreamEntry,
  streams: WorkspaceStreams,
): Promise<Readonly<Record<string, unknown>>> {
  const entry = await decodeRecord(value, contents, (id) => streams.readContent(id));
  if (!isRecord(entry)) return {};
  return { ...entry, ...(seq !== undefined && { seq }) };
}

/** Reads the entries from number `from` on with the bytes of their contents, for an export from the workspace. */
export async function* readEncoded(
  streams: WorkspaceStreams,
  sessionId: string,
  from = 1,
): AsyncGenerator<EncodedRecord, void, undefined> {
  for await (const { value, contents = [], seq } of streams.read(toJournalId(sessionId), from)) {
    const bytes = await Promise.all(contents.map((id) => streams.readContent(id)));
    // The number of the entry's commit shows which changes of a person came between.
    yield {
      value: isRecord(value) && seq !== undefined ? { ...value, seq } : value,
      contents: bytes,
    };
  }
}
