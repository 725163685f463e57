// A session's journal where it is kept: a stream of its workspace, by the same id as the root of the session's
// files. Used by whoever opens a session, and by whoever lists or changes one that is closed.
import { isRecord } from '../../core/values/is-record.ts';
import type { JournalEntry, RewoundRecord } from '../../core/session/journal.ts';
import { toSessionRootId } from '../../core/session/session-path.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { StreamInfo } from '../../workspace/streams.ts';
import { createJournalCheck } from './check-journal.ts';
import { SessionFold } from './fold.ts';
import type { EntrySource } from './entries-at-hand.ts';
import { decodeRecord, isDecoded, isPacked } from './journal-codec.ts';
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

/** Where a fold of the session reads again what it has let go. */
export function createEntrySource(workspace: Workspace, sessionId: string): EntrySource {
  return { read: (from) => decodeFrom(workspace, sessionId, from) };
}

/**
 * The journal folded, for a session that is about to run. It is read in pages of the log. What
 * nobody needs at hand is let go at once. Rejects as {@link loadJournal}.
 */
export async function openFold(workspace: Workspace, sessionId: string): Promise<SessionFold> {
  const fold = new SessionFold(undefined, createEntrySource(workspace, sessionId));
  await readOn(fold, createJournalReader(workspace, sessionId)());
  return fold;
}

async function readOn(fold: SessionFold, entries: AsyncIterable<JournalEntry>): Promise<void> {
  for await (const entry of entries) {
    if (isRewind(entry)) await fold.recall(entry.to);
    fold.apply(entry);
    fold.letGo(fold.length);
  }
}

/** A rewind of the session's own: before it is applied, the entries of its way are read again. */
export function isRewind(entry: JournalEntry): entry is RewoundRecord & JournalEntry {
  return entry.type === 'rewound' && entry.agent === undefined;
}

/**
 * All that the journal holds, folded. Changes nothing.
 *
 * @throws SdkError `invalid-input` for a stream that isn't there. `EIO` where the medium has lost
 * bytes of it. For one that is no whole journal, or of a newer format, throws what `checkJournal`
 * throws.
 */
export async function loadJournal(workspace: Workspace, sessionId: string): Promise<SessionFold> {
  const fold = new SessionFold();
  await readOn(fold, createJournalReader(workspace, sessionId)());
  return fold;
}

/**
 * The first entry; a fork has its parent's. Undefined where it isn't one of ours. Long texts and bytes in it aren't
 * read. Rejects with `EIO` where the medium has lost bytes of it.
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
    const isWhole = isRecord(value) && typeof value.type === 'string' && !isPacked(value);
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
  const entries: JournalEntry[] = [];
  for await (const entry of createJournalReader(workspace, sessionId)()) entries.push(entry);
  return entries;
}

/** The entries of a journal that grows: each call gives those that have come since the one before. */
export function createJournalReader(
  workspace: Pick<Workspace, 'streams'>,
  sessionId: string,
  check = createJournalCheck(),
): () => AsyncGenerator<JournalEntry, void, undefined> {
  let from = 1;
  return async function* () {
    for await (const entry of decodeFrom(workspace, sessionId, from)) {
      check([entry]);
      from += 1;
      yield entry;
    }
  };
}

/** Unchecked: what they hold may be anything. */
async function* decodeFrom(
  { streams }: Pick<Workspace, 'streams'>,
  sessionId: string,
  from: number,
): AsyncGenerator<JournalEntry, void, undefined> {
  for await (const { value, contents = [], seq } of streams.read(toJournalId(sessionId), from)) {
    // A promise for each of ten thousand entries would cost more than all else.
    const decoded = isDecoded(value, contents)
      ? value
      : await decodeRecord(value, contents, (id) => streams.readContent(id));
    yield withSeq(decoded, seq);
  }
}

function withSeq(entry: unknown, seq: number | undefined): JournalEntry {
  return seq === undefined ? (entry as JournalEntry) : { ...(entry as JournalEntry), seq };
}
