// Copies a session's journal between places. Entries are copied byte by byte, so they are the same
// on both sides.
import { SdkError } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { createJournalCheck } from '../../agent/journal/check-journal.ts';
import { decodeRecord } from '../../agent/journal/journal-codec.ts';
import { createJournalReader, toJournalId } from '../../agent/journal/stored-journal.ts';
import type { NewStreamEntry, WorkspaceStreams } from '../../workspace/streams.ts';
import { hashContent } from './file-list.ts';
import { maxMessageBytes } from './frames.ts';
import type { SentEntry } from './move-messages.ts';

/** A part of a journal in a message. */
export interface SentJournal {
  readonly from: number;
  readonly entries: readonly SentEntry[];
  readonly blobs: readonly Uint8Array[];
}

/** The number of the journal's entries in the workspace. */
export async function countEntries(streams: WorkspaceStreams, session: string): Promise<number> {
  const id = toJournalId(session);
  return (await streams.list()).find((stream) => stream.id === id)?.length ?? 0;
}

/** Hashes the first `count` entries: equal journals have equal hashes. `nonce` is hashed first. */
export async function hashJournal(
  streams: WorkspaceStreams,
  session: string,
  count: number,
  nonce = '',
): Promise<string> {
  let hash = nonce;
  if (count === 0) return toHash(hash);
  for await (const { n, value, contents = [] } of streams.read(toJournalId(session))) {
    if (n > count) break;
    const parts = await Promise.all(
      contents.map(async (id) => hashContent(await streams.readContent(id))),
    );
    // The number of a commit is specific to each workspace and isn't part of the value.
    hash = await toHash(`${hash}\n${JSON.stringify(withoutSeq(value))}\n${parts.join(' ')}`);
  }
  return toHash(hash);
}

/**
 * Reads the entries from number `from`, at most up to `upTo`, as many as fit into one message. A
 * larger entry is sent alone.
 */
export async function readPart(
  streams: WorkspaceStreams,
  session: string,
  from: number,
  upTo = Infinity,
): Promise<SentJournal> {
  const entries: SentEntry[] = [];
  const blobs: Uint8Array[] = [];
  let bytes = 0;
  if (from > (await countEntries(streams, session))) return { from, entries, blobs };
  for await (const { n, value, contents = [] } of streams.read(toJournalId(session), from)) {
    if (n > upTo) break;
    const own = await Promise.all(contents.map((id) => streams.readContent(id)));
    const added = own.reduce((sum, { length }) => sum + length, JSON.stringify(value).length);
    if (entries.length > 0 && bytes + added > maxMessageBytes) break;
    entries.push({ value: withoutSeq(value), contents: own.length });
    blobs.push(...own);
    bytes += added;
  }
  return { from, entries, blobs };
}

/**
 * Appends the entries that the copy lacks. Repeated parts are ignored. Security: the entries come
 * from outside, and a copy with one unreadable entry is useless. So all are parsed before any is
 * stored.
 *
 * @throws SdkError `invalid-input` if earlier entries are missing, or these don't continue them;
 * `unsupported-environment` for a newer format
 */
export async function appendPart(
  streams: WorkspaceStreams,
  session: string,
  { from, entries, blobs }: SentJournal,
): Promise<number> {
  const at = await countEntries(streams, session);
  if (from > at + 1) {
    const message = `Entries ${at + 1} to ${from - 1} of the session have not arrived. Move it again.`;
    throw new SdkError('invalid-input', message, { data: { n: at + 1 } });
  }
  let next = 0;
  const all = entries.map(({ value, contents }): NewStreamEntry => {
    const own = blobs.slice(next, (next += contents));
    return { value, contents: own };
  });
  if (next !== blobs.length) throw lacksContents(from);
  const added = all.slice(at + 1 - from);
  if (added.length === 0) return at;
  await checkAdded(streams, session, at, added);
  return (await streams.append(toJournalId(session), added, { at })).length;
}

async function checkAdded(
  streams: WorkspaceStreams,
  session: string,
  at: number,
  added: readonly NewStreamEntry[],
): Promise<void> {
  const check = createJournalCheck();
  // Whether an entry is valid may depend on earlier ones.
  const before = at === 0 ? [] : createJournalReader({ streams }, session, check)();
  for await (const _entry of before);
  for (const [index, { value, contents = [] }] of added.entries()) {
    const read = async (one: number) => contents[one] ?? new Uint8Array();
    const decoded = await decodeRecord(value, [...contents.keys()], read).catch(
      (cause: unknown) => {
        throw lacksContents(at + 1 + index, cause);
      },
    );
    check([decoded]);
  }
}

function lacksContents(n: number, cause?: unknown): SdkError {
  return new SdkError(
    'invalid-input',
    `The part of the session from entry ${n} on has not the contents that its entries name. Nothing of it was kept: move it again.`,
    { data: { n }, cause },
  );
}

function withoutSeq(value: unknown): unknown {
  if (!isRecord(value) || !('seq' in value)) return value;
  const { seq: _, ...rest } = value;
  return rest;
}

async function toHash(text: string): Promise<string> {
  return hashContent(new TextEncoder().encode(text));
}
