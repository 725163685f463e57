// A mirror of sessions outside of the workspace. Recorded entries are also sent there, and a session that the
// workspace doesn't have is loaded from there. Opening a session starts the mirror.
import { inTime, isDoneIn } from '../../core/async/in-time.ts';
import { SdkError, describeThrown } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';
import type { Clock } from '../../core/tool/ports.ts';
import type { StreamEntry, WorkspaceStreams } from '../../workspace/streams.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { decodeBase64, encodeBase64 } from '../../core/bytes/base64.ts';
import { packIfLarge, unpackLarge } from '../journal/journal-codec.ts';
import type { EncodedRecord } from '../journal/journal-codec.ts';
import { toJournalId } from '../journal/stored-journal.ts';
import { checkEncoded } from './check-encoded.ts';
import { findJournal, readEncoded } from './kept-journals.ts';

/** The key of a session in a store. */
export interface SessionKey {
  /** The session's working directory. */
  readonly projectKey: string;
  readonly sessionId: string;
}

/** One entry of a journal: JSON data, which the store must return unchanged. */
export interface SessionStoreEntry {
  readonly type: string;
  /** From 1, without a gap. */
  readonly n: number;
  readonly entry: unknown;
  /** The entry's long texts and bytes, in base64. */
  readonly contents?: readonly string[];
}

/**
 * The store to which sessions are mirrored: a database of your own. The mirror is best effort: the workspace has the
 * session, so a failing store affects only the mirror.
 */
export interface SessionStore {
  /**
   * Appends these entries to the session's. Called with one batch at a time, in order. After a rejection the same
   * entries come again with the next ones. So ignore an entry whose `n` the store already has.
   */
  append(key: SessionKey, entries: readonly SessionStoreEntry[]): Promise<void>;
  /** Returns all entries of the session, in order. Null if there are none. */
  load(key: SessionKey): Promise<readonly SessionStoreEntry[] | null>;
}

/**
 * When entries are sent. `eager`: each as soon as it is stored in the workspace, together with those that came while
 * the store was busy. `batched`: the entries of a turn together, when it ends or a person is asked, and whenever 500
 * wait.
 */
export type SessionStoreFlush = 'eager' | 'batched';

/** The session to mirror, and the callback for failures. */
export interface MirrorOptions {
  readonly key: SessionKey;
  readonly workspace: Pick<Workspace, 'streams'>;
  readonly clock: Pick<Clock, 'after'>;
  /** @defaultValue 'eager' */
  readonly flush?: SessionStoreFlush | undefined;
  /** @defaultValue 60 000 */
  readonly loadTimeoutMs?: number | undefined;
  /** Called with a sentence when sending begins to fail, and not again before it has worked. Must not throw. */
  readonly onError: (error: string) => void;
}

/** A running mirror. It ends when it is closed. */
export interface SessionMirror {
  /** Resolves when all entries so far were sent or couldn't be sent, but after 10 s at the latest. Idempotent. */
  close(): Promise<void>;
}

// 10 s: closing a session must not wait for ever for a store that doesn't answer.
const CLOSE_MS = 10_000;

// 60 s, as in the Claude Agent SDK.
const defaultLoadMs = 60_000;

// 500 entries a batch: some hundred kB, as most are short.
const BATCH_ENTRIES = 500;

/**
 * Sends the entries that the store doesn't have, and from then on each new entry. For a journal that existed before,
 * it first asks the store how many entries it has. Two places may have continued one session: then it sends nothing,
 * as the store's entries would become those of both.
 */
export function startMirror(
  store: SessionStore,
  { key, workspace: { streams }, clock, flush = 'eager', loadTimeoutMs, onError }: MirrorOptions,
): SessionMirror {
  const stream = toJournalId(key.sessionId);
  /** How many entries the store has. Undefined: it wasn't asked yet. */
  let sent: number | undefined;
  let isBehind = true;
  let isFailing = false;
  /** The store has what this journal hasn't. */
  let isOver = false;
  let sending: Promise<void> | undefined;

  async function send(): Promise<void> {
    while (isBehind && !isOver) {
      isBehind = false;
      try {
        if (!(await findJournal(streams, key.sessionId))) continue;
        if (sent === undefined) {
          const whole = takeWhole((await load(store, key, clock, loadTimeoutMs)) ?? []);
          isOver = !(await isOfJournal(whole.at(-1), streams, key.sessionId));
          sent = whole.length;
        }
        if (isOver) {
          onError(
            `The store has a continuation of the session ${key.sessionId} that isn't in this workspace: it was continued elsewhere. Nothing more is sent to the store from here. Fork the session, and the fork is mirrored. Or delete it here and resume it: then it continues as the store has it.`,
          );
          break;
        }
        let batch: SessionStoreEntry[] = [];
        for await (const entry of readEncoded(streams, key.sessionId, sent + 1)) {
          batch.push(toStoreEntry(entry, sent + batch.length + 1));
          if (batch.length < BATCH_ENTRIES) continue;
          await store.append(key, batch);
          sent += batch.length;
          batch = [];
        }
        if (batch.length > 0) await store.append(key, batch);
        sent += batch.length;
        isFailing = false;
      } catch (error) {
        if (!isFailing) onError(describeThrown(error));
        isFailing = true;
      }
    }
    // Set at once, so that a later wake-up starts another run.
    sending = undefined;
  }

  function wake(): Promise<void> {
    isBehind = true;
    return (sending ??= send());
  }

  /** How many entries were stored since the last sending began. */
  let waiting = 0;
  const listening = streams.onAppend(
    (appended) => {
      if (appended.stream !== stream) return;
      waiting += appended.entries.length;
      const isDue =
        flush === 'eager' || waiting >= BATCH_ENTRIES || appended.entries.some(endsBatch);
      if (!isDue) return;
      waiting = 0;
      void wake();
    },
    (error) => onError(describeThrown(error)),
  );
  void wake();

  async function close(): Promise<void> {
    listening[Symbol.dispose]();
    const isDone = await isDoneIn(wake(), CLOSE_MS, clock);
    if (!isDone) onError(`The store hasn't answered in ${CLOSE_MS / 1000} s.`);
  }

  let closing: Promise<void> | undefined;
  return { close: () => (closing ??= close()) };
}

/**
 * Creates the session's journal from the store, if the workspace doesn't have it. The store belongs to the caller and
 * is trusted. Only versions of files and checkpoints aren't taken over, because they belong to another workspace.
 *
 * @returns false if the store doesn't have the session
 * @throws SdkError `limit-exceeded` if the store doesn't answer in time; `invalid-input` for entries that aren't a
 * complete journal; `unsupported-environment` for a newer format; also the store's own error
 */
export async function loadFromStore(
  store: SessionStore,
  key: SessionKey,
  {
    workspace: { streams },
    clock,
    loadTimeoutMs,
  }: Omit<MirrorOptions, 'key' | 'onError' | 'flush'>,
): Promise<boolean> {
  const loaded = await load(store, key, clock, loadTimeoutMs);
  if (!loaded || loaded.length === 0) return false;
  const entries = toWhole(loaded).map(toEntry);
  await checkEncoded(entries);
  await streams.append(toJournalId(key.sessionId), entries, { at: 0 });
  return true;
}

/** Rejects if the store doesn't answer in time, because opening a session must not wait for ever. */
async function load(
  store: SessionStore,
  key: SessionKey,
  clock: MirrorOptions['clock'],
  ms = defaultLoadMs,
): Promise<readonly SessionStoreEntry[] | null> {
  const tooLate = () => {
    const message = `The session store hasn't answered \`load\` of ${key.sessionId} in ${ms / 1000} s. Look at the store, or give loadTimeoutMs more.`;
    return new SdkError('limit-exceeded', message, { data: { ...key, loadTimeoutMs: ms } });
  };
  return inTime(store.load(key), ms, tooLate, clock);
}

/**
 * True if no entry of the turn follows soon. A packed entry of an older version doesn't show its type, so it also
 * counts.
 */
function endsBatch({ value }: StreamEntry): boolean {
  const { type, agent } = isRecord(value) ? value : {};
  if (typeof type !== 'string') return true;
  return agent === undefined && ['result', 'question', 'meta', 'rewound', 'moved'].includes(type);
}

function toStoreEntry(encoded: EncodedRecord, n: number): SessionStoreEntry {
  const { value, contents } = unpackLarge(encoded);
  const type = isRecord(value) && typeof value['type'] === 'string' ? value['type'] : 'unknown';
  const bytes = contents.length > 0 && { contents: contents.map(encodeBase64) };
  return { type, n, entry: value, ...bytes };
}

/** The entries from the first on up to a gap. Duplicates are ignored. */
function takeWhole(loaded: readonly SessionStoreEntry[]): readonly SessionStoreEntry[] {
  const whole: SessionStoreEntry[] = [];
  for (const entry of loaded) if (entry.n === whole.length + 1) whole.push(entry);
  return whole;
}

/** Is the store's last entry the journal's own? Two places record none of the same kind in the same millisecond. */
async function isOfJournal(
  last: SessionStoreEntry | undefined,
  streams: WorkspaceStreams,
  sessionId: string,
): Promise<boolean> {
  if (!last) return true;
  for await (const encoded of readEncoded(streams, sessionId, last.n)) {
    const { type, entry } = toStoreEntry(encoded, last.n);
    return type === last.type && timeOf(entry) === timeOf(last.entry);
  }
  return false;
}

const timeOf = (entry: unknown) => (isRecord(entry) ? entry['time'] : undefined);

function toWhole(loaded: readonly SessionStoreEntry[]): readonly SessionStoreEntry[] {
  const whole = takeWhole(loaded);
  // Not `Math.max(...)`: engines allow some hundred thousand arguments, and a session of months has more entries.
  const last = loaded.reduce((most, { n }) => Math.max(most, n), 0);
  if (whole.length === last) return whole;
  throw new SdkError(
    'invalid-input',
    `The session store has no entry ${whole.length + 1} of the session, and entries after it. Nothing was loaded.`,
    { data: { n: whole.length + 1 } },
  );
}

function toEntry({ entry, contents = [], n }: SessionStoreEntry): EncodedRecord {
  if (!isRecord(entry)) {
    throw new SdkError('invalid-input', `Entry ${n} of the session store is none.`, {
      data: { n },
    });
  }
  const record = { value: withoutWorkspace(entry), contents: contents.map(decodeBase64) };
  return packIfLarge(record);
}

/** Removes versions and checkpoints of the original workspace, which have another meaning here. */
function withoutWorkspace(
  entry: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { checkpoint: _, files: __, ...rest } = entry;
  switch (entry['type']) {
    case 'settled':
      return { ...entry, reads: [] };
    case 'turn':
    case 'rewound':
      return rest;
    case 'permissions':
      // 0: any file here may hold text that was downloaded there.
      return 'downloadedAt' in entry ? { ...entry, downloadedAt: 0 } : entry;
    default:
      return entry;
  }
}
