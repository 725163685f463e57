// A session's journal where it is kept: a stream of its workspace, by the same id as the root of the session's
// files. Used by whoever opens a session, and by whoever lists or changes one that is closed.
import { isRecord } from '../../core/is-record.ts';
import type { JournalEntry } from '../../core/journal.ts';
import { toSessionRootId } from '../../core/session-path.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { StreamEntry, StreamInfo } from '../../workspace/streams.ts';
import { checkJournal, createJournalCheck } from './check-journal.ts';
import { SessionFold } from './fold.ts';
import { decodeRecord, isDecoded } from './journal-codec.ts';
import type { JournalStore } from './session-journal.ts';

/** The id of the stream that holds a session's journal. */
export const toJournalId = toSessionRootId;

/** Appends to the stream; its first entries make it. */
export function createStreamStore({ streams }: Workspace, sessionId: string): JournalStore {
  const stream = toJournalId(sessionId);
  return {
    stream,
    append: ({ at, entries }, durability) => streams.append(stream, entries, { at, durability }),
  };
}

/** Does the workspace keep a session of that id? */
export async function hasJournal({ streams }: Workspace, sessionId: string): Promise<boolean> {
  const stream = toJournalId(sessionId);
  return (await streams.list()).some(({ id }) => id === stream);
}

/**
 * All that the journal holds, folded. Changes nothing.
 *
 * @throws SdkError `invalid-input` for a stream that isn't there; what {@link checkJournal} throws for one that
 * is no whole journal, or of a newer format; `EIO` where the medium has lost bytes of it.
 */
export async function loadJournal(workspace: Workspace, sessionId: string): Promise<SessionFold> {
  const fold = new SessionFold();
  for (const entry of await readEntries(workspace, sessionId)) fold.apply(entry);
  return fold;
}

/**
 * The first entry: of a fork its parent's. Undefined for what is none. Long texts and bytes in it aren't read. Rejects
 * with `EIO` where the medium has lost bytes of it.
 */
export function readFirstEntry(
  workspace: Workspace,
  { id }: StreamInfo,
): Promise<JournalEntry | undefined> {
  return readEntry(workspace, id, 1);
}

/** The newest entry, as {@link readFirstEntry}. */
export function readLastEntry(
  workspace: Workspace,
  { id, length }: StreamInfo,
): Promise<JournalEntry | undefined> {
  return readEntry(workspace, id, length);
}

async function readEntry(
  { streams }: Workspace,
  stream: string,
  n: number,
): Promise<JournalEntry | undefined> {
  for await (const { value, contents = [] } of streams.read(stream, n)) {
    // A long text beside it isn't needed, unless all of the entry is one.
    const isWhole = isRecord(value) && typeof value.type === 'string';
    const entry = isWhole
      ? value
      : await decodeRecord(value, contents, (id) => streams.readContent(id));
    return isRecord(entry) ? (entry as unknown as JournalEntry) : undefined;
  }
  return undefined;
}

/** The entries, decoded and checked, oldest first. Rejects as {@link loadJournal} does. */
export async function readEntries(
  workspace: Workspace,
  sessionId: string,
): Promise<readonly JournalEntry[]> {
  return checkJournal(await decodeFrom(workspace, sessionId, 1));
}

/** The entries of a journal that grows: each call gives those that have come since the one before. */
export function createJournalReader(
  workspace: Workspace,
  sessionId: string,
): () => Promise<readonly JournalEntry[]> {
  const check = createJournalCheck();
  let from = 1;
  return async () => {
    const entries = check(await decodeFrom(workspace, sessionId, from));
    from += entries.length;
    return entries;
  };
}

async function decodeFrom(
  { streams }: Workspace,
  sessionId: string,
  from: number,
): Promise<unknown[]> {
  const read: StreamEntry[] = [];
  for await (const entry of streams.read(toJournalId(sessionId), from)) read.push(entry);
  const decoded: unknown[] = [];
  // A promise for each of ten thousand entries would cost more than all else.
  for (const entry of read) decoded.push(isPlain(entry) ? entry.value : await decode(entry));
  return read.map(({ seq }, at) => withSeq(decoded[at], seq));

  function decode({ value, contents = [] }: StreamEntry): Promise<unknown> {
    return decodeRecord(value, contents, (id) => streams.readContent(id));
  }
}

function isPlain({ value, contents = [] }: StreamEntry): boolean {
  return isDecoded(value, contents);
}

function withSeq(entry: unknown, seq: number | undefined): unknown {
  return seq === undefined ? entry : { ...(entry as JournalEntry), seq };
}
