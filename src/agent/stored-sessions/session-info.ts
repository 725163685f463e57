// Lists the sessions that a workspace stores. It reads as little of their journals as possible, and of a journal that
// it has read before only the new entries.
import { checkOptionNames } from '../../core/check-option-names.ts';
import { textOf } from '../../core/messages/blocks.ts';
import { clipText } from '../../core/text/clip-text.ts';
import { SdkError, describeThrown } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';
import type { MessageParam } from '../../core/messages/messages.ts';
import type { StreamEntry, WorkspaceStreams } from '../../workspace/streams.ts';
import type { Host } from '../host.ts';
import { isPacked } from '../journal/journal-codec.ts';
import type { SessionFold } from '../journal/fold.ts';
import { toJournalId } from '../journal/stored-journal.ts';
import { findUrl, readLedger } from '../session/handover/ledger.ts';
import { findOut } from '../session/handover/whereabouts.ts';
import { withHost } from '../session/with-host.ts';
import { decodeEntry, findJournal, listJournals } from './kept-journals.ts';
import type { StoredJournal } from './kept-journals.ts';

/** A session as a list shows it. Times are in milliseconds since the epoch. */
export interface SDKSessionInfo {
  readonly sessionId: string;
  /** A name for the session: its title, or else the first prompt. Empty if there is neither. */
  readonly summary: string;
  /** When the last entry was recorded. */
  readonly lastModified: number;
  readonly createdAt?: number;
  /** The title that a person or a tool has set. */
  readonly customTitle?: string;
  /** The first 1 000 characters of the first prompt. */
  readonly firstPrompt?: string;
  readonly cwd?: string;
  readonly tag?: string;
  /** The size of its journal in bytes. */
  readonly fileSize: number;
  /** Ours. */
  readonly isArchived: boolean;
  /**
   * Ours: the session was moved and runs at this address; null if the address isn't known. Left out: it is here. If a
   * move was cut before its answer came, `settleMove` of rockpool/wire asks that address.
   */
  readonly movedAway?: string | null;
  /** Ours: why its journal can't be read. It can still be deleted. */
  readonly problem?: string;
}

/** The host, and which sessions to list. */
export interface ListSessionsOptions {
  readonly host: Pick<Host, 'workspace'>;
  /** @defaultValue all */
  readonly limit?: number;
  /** How many of the newest sessions to skip. @defaultValue 0 */
  readonly offset?: number;
  /** @defaultValue false */
  readonly includeArchived?: boolean;
}

/**
 * Lists the sessions that the workspace stores, newest first. A session with a damaged journal is listed with its
 * `problem`.
 *
 * @throws SdkError `bad-usage` for a limit or an offset that isn't a whole number from 0 on
 */
export async function listSessions(options: ListSessionsOptions): Promise<SDKSessionInfo[]> {
  const { host, limit, offset, includeArchived } = readListOptions('listSessions', options);
  const { streams } = host.workspace;
  const journals = await listJournals(streams);
  const dated = await Promise.all(
    journals.map(async (journal) => ({ journal, time: await readLastTime(streams, journal) })),
  );
  // Of two sessions with the same time the one that was created later comes first.
  dated.reverse().sort((a, b) => b.time - a.time);
  const found: SDKSessionInfo[] = [];
  for (const { journal } of dated) {
    if (found.length >= offset + limit) break;
    const info = await readInfo(streams, journal);
    if (includeArchived || !info.isArchived) found.push(info);
  }
  return found.slice(offset);
}

/** Checks the options, as {@link listSessions} says, and adds their defaults. */
export function readListOptions(caller: string, options: ListSessionsOptions) {
  const { host, limit = Infinity, offset = 0, includeArchived = false } = withHost(options);
  checkOptionNames(caller, options, knownOptions);
  checkCount('limit', limit);
  checkCount('offset', offset);
  return { host, limit, offset, includeArchived };
}

/**
 * The list's entry for one session. Undefined if the workspace stores no session with that id.
 *
 * @throws SdkError `bad-usage` for what can't be a session's id.
 */
export async function getSessionInfo(
  sessionId: string,
  options: { readonly host: Pick<Host, 'workspace'> },
): Promise<SDKSessionInfo | undefined> {
  const { streams } = withHost(options).host.workspace;
  const journal = await findJournal(streams, sessionId);
  return journal && readInfo(streams, journal);
}

/** The cached facts about a journal. */
interface Digest extends Omit<StoredJournal, 'wasMoved'> {
  readonly createdAt?: number;
  readonly lastModified: number;
  readonly customTitle?: string;
  readonly firstPrompt?: string;
  readonly cwd?: string;
  readonly tag?: string | undefined;
  readonly isArchived: boolean;
  /** The place from the session's fold. */
  readonly place?: SessionFold['place'] | undefined;
}

/** By session. A digest never becomes wrong: if the stream has grown, only the new entries are read. */
const digests = new WeakMap<WorkspaceStreams, Map<string, Digest>>();

function digestsOf(streams: WorkspaceStreams): Map<string, Digest> {
  const known = digests.get(streams) ?? new Map<string, Digest>();
  digests.set(streams, known);
  return known;
}

async function readInfo(
  streams: WorkspaceStreams,
  journal: StoredJournal,
): Promise<SDKSessionInfo> {
  try {
    const { place, ...info } = await digest(streams, journal);
    const movedAway = await findMove(streams, journal, place);
    return { ...toInfo(info), ...(movedAway !== undefined && { movedAway }) };
  } catch (error) {
    const { sessionId, bytes } = journal;
    const problem = describeThrown(error);
    return { sessionId, summary: '', lastModified: 0, fileSize: bytes, isArchived: false, problem };
  }
}

/** Where a moved session runs. Undefined: here. */
async function findMove(
  streams: WorkspaceStreams,
  { sessionId, wasMoved }: StoredJournal,
  place: Digest['place'],
): Promise<string | null | undefined> {
  if (!wasMoved) return undefined;
  const ledger = await readLedger(streams, sessionId);
  const where = findOut({ place }, ledger);
  if (where === 'here' || where === 'leaving') return undefined;
  return findUrl(ledger) ?? null;
}

function toInfo({ length: _, bytes, tag, ...digest }: Omit<Digest, 'place'>): SDKSessionInfo {
  const summary = digest.customTitle ?? digest.firstPrompt ?? '';
  return { ...digest, summary, fileSize: bytes, ...(tag !== undefined && { tag }) };
}

async function readLastTime(streams: WorkspaceStreams, journal: StoredJournal): Promise<number> {
  const known = digestsOf(streams).get(journal.sessionId);
  if (known && isSame(known, journal)) return known.lastModified;
  try {
    for await (const entry of streams.read(toJournalId(journal.sessionId), journal.length)) {
      return timeOf(entry, await toFields(entry, streams));
    }
  } catch {
    // Reading it for the list fails in the same way and reports the reason. Such a session comes last.
  }
  return 0;
}

const isSame = (known: Digest, { length, bytes }: StoredJournal) =>
  known.length === length && known.bytes === bytes;

async function digest(streams: WorkspaceStreams, journal: StoredJournal): Promise<Digest> {
  const known = digestsOf(streams);
  const before = known.get(journal.sessionId);
  if (before && isSame(before, journal)) return before;
  const now = await readOn(streams, journal, before);
  known.set(journal.sessionId, now);
  return now;
}

/** Continues from the cached facts if the stream is still the same. */
async function readOn(
  streams: WorkspaceStreams,
  journal: StoredJournal,
  before: Digest | undefined,
): Promise<Digest> {
  const { sessionId, bytes } = journal;
  const isOlder = before !== undefined && before.length <= journal.length;
  let found: Digest = isOlder
    ? before
    : { sessionId, bytes, length: 0, lastModified: 0, isArchived: false };
  // A session with the same id may have been created after this one was dropped. Its entries have other times.
  const from = Math.max(found.length, 1);
  for await (const entry of streams.read(toJournalId(journal.sessionId), from)) {
    const fields = await toFields(entry, streams);
    const time = timeOf(entry, fields);
    if (entry.n === found.length) {
      if (time !== found.lastModified) return readOn(streams, journal, undefined);
      continue;
    }
    found = { ...found, ...takeEntry(found, fields), lastModified: time, length: entry.n };
  }
  return { ...found, bytes };
}

function takeEntry(found: Digest, fields: Readonly<Record<string, unknown>>): Partial<Digest> {
  const { type, agent, time, cwd, message, origin, title, tags, isArchived, fork } = fields;
  if (agent !== undefined) return {};
  switch (type) {
    case 'session':
      return {
        ...(typeof cwd === 'string' && { cwd }),
        ...(found.createdAt === undefined && typeof time === 'number' && { createdAt: time }),
      };
    case 'opened':
      // A fork begins here, and isn't archived.
      return fork !== undefined && typeof time === 'number'
        ? { createdAt: time, isArchived: false, place: undefined }
        : {};
    case 'move-out':
    case 'move-in':
    case 'move-kept':
      // The cast is safe, because the value was recorded with this type.
      return { place: fields as unknown as SessionFold['place'] };
    case 'prompt': {
      if (found.firstPrompt !== undefined || origin !== undefined) return {};
      const text = clipText(toText(message), 1_000).trim();
      return text === '' ? {} : { firstPrompt: text };
    }
    case 'meta': {
      const tag: unknown = Array.isArray(tags) ? (tags[0] ?? null) : undefined;
      return {
        ...(typeof title === 'string' && { customTitle: title }),
        ...(tag !== undefined && { tag: typeof tag === 'string' ? tag : undefined }),
        ...(typeof isArchived === 'boolean' && { isArchived }),
      };
    }
    default:
      return {};
  }
}

/** Texts that are stored beside the entry are read only for the types of entries that need them. */
async function toFields(
  entry: StreamEntry,
  streams: WorkspaceStreams,
): Promise<Readonly<Record<string, unknown>>> {
  const { value, contents = [] } = entry;
  if (contents.length === 0) return isRecord(value) ? value : {};
  const isPart = isRecord(value) && (isPacked(value) || typeof value['type'] !== 'string');
  const isNeeded = isRecord(value) && (value['type'] === 'prompt' || value['type'] === 'meta');
  return isPart || isNeeded ? decodeEntry(entry, streams) : (value as Record<string, unknown>);
}

function timeOf({ n }: StreamEntry, { time }: Readonly<Record<string, unknown>>): number {
  if (typeof time === 'number') return time;
  throw new SdkError(
    'invalid-input',
    `Entry ${n} of the session's journal is none: it has no time.`,
  );
}

function toText(message: unknown): string {
  const content = isRecord(message) ? (message['content'] as MessageParam['content']) : '';
  return typeof content === 'string' || Array.isArray(content) ? textOf(content, '\n') : '';
}

function checkCount(name: 'limit' | 'offset', value: number): void {
  if (value === Infinity || (Number.isSafeInteger(value) && value >= 0)) return;
  throw new SdkError('bad-usage', `${name} must be a whole number from 0, not ${value}.`, {
    data: { [name]: value },
  });
}

const knownOptions = {
  host: true,
  limit: true,
  offset: true,
  includeArchived: true,
} satisfies Record<keyof ListSessionsOptions, true>;
